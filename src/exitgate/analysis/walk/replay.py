"""Runs that are shown, played on the engine from their first iteration on."""

from __future__ import annotations

from functools import lru_cache

from exitgate.analysis.played import STEP, Play
from exitgate.analysis.space.domains import domains
from exitgate.analysis.space.same import Same
from exitgate.analysis.walk.first import FAILURES, GROWING, ITERATIONS, number_of_first
from exitgate.analysis.walk.read_by import reads
from exitgate.engine.breaker_state import HALF_OPEN, OPEN, BreakerState
from exitgate.engine.record import FAILED, read_facts
from exitgate.model.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from exitgate.engine.record import Record
    from exitgate.policy.compiled import CompiledPolicy, Rule

    Values = Mapping[str, object]
    Run = Sequence[Values]
    #: The records of a run, for each policy.
    Records = tuple[tuple[Record, ...], ...]

#: Iterations at most that come before those shown.
LONGEST = 2000
#: Prefixes that are remembered.
REMEMBERED = 256
#: Facts that are tried alone in what comes before a run, and values of each.
FACTS, VALUES = 8, 3
STATE, REASON, CIRCUIT = "circuit.state", "circuit.reason", "circuit."


def replayed(
    policies: Sequence[CompiledPolicy],
    run: Run,
    answers: Callable[[Records], bool],
    counted: bool = True,
    fails: bool = True,
) -> tuple[Values, ...] | None:
    """
    Return the run as the engine plays it from its first iteration on, or None where it does not.

    Every iteration before the last continues in each policy, all its stages asked. The last one can be a look
    before the next iteration, which another stage need not let pass. `answers` is true of the records at its
    end. A run whose counts begin later comes after iterations that are as quiet as can be. The policy's own
    breaker moves with the facts; before an iteration a person may reset it, before the last one another run
    may have opened it, and before the first one it can be in any state, as it outlives runs.

    Args:
        policies: Those that play it, all at once.
        run: Facts of each iteration, oldest first. What it says of a breaker that the policy keeps itself
            is replaced by what the breaker is.
        answers: Is asked with the records of each policy.
        counted: Whether the count of iterations is known in each of them.
        fails: Whether an earlier iteration may be one in which the agent failed though no condition reads it.
    """
    first = number_of_first(run)
    if first is None:
        return None
    for plays in _beginnings(policies, first, run, counted):
        records = _played(plays, run, first, fails)
        if records is not None and answers(records[0]):
            return _as_played(run, policies, *records)
    return None


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


def _beginnings(
    policies: Sequence[CompiledPolicy], first: int, run: Run, counted: bool
) -> Iterator[tuple[Play, ...]]:
    """Yield the plays that come before the run, one for each policy: quiet iterations, if there are any."""
    if first <= 1:
        yield tuple(Play(policy, counted=counted) for policy in policies)
        return
    if first - 1 > LONGEST:
        return
    failures = run[0].get(FAILURES)
    failing = max(0, failures - 1) if isinstance(failures, int) else 0
    for quiet in _quiet(policies, run):
        plays = [_quiet_play(policy, quiet, first - 1, failing) for policy in policies]
        if None not in plays:
            yield tuple(play.copy() for play in plays if play is not None)


def _quiet(policies: Sequence[CompiledPolicy], run: Run) -> Iterator[Values]:
    """Yield facts of iterations that may go on for long: none, one, those of the first one shown."""
    yield {}
    for name, value in _single(Same(*policies)):
        yield {name: value}
    own = {n: v for n, v in run[0].items() if n not in GROWING and not n.startswith(CIRCUIT)}
    if own:
        yield own


@lru_cache(maxsize=REMEMBERED)
def _single(policies: Same) -> tuple[tuple[str, object], ...]:
    """Return facts read from the agent with some values: an iteration in which one is known is not blind."""
    found: list[tuple[str, object]] = []
    for policy in policies.held:
        values = domains(policy)  # type: ignore[arg-type]
        names = [name for name in read_facts(policy) if name in values]  # type: ignore[arg-type]
        for name in names[:FACTS]:
            known = [v for v in values[name] if not isinstance(v, Unknown)]
            found += [(name, value) for value in known[:VALUES]]
    return tuple(found)


#: The last plays of quiet iterations: what is made small asks for the same ones again and again.
_PLAYED: dict[tuple[Same, str, int, int], Play | None] = {}


def _quiet_play(policy: CompiledPolicy, quiet: Values, count: int, failing: int) -> Play | None:
    """
    Return a run of `count` iterations that are all `quiet`; None where one of them ends it.

    In the last `failing` of them the agent fails.
    """
    key = (Same(policy), repr(quiet), count, failing)
    if key not in _PLAYED:
        if len(_PLAYED) >= REMEMBERED:
            _PLAYED.clear()
        play: Play | None = Play(policy)
        for at in range(count):
            assert play is not None
            row = max(0, at + 1 - (count - failing))
            play.step({**quiet, FAILED: True, FAILURES: row} if row else quiet, at + 1)
            if play.end() is not None:
                play = None
                break
        if play is not None:
            play.forget()
        _PLAYED[key] = play
    return _PLAYED[key]


