"""What the readers of loops have in common: folders, single logs, outputs and state files."""

from __future__ import annotations

from exitgate.transcripts import gives
from exitgate.transcripts.look import look_at
from exitgate.transcripts.readers.ralph_lines import read_lines
from exitgate.transcripts.readers.ralph_log import LoopLog
from exitgate.transcripts.readers.ralph_loop_folder import Kept, head_of, kept_in, speaks
from exitgate.transcripts.readers.ralph_outputs import is_output
from exitgate.transcripts.readers.ralph_runs import runs_of
from exitgate.transcripts.run import Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from exitgate.transcripts.look import Look
    from exitgate.transcripts.place import Place
    from exitgate.transcripts.readers.ralph_launch import Launch
    from exitgate.transcripts.readers.ralph_log import Marks
    from exitgate.transcripts.run import Part

#: What the folder of such a loop can tell.
GIVES = frozenset(
    (
        gives.RESPONSE, gives.OUTPUT, gives.TOOL_RESULTS, gives.RESULT, gives.PLAN, gives.TASK,
        gives.CIRCUIT, gives.FILES, gives.TIMES, gives.EXIT_STATUS, gives.TOOL_CALLS, gives.FILES_CHANGED,
        gives.COST, gives.TOKENS, gives.DENIALS,
    )
)  # fmt: skip


def fits_folder(look: Look, marks: Marks) -> bool:
    """Return whether a folder has a log of the loop with these marks."""
    kept = kept_in(look)
    return kept is not None and any(speaks(head_of(place), marks) for place in kept.logs)


def fits_log(look: Look, marks: Marks) -> bool:
    """Return whether a file is a log of the loop with these marks."""
    return look.head.removeprefix(b"\xef\xbb\xbf")[:1] == b"[" and speaks(look.text, marks)


def claims(look: Look) -> frozenset[str]:
    """Return the names below a folder that belong to its loop."""
    kept = kept_in(look)
    return frozenset() if kept is None else kept.claimed


def launches_of(
    logs: Sequence[Place], marks: Marks, reasons: Mapping[str, str | None]
) -> Iterator[Problem | LoopLog]:
    """Yield what was wrong with logs, and last what they tell."""
    log = LoopLog(marks, reasons)
    for place in logs:
        try:
            for line in read_lines((place,)):
                log.take(line)
        except OSError as error:
            yield Problem(place.path, error.strerror or str(error))
    yield log


def read_folder(
    place: Place, wants: frozenset[str], marks: Marks, reasons: Mapping[str, str | None], *, one: bool = False
) -> Iterator[Part]:
    """
    Yield the runs of a folder, a log or an output.

    Args:
        place: The folder or file.
        wants: As in `exitgate.transcripts.registry`.
        marks: Of the loop's log.
        reasons: Of its ends.
        one: Whether all launches are one run.

    Raises:
        OSError: When it cannot be opened.
    """
    kept = kept_in(look_at(place)) if place.is_folder else _kept_file(place)
    if kept is None:
        yield Problem(place.path, "it has neither a log nor an output of a loop")
        return
    launches: list[Launch] = []
    for logs in (kept.logs, () if kept.console is None else (kept.console,)):
        for part in launches_of(logs, marks, reasons):
            if isinstance(part, LoopLog):
                told = {launch.at for launch in launches}
                launches += [launch for launch in part.finished() if launch.at not in told]
            else:
                yield part
    launches.sort(key=lambda launch: launch.at or 0.0)
    yield from runs_of(kept, launches, wants, one=one)


def _kept_file(place: Place) -> Kept:
    """Return a log, or an output, that is read by itself. Raises OSError."""
    name = place.name.rpartition(".")[0] or place.name
    output = is_output(place.name)
    place.head(1)
    return Kept(
        name,
        place,
        () if output else (place,),
        place.parent(),
        (place.name,) if output else (),
        None,
        None,
        {},
        frozenset(),
    )
