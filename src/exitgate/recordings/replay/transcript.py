"""One transcript under all policies: read, or its facts recalled. Any fault in it is a result."""

from __future__ import annotations

import msgspec
from msgspec import Struct

from exitgate.core.model.capabilities import ALL
from exitgate.recordings import registry
from exitgate.recordings.discovery import mark_gaps
from exitgate.recordings.model import Begin, End, Problem
from exitgate.recordings.replay.extraction import IS_ERROR, wants_of
from exitgate.recordings.replay.facts_cache import DAMAGE, Observed, WatchedLocation
from exitgate.recordings.replay.replay_pool import Decisions, Spent, Table
from exitgate.recordings.replay.stored_runs import Columns, Read, StoredRun, with_error, with_facts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from exitgate.recordings.discovery import Found
    from exitgate.recordings.replay.extraction import Extracted
    from exitgate.recordings.replay.facts_cache import CachedRuns, FactsCache
    from exitgate.recordings.replay.replay import Shared
    from exitgate.recordings.replay.replay_pool import PolicyReplay
    from exitgate.recordings.replay.result import RunResult


class Wanted(Struct, frozen=True):
    """
    What is wanted of each run.

    Args:
        to_the_end: Go on after a policy's EXIT.
        keep: Keep facts, steps and the iterations themselves.
        detail: Keep a row for each iteration.
        subagents: Whether runs of sub-agents count.
        gather: Decide nothing, and gather what rules find in every iteration.
        facts: Keep the values of the facts of every iteration that is decided on.
    """

    to_the_end: bool = False
    keep: bool = False
    detail: bool = True
    subagents: bool = False
    gather: bool = False
    facts: bool = False


class ReplayedTranscript(Struct, frozen=True):
    """
    What came of a transcript.

    Args:
        path: Of it.
        results: One for each run and policy.
        problems: What was wrong in it.
        failed: Why it could not be read to its end, or the empty text.
        sub_agents: Runs of sub-agents that were left out.
        note: What is to be said of the cache, or the empty text.
    """

    path: str
    results: tuple[RunResult, ...] = ()
    problems: tuple[Problem, ...] = ()
    failed: str = ""
    sub_agents: int = 0
    note: str = ""


def replay_transcript(
    found: Found, players: Sequence[PolicyReplay], wanted: Wanted, cache: FactsCache | None = None
) -> ReplayedTranscript:
    """
    Return what the policies make of each run of a transcript. Raises nothing: a failure is a result.

    Args:
        found: The transcript; it has a reader.
        players: The policies, at least one.
        wanted: What of them.
        cache: Where facts may be had from and kept, or None.
    """
    assert found.reader is not None
    keys = dict.fromkeys(key for player in players for key in player.found_keys())
    if cache is None or wanted.keep or not cache.keeps(found.place, found.reader):
        return _read(found, players, wanted, _Reading(found, None))
    wants = wants_of(player.policy for player in players)
    recalled = cache.recall(found.place, found.reader, keys, wants)
    note = recalled.note
    if recalled.runs is not None:
        try:
            return _recalled(found.place.path, found.reader, recalled, players, wanted)
        except DAMAGE as error:
            note = f"the facts kept of `{found.place.path}` have another format: {type(error).__name__}"
    reading = _Reading(found, keys)
    walked = _read(found, players, wanted, reading)
    if not walked.failed:
        trouble = _store(cache, found, reading, walked, recalled.columns, wants)
        note = note or trouble
    return ReplayedTranscript(
        walked.path, walked.results, walked.problems, walked.failed, walked.sub_agents, note
    )


def _store(
    cache: FactsCache,
    found: Found,
    reading: _Reading,
    walked: ReplayedTranscript,
    known: Mapping[str, bytes],
    wants: Collection[str],
) -> str:
    """Keep what was read; return what kept it from being kept, or the empty text."""
    assert found.reader is not None
    try:
        columns = {**known, **reading.plain()}
        return cache.keep(
            found.place, found.reader, reading.seen, reading.runs, walked.problems, columns, wants
        )
    except UnicodeEncodeError:
        # a name of any bytes, or half a surrogate pair in a text: an entry is JSON, which holds neither
        return f"the facts of `{found.place.path}` are not kept: not all of it is Unicode"


class _Reading:
    """A transcript being read; with `keys`, what is found of them is gathered for the cache."""

    def __init__(self, found: Found, keys: Mapping[str, None] | None) -> None:
        self.seen = Observed()
        self.place = found.place
        self.gathers = keys is not None
        self.runs: list[StoredRun] = []
        self._columns = {key: Columns() for key in keys or ()}
        self._before = {key: Columns() for key in keys or ()}
        self._iterations: list[Extracted] = []
        if self.gathers:
            self.place = WatchedLocation(found.place.path, found.place.is_folder, self.seen)

    def take(self, one: Extracted, shared: Shared) -> None:
        """Keep what an iteration used up and what was found in it."""
        if self.gathers:
            self._iterations.append(with_facts(one, {}))
            for key, columns in self._columns.items():
                columns.add(shared.get(key, ()))

    def over(self, begin: Begin, end: End, before: Shared) -> None:
        """Keep a run that is over."""
        if self.gathers:
            self.runs.append(StoredRun(begin, end, tuple(self._iterations)))
            self._iterations = []
            for key, columns in self._before.items():
                columns.add(before.get(key, ()))

    def plain(self) -> dict[str, bytes]:
        """Return what each entry found, as JSON."""
        return {
            key: msgspec.json.encode([columns.plain(), self._before[key].plain()])
            for key, columns in self._columns.items()
        }


