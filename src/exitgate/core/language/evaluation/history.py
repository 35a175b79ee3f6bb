"""
Closures of the history forms that are true, false or unknown.

A record is one iteration of this run. Too little history is false, not unknown: on the first
iteration nothing is wrong yet. `not` turns that round, so `not (x unchanged for 3 iterations)` is
true on the first.
"""

from __future__ import annotations

from exitgate.core.language.evaluation import kleene
from exitgate.core.language.evaluation.history_windows import MORE, OPEN_END, is_old_enough, seen, start
from exitgate.core.language.evaluation.values import reader
from exitgate.core.language.functions import TIMED_LIMIT
from exitgate.core.language.tree import Node
from exitgate.core.model.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from exitgate.core.language.evaluation.closures import Closure, Compilation, Records, Series
    from exitgate.core.language.evaluation.history_windows import Seen

    #: For the records from the current one back, whether each is as old as the time; whether there are more.
    Reach = Callable[[Records], tuple[list[object], bool]]


def split(values: list[object]) -> tuple[list[object], Unknown | None]:
    """Return the known values and the first unknown, without its bounds, or None."""
    known = [value for value in values if value.__class__ is not Unknown]
    if len(known) == len(values):
        return known, None
    return known, next(value for value in values if isinstance(value, Unknown)).bare()


def alike(values: list[object]) -> object:
    """Return whether all values are equal and known: False where two known ones differ."""
    last = values[-1]
    if last.__class__ is not Unknown and values.count(last) == len(values):
        return True
    known, unknown = split(values)
    if known and known.count(known[0]) != len(known):
        return False
    return True if unknown is None else unknown


def consecutive(node: Node, compilation: Compilation) -> Closure:
    """Return a closure of `(P) for n consecutive iterations`: P in each of the last n records."""
    condition, n_node = node.children()
    series = compilation.series(condition)
    if n_node.op == "window":
        return held_for(n_node, compilation, series)
    n = compilation.steps(n_node)

    def test(records: Records) -> object:
        return kleene.conjunction(series(records, n)) if len(records) >= n else False

    return test


def after(node: Node, compilation: Compilation) -> Closure:
    """Return a closure of `after n iterations`: n iterations of the run have ended, this one included."""
    n = compilation.steps(next(node.children()))
    return lambda records: len(records) >= n


def unchanged(node: Node, compilation: Compilation) -> Closure:
    """Return a closure of `x unchanged for n iterations`: n steps, n + 1 equal and known values."""
    value, n_node = node.children()
    series = compilation.series(value)
    if n_node.op == "window":
        return same_for(n_node, compilation, series)
    need = compilation.steps(n_node) + 1

    def test(records: Records) -> object:
        return alike(series(records, need)) if len(records) >= need else False

    return test


def repeats(node: Node, compilation: Compilation) -> Closure:
    """
    Return a closure of `x repeats n times`, the current value counted.

    Without `within last N` the last n values must be equal; with it the current value must be among
    the last N at least n times.
    """
    need, window_node = compilation.steps(node.child(1)), node.optional(2)
    series = compilation.series(node.child(0))
    take = seen(window_node, 0, compilation, series)

    def in_a_row(records: Records) -> object:
        return alike(series(records, need)) if len(records) >= need else False

    def within(records: Records) -> object:
        found = take(records)
        least, most = found.bounds(occurrences)
        if least >= need:
            return True
        return False if most < need else found.why_open()

    return in_a_row if window_node is None else within


def occurrences(values: list[object]) -> tuple[int, int]:
    """Return how often the last value occurs among `values`, at least and at most."""
    known, _unknown = split(values)
    unsure = len(values) - len(known)
    current = values[-1]
    if current.__class__ is Unknown:
        return 0, unsure + max((known.count(value) for value in known), default=0)
    same = known.count(current)
    return same, same + unsure


