"""What points and formulas come to: sums within a range, and bounds where rows are unknown."""

from __future__ import annotations

from exitgate.core.model.value import Unknown, is_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from exitgate.core.policy.compiled import Derived, PointsRow


_INFINITY = float("inf")

#: What unknown rows of a points fact do: leave it between two bounds, or add nothing.
OPEN, ADD_NOTHING = "open", "add_nothing"


def total(fact: Derived, truths: Sequence[object]) -> object:
    """
    Return the sum of the rows that are definitely true, within the range of the fact.

    Args:
        fact: Points.
        truths: Of its rows, in order: True, False or `Unknown`.

    Returns:
        A number; `Unknown` with bounds where unknown rows could change it, unless they add nothing.
    """
    known = [row.add for row, truth in zip(fact.rows, truths, strict=True) if truth is True]
    open_ = [row for row, truth in zip(fact.rows, truths, strict=True) if truth.__class__ is Unknown]
    if not open_ or fact.unknown_rows == ADD_NOTHING:
        return clamp(_sum(known), fact)
    least = _sum([*known, *(row.add for row in open_ if row.add < 0)])
    most = _sum([*known, *(row.add for row in open_ if row.add > 0)])
    return between(fact, least, most, open_)


def between(fact: Derived, least: Any, most: Any, open_: Sequence[PointsRow] = ()) -> object:
    """Return a sum between two numbers, within the range of the fact; `open_` are its unknown rows."""
    least, most = clamp(least, fact), clamp(most, fact)
    if least == most:
        return least
    return Unknown(f"not known: {', '.join(map(_open, open_))}", fact.name, least, most)


def clamp(value: float, fact: Derived) -> float:
    """Return a number within the range of a computed fact, a whole one as such."""
    if fact.low is not None and value < fact.low:
        value = fact.low
    if fact.high is not None and value > fact.high:
        value = fact.high
    return int(value) if isinstance(value, float) and value.is_integer() else value


def clamp_formula(value: object, fact: Derived) -> object:
    """Return what a formula came to: a number within the fact's range, unknown where it is not finite."""
    if isinstance(value, Unknown):
        return _clamp_bounds(value, fact)
    if not is_number(value):
        return value
    if not -_INFINITY < value < _INFINITY:
        return Unknown("the formula does not give a finite number", fact.name)
    return clamp(value, fact)


def _clamp_bounds(value: Unknown, fact: Derived) -> object:
    if value.least is None:
        return value
    least, most = (clamp(end, fact) for end in (value.least, value.most))  # type: ignore[arg-type]
    return least if least == most else Unknown(value.reason, value.origin, least, most)


def reason(row: PointsRow) -> str:
    """Return what a row adds and why."""
    from exitgate.core.language.unparse import value_text

    return f"{'+' if row.add > 0 else ''}{value_text(row.add)} {row.because}".rstrip()


def _open(row: PointsRow) -> str:
    if row.because:
        return reason(row)
    from exitgate.core.language.unparse import unparse

    return f"{reason(row)} if {unparse(row.when)}"


def _sum(adds: Sequence[float]) -> float:
    """Return the sum of points, added exactly and rounded once; infinite where no float is so large."""
    if all(add.__class__ is int for add in adds):
        return sum(adds)
    from exitgate.core.model.exact import calculate, recorded

    result: object = 0
    for add in adds:
        result = calculate("add", result, add)
        if result.__class__ is Unknown:
            return _INFINITY if add > 0 else -_INFINITY
    return recorded(result)  # type: ignore[return-value]
