"""The limits that a fact is compared with in several rules, or in several rows of points."""

from __future__ import annotations

from typing import TYPE_CHECKING

from exitgate.analysis.lint.needed import compared, conjuncts
from exitgate.language.unparse import unparse
from exitgate.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.analysis.lint.subject import Subject
    from exitgate.language.tree import Node
    from exitgate.model.place import Place
    from exitgate.policy.compiled import Derived


class Use(Value):
    """One comparison: `id` of its rule or row, `result` of it, its `order` among them and its `place`."""

    __slots__ = ("id", "order", "place", "result")

    def __init__(self, id: str, order: int, result: object, place: Place) -> None:
        self.id = id
        self.order = order
        self.result = result
        self.place = place


class Threshold(Value):
    """A fact and a limit as texts, with the comparisons by sign (`uses`), each in order."""

    __slots__ = ("fact", "limit", "uses")

    def __init__(self, fact: str, limit: str, uses: dict[str, list[Use]]) -> None:
        self.fact = fact
        self.limit = limit
        self.uses = uses


def thresholds(subject: Subject) -> Iterator[Threshold]:
    """
    Yield every limit that is written in this file.

    Rules of one stage belong together, and rows of one fact. Two comparisons meet if everything else that
    their conditions demand is the same.
    """
    stages: dict[str, list[tuple[Use, Node]]] = {}
    for order, (part, rule) in enumerate(subject.rules):
        if rule.effect != "warn" and rule.mode == "enforce":
            use = Use(rule.id, order, (rule.effect, rule.exit_class), part.fields["when"].place)
            stages.setdefault(rule.stage, []).append((use, rule.when))
    for group in stages.values():
        yield from _grouped(group, subject)
    for fact in subject.policy.derived:
        yield from _grouped(_rows(fact, subject), subject)


def _rows(fact: Derived, subject: Subject) -> list[tuple[Use, Node]]:
    """Return the rows of points that this file writes out, in order; none where others change them."""
    written = subject.section("facts").get(fact.name)
    points = written.get("points") if written is not None else None
    if points is None or len(points.items) != len(fact.rows):
        return []
    return [
        (Use(row.because, order, None, part.fields["when"].place), row.when)
        for order, (part, row) in enumerate(zip(points.items, fact.rows, strict=True))
    ]


def _grouped(group: list[tuple[Use, Node]], subject: Subject) -> Iterator[Threshold]:
    found: dict[object, Threshold] = {}
    for use, when in group:
        parts = tuple(conjuncts(when, subject.policy.conditions))
        for part in parts:
            one = compared(part)
            if one is None or one[0].op != "fact":
                continue
            fact, sign, limit = one
            rest = frozenset(other for other in parts if other is not part)
            key = fact, limit, rest
            if key not in found:
                found[key] = Threshold(unparse(fact), unparse(limit), {})
            found[key].uses.setdefault(sign, []).append(use)
    yield from found.values()