def _played(
    plays: tuple[Play, ...], run: Run, first: int, fails: bool
) -> tuple[Records, tuple[bool, ...]] | None:
    """Return the records of all iterations, or None where the run ends before the decision asked about."""
    for at, values in enumerate(run):
        last = at == len(run) - 1
        for failed in _ends(plays) if fails and not last else (False,):
            tried = {**values, FAILED: True} if failed else values
            begins = first + at <= 1
            moved = _stepped(tuple(play.copy() for play in plays), tried, first + at, begins, last)
            if moved is not None and (last or all(play.end() is None for play in moved)):
                plays = moved
                break
        else:
            return None
    return tuple(play.records for play in plays), plays[0].failed[-len(run) :]


def _ends(plays: tuple[Play, ...]) -> tuple[bool, ...]:
    """Return whether the agent may have failed in an iteration: where a condition reads it, its facts say."""
    return (False,) if any(reads(play.policy, FAILED) for play in plays) else (False, True)


def _stepped(
    plays: tuple[Play, ...], values: Values, number: int, begins: bool, last: bool = False
) -> tuple[Play, ...] | None:
    """Return the plays after one more iteration, the breaker as `values` say; None where it cannot be."""
    wanted = values.get(STATE)
    keepers = [play for play in plays if play.policy.breaker is not None]
    if not keepers or wanted is None:
        for play in plays:
            play.step(values, number)
        return plays
    reason = values.get(REASON)
    why = reason if isinstance(reason, str) else "opened"
    for way in _ways(wanted, begins, last):
        tried = tuple(play.copy() for play in plays)
        if not all(_is_set(play, way, why, number) for play in tried if play.policy.breaker is not None):
            continue
        records = [play.step(values, number) for play in tried]
        if all(r.get(STATE) == wanted for p, r in zip(tried, records, strict=True) if p.policy.breaker):
            return tried
    return None


#: How a breaker is before an iteration: as it was, after its cooldown, opened by another run, and so on.
LEFT, WAITED, OPENED, RESET, WATCHING = "left", "waited", "opened", "reset", "watching"


def _ways(wanted: object, begins: bool, last: bool) -> tuple[str, ...]:
    """Return what may have happened to a breaker before an iteration after which it is `wanted`."""
    if wanted == OPEN:
        return (LEFT, OPENED) if begins or last else (LEFT,)
    if wanted == HALF_OPEN:
        return (LEFT, WAITED, RESET, WATCHING) if begins else (LEFT, WAITED, RESET)
    return (LEFT, RESET, WATCHING) if begins else (LEFT, RESET)


def _is_set(play: Play, way: str, why: str, number: int) -> bool:
    """Set the breaker of a play to what `way` makes of it; return False where it cannot."""
    cooldown = play.policy.breaker.cooldown if play.policy.breaker is not None else None
    now = STEP * number
    if way == OPENED:
        play.breaker = play.breaker.opened(why, now)
    elif way == RESET:
        play.breaker = play.breaker.closed(number)
    elif way == WATCHING:
        play.breaker = BreakerState(HALF_OPEN, why)
    elif way == WAITED:
        is_open = play.breaker.state == OPEN and not play.breaker.by_hand
        if cooldown is None or not (is_open or not play.records):
            return False
        since = now - cooldown
        play.breaker = BreakerState(OPEN, why, since, since)
    return True


def ended_by(
    policies: Sequence[CompiledPolicy], run: Run, counted: bool
) -> tuple[int, Rule | None, CompiledPolicy]:
    """
    Return at which iteration of `run` before the last one a policy ends it, by which rule, and the policy.

    The number is that of the last iteration, without a rule, if nothing ends it. There is no rule either if
    silence ends it.
    """
    first = number_of_first(run)
    last = len(run) - 1
    plays = next(_beginnings(policies, first, run, counted), None) if first is not None else None
    for at, values in enumerate(run[:-1]):
        plays = (
            None if plays is None or first is None else _stepped(plays, values, first + at, first + at <= 1)
        )
        if plays is None:
            return at, None, policies[0]
        for play in plays:
            decision = play.end()
            if decision is not None:
                rules = {rule.id: rule for rule in play.policy.rules}
                return at, rules.get(decision.rule or ""), play.policy
    return last, None, policies[0]


def _as_played(
    run: Run, policies: Sequence[CompiledPolicy], records: Records, failed: Sequence[bool]
) -> tuple[Values, ...]:
    """Return the run with the state of a breaker that a policy keeps, and with the iterations that failed."""
    own = next((n for n, policy in enumerate(policies) if policy.breaker is not None), None)
    shown: list[Values] = []
    for values, record, fails in zip(run, records[own or 0][-len(run) :], failed, strict=True):
        says = dict(values)
        if own is not None:
            says |= {name: record[name] for name in values if name.startswith(CIRCUIT) and name in record}
        if fails:
            says[FAILED] = True
        shown.append(says)
    return tuple(shown)
