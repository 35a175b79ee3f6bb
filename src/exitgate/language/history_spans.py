"""
Closures of history forms that need all of a time: `x unchanged for 45m`, `(P) for 45m`, `over last 45m`.

What held for 45 minutes held at an iteration at least 45 minutes ago and at each one since. So these
forms look back to the newest iteration that is as old as that; while there is none they are false.
"""

from __future__ import annotations

from exitgate.language.closures_values import reader
from exitgate.language.functions import TIMED_LIMIT
from exitgate.language.history_windows import MORE, start
from exitgate.language.tree import Node
from exitgate.model.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from exitgate.language.closures import Closure, Compilation, Records, Series

    #: For the records from the current one back, whether each is as old as the time; whether there are more.
    Reach = Callable[[Records], tuple[list[object], bool]]


def reach_of(window: Node, compilation: Compilation) -> Reach:
    """Return how far back the records reach: up to the newest that is as old as the time for certain."""
    size, clock, _ = window.args
    assert isinstance(size, Node)
    assert isinstance(clock, Node)
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
    from exitgate.model.exact import calculate

    if base <= 0:  # type: ignore[operator]
        if declined:
            return Unknown("nothing to compare with: highest is not above 0", "declined")
        return current > base  # type: ignore[operator]
    limit, now = calculate("mul", base, share), calculate("mul", current, 100)
    for side in (now, limit):
        if side.__class__ is Unknown:
            return side
    return now <= limit if declined else now >= limit  # type: ignore[operator]
