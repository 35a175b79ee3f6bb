"""
Windows in time and per key of the reference evaluator.

Which iterations there are is a series of truths beside the series of values. A form is asked of those that
are in the window for certain and of all that may be; forms that need a whole time, of each iteration that it
may have begun with.
"""

from __future__ import annotations

from exitgate.analysis.reference_evaluator import history
from exitgate.analysis.reference_evaluator.logic import (
    ABOVE,
    BELOW,
    all_true,
    any_true,
    at_least,
    at_most,
    opposite,
    same,
    subtract,
)
from exitgate.core.language.functions import COUNTING, RANKED, TIMED_LIMIT, VALUED
from exitgate.core.language.tree import Node

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from exitgate.analysis.reference_evaluator.history import Pair, Series
    from exitgate.analysis.reference_evaluator.lowering import Evaluation


def is_chosen(window: object) -> bool:
    """Return whether a window is one in time, or per key."""
    return isinstance(window, Node) and window.op == "window"


def _parts(window: object) -> tuple[Node, Node | None, Node | None]:
    assert isinstance(window, Node)
    return window.child(0), window.optional(1), window.optional(2)


def _length(size: Node, evaluation: Evaluation) -> object:
    value = size.args[0]
    return evaluation.parameters[str(value)] if size.op == "parameter" else value


def members(evaluation: Evaluation, window: object, position: int) -> tuple[tuple[object, ...], bool]:
    """Return for each iteration read whether it is in the window, oldest first, and whether more may be."""
    size, clock, key = _parts(window)
    length = _length(size, evaluation)
    number = TIMED_LIMIT if clock is not None else int(str(length).partition(".")[0])
    oldest = max(0, position - number + 1)

    def within(place: int) -> object:
        if clock is None or place == position:
            return True
        begin = subtract(evaluation.at(clock, position), length)
        return at_least(evaluation.at(clock, place), begin)

    def alike(place: int) -> object:
        if key is None or place == position:
            return True
        return same(evaluation.at(key, place), evaluation.at(key, position))

    among = tuple(all_true(within(place), alike(place)) for place in range(oldest, position + 1))
    return among, clock is not None and oldest > 0 and within(oldest - 1) is not False


def is_full(evaluation: Evaluation, window: object, position: int) -> object:
    """Return whether the run has as many iterations, or is as old, as the window is long."""
    size, clock, _ = _parts(window)
    length = _length(size, evaluation)
    return at_least(position + 1 if clock is None else evaluation.at(clock, position), length)


def ages(evaluation: Evaluation, window: object, position: int) -> tuple[tuple[object, ...], bool]:
    """Return for each iteration read whether it is as old as the time is long, and whether there are more."""
    size, clock, _ = _parts(window)
    assert clock is not None
    begin = subtract(evaluation.at(clock, position), _length(size, evaluation))
    oldest = max(0, position - TIMED_LIMIT + 1)
    earlier = tuple(at_most(evaluation.at(clock, place), begin) for place in range(oldest, position))
    return (*earlier, False), oldest > 0 and at_least(begin, 0) is not False


def _sure(series: Series, among: Series) -> Series:
    return tuple(value for value, there in zip(series, among, strict=True) if there is True)


def _possible(series: Series, among: Series) -> Series:
    return tuple(value for value, there in zip(series, among, strict=True) if there is not False)


def _is_open(among: Series, more: bool) -> bool:
    return more or any(there is not True and there is not False for there in among)


def _pair(function: Callable[[Series], Pair]) -> Callable[[Series, Series, bool], Pair]:
    def counted(series: Series, among: Series, more: bool) -> Pair:
        least, most = function(_sure(series, among))[0], function(_possible(series, among))[1]
        return least, ABOVE if more else most

    return counted


occurrences = _pair(history.occurrences)
count = _pair(history.trues)


def often(series: Series, among: Series, more: bool, n: int) -> object:
    """The current value is there n times."""
    least, most = occurrences(series, among, more)
    return history.verdict(least >= n, most >= n)


def streak(series: Series, among: Series, more: bool, skipping: Series | None) -> Pair:
    """Records in a row; one that is not in the window is left out."""
    skipping = skipping or (False,) * len(series)
    skipped = [any_true(q, opposite(there)) for q, there in zip(skipping, among, strict=True)]
    least, most = history.streak(series, 0, skipped)
    longer = history.streak((history.OPEN, *series), 0, [False, *skipped])[1]
    return least, ABOVE if more and longer > most else most


