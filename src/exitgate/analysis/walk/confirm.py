"""Runs that are shown, played on the engine from their first iteration on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache

from exitgate.analysis.simulation import Simulation, stepped
from exitgate.analysis.space.counters import (
    AFTER,
    BEFORE,
    FAILURE,
    GROWING,
    ITERATIONS,
    has_failed,
    knows_ending,
    number_of_first,
)
from exitgate.analysis.space.domains import IdentityKey, domains
from exitgate.analysis.space.endings import FAILURES, INTERRUPTED, STATUS
from exitgate.analysis.space.reads import reads
from exitgate.core.engine.record import FAILED, Record, read_facts
from exitgate.core.model.decision import Decision
from exitgate.core.model.value import Unknown
from exitgate.core.policy.compiled import CompiledPolicy, Rule

Values = Mapping[str, object]
Run = Sequence[Values]
Plays = tuple[Simulation, ...]
Records = tuple[tuple[Record, ...], ...]


#: What a check knows only where an iteration has ended: how the agent ended.
OF_ENDS = (FAILED, INTERRUPTED, STATUS)
#: Iterations that are tried before a look at other facts.
LET_GO = 3


class Confirmation:
    """
    How a run is played.

    Args:
        policies: Those that play it, all at once.
        stage: Which one is asked at its end; empty for what any stage may see.
        looks: Whether the last iteration may be a look before the next one.
        counted: Whether the count of iterations is known in each of them.
        fails: Whether an earlier iteration may be one in which the agent failed though no condition reads it.
    """

    def __init__(
        self,
        policies: Sequence[CompiledPolicy],
        stage: str = "",
        *,
        looks: bool = False,
        counted: bool = True,
        fails: bool = True,
    ) -> None:
        self._policies = policies
        self._stage = stage
        self._looks = looks
        self._counted = counted
        self._fails = fails
        self._reads_failed = any(reads(policy, FAILED) for policy in policies)
        self._counts_failures = any(reads(policy, FAILURES) for policy in policies)

    def shown(self, run: Run, answers: Callable[[Records], bool]) -> tuple[Values, ...] | None:
        """
        Return the run as the engine plays it from its first iteration on, or None where it does not.

        Every iteration before the last continues in each policy, all its stages asked. `answers` is true of
        the records at its end. A run whose counts begin later comes after iterations that are as quiet as can
        be. The policy's own breaker moves with the facts; before an iteration a person may reset it, before
        the last one another run may have opened it, and before the first one it can be in any state, as it
        outlives runs.

        Args:
            run: Facts of each iteration, oldest first. What it says of a breaker that a policy keeps itself
                is replaced by what the breaker is.
            answers: Is asked with the records of each policy.
        """
        run = self._ending(run)
        for first, begin in self._begun(run):
            _, plays, stopped = self._earlier(run, first, begin)
            ends = self._last(plays, run, first + len(run) - 1) if stopped is None else ()
            for ended in ends:
                if answers(tuple(play.records for play in ended)):
                    return self._as_played(run, ended)
        return None

    def ended_by(self, run: Run) -> tuple[int, Rule | None, CompiledPolicy]:
        """
        Return at which iteration of `run` before the last one a policy ends it, by which rule, and which one.

        The number is that of the last iteration, without a rule, if nothing ends it. There is no rule either
        if silence ends it.
        """
        begun = next(self._begun(run), None)
        if begun is None:
            return 0, None, self._policies[0]
        at, _, stopped = self._earlier(run, *begun)
        if not stopped:
            return at, None, self._policies[0]
        play, decision = stopped
        return at, {rule.id: rule for rule in play.policy.rules}.get(decision.rule or ""), play.policy

    def _ending(self, run: Run) -> Run:
        """Return the run with what follows from the stage asked at its end: only a failure has its own."""
        if self._stage != FAILURE or FAILED in run[-1] or not self._reads_failed:
            return run
        return (*run[:-1], {**run[-1], FAILED: True})

    def _begun(self, run: Run) -> Iterator[tuple[int, Plays]]:
        """Yield the number that the first iteration can have, and plays of those before it."""
        first = number_of_first(run)
        if first is None:
            return
        known = any(ITERATIONS in values for values in run)
        row = self._row_from(run, 0)
        for failing in (0,) if row is None else dict.fromkeys((max(0, row - 1), max(0, row))):
            number = first if known else max(first, failing + 1)
            for plays in beginnings(self._policies, number, run[0], failing, self._counted):
                yield number, plays

    def _row_from(self, run: Run, at: int) -> int | None:
        """
        Return how many of the failures in a row that are counted next are up to iteration `at`.

        Below 1 if they begin after it; None where none are counted.
        """
        for later, values in enumerate(run[at:]):
            if isinstance(row := values.get(FAILURES), int):
                return row - later
        return None

    def _earlier(
        self, run: Run, first: int, plays: Plays
    ) -> tuple[int, Plays, tuple[Simulation, Decision] | tuple[()] | None]:
        """
        Play all iterations but the last one.

        Returns the place of the one that does not go on, the plays before it, and what ends it: a play and
        its decision, nothing where the iteration cannot be; None where all go on.
        """
        for at in range(len(run) - 1):
            stopped: tuple[Simulation, Decision] | tuple[()] = ()
            for tried in self._tried(run, at):
                moved = stepped(plays, tried, first + at, begins=first + at <= 1)
                found = () if moved is None else _stopped(moved)
                if moved is not None and found is None:
                    plays = moved
                    break
                stopped = stopped or found or ()
            else:
                return at, plays, stopped
        return len(run) - 1, plays, None

    def _tried(self, run: Run, at: int) -> Iterator[Values]:
        """Yield the facts, and ways in which the agent can have ended where no condition reads it."""
        values = run[at]
        told = knows_ending(values)
        if FAILED in values or (self._reads_failed and not told):
            yield values
            return
        failed, sound = ({**values, FAILED: truth} for truth in (True, False))
        row = self._row_from(run, at) if self._counts_failures else None
        if told:
            # it failed or not: a status of 0 leaves no row as it is, but its result can be an error
            ends = (failed, sound) if row is not None and row > 0 else (sound, failed)
            yield from (failed,) if has_failed(values) else ends
            return
        if row is not None:
            # a row that an end of which nothing is known leaves as it is began one iteration earlier
            yield from (failed, values, sound) if row >= 0 else (values, sound, failed)
            return
        yield values
        if self._fails:
            yield failed

    def _ends(self, run: Run) -> Iterator[Values]:
        """Yield the facts of the last iteration, each way in which the stage is asked of it."""
        for tried in self._tried(run, len(run) - 1):
            if self._stage == FAILURE and tried.get(FAILED) is None:
                yield {**tried, FAILED: True}
            elif self._stage not in (AFTER, FAILURE) or has_failed(tried) is (self._stage == FAILURE):
                yield tried

    def _last(self, plays: Plays, run: Run, number: int) -> Iterator[Plays]:
        """Yield the plays after the last iteration, in each way in which the stage is asked of it."""
        values, begins = run[-1], number <= 1
        for tried in self._ends(run):
            ended = stepped(plays, tried, number, begins=begins, last=True)
            if ended is None or (number < 1 and self._stage):
                continue
            if self._stage != BEFORE or all(play.goes_on(play.stage_after()) for play in ended):
                yield ended
        if self._looks and not any(name in values for name in OF_ENDS):
            yield from self._looked(plays, values, number)

    def _looked(self, plays: Plays, values: Values, number: int) -> Iterator[Plays]:
        """
        Yield the plays where the last iteration is a look before the next one.

        A check of that stage alone reads what there is then, in place of what the iteration ended with.
        """
        for before in self._let_go(plays, values, number) if number >= 1 else (plays,):
            seen = stepped(before, values, number, begins=number <= 1, last=True, ended=False)
            if seen is not None:
                yield seen

    def _let_go(self, plays: Plays, values: Values, number: int) -> Iterator[Plays]:
        """Yield the plays with an iteration that continues and leaves no record: the look stands for it."""
        own = {name: value for name, value in values.items() if not name.startswith(CIRCUIT)}
        grown = {name: own[name] for name in GROWING if name in own}
        left = LET_GO
        for facts in (own, *(one for one, _ in quiet(self._policies, values))):
            for tried in ({**facts, **grown}, {**facts, **grown, FAILED: True}):
                moved = stepped(plays, tried, number, begins=number <= 1)
                if moved is not None and _stopped(moved) is None:
                    yield tuple(play.unseen() for play in moved)
                    left -= 1
                    if not left:
                        return

    def _as_played(self, run: Run, plays: Plays) -> tuple[Values, ...]:
        """Return the run with the state of a breaker that a policy keeps, and where the agent failed."""
        own = next((n for n, policy in enumerate(self._policies) if policy.breaker is not None), None)
        records, failed = plays[own or 0].records[-len(run) :], plays[0].failed[-len(run) :]
        shown: list[Values] = []
        for values, record, fails in zip(run, records, failed, strict=True):
            says = dict(values)
            if own is not None:
                says |= {name: record[name] for name in values if name.startswith(CIRCUIT) and name in record}
            told = values.get(INTERRUPTED) is True or (self._stage == FAILURE and len(shown) == len(run) - 1)
            if fails and (not told or self._reads_failed):
                says[FAILED] = True
            shown.append(says)
        return tuple(shown)


def _stopped(plays: Plays) -> tuple[Simulation, Decision] | None:
    """Return the first play that ends after its last iteration, and its decision; None where all go on."""
    return next(((play, decision) for play in plays if (decision := play.end()) is not None), None)


def numbered(run: Run) -> Iterator[Run]:
    """
    Yield the run with counts of iterations that one run can have, where it names any.

    Between two points a count answers like one of them, so that the points of a region rarely follow each
    other.
    """
    if number_of_first(run) is not None:
        yield run
        return
    length = len(run)
    last, failed = (run[-1].get(name) for name in (ITERATIONS, FAILURES))
    failures = failed if isinstance(failed, int) else 0
    by_count = last - length + 1 if isinstance(last, int) else 1
    for start in dict.fromkeys((by_count, max(1, failures - length + 1))):
        counted = []
        for at, values in enumerate(run):
            known: dict[str, object] = {ITERATIONS: start + at}
            if isinstance(failed, int):
                row = max(0, failures - length + 1 + at)
                known |= {FAILURES: row, FAILED: row > 0}
            counted.append({**values, **{name: v for name, v in known.items() if name in values}})
        if number_of_first(counted) is not None:
            yield tuple(counted)


# Quiet iterations that come before those of a run that is shown.

#: Iterations at most that come before those shown.
LONGEST = 2000
#: As many with facts that no other run is tried behind: each costs anew.
LONGEST_ALONE = 64
#: Kinds of them that are remembered, and after how many iterations each.
REMEMBERED, KEPT = 256, 16
#: Facts that are tried alone in what comes before a run, and values of each.
FACTS, VALUES = 8, 3
CIRCUIT = "circuit."


def beginnings(
    policies: Sequence[CompiledPolicy], first: int, values: Values, failing: int, counted: bool
) -> Iterator[tuple[Simulation, ...]]:
    """
    Yield the plays that come before a run, one for each policy: quiet iterations, if there are any.

    Those with the facts of `values` come where no others go on so long: they cost as much for each run anew.

    Args:
        policies: Those that play it.
        first: The number of its first iteration.
        values: The facts of that one.
        failing: In so many iterations just before it the agent failed.
        counted: Whether the count of iterations is known.
    """
    if first <= 1:
        yield tuple(Simulation(policy, counted=counted) for policy in policies)
        return
    if first - 1 > LONGEST or failing > first - 1:
        return
    found = False
    for one, often in quiet(policies, values):
        if not often and (found or first - 1 > LONGEST_ALONE):
            return
        plays = [_quiet_play(policy, one, first - 1, failing, often) for policy in policies]
        if None not in plays:
            found = True
            yield tuple(play.copy() for play in plays if play is not None)


def quiet(policies: Sequence[CompiledPolicy], values: Values) -> Iterator[tuple[Values, bool]]:
    """
    Yield facts of iterations that may go on for long: none, one, those of `values` that do not grow.

    Beside them, whether other runs come behind the same ones.
    """
    yield {}, True
    for name, value in _single(IdentityKey(*policies)):
        yield {name: value}, True
    own = {n: v for n, v in values.items() if n not in GROWING and not n.startswith(CIRCUIT)}
    if own:
        yield own, False


@lru_cache(maxsize=REMEMBERED)
def _single(policies: IdentityKey) -> tuple[tuple[str, object], ...]:
    """Return facts read from the agent with some values: an iteration in which one is known is not blind."""
    found: list[tuple[str, object]] = []
    for policy in policies.held:
        values = domains(policy)  # type: ignore[arg-type]
        names = [name for name in read_facts(policy) if name in values]  # type: ignore[arg-type]
        for name in names[:FACTS]:
            known = [v for v in values[name] if not isinstance(v, Unknown)]
            found += [(name, value) for value in known[:VALUES]]
    return tuple(found)


class _Quiet:
    """Iterations of one policy that are all alike: longer ones continue where shorter ones were kept."""

    def __init__(self, policy: CompiledPolicy, values: Values) -> None:
        self._values = values
        self._kept = {0: Simulation(policy)}
        self._ended: int | None = None
        self._failing: dict[tuple[int, int], Simulation | None] = {}

    def failing(self, count: int, failing: int) -> Simulation | None:
        """Return `count` of them, the agent failing in the last `failing`; None where one ends the run."""
        if not failing:
            return self.play(count)
        key = count, failing
        if key not in self._failing:
            if len(self._failing) >= KEPT:
                self._failing.clear()
            self._failing[key] = self._fail(self.play(count - failing), *key)
        return self._failing[key]

    def _fail(self, play: Simulation | None, count: int, failing: int) -> Simulation | None:
        if play is None:
            return None
        play = play.copy()
        for number in range(count - failing + 1, count + 1):
            play.step({**self._values, FAILED: True}, number)
            if play.end() is not None:
                return None
        return play

    def play(self, count: int) -> Simulation | None:
        """Return `count` of them; None where one of them ends the run."""
        if self._ended is not None and count >= self._ended:
            return None
        begun = max(number for number in self._kept if number <= count)
        play = self._kept[begun].copy()
        for number in range(begun + 1, count + 1):
            play.step(self._values, number)
            if play.end() is not None:
                self._ended = number
                return None
            if number % KEPT == 0 or number == count:
                play.forget()
                self._kept[number] = play.copy()
        return play


#: Quiet iterations by policy and facts: what is made small asks for the same ones again and again.
_MADE: dict[tuple[IdentityKey, str], _Quiet] = {}


def _quiet_play(
    policy: CompiledPolicy, values: Values, count: int, failing: int, often: bool
) -> Simulation | None:
    """
    Return a run of `count` iterations that are all quiet; None where one of them ends it.

    In the last `failing` of them the agent fails. What is asked for `often` is kept.
    """
    key = (IdentityKey(policy), repr(values))
    made = _MADE.get(key) or _Quiet(policy, values)
    if often and key not in _MADE:
        if len(_MADE) >= REMEMBERED:
            _MADE.clear()
        _MADE[key] = made
    return made.failing(count, failing)
