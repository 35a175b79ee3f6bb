"""Computed facts within their range."""

from __future__ import annotations

from exitgate.engine.shown import is_finite
from exitgate.model.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from exitgate.policy.compiled import Derived

    Records = Sequence[dict[str, object]]


def clamp(value: float, fact: Derived) -> float:
    """Return a number within the range of a computed fact, a whole one as such."""
    if fact.low is not None and value < fact.low:
        value = fact.low
    if fact.high is not None and value > fact.high:
        value = fact.high
    return int(value) if isinstance(value, float) and value.is_integer() else value


def clamped(formula: Callable[[Records], object], fact: Derived) -> Callable[[Records], object]:
    """Return a formula that gives numbers within the range of its fact, unknown where it is not finite."""

    def value_of(records: Records) -> object:
        value = formula(records)
        if isinstance(value, bool) or not isinstance(value, int | float):
            return value
        if not is_finite(value):
            return Unknown("the formula gives no finite number", fact.name)
        return clamp(value, fact)

    return value_of