def quantified(node: Node, compilation: Compilation) -> Closure:
    """
    Return a closure of `any / all / at least k / at most k of last n where (P)`.

    `any`, `all` and `at least` look at the records there are; `at most` is false while the run is
    younger than the window, because records yet to come could still be true.
    """
    quantifier, window = node.args[0], node.child(2)
    series = compilation.series(node.child(3))
    take = seen(window, 0, compilation, series)
    if quantifier in ("any", "all"):
        return _every(take, quantifier == "all")
    k = int(compilation.amount(node.child(1)))

    def held(records: Records) -> tuple[int, int, Unknown | None]:
        found = take(records)
        (values,) = found.series
        least = sum(value is True and sure for value, sure in zip(values, found.sure, strict=True))
        most = sum(value is not False for value in values) + OPEN_END * found.more
        return least, most, found.why_open()

    def at_least(records: Records) -> object:
        least, most, unknown = held(records)
        return True if least >= k else False if most < k else unknown

    if quantifier == "at_least":
        return at_least
    old_enough = is_old_enough(window, compilation)

    def at_most(records: Records) -> object:
        enough = old_enough(records)
        if enough is False:
            return False
        least, most, unknown = held(records)
        few: object = False if least > k else True if most <= k else unknown
        return few if enough is True or few is False else enough

    return at_most


def _every(take: Callable[[Records], Seen], all_: bool) -> Closure:
    """Return `all of` or `any of`: a record that may be in the window or not can only leave it open."""

    def test(records: Records) -> object:
        found = take(records)
        (values,) = found.series
        doubt = found.doubt()
        if doubt is not None:
            values = [v if sure or v is all_ else doubt for v, sure in zip(values, found.sure, strict=True)]
            values += [doubt] * found.more
        return kleene.conjunction(values) if all_ else kleene.disjunction(values)

    return test


def moved(node: Node, compilation: Compilation) -> Closure:
    """
    Return a closure of `x declined by p% over last n` or `x rose by p% over last n`.

    Declined: the current value is at most (100 - p) % of the highest of the n before it; rose: at
    least (100 + p) % of the lowest, and more than it where it is not above 0. Comparing with the
    highest keeps one short answer in between from hiding a decline. Without a window n is 1.

    Known earlier values suffice for true: a higher one would be a larger decline. Where they do not,
    an earlier value that is unknown leaves it open.
    """
    from exitgate.core.model.exact import calculate

    by, window_node = compilation.amount(node.child(1)), node.optional(2)
    series = compilation.exact_series(node.child(0))
    share = calculate("sub", 100, min(by, 100)) if node.op == "declined" else calculate("add", 100, by)
    declined = node.op == "declined"
    if window_node is not None and window_node.op == "window":
        return moved_for(window_node, compilation, series, share, declined)
    n = compilation.steps(window_node) if window_node is not None else 1

    def test(records: Records) -> object:
        if len(records) <= n:
            return False
        *before, current = series(records, n + 1)
        return Earlier(declined, before).far_enough(current, share)

    return test


FORMS: dict[str, Callable[[Node, Compilation], Closure]] = {
    "after": after,
    "consecutive": consecutive,
    "unchanged": unchanged,
    "repeats": repeats,
    "quantified": quantified,
    "declined": moved,
    "rose": moved,
}


# Closures of history forms that need all of a time: `x unchanged for 45m`, `(P) for 45m`, `over last 45m`.
#
# What held for 45 minutes held at an iteration at least 45 minutes ago and at each one since. So these
# forms look back to the newest iteration that is as old as that; while there is none they are false.


def reach_of(window: Node, compilation: Compilation) -> Reach:
    """Return how far back the records reach: up to the newest that is as old as the time for certain."""
    size, clock = window.child(0), window.child(1)
    read, begins = reader(clock), start(clock, compilation.amount(size))

    def reach(records: Records) -> tuple[list[object], bool]:
        begin = begins(records[-1])
        found: list[object] = [False]
        for record in reversed(records[-TIMED_LIMIT:-1]):
            at = read(record)
            old = begin if begin.__class__ is Unknown else at
            found.append(old if old.__class__ is Unknown else at <= begin)  # type: ignore[operator]
            if found[-1] is True:
                return found, False
        # a clock begins at 0: of a run that is younger than the time no iteration is old enough
        could = begin.__class__ is Unknown or begin >= 0  # type: ignore[operator]
        return found, could and len(records) > TIMED_LIMIT

    return reach


