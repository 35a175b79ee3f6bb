"""Values worth trying for each fact of a policy: around every constant it meets, at its ends, unknown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from exitgate.language.measure import facts_of
from exitgate.model.value import Unknown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from exitgate.language.tree import Node
    from exitgate.model.fact_spec import FactSpec
    from exitgate.policy.compiled import CompiledPolicy

Domains = dict[str, tuple[object, ...]]

UNKNOWN = Unknown("sampled as unknown", "invariant")
#: Operations that hold a fact against constants.
MEETINGS = frozenset(("compare", "is", "is_not", "in", "not_in", "between", "contains", "matches"))
NUMBERS = frozenset(("count", "number", "percent", "duration", "money"))
TEXTS = ("a", "b")


def trees(policy: CompiledPolicy) -> tuple[Node, ...]:
    """Return every condition and formula of the policy, those of invariants included."""
    rows = (row.when for fact in policy.derived for row in fact.rows)
    formulas = (fact.formula for fact in policy.derived if fact.formula is not None)
    whens = (rule.when for rule in policy.rules)
    givens = (invariant.given for invariant in policy.invariants)
    return (*whens, *rows, *formulas, *givens, *policy.conditions.values())


def domains(policy: CompiledPolicy, *others: CompiledPolicy, extra: tuple[Node, ...] = ()) -> Domains:
    """
    Return candidates for each fact that a condition of the policy names, computed facts left out.

    For a number: t - 1, t and t + 1 for each constant or parameter t that a comparison holds any
    fact of its kind against, 0, 1 and the ends of its range. The first candidate is the simplest
    value, the last is `UNKNOWN`. With `others` they are candidates for all policies at once; a fact
    that has another type there has those of both. `extra` are further conditions on the first one.
    """
    found: dict[str, dict[tuple[type, object], None]] = {}
    met: dict[tuple[str, object], None] = {}
    for one in (policy, *others):
        all_trees = (*trees(one), *(extra if one is policy else ()))
        met |= dict.fromkeys(_constants(all_trees, one))
    for one in (policy, *others):
        names = {
            name
            for tree in (*trees(one), *(extra if one is policy else ()))
            for name in facts_of(tree, one.conditions)
        }
        names |= {signal for fact in one.derived for signal in fact.signals}
        names -= {fact.name for fact in one.derived}
        for name in names:
            candidates = _candidates(one.facts[name], list(met))
            found[name] = found.get(name, {}) | dict.fromkeys((type(c), c) for c in candidates)
    return {name: (*(value for _, value in found[name]), UNKNOWN) for name in sorted(found)}


def _constants(all_trees: Iterable[Node], policy: CompiledPolicy) -> Iterator[tuple[str, object]]:
    """Yield kind and value of every constant, effective values of parameters included."""
    parameters = policy.parameters
    for tree in all_trees:
        for part in tree.walk():
            if part.op not in MEETINGS:
                continue
            for below in part.walk():
                if below.op == "parameter":
                    parameter = parameters[str(below.args[0])]
                    yield parameter.type.kind, parameter.value
                elif below.op in ("number", "percent", "duration", "money", "text"):
                    yield below.op, below.args[0]
            if part.op == "matches":
                yield "text", part.args[-1]


def _candidates(spec: FactSpec, met: list[tuple[str, object]]) -> tuple[object, ...]:
    kind = spec.type.kind
    if kind == "bool":
        return (False, True)
    if kind == "enum":
        return spec.type.members
    if kind in ("text", "signature"):
        return tuple(dict.fromkeys([*TEXTS, *(str(v) for k, v in met if k == "text")]))
    if kind == "list":
        return ((), TEXTS[:1], TEXTS) if spec.type.item and spec.type.item.kind == "text" else ((),)
    points: dict[object, None] = {0: None, 1: None}
    for other, value in met:
        if isinstance(value, int | float) and _meets(kind, other):
            points |= dict.fromkeys((value - 1, value, value + 1))
    points |= dict.fromkeys(end for end in (spec.low, spec.high) if end is not None)
    return tuple(p for p in points if _within(p, spec, kind))


def _meets(kind: str, other: str) -> bool:
    """Return whether a number of one kind can be held against a constant of the other."""
    return kind == other or (kind in NUMBERS and other in ("number", "count"))


def _within(point: object, spec: FactSpec, kind: str) -> bool:
    assert isinstance(point, int | float)
    if kind == "count" and (point < 0 or point != int(point)):
        return False
    low = 0 if kind in ("percent", "duration") and spec.low is None else spec.low
    high = 100 if kind == "percent" and spec.high is None else spec.high
    return (low is None or low <= point) and (high is None or point <= high)
