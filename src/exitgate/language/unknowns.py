"""Why a condition is unknown: the leaves, with reason and origin."""

from __future__ import annotations

from exitgate.language import measure
from exitgate.language.closures import HISTORY, Compilation
from exitgate.language.items import Held, looked_at
from exitgate.model.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from exitgate.language.closures import Closure
    from exitgate.language.tree import Node

    Records = Sequence[Mapping[str, object]]


def unknowns(
    node: Node,
    records: Records,
    parameters: Mapping[str, object],
    conditions: Mapping[str, Node],
) -> tuple[Unknown, ...]:
    """
    Return every unknown that made `node` unknown, each once, in the order they are read.

    A part that is known although something in it is not (`a is unknown`, `a or else 1`, a false
    `and`) adds nothing. Under a history form all iterations it reads are looked at, oldest first. An
    unknown that no leaf explains (a division by zero) stands for itself.
    """
    search = _Search(Compilation(parameters, conditions))
    search.look(node, records)
    return tuple(search.found)


class _Search:
    """One search; `found` keeps the order of discovery."""

    def __init__(self, compilation: Compilation) -> None:
        self.compilation = compilation
        self.found: dict[Unknown, None] = {}
        self._closures: dict[int, Closure] = {}
        self._seen: set[tuple[int, int, int]] = set()
        self._held: list[Records] = []

    def look(self, node: Node, records: Records) -> None:
        """Add what made `node` unknown at the last of `records`."""
        # a record with an item is its own, and kept, so that its id stays its own
        key = (id(node), len(records), id(records[-1]) if isinstance(records[-1], Held) else 0)
        if key in self._seen:
            return
        self._seen.add(key)
        value = self._closure(node)(records)
        if not isinstance(value, Unknown):
            return
        before = len(self.found)
        for child, seen in self._inner(node, records):
            self.look(child, seen)
        if len(self.found) == before and not self._explained(node, records):
            self.found[value] = None

    def _closure(self, node: Node) -> Closure:
        closure = self._closures.get(id(node))
        if closure is None:
            closure = self._closures[id(node)] = self.compilation.closure(node)
        return closure

    def _explained(self, node: Node, records: Records) -> bool:
        """Return whether an unknown part was found before, by way of another part of the tree."""
        return any(
            isinstance(self._closure(child)(seen), Unknown) for child, seen in self._inner(node, records)
        )

    def _inner(self, node: Node, records: Records) -> list[tuple[Node, Records]]:
        """Return the parts of a node, each with the records up to an iteration it is read at."""
        if node.op in ("of_items", "count_items"):
            return self._of_items(node, records)
        if node.op == "condition":
            return [(self.compilation.conditions[str(node.args[0])], records)]
        children = [child for child in _asked(node) if child.op not in ("number", "percent", "parameter")]
        if node.op not in HISTORY:
            return [(child, records) for child in children]
        first = max(0, len(records) - 1 - measure.reach(node, self.compilation.parameters))
        return [(child, records[: i + 1]) for i in range(first, len(records)) for child in children]

    def _of_items(self, node: Node, records: Records) -> list[tuple[Node, Records]]:
        """Return a list, and the condition on it with each item."""
        listed, condition = node.children()
        parts = list(listed.children()) if listed.op == "list" else [listed]
        values = [self._closure(part)(records) for part in parts]
        items = values if listed.op == "list" else values[0]
        found: list[tuple[Node, Records]] = [(part, records) for part in parts]
        if not isinstance(items, Unknown):
            asked = list(looked_at(records, tuple(items)))  # type: ignore[arg-type]
            self._held += asked
            found += [(condition, one) for one in asked]
        return found


def _asked(node: Node) -> Iterator[Node]:
    """Yield the parts of an operation, of a window its length, clock and key."""
    for child in node.children():
        if child.op == "window":
            yield from child.children()
        else:
            yield child