def held_for(window: Node, compilation: Compilation, series: Series) -> Closure:
    """Return a closure of `(P) for 45m`."""
    return _lasting(reach_of(window, compilation), series, lambda values: values)


def same_for(window: Node, compilation: Compilation, series: Series) -> Closure:
    """Return a closure of `x unchanged for 45m`."""
    return _lasting(reach_of(window, compilation), series, _like_the_newest)


def _like_the_newest(back: list[object]) -> Iterable[object]:
    """Yield for each value, newest first, whether it is the value of those before it."""
    newest = next((value for value in back if value.__class__ is not Unknown), None)
    for value in back:
        yield value.bare() if isinstance(value, Unknown) else value == newest


def _lasting(reach: Reach, series: Series, holds: Callable[[list[object]], Iterable[object]]) -> Closure:
    """Return whether something holds in every record from one that is old enough to the current one."""

    def test(records: Records) -> object:
        old, more = reach(records)
        result: object = False
        since: object = True
        for enough, held in zip(old, holds(series(records, len(old))[::-1]), strict=True):
            if held is False:
                return result
            since = held if since is True else since
            if enough is not False:
                if enough is True and since is True:
                    return True
                result = since if enough is True else enough
        return MORE if more and result is False else result

    return test


def moved_for(
    window: Node, compilation: Compilation, series: Series, share: object, declined: bool
) -> Closure:
    """
    Return a closure of `x declined by p% over last 45m` or `x rose by p% over last 45m`.

    The time begins with the newest record that is old enough. While it is not certain which that is, the
    answer is what every one that it may be gives; without one it is false.
    """
    reach = reach_of(window, compilation)

    def test(records: Records) -> object:
        old, more = reach(records)
        current, *back = series(records, len(old))[::-1]
        before = Earlier(declined)
        doubt: object = None
        answer: object = None
        for enough, value in zip(old[1:], back, strict=True):
            before.add(value)
            if enough is False:
                continue
            if enough is not True:
                doubt = enough
            found = before.far_enough(current, share)
            if found.__class__ is Unknown:
                return found
            if answer is not None and found is not answer:
                return doubt
            answer = found
        if old[-1] is True:
            return answer
        if more:
            return MORE
        return doubt if answer is True else False

    return test


class Earlier:
    """Earlier values that a value is compared with: the highest (declined) or the lowest (rose) counts."""

    __slots__ = ("_base", "_declined", "_unknown")

    def __init__(self, declined: bool, values: Iterable[object] = ()) -> None:
        self._declined = declined
        self._base: object = None
        self._unknown: Unknown | None = None
        for value in values:
            self.add(value)

    def add(self, value: object) -> None:
        """Add an earlier value."""
        if isinstance(value, Unknown):
            self._unknown = value.bare() if self._unknown is None else self._unknown
        elif self._base is None:
            self._base = value
        else:
            self._base = (max if self._declined else min)(self._base, value)  # type: ignore[call-overload]

    def far_enough(self, current: object, share: object) -> object:
        """
        Return whether a value is at most (declined), or at least (rose), `share` percent of the extreme.

        Known earlier values suffice for true: a further one could only make the way longer.
        """
        if isinstance(current, Unknown):
            return current.bare()
        if self._base is None:
            return self._unknown
        found = _compared(current, self._base, share, self._declined)
        return found if found is not False or self._unknown is None else self._unknown


def _compared(current: object, base: object, share: object, declined: bool) -> object:
    """Return whether a value moved far enough from the highest or lowest of the values before it."""
    from exitgate.core.model.exact import calculate

    if base <= 0:  # type: ignore[operator]
        if declined:
            return Unknown("nothing to compare with: highest is not above 0", "declined")
        return current > base  # type: ignore[operator]
    limit, now = calculate("mul", base, share), calculate("mul", current, 100)
    for side in (now, limit):
        if side.__class__ is Unknown:
            return side
    return now <= limit if declined else now >= limit  # type: ignore[operator]
