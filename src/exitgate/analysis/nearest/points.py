"""Values worth trying for one fact: the points of the walk, what it was before, and what is beside that."""

from __future__ import annotations

from exitgate.analysis.space.domains import NUMBERS, TEXTS, domains, trees
from exitgate.analysis.space.meetings import meetings_of
from exitgate.model.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from exitgate.model.fact_spec import FactSpec
    from exitgate.policy.compiled import CompiledPolicy

    Records = Sequence[Mapping[str, object]]

#: Earlier values of a fact that are tried, the newest of them.
EARLIER = 8
_TEXTS = frozenset(("text", "signature"))
NOT_KNOWN = Unknown("not known", "nearest")


class Points:
    """
    The points of each fact.

    Args:
        policy: Whose conditions, those of its breaker included, say which constants matter.
        records: Those of the run, oldest first, the last iteration among them.
    """

    def __init__(self, policy: CompiledPolicy, records: Records) -> None:
        self._policy = policy
        self._records = records
        breaker = policy.breaker
        extra = () if breaker is None else tuple(o.when for o in breaker.openings)
        more = () if breaker is None else tuple(n for n in (breaker.watch, breaker.close) if n is not None)
        self._found = domains(policy, extra=(*extra, *more))
        self._meetings = meetings_of((policy,), (*extra, *more))
        self._written = {
            str(part.args[0])
            for tree in (*trees(policy), *extra, *more)
            for part in tree.walk()
            if part.op == "text"
        }
        self._signals = {signal for fact in policy.derived for signal in fact.signals}

    def of(self, name: str) -> tuple[tuple[object, bool], ...]:
        """Return the values to try for a fact, each once, and whether it stands for any that is new."""
        spec = self._policy.facts.get(name)
        if spec is None:
            return ()
        found: list[tuple[object, bool]] = []
        before = self._before(name)
        fresh = spec.type.kind in _TEXTS
        asked = self._meetings.texts(name) if spec.type.kind == "text" else None
        seen: set[object] = set()
        points = self._found.get(name) or (*_plain(spec), NOT_KNOWN)
        for value in (*points, *before, *self._beside(name, before, spec)):
            new = fresh and isinstance(value, str) and value not in self._written and value not in before
            if new:
                way = asked.way(str(value)) if asked is not None else ()
                if way in seen:
                    continue  # one stands for all of them
                seen.add(way)
                new = all(outcome <= 0 for outcome in way)  # else it is this one for what it says
            if not any(same(value, other) for other, _ in found):
                found.append((value, new))
        return tuple(found)

    def _before(self, name: str) -> list[object]:
        values: list[object] = []
        for record in reversed(self._records):
            value = record.get(name)
            if value is not None and not isinstance(value, Unknown):
                if not any(same(value, other) for other in values):
                    values.append(value)
                if len(values) == EARLIER:
                    break
        return values

    def _beside(self, name: str, before: list[object], spec: FactSpec) -> Iterator[object]:
        """Yield the numbers beside earlier ones, and for a signal of progress beyond the best of the run."""
        if spec.type.kind not in NUMBERS:
            return
        numbers = [v for v in before if isinstance(v, int | float) and not isinstance(v, bool)]
        seen = getattr(self._records[-1], "remembered", None)
        if name in self._signals and seen is not None:
            numbers += [marks[name] for marks in (seen.best, seen.least) if name in marks]
        high = 100 if spec.type.kind == "percent" and spec.high is None else spec.high
        low = 0 if spec.type.kind in ("count", "percent", "duration") and spec.low is None else spec.low
        for number in numbers:
            for near in (number - 1, number, number + 1):
                if (low is None or near >= low) and (high is None or near <= high):
                    yield int(near) if spec.type.kind == "count" else near


def _plain(spec: FactSpec) -> tuple[object, ...]:
    """Return values of a fact that no condition compares: only whether it is known matters."""
    if spec.type.kind in NUMBERS:
        return (spec.low or 0,)
    if spec.type.kind == "enum":
        return spec.type.members
    return {"bool": (False, True), "list": ((),)}.get(spec.type.kind, TEXTS[:1])


def mark(value: object) -> object:
    """Return a value, or what stands for it where it cannot be a key, so that equal ones are one."""
    if isinstance(value, Unknown):
        return None if value.least is None else (Unknown, value.least, value.most)
    return value.__class__, tuple(map(mark, value)) if isinstance(value, tuple | list) else value


def same(one: object, other: object) -> bool:
    """Return whether two values are one: true and 1 are not, two unknowns with the same bounds are."""
    if isinstance(one, Unknown) or isinstance(other, Unknown):
        return isinstance(one, Unknown) and one.like(other)
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    return one == other
