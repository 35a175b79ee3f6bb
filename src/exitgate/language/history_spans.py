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
    """Return a closure of `x declined by p% over last 45m` or `x rose by p% over last 45m`."""
    reach = reach_of(window, compilation)

    def test(records: Records) -> object:
        old, more = reach(records)
        current, *back = series(records, len(old))[::-1]
        doubtful = next((n for n, enough in enumerate(old[1:], 1) if enough is not False), len(back))
        covered = MORE if more else next((one for one in reversed(old) if one is not False), False)
        if covered is False:
            return False
        found = far_enough(current, back[:doubtful], [*back[doubtful:], *[MORE] * more], share, declined)
        return found if covered is True or found is False else covered

    return test


def far_enough(
    current: object, before: list[object], perhaps: list[object], share: object, declined: bool
) -> object:
    """
    Return whether a value is at most (declined), or at least (rose), a share of the extreme before it.

    Args:
        current: The value.
        before: Earlier values, one or more.
        perhaps: Values that may be among the earlier ones.
        share: In percent.
        declined: Whether it is compared with the highest.
    """
    if isinstance(current, Unknown):
        return current.bare()
    known = [value for value in before if value.__class__ is not Unknown]
    others = [value for value in perhaps if value.__class__ is not Unknown]
    unknown = next((value.bare() for value in (*before, *perhaps) if isinstance(value, Unknown)), None)
    if not known:
        return unknown
    found = _compared(current, known, share, declined)
    if found is True or found.__class__ is Unknown:
        return found
    if unknown is not None:
        return unknown
    if others and _compared(current, known + others, share, declined) is not False:
        return MORE
    return False


def _compared(current: object, before: list[object], share: object, declined: bool) -> object:
    """Return whether a value moved far enough from the highest or lowest of known values."""
    from exitgate.model.exact import calculate

    base = max(before) if declined else min(before)  # type: ignore[type-var]
    if base <= 0:  # type: ignore[operator]
        if declined:
            return Unknown("nothing to compare with: highest is not above 0", "declined")
        return current > base  # type: ignore[operator]
    limit, now = calculate("mul", base, share), calculate("mul", current, 100)
    for side in (now, limit):
        if side.__class__ is Unknown:
            return side
    return now <= limit if declined else now >= limit  # type: ignore[operator]
