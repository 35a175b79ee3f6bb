"""
Closures of conditions on the items of a list: `any of LIST where (P)`, `all of ...` and `count of ...`.

The condition sees this iteration, and as `item` one item after the other. Of a list longer than
`ITEM_LIMIT` the items behind the limit may be anything.
"""

from __future__ import annotations

from exitgate.core.language.evaluation import kleene
from exitgate.core.language.functions import ITEM_LIMIT
from exitgate.core.model.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from exitgate.core.language.evaluation.closures import Closure, Compilation, Record, Records
    from exitgate.core.language.tree import Node

    #: Returns the items of a list at a record, or why they are not known.
    Items = Callable[[Records], Any]


class Held:
    """A record beside which an item is looked at."""

    __slots__ = ("item", "record")

    def __init__(self, record: Record, item: object) -> None:
        self.record = record
        self.item = item

    def __getitem__(self, name: str) -> object:
        return self.record[name]

    def get(self, name: str, default: object = None) -> object:
        """Return a fact of the record, `default` where it is not recorded."""
        return self.record.get(name, default)

    def items(self) -> object:
        """Return names and values of the record."""
        return self.record.items()

    @property
    def stand_ins(self) -> object:
        """Facts of the record whose value a policy gives instead of an unknown one."""
        return getattr(self.record, "stand_ins", frozenset())


def item(node: Node, _compilation: Compilation) -> Closure:
    """Return a closure of `item`; an item of a wrong class is unknown."""
    type_ = node.type
    assert type_ is not None, "the tree is not checked"
    allowed = kleene.CLASSES[type_.kind]
    members = kleene.holds_members(type_)

    def read(records: Records) -> object:
        record: object = records[-1]
        if not isinstance(record, Held):
            return Unknown("only known in the condition on a list", "item")
        value = record.item
        if value.__class__ is Unknown:
            return value
        if value.__class__ not in allowed:
            return kleene.mistyped("item", value, type_)
        return kleene.fold(value) if members else value

    return read


def _items(node: Node, compilation: Compilation) -> Items:
    """Return the items of a list; where it is written out, an item by itself may be unknown."""
    if node.op != "list":
        return compilation.closure(node)
    parts = tuple(compilation.recorded(child) for child in node.children())
    return lambda records: tuple(part(records) for part in parts)


def looked_at(records: Records, values: tuple[object, ...]) -> Iterator[Records]:
    """Yield what a condition on a list is asked at: this iteration with each item up to the limit."""
    record = records[-1]
    for value in values[:ITEM_LIMIT]:
        yield (Held(record, value),)  # type: ignore[misc]


def _beyond(values: tuple[object, ...], op: str) -> Unknown:
    return Unknown(f"the list has {len(values)} items, of which {ITEM_LIMIT} are looked at", op)


def quantified(node: Node, compilation: Compilation) -> Closure:
    """Return a closure of `any of LIST where (P)`, false of no items, or `all of ...`, true of none."""
    listed, condition = node.children()
    items, test = _items(listed, compilation), compilation.closure(condition)
    joined, decisive = (kleene.disjunction, True) if node.args[0] == "any" else (kleene.conjunction, False)

    def found(records: Records) -> object:
        values = items(records)
        if values.__class__ is Unknown:
            return values
        truth = joined(test(one) for one in looked_at(records, values))
        if len(values) <= ITEM_LIMIT or truth is decisive or truth.__class__ is Unknown:
            return truth
        return _beyond(values, "of_items")

    return found


def count(node: Node, compilation: Compilation) -> Closure:
    """Return a closure of `count of LIST where (P)`: between bounds where P is unknown of an item."""
    listed, condition = node.children()
    items, test = _items(listed, compilation), compilation.closure(condition)

    def number(records: Records) -> object:
        values = items(records)
        if values.__class__ is Unknown:
            return values
        truths = [test(one) for one in looked_at(records, values)]
        least = sum(truth is True for truth in truths)
        most = least + sum(truth.__class__ is Unknown for truth in truths) + len(values) - len(truths)
        if least == most:
            return least
        reason = f"between {least} and {most}, because it is not known for every item"
        return Unknown(reason, "count of", least, most)

    return number


FORMS: dict[str, Callable[[Node, Compilation], Closure]] = {
    "item": item,
    "of_items": quantified,
    "count_items": count,
}
