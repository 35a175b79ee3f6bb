"""Values worth trying for each fact of a policy: around every constant it meets, at its ends, unknown."""

from __future__ import annotations

from itertools import pairwise
from math import ceil, floor
from typing import TYPE_CHECKING

from exitgate.analysis.space.meetings import meetings_of
from exitgate.analysis.space.silence import another_voice
from exitgate.engine.shown import is_finite
from exitgate.language.measure import facts_of
from exitgate.model.value import Unknown

if TYPE_CHECKING:
    from exitgate.analysis.space.meetings import Constant, Meetings
    from exitgate.language.tree import Node
    from exitgate.model.fact_spec import FactSpec
    from exitgate.policy.compiled import CompiledPolicy

Domains = dict[str, tuple[object, ...]]

UNKNOWN = Unknown("sampled as unknown", "invariant")
NUMBERS = frozenset(("count", "number", "percent", "duration", "money"))
TEXTS = ("a", "b")
#: More of them where it matters how many there are, and numbers where it matters how far they lie apart.
MORE_TEXTS, APART = ("a", "b", "c"), (2, 3, 10, 100)


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

    For a number: t - 1, t and t + 1 for each constant or parameter t that a comparison compares it
    with, or a fact that it is compared with in turn, 0, 1 and the ends of its range; the middle of two
    constants that lie close together. The first candidate is the simplest value, the last is `UNKNOWN`.
    Where a condition asks whether nothing is known, one fact that no condition names is among them: it may
    be what is known. With `others` they are candidates for all policies at once; a fact that has another
    type there has those of both. `extra` are further conditions on the first one.
    """
    policies = (policy, *others)
    found: dict[str, dict[tuple[type, object], None]] = {}
    meetings = meetings_of(policies, extra)
    read = [(one, (*trees(one), *(extra if one is policy else ()))) for one in policies]
    for one, all_trees in read:
        names = {name for tree in all_trees for name in facts_of(tree, one.conditions)}
        names |= {signal for fact in one.derived for signal in fact.signals}
        names -= {fact.name for fact in one.derived}
        if any(part.op == "silence" for tree in all_trees for part in tree.walk()):
            names |= another_voice(one, names)
        for name in names:
            candidates = _candidates(one.facts[name], meetings, name)
            found[name] = found.get(name, {}) | dict.fromkeys((type(c), c) for c in candidates)
    return {name: (*(value for _, value in found[name]), UNKNOWN) for name in sorted(found)}


def _candidates(spec: FactSpec, meetings: Meetings, name: str) -> tuple[object, ...]:
    kind, met = spec.type.kind, meetings.of(name)
    measured = meetings.is_measured(name)
    if kind in NUMBERS:
        return _numbers(spec, met, measured, meetings.is_told_apart(name))
    if kind == "list":
        return _lists(spec, meetings, name)
    if kind == "bool":
        return (False, True)
    if kind == "enum":
        return spec.type.members
    texts = meetings.texts(name).texts() if kind == "text" else [str(v) for k, v in met if k == "text"]
    return tuple(dict.fromkeys([*(MORE_TEXTS if measured else TEXTS), *texts]))


def _lists(spec: FactSpec, meetings: Meetings, name: str) -> tuple[object, ...]:
    """Return lists of texts that matter; of lists of other items the empty one and those that are met."""
    item = spec.type.item
    of_items = meetings.lists_of_items(name)[0]
    if item is None or item.kind not in ("text", "signature"):
        met = (value for _, value in meetings.of(name) if isinstance(value, tuple))
        return tuple(dict.fromkeys(((), *met, *of_items)))
    most = MORE_TEXTS if meetings.is_measured(name) else TEXTS
    named = ((str(value),) for kind, value in meetings.of(name) if kind == "text")
    return tuple(dict.fromkeys([(), TEXTS[:1], TEXTS, most, *named, *meetings.lists(name)[0], *of_items]))


def _numbers(spec: FactSpec, met: tuple[Constant, ...], measured: bool, apart: bool) -> tuple[object, ...]:
    """
    Return the points on, beside and between the constants that a number meets, and its ends.

    There are two of them between two constants where it matters whether a value is the same as another.
    """
    kind = spec.type.kind
    whole = kind == "count"
    constants = [v for k, v in met if isinstance(v, int | float) and _meets(kind, k) and is_finite(v)]
    points: dict[object, None] = {0: None, 1: None}
    steps = (1, 2) if apart and whole else (1, 0.5) if apart else (1,)
    for value in (*constants, *([0] if apart else [])):
        low, high = (floor(value), ceil(value)) if whole else (value, value)
        points |= dict.fromkeys((low - 1, low, high, high + 1))
        points |= dict.fromkeys(point for step in steps for point in (low - step, high + step))
    if not whole:
        for a, b in pairwise(sorted({*constants, *(e for e in (spec.low, spec.high) if e is not None)})):
            if b - a <= 1:
                points |= dict.fromkeys(((a + b) / 2,) if not apart else ((2 * a + b) / 3, (a + 2 * b) / 3))
    points |= dict.fromkeys(end for end in (spec.low, spec.high) if end is not None)
    points |= dict.fromkeys(APART if measured else ())
    return tuple(p for p in points if _within(p, spec, kind))


def _meets(kind: str, other: str) -> bool:
    """Return whether a number of one kind can be compared with a constant of the other."""
    return kind == other or (kind in NUMBERS and other in ("number", "count"))


def _within(point: object, spec: FactSpec, kind: str) -> bool:
    assert isinstance(point, int | float)
    if kind == "count" and (point < 0 or point != int(point)):
        return False
    low = 0 if kind in ("percent", "duration") and spec.low is None else spec.low
    high = 100 if kind == "percent" and spec.high is None else spec.high
    return (low is None or low <= point) and (high is None or point <= high)
