"""The recorded runs that cases name: read once for each file, problems reported where they are named."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

from msgspec import Struct

from exitgate.core.engine.stages import stages_due
from exitgate.core.gate.extract import facts_of
from exitgate.core.gate.new_run import OF_AN_ITERATION
from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.model.fact import Fact, Iteration, Source
from exitgate.core.model.json_object import JsonObject
from exitgate.core.observe import clock as counters
from exitgate.core.observe.local_time import recorded as of_day
from exitgate.core.observe.local_time import zones_of
from exitgate.core.observe.masking import masked
from exitgate.core.observe.sources import keeps
from exitgate.core.policy.compiled import CompiledPolicy, Extraction
from exitgate.core.state.history import SESSION, Reported, reported
from exitgate.recordings.model import Begin, RecordedIteration, Run, collect
from exitgate.recordings.recorded_input import Instants, sources_of, sources_of_begin, taken

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.testing.cases.case import Problems
    from exitgate.testing.cases.load import WrittenCase


#: Ids of runs that are listed where none is meant for sure.
LISTED = 8
#: Tests never reach for the network.
URL = "://"
#: What a case may not give beside a recorded run.
APART = ("sources", "earlier", "agent_exit")


class Recordings:
    """The recorded runs that one file of tests names, each transcript read once."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._runs: dict[tuple[str, str | None], tuple[Run, ...] | str] = {}

    def of(self, written: WrittenCase, remarks: Problems) -> Recording | None:
        """Return the recorded run that a case names; None where it names none, or a remark was added."""
        raw = written.case.get("transcript")
        if raw is None:
            if "iteration" in written.case:
                spot = written.spot("iteration")
                remarks.add(
                    "EP504",
                    "`iteration` selects an iteration of a recorded run",
                    spot,
                    "name its `transcript`",
                )
            return None
        for key in APART:
            if key in written.case:
                message = f"`{key}` is given beside `transcript`, which already contains it"
                remarks.add("EP504", message, written.spot(key), "give `facts` instead, which override it")
        asked = raw if isinstance(raw, dict) else {"file": raw}
        file, id, reader = str(asked["file"]), asked.get("run"), asked.get("reader")
        if URL in file:
            help = "download it first, and keep it beside the tests"
            remarks.add("EP503", f"`{file}` is not a file of this machine", written.spot("transcript"), help)
            return None
        runs = self._read(os.path.join(self._folder, file), str(reader) if reader else None)
        if isinstance(runs, str):
            remarks.add("EP503", f"`{file}` cannot be used: {runs}", written.spot("transcript"))
            return None
        run = self._run(runs, None if id is None else str(id), written, remarks)
        return None if run is None else self._cut(run, file, written, remarks)

    def _read(self, path: str, reader: str | None) -> tuple[Run, ...] | str:
        """Return the runs of a transcript that are not sub-agent's, or why there are none."""
        key = path, reader
        if key not in self._runs:
            self._runs[key] = _read(path, reader)
        return self._runs[key]

    def _run(
        self, runs: tuple[Run, ...], id: str | None, written: WrittenCase, remarks: Problems
    ) -> Run | None:
        spot = written.spot("transcript")
        names = [run.begin.id for run in runs]
        if id is not None and id not in names:
            remarks.no_such("EP503", "recorded run", id, spot, names)
            return None
        if id is None and len(runs) > 1:
            listed = ", ".join(f"`{name}`" for name in names[:LISTED]) + (
                ", …" if len(names) > LISTED else ""
            )
            help = f"say which: `transcript: {{file: …, run: {names[0]}}}`"
            remarks.add("EP503", f"there are {len(runs)} recorded runs in it: {listed}", spot, help)
            return None
        return next(run for run in runs if id is None or run.begin.id == id)

    def _cut(self, run: Run, file: str, written: WrittenCase, remarks: Problems) -> Recording | None:
        count = len(run.iterations)
        number = written.case.get("iteration", count)
        if count == 0 or not isinstance(number, int) or not 1 <= number <= count:
            spot = written.spot("iteration") if "iteration" in written.case else written.spot("transcript")
            remarks.add("EP503", f"the recorded run has no iteration `{number}`", spot, f"it has {count}")
            return None
        return Recording(file, run.begin, run.iterations[:number])


def _read(path: str, reader: str | None) -> tuple[Run, ...] | str:
    from exitgate.recordings.discovery import parts_of, readable
    from exitgate.recordings.unread import Unread

    unread = Unread()
    runs: list[Run] = []
    try:
        for found in readable((path,), reader, unread):
            assert found.reader is not None
            read, _ = collect(parts_of(found, unread), found.reader)
            runs += [run for run in read if run.begin.parent is None]
    except ExitgateError as error:
        return error.diagnostics[0].message
    if unread.diagnostics:
        return unread.diagnostics[0].message
    return tuple(runs) or "there is no recorded run in it"


