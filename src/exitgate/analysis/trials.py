"""Values worth trying in place of a fact's or a parameter's own."""

from __future__ import annotations

from exitgate.analysis.tied import done_around, follows
from exitgate.model.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from exitgate.analysis.landmarks import Landmarks
    from exitgate.model.type import Type
    from exitgate.policy.compiled import CompiledPolicy, Parameter

    Record = Mapping[str, object]

#: Values tried for one name; a condition that lists more constants is cut here.
LIMIT = 24

_WHOLE = frozenset(("count",))
_NUMERIC = frozenset(("count", "number", "percent", "duration", "money"))


def fact_trials(
    policy: CompiledPolicy, landmarks: Landmarks, record: Record
) -> dict[str, tuple[object, ...]]:
    """
    Return the values to try for each fact, nearest to its present value first.

    A share that follows from counts is not tried itself: the counts around its borders are.
    """
    met: dict[str, list[object]] = {}
    for name, values in landmarks.facts.items():
        if follows(record, name):
            done = f"{name.rpartition('.')[0]}.done"
            counts = [count for value in values or (True,) for count in done_around(record, name, value)]
            met.setdefault(done, []).extend(counts)
        else:
            met.setdefault(name, []).extend(values)
    trials = {}
    for name, values in met.items():
        spec = policy.facts.get(name)
        if spec is not None:
            ends = (spec.low, spec.high) if name in landmarks.computed else ()
            around = [*values, *(end for end in ends if end is not None)]
            now = record.get(name)
            trials[name] = _nearest(_candidates(spec.type, around, spec.low, spec.high), now)
    return trials


def parameter_trials(parameter: Parameter, values: Sequence[object], lengths: int) -> tuple[object, ...]:
    """
    Return the values to try for a parameter within its bounds, nearest first.

    `lengths` is the number of records: a parameter that counts iterations turns there.
    """
    around = [*values, parameter.value]
    if parameter.type.kind == "count":
        around.extend((1, lengths))
    found = _candidates(parameter.type, around, parameter.low, parameter.high)
    return _nearest(found, parameter.value)


def _candidates(type: Type, around: Iterable[object], low: float | None, high: float | None) -> list[object]:
    if type.kind == "bool":
        return [True, False]
    if type.kind == "enum":
        return list(type.members)
    if type.kind not in _NUMERIC:
        return [value for value in around if not isinstance(value, Unknown) and value is not None]
    bottom = 0 if low is None and type.kind in ("count", "duration", "percent") else low
    top = 100 if high is None and type.kind == "percent" else high
    found: list[object] = []
    for value in around:
        if isinstance(value, int | float) and not isinstance(value, bool):
            for near in (value - 1, value, value + 1):
                if (bottom is None or near >= bottom) and (top is None or near <= top):
                    found.append(int(near) if type.kind in _WHOLE else near)
    return found


def _nearest(values: Iterable[object], now: object) -> tuple[object, ...]:
    """Return at most `LIMIT` of `values`, once each and without `now`: numbers by distance, upwards first."""
    kept: list[object] = []
    for value in values:
        if not _same(value, now) and not any(_same(value, other) for other in kept):
            kept.append(value)
    if isinstance(now, int | float) and not isinstance(now, bool):
        here = now
        numbers = [v for v in kept if isinstance(v, int | float)]
        return tuple(sorted(numbers, key=lambda v: (abs(v - here), -v))[:LIMIT])
    return tuple(kept[:LIMIT])


def _same(one: object, other: object) -> bool:
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    return one == other
