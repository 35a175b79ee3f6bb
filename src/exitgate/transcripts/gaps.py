"""Iterations beside what could not be read: a call of a tool may have been there."""

from __future__ import annotations

from exitgate.model.diagnostic import ExitgateError
from exitgate.transcripts.recorded import RecordedIteration
from exitgate.transcripts.run import Begin, Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.transcripts.run import Part

#: Problems after which readers no longer name each: every later iteration may have one.
MANY = 20
_ENDED = "the recording could not be read any further"


def marked(parts: Iterator[Part]) -> Iterator[Part]:
    """
    Yield the parts of a transcript; iterations next to a problem say that calls may be missing.

    A problem belongs to the iteration before or behind it: readers tell of it when they come to it. So each
    iteration is held back until the next one or the next run begins.

    Raises:
        OSError, ExitgateError: As the reader does, behind what it read before. Anything else is a fault of
            the program, and what is held back goes with it.
    """
    held: list[Part] = []
    gap, many = "", 0
    try:
        for part in parts:
            if isinstance(part, Problem) and part.loses:
                many += 1
                gap = _why(part)
                held = [_with(one, gap) if isinstance(one, RecordedIteration) else one for one in held]
            elif isinstance(part, Begin | RecordedIteration):
                yield from held
                held = []
            if isinstance(part, RecordedIteration):
                held = [_with(part, gap) if gap else part]
                gap = gap if many >= MANY else ""
            elif held:
                held.append(part)
            else:
                yield part
    except (OSError, ExitgateError):
        # All that a reader may raise. What it read before is not lost, and what came next may be missing.
        yield from (_with(one, _ENDED) if isinstance(one, RecordedIteration) else one for one in held)
        raise
    yield from held


def _why(problem: Problem) -> str:
    where = f"line {problem.line}" if problem.line else "a part"
    return f"{where} of the recording could not be read"


def _with(one: RecordedIteration, why: str) -> RecordedIteration:
    if one.tool_calls is None or "tool_calls" in one.not_known:
        return one
    return one.but(not_known={**one.not_known, "tool_calls": why})
