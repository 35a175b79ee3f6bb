"""
exitgate's own ledger: the folder `.ralph/exitgate/`, or a `ledger.jsonl` by itself.

A ledger keeps facts and decisions, never the texts they were found in: iterations of it hold their facts,
and nothing of what the agent said. Runs may be interleaved; the file is read once to see where the lines
of each are, and once more run by run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO

from exitgate.core.envelopes.members import as_object, text_at
from exitgate.core.ledger.file import FILE_NAME, NewerLineError, parse
from exitgate.core.ledger.line import BREAKER, DECISION, EXPIRED, MOVED, RESET, RUN_START, facts_from_line
from exitgate.core.ledger.runs import used_up
from exitgate.core.ledger.typed import LedgerLine, LineBreaker, LineTotals, typed
from exitgate.core.model import capabilities
from exitgate.core.model.decision import EXIT, STAGES
from exitgate.core.model.json_object import whole_of
from exitgate.core.model.value import micro
from exitgate.core.system.lenient import read_as
from exitgate.recordings.location import LINE_LIMIT, Location
from exitgate.recordings.model import PROCESS, Begin, End, Part, Problem, Provenance, RecordedIteration
from exitgate.recordings.probe import Probe

Plain = Mapping[str, Any]


ID = "exitgate-ledger"
TITLE = "exitgate's own ledger: recorded facts and decisions"
FOLDER = True
GIVES = frozenset(
    (
        capabilities.TIMES,
        capabilities.EXIT_STATUS,
        capabilities.CIRCUIT,
        capabilities.COST,
        capabilities.TOKENS,
    )
)

_KINDS = (RUN_START, DECISION, RESET, BREAKER, EXPIRED)
_NO_TEXT = "a ledger keeps facts and their places, not the texts"
_TEXTS = ("response", "output", "tool_results", "plan", "prompt", "git")


def fits(look: Probe) -> bool:
    """Return whether the folder holds a ledger, or the file is one."""
    if not look.place.is_folder:
        return bool(look.events) and _is_line(look.events[0])
    if FILE_NAME not in look.names:
        return False
    from exitgate.recordings.probe import probe_of

    try:
        return fits(probe_of(look.place.at(FILE_NAME)))
    except OSError:
        return False


def _is_line(event: Plain) -> bool:
    return (
        event.get("kind") in _KINDS
        and text_at(event, "run") is not None
        and whole_of(event.get("sequence")) is not None
        and whole_of(event.get("format")) is not None
        and "prev" in event
    )


def claims(look: Probe) -> frozenset[str]:
    """Return all names: a state directory holds nothing but what goes with its ledger."""
    return frozenset(look.names)


def read(place: Location, wants: frozenset[str]) -> Iterator[Part]:  # noqa: ARG001
    """Yield the runs in the order in which they began. Raises OSError when it cannot be read."""
    at = place.at(FILE_NAME) if place.is_folder else place
    where: dict[str, list[tuple[int, int]]] = {}
    breakers = _Breakers()
    with at.open() as file:
        for number, offset, raw in _raw(file):
            line = _parsed(raw)
            if isinstance(line, str):
                yield Problem(at.path, line, number)
            elif line is not None:
                breakers.add(number, line)
                if line.kind != BREAKER:
                    where.setdefault(line.run, []).append((offset, number))
        for run, places in where.items():
            yield from _run(at.path, run, _lines(file, places), breakers)


class _Breakers:
    """Where the breaker was before a line of a ledger, where its run had not left it there."""

    def __init__(self) -> None:
        self._newest: Plain = {}
        #: Run -> state after its newest line; its newest iteration: number of the line and of the iteration.
        self._own: dict[str, tuple[Plain, int, int]] = {}
        #: Run -> where something else moved it since its newest iteration.
        self._moved: dict[str, Plain] = {}
        #: Run -> time of its newest look since.
        self._looked: dict[str, float | None] = {}
        self._before: dict[int, tuple[Plain | None, float | None]] = {}

    def before(self, number: int) -> tuple[Plain | None, float | None]:
        """Return the state that something else left, and the time of the newest look, before a line."""
        return self._before.get(number, (None, None))

    def add(self, number: int, line: LedgerLine) -> None:
        """Take in the next line."""
        kind, run = line.kind, line.run
        if kind == DECISION:
            own, sequence, reached = self._own.get(run, ({}, 0, 0))
            if self._newest != own:
                since = used_up(read_as(LineBreaker, self._newest).since) or 0
                self._moved[run] = {**self._newest, "since": int(since > sequence)}
                self._looked.pop(run, None)
            if _is_look(line, reached):
                self._looked[run] = used_up(line.time)
            else:
                if run in self._moved or run in self._looked:
                    self._before[number] = self._moved.pop(run, None), self._looked.pop(run, None)
                sequence, reached = line.sequence, line.number
            self._own[run] = _breaker(line), sequence, reached
        if kind in (DECISION, BREAKER):
            self._newest = _breaker(line)


def _breaker(line: LedgerLine) -> Plain:
    return {name: value for name, value in _breaker_found(line).items() if name != MOVED}


def _breaker_found(line: LedgerLine) -> Plain:
    return as_object(line.found("breaker"))


def _is_look(line: LedgerLine, reached: int) -> bool:
    """Return whether a line is of a check before an iteration that has a line of its own, or never was."""
    return line.number <= reached and line.decided.stage == STAGES[0]


def _raw(file: BinaryIO) -> Iterator[tuple[int, int, bytes]]:
    """Yield number, offset and bytes of each line that is not blank."""
    offset, number = 0, 0
    while raw := file.readline(LINE_LIMIT):
        number += 1
        if raw.strip():
            yield number, offset, raw
        offset += len(raw)


def _parsed(raw: bytes) -> LedgerLine | str | None:
    """Return a line, what is wrong with it, or None for one of no known kind, which is passed over."""
    if not raw.endswith(b"\n"):
        return "the last line is unfinished"
    try:
        line = parse(raw.strip())
    except NewerLineError:
        return "a newer version of exitgate wrote this line"
    if line is None:
        return "this line is damaged"
    return typed(line) if line.get("kind") in _KINDS else None


def _lines(file: BinaryIO, places: list[tuple[int, int]]) -> Iterator[tuple[int, LedgerLine]]:
    for offset, number in places:
        file.seek(offset)
        line = _parsed(file.readline(LINE_LIMIT))
        if line is not None and not isinstance(line, str):
            yield number, line


def _run(path: str, run: str, lines: Iterator[tuple[int, LedgerLine]], breakers: _Breakers) -> Iterator[Part]:
    begun = False
    index = reached = 0
    spent = LineTotals()
    ended = End()
    for number, line in lines:
        if not begun:
            yield _begin(path, run, line)
            begun = True
        if line.kind == DECISION:
            ended = _end(line)
            if _is_look(line, reached):
                continue
            index, reached = index + 1, line.number
            yield _iteration(path, number, index, line, spent, breakers)
            spent = line.totals
        elif line.kind in (RESET, EXPIRED):
            ended = End(ended.how, line.reason or "", used_up(line.time))
    if begun:
        yield ended


def _begin(path: str, run: str, line: LedgerLine) -> Begin:
    title = " ".join(filter(None, (line.decided_by.name, line.decided_by.version)))
    started = used_up(line.time) if line.kind == RUN_START else None
    return Begin(run, PROCESS, path, started, f"decided by {title}" if title else "")


def _end(line: LedgerLine) -> End:
    decision = line.decided
    if decision.verdict != EXIT:
        return End(ended_at=used_up(line.time))
    return End(decision.exit_class, decision.outcome, used_up(line.time))


def _iteration(
    path: str, number: int, index: int, line: LedgerLine, before: LineTotals, breakers: _Breakers
) -> RecordedIteration:
    breaker, looked_at = breakers.before(number)
    totals = line.totals
    facts = facts_from_line(line.plain)
    status = facts.get("run.agent_exit")
    record: dict[str, object] = {}
    for key, total, then in (("cost", totals.cost, before.cost), ("tokens", totals.tokens, before.tokens)):
        now = used_up(total)
        if now is not None:
            record[key] = max(0, micro(now - (used_up(then) or 0)))
    return RecordedIteration(
        index,
        Provenance(path, number, number),
        record=record,
        ended_at=used_up(line.time),
        exit_status=whole_of(status),
        circuit=_breaker_found(line) or None,
        not_known=dict.fromkeys(_TEXTS, _NO_TEXT),
        facts=facts,
        breaker=breaker,
        looked_at=looked_at,
        probes=line.plain.object("probes"),
    )
