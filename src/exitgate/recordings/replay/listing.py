"""What recorded runs there are, without any policy: how long, how expensive, how they ended."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from exitgate.core.model import capabilities
from exitgate.core.model.diagnostic import Diagnostic
from exitgate.core.model.fact import Source
from exitgate.core.model.json_object import JsonObject
from exitgate.core.state.history import SESSION, reported
from exitgate.recordings.discovery import Found, parts_of
from exitgate.recordings.model import Begin, End, Problem, RecordedIteration
from exitgate.recordings.replay.executors import DIED
from exitgate.recordings.replay.replay_pool import SessionCosts, total_cost
from exitgate.recordings.unread import Unread, unreadable
from exitgate.report.recordings import RunOutput, iso

#: What a list says of iterations; no text of them is looked at.
WANTS = frozenset((capabilities.RESULT, capabilities.TIMES, capabilities.COST, capabilities.TOKENS))


def listed(found: Found, unread: Unread) -> Iterator[RunOutput | Problem]:
    """
    Yield the runs of a file or folder that has a reader, and what was wrong with it.

    Memory is that of one iteration; `unread` takes what could not be read to its end.
    """
    assert found.reader is not None
    sums = _Sums()
    for part in parts_of(found, unread, WANTS):
        if isinstance(part, Problem):
            yield part
        elif isinstance(part, Begin):
            begin, sums = part, _Sums()
        elif isinstance(part, End):
            yield sums.run(begin, part, found.reader)
        else:
            sums.add(part)


class Listed(Struct, frozen=True):
    """
    What there is in a transcript.

    Args:
        parts: Its runs, and what was wrong with it, in order.
        failed: Why it could not be read to its end.
    """

    parts: tuple[RunOutput | Problem, ...]
    failed: tuple[Diagnostic, ...] = ()


def list_transcript(found: Found) -> Listed:
    """Return the runs of a transcript: work for an executor."""
    unread = Unread()
    return Listed(tuple(listed(found, unread)), tuple(unread.failed))


def died(found: Found) -> Listed:
    """Return what there is of a transcript over which its process died."""
    return Listed((), (unreadable(found.place.path, DIED),))


class _Sums:
    """What the iterations of one run add up to."""

    def __init__(self) -> None:
        self._count = 0
        self._costs = SessionCosts()
        self._tokens: int | None = None
        self._first: float | None = None
        self._last: float | None = None
        self._session: object = None

    def add(self, one: RecordedIteration) -> None:
        """Add the next iteration."""
        self._count += 1
        told = {"result": Source("result", record=one.record)}
        _, spent = reported(told, JsonObject({SESSION: self._session}), unchanged=False)
        self._session = spent.session if spent.session is not None else self._session
        self._costs.add(spent)
        if spent.tokens is not None:
            self._tokens = spent.tokens + (self._tokens or 0)
        if self._first is None:
            self._first = one.started_at if one.started_at is not None else one.ended_at
        for at in (one.started_at, one.ended_at):
            if at is not None:
                self._last = at if self._last is None else max(at, self._last)

    def run(self, begin: Begin, end: End, reader: str) -> RunOutput:
        """Return the run, now that it has ended."""
        started = begin.started_at if begin.started_at is not None else self._first
        ended = end.ended_at if end.ended_at is not None else self._last
        cost = end.cost if end.cost is not None else total_cost(self._costs.each())
        known = started is not None and ended is not None and ended >= started
        return RunOutput(
            begin.id,
            begin.file,
            reader,
            begin.granularity,
            self._count,
            iso(started),
            iso(ended),
            round(ended - started, 3) if known else None,  # type: ignore[operator]
            None if cost is None else round(cost, 6),
            end.tokens if end.tokens is not None else self._tokens,
            end.how,
            end.why,
            begin.title,
            begin.parent,
            begin.resumed,
        )