# A recorded run as what is given to a case: each iteration read as a dry run, and so a check, reads it.


class Recording(Struct, frozen=True):
    """
    A recorded run, or the first of its iterations.

    Args:
        path: Of the transcript, as it is reported.
        begin: How it began.
        iterations: Oldest first; at least one.
    """

    path: str
    begin: Begin
    iterations: tuple[RecordedIteration, ...]

    def stages(self, number: int, *, is_error: bool) -> tuple[str, ...]:
        """
        Return the stages that a check after iteration `number`, from 1, would ask.

        `is_error` is what `iterations_of` found of it: a check looks for it in the answer, too.
        """
        one = self.iterations[number - 1]
        return stages_due(
            None,
            one.exit_status,
            response=one.response is not None,
            begun=True,
            is_error=is_error,
        )


class ObservedIteration(Struct, frozen=True):
    """
    What one iteration of a recording says.

    Args:
        facts: By name, secrets hidden.
        now: When it was checked, seconds since the epoch.
        known: Whether the transcript tells that.
        baseline: Of the first iteration: facts before any work; else None.
        is_error: Whether its result says so, or the answer is nothing but its program's own error.
    """

    facts: Mapping[str, Fact]
    now: float
    known: bool
    baseline: Mapping[str, Fact] | None = None
    is_error: bool = False


def iterations_of(recording: Recording, policy: CompiledPolicy) -> Iterator[ObservedIteration]:
    """Yield what each iteration says to the policy's extractors, oldest first."""
    at = Instants(recording.begin.started_at)
    totals = JsonObject()
    zones = zones_of(policy)
    earlier: dict[str, tuple[str | None, ...]] = {}
    for one in recording.iterations:
        baseline = None if one is not recording.iterations[0] else _baseline(recording, at, policy)
        at.at(one.started_at, one.ended_at)
        sources, spent = reported(sources_of(one, policy), totals, unchanged=False)
        made = _made(one, at, totals, spent, zones)
        totals.update(
            {name: value for name, value in (made["run"].record or {}).items() if value is not None}
        )
        if spent.session is not None:
            totals[SESSION] = spent.session
        seen = Iteration(one.index, recording.begin.id, at.now, {**sources, **made}, dict(earlier))
        facts = _facts(seen, policy)
        if one.facts is not None:
            facts |= taken(one.facts, facts, policy.facts)
        yield ObservedIteration(facts, at.now, at.known, baseline, spent.is_error is True)
        for name in earlier.keys() | sources.keys():
            text = sources[name].text if name in sources else None
            earlier[name] = (*earlier.get(name, (None,) * (one.index - 1)), text)


def _facts(seen: Iteration, policy: CompiledPolicy, early: bool = False) -> dict[str, Fact]:
    found = {
        fact.name: fact
        for entry in policy.extractions
        if not keeps(policy, entry) and not (early and _is_of_work(entry))
        for fact in facts_of(entry, seen)
    }
    return masked(found, seen.sources, policy)


def _is_of_work(entry: Extraction) -> bool:
    return entry.source in OF_AN_ITERATION or entry.extractor == "git"


def _made(
    one: RecordedIteration,
    at: Instants,
    totals: Mapping[str, object],
    spent: Reported,
    zones: tuple[str, ...],
) -> dict[str, Source]:
    """Return the sources `clock` and `run`."""
    run = counters.run(
        one.index, totals, at.started_at if at.known else None, one.exit_status, spent.cost, spent.tokens,
        at.elapsed, spent.is_error,
    )  # fmt: skip
    if not at.known:
        return {"clock": counters.clock(None, None, None, of_day(None, zones)), "run": run}
    shown = of_day(at.now, zones)
    return {"clock": counters.clock(at.started_at, at.last_at, at.elapsed, shown), "run": run}


def _baseline(recording: Recording, at: Instants, policy: CompiledPolicy) -> dict[str, Fact]:
    """Return what the plan, other files, clock and counters say before any work."""
    first = recording.iterations[0]
    began = at.begin(first.started_at, first.ended_at)
    made = {
        "clock": counters.clock(began, None, None if began is None else 0.0, of_day(began, zones_of(policy))),
        "run": counters.run(0, {}, began),
    }
    sources = {**sources_of_begin(recording.begin, policy), **made}
    return _facts(Iteration(0, recording.begin.id, began or 0.0, sources), policy, early=True)