def _read(
    found: Found, players: Sequence[PolicyReplay], wanted: Wanted, reading: _Reading
) -> ReplayedTranscript:
    assert found.reader is not None
    results: list[RunResult] = []
    problems: list[Problem] = []
    failed, left_out = "", 0
    table: Table | None = None
    try:
        wants = ALL if wanted.keep else wants_of(player.policy for player in players)
        for part in mark_gaps(registry.load(found.reader).read(reading.place, wants)):
            if isinstance(part, Problem):
                problems.append(part)
            elif isinstance(part, Begin):
                counts = wanted.subagents or part.parent is None
                table = Table(
                    players if counts else (), part, wanted.to_the_end, wanted.keep, wanted.detail,
                    thorough=reading.gathers, gather=wanted.gather, facts=wanted.facts,
                )  # fmt: skip
            elif isinstance(part, End):
                assert table is not None, "a run ends that did not begin"
                reading.over(table.begin, part, table.before)
                results += table.results(part, found.reader)
                left_out += not table.players
            else:
                assert table is not None, "an iteration without a run"
                if table.players:
                    reading.take(*table.take(part))
    except OSError as error:
        failed = error.strerror or str(error) or type(error).__name__
    except Exception as error:
        # a reader raises nothing else; the one that does must not take the other transcripts with it
        failed = f"reader `{found.reader}` failed: {type(error).__name__}: {error}"
    return ReplayedTranscript(found.place.path, tuple(results), tuple(problems), failed, left_out)


def _recalled(
    path: str, reader: str, recalled: CachedRuns, players: Sequence[PolicyReplay], wanted: Wanted
) -> ReplayedTranscript:
    """Decide on what the cache has; nothing of the transcript is read."""
    columns: dict[str, tuple[Read, Read]] = {}
    for key in {key for player in players for key in player.found_keys()}:
        facts, before = msgspec.json.decode(recalled.columns[key])
        columns[key] = Read(facts), Read(before)
    seats = [
        _Seat(player, [columns[entry.key] for entry in player.entries], columns[player.failure][0])
        for player in players
    ]
    results: list[RunResult] = []
    left_out, at = 0, 0
    for number, run in enumerate(recalled.runs or ()):
        first, at = at, at + len(run.iterations)
        if run.begin.parent is not None and not wanted.subagents:
            left_out += 1
            continue
        spent = Spent()
        for one in run.iterations:
            spent.add(one)
        whole = spent.run(run.begin, run.end, reader)
        results += [seat.decide(run, number, first, wanted).result(whole, spent.costs) for seat in seats]
    return ReplayedTranscript(path, tuple(results), recalled.problems, sub_agents=left_out)


class _Seat:
    """A policy with the facts that were recalled for its entries."""

    def __init__(self, player: PolicyReplay, columns: Sequence[tuple[Read, Read]], failures: Read) -> None:
        self.player = player
        self._failures = failures
        self._columns = columns
        self._keys = list(zip(*(facts.numbers for facts, _ in columns), strict=True)) if columns else []
        #: Facts with which a policy without a memory is known to go on.
        self._goes_on: set[object] = set()

    def decide(self, run: StoredRun, number: int, first: int, wanted: Wanted) -> Decisions:
        """Return the decisions on a run: the transcript's `number`th, its facts from the `first` row on."""
        decisions = Decisions(
            self.player,
            run.begin,
            wanted.to_the_end,
            detail=wanted.detail,
            gather=wanted.gather,
            facts=wanted.facts,
        )
        looks = wanted.detail or wanted.gather or wanted.facts
        short = self.player.forgetful and not looks and bool(self._keys)
        for offset, kept in enumerate(run.iterations):
            if decisions.over:
                break
            key: object = None
            said = self._failures.facts(first + offset).get(IS_ERROR)
            one = with_error(kept, None if said is None else said.value)
            if short:
                failed = bool(one.exit_status), one.reported.is_error is True, one.responded
                key = self._keys[first + offset], failed
                if key in self._goes_on:
                    continue
            facts = {n: f for found, _ in self._columns for n, f in found.facts(first + offset).items()}
            early = None
            if offset == 0:
                early = {n: f for _, before in self._columns for n, f in before.facts(number).items()}
            decisions.take(with_facts(one, facts, early))
            if short and decisions.stop is None:
                self._goes_on.add(key)
        return decisions
