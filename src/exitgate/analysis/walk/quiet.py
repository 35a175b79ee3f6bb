"""Quiet iterations that come before those of a run that is shown."""

from __future__ import annotations

from functools import lru_cache

from exitgate.analysis.played import Play
from exitgate.analysis.space.domains import domains
from exitgate.analysis.space.same import Same
from exitgate.analysis.walk.first import GROWING
from exitgate.engine.record import FAILED, read_facts
from exitgate.model.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from exitgate.policy.compiled import CompiledPolicy

    Values = Mapping[str, object]

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
) -> Iterator[tuple[Play, ...]]:
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
        yield tuple(Play(policy, counted=counted) for policy in policies)
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
    for name, value in _single(Same(*policies)):
        yield {name: value}, True
    own = {n: v for n, v in values.items() if n not in GROWING and not n.startswith(CIRCUIT)}
    if own:
        yield own, False


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


class _Quiet:
    """Iterations of one policy that are all alike: longer ones continue where shorter ones were kept."""

    def __init__(self, policy: CompiledPolicy, values: Values) -> None:
        self._values = values
        self._kept = {0: Play(policy)}
        self._ended: int | None = None
        self._failing: dict[tuple[int, int], Play | None] = {}

    def failing(self, count: int, failing: int) -> Play | None:
        """Return `count` of them, the agent failing in the last `failing`; None where one ends the run."""
        if not failing:
            return self.play(count)
        key = count, failing
        if key not in self._failing:
            if len(self._failing) >= KEPT:
                self._failing.clear()
            self._failing[key] = self._fail(self.play(count - failing), *key)
        return self._failing[key]

    def _fail(self, play: Play | None, count: int, failing: int) -> Play | None:
        if play is None:
            return None
        play = play.copy()
        for number in range(count - failing + 1, count + 1):
            play.step({**self._values, FAILED: True}, number)
            if play.end() is not None:
                return None
        return play

    def play(self, count: int) -> Play | None:
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
_MADE: dict[tuple[Same, str], _Quiet] = {}


def _quiet_play(policy: CompiledPolicy, values: Values, count: int, failing: int, often: bool) -> Play | None:
    """
    Return a run of `count` iterations that are all quiet; None where one of them ends it.

    In the last `failing` of them the agent fails. What is asked for `often` is kept.
    """
    key = (Same(policy), repr(values))
    made = _MADE.get(key) or _Quiet(policy, values)
    if often and key not in _MADE:
        if len(_MADE) >= REMEMBERED:
            _MADE.clear()
        _MADE[key] = made
    return made.failing(count, failing)