def rounds(series: Series, among: Series, more: bool) -> Pair:
    """Repetitions of the shortest sequence; what may not be there can only add to them."""
    if not _is_open(among, more):
        return history.rounds(_sure(series, among), 0)
    possible = _possible(series, among)
    doubts = [place for place, there in enumerate(_possible(among, among)) if there is not True]
    certain = possible[doubts[-1] + 1 :] if doubts else possible
    return history.rounds(certain, 0)[0], ABOVE if more else max(1, len(possible) // 2)


def by_rank(series: Series, among: Series, more: bool, share: float) -> tuple[object, object]:
    """The value of a rank: of a window that is open only the largest and the smallest have a bound."""
    certain, possible = (history.by_rank(chosen(series, among), 0, share) for chosen in (_sure, _possible))
    if not _is_open(among, more):
        return certain
    least = certain[0] if share == 100 else possible[0] if share == 0 and not more else BELOW
    most = certain[1] if share == 0 else possible[1] if share == 100 and not more else ABOVE
    return least, most


def spread(series: Series, among: Series, more: bool) -> tuple[object, object]:
    """The deviation."""
    return (0, ABOVE) if _is_open(among, more) else history.spread(_sure(series, among), 0)


def first(series: Series, among: Series, more: bool) -> object:
    """The earliest known value."""
    return history.OPEN if more else history.first(_sure(series, among), 0)


def last(series: Series, among: Series, _more: bool) -> object:
    """The latest known value."""
    return history.last(_sure(series, among), 0)


def any_of(series: Series, among: Series, more: bool, _k: int, _full: object) -> object:
    """P in one."""
    found = [all_true(p, there) for p, there in zip(series, among, strict=True)]
    return any_true(*found, history.OPEN if more else False)


def all_of(series: Series, among: Series, more: bool, _k: int, _full: object) -> object:
    """P in each."""
    found = [any_true(p, opposite(there)) for p, there in zip(series, among, strict=True)]
    return all_true(*found, history.OPEN if more else True)


def at_least_of(series: Series, among: Series, more: bool, k: int, _full: object) -> object:
    """P at least k times."""
    least, most = count(series, among, more)
    return history.verdict(least >= k, most >= k)


def at_most_of(series: Series, among: Series, more: bool, k: int, full: object) -> object:
    """P at most k times, once the window can be full."""
    return all_true(full, opposite(at_least_of(series, among, more, k + 1, full)))


def _through(holds: Callable[[Series], object]) -> Callable[[Series, Series, bool], object]:
    """Something holds of the series from one that is old enough on."""

    def through(series: Series, old: Series, more: bool) -> object:
        begun = [all_true(enough, holds(series[place:])) for place, enough in enumerate(old)]
        return any_true(*begun, all_true(history.OPEN, holds(series)) if more else False)

    return through


def moved(series: Series, old: Series, more: bool, by: float, falls: bool) -> object:
    """What every iteration that the time may begin with gives: from it on, the newest that is old enough."""
    outcomes: list[object] = []
    for place in range(len(old) - 1, -1, -1):
        if old[place] is not False:
            outcomes.append(history.moved(series[place:], len(series) - place - 1, by, falls))
        if old[place] is True:
            break
    else:
        outcomes.append(history.OPEN if more else False)
    definite = all(outcome is outcomes[0] for outcome in outcomes)
    return outcomes[0] if definite else history.OPEN


def functions(table: Sequence[Series]) -> dict[str, Callable[..., object]]:
    """Return the functions by name; the first two arguments of each are numbers of `table`."""

    def named(name: str, function: Callable[..., object]) -> Callable[..., object]:
        def called(values: int, among: int, *rest: object) -> object:
            series = table[values] if name in VALUED else history.comparable(table[values])
            return function(series, table[among], *rest)

        return called

    def streak_of(values: int, among: int, more: bool, skipping: object) -> Pair:
        skipped = None if skipping is False else table[int(str(skipping))]
        return streak(table[values], table[among], more, skipped)

    return {
        **{f"{name}_among": named(name, function) for name, function in _AMONG.items()},
        **{f"{name}_through": named(name, function) for name, function in _THROUGH.items()},
        "streak_among": streak_of,
        "declined_through": lambda v, o, more, by: moved(table[v], table[o], more, by, True),
        "rose_through": lambda v, o, more, by: moved(table[v], table[o], more, by, False),
    }


def _over(name: str) -> Callable[..., object]:
    """
    Return what a history function gives of a window, unless it says so itself.

    A count is at least that of what is in the window for certain, and at most that of what may be. Anything
    else is open where it is not certain what is in the window.
    """
    function = history.FUNCTIONS[name]
    if name in COUNTING:
        return _pair(lambda series: function(series, 0))  # type: ignore[arg-type,return-value]
    open_ = (BELOW, ABOVE) if name in RANKED else history.OPEN

    def over(series: Series, among: Series, more: bool) -> object:
        return open_ if _is_open(among, more) else function(_sure(series, among), 0)

    return over


_AMONG: dict[str, Callable[..., object]] = {
    **{name: _over(name) for name in history.FUNCTIONS},
    "often": often,
    "repeated": occurrences,
    "cycles": rounds,
    **dict.fromkeys(("largest", "smallest", "percentile"), by_rank),
    "deviation": spread,
    "first": first,
    "last": last,
    "any": any_of,
    "all": all_of,
    "at_least": at_least_of,
    "at_most": at_most_of,
}
_THROUGH = {
    "consecutive": _through(lambda series: all_true(*series)),
    "unchanged": _through(lambda series: history.all_equal(series, len(series))),
}
