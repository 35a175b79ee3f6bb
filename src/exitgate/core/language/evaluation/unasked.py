"""
Conditions over values that the world has not been asked for.

Such a value is not unknown: any value may still come, unknown included. So a condition
over it has a set of truths that it can come out as, also one with `is known`, `or else`, points and formulas.
What is unknown otherwise stays so.
"""

from __future__ import annotations

from itertools import product

from exitgate.core.language.evaluation.unknowns import joined
from exitgate.core.language.functions import HISTORY, ON_ITEMS
from exitgate.core.language.measure import facts_of
from exitgate.core.model.value import Unknown, is_unasked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from exitgate.core.language.evaluation.closures import Closure, Compilation
    from exitgate.core.language.tree import Node

    Records = Sequence[Mapping[str, object]]
    #: What a condition can come out as; None for unknown.
    Truths = frozenset[bool | None]


ANY: Truths = frozenset((True, False, None))
_NONE: frozenset[str] = frozenset()
#: Operations that are unknown where one of these arguments is, no matter what the others are.
_STRICT: dict[str, slice] = {
    **dict.fromkeys(("compare", "is", "is_not", "contains", "matches", "call"), slice(None)),
    **dict.fromkeys(("add", "sub", "mul", "div", "neg"), slice(None)),
    **dict.fromkeys(("between", "in", "not_in"), slice(1)),
}
#: Facts that a condition names more than once and that are looked at value by value.
APART = 4
_TRUTHS = (True, False, Unknown("one of the values that it may have"))


class Unasked:
    """
    Conditions of one policy.

    Args:
        compilation: Evaluators of its trees.
        parts: Computed fact -> the trees that it rests on.
    """

    def __init__(self, compilation: Compilation, parts: Mapping[str, Sequence[Node]]) -> None:
        self._compilation = compilation
        self._parts = parts
        self._closures: dict[int, tuple[Node, Closure]] = {}

    def truths(self, node: Node, records: Records) -> Truths:
        """Return what a condition can come out as in the last of `records`."""
        apart = self._apart(node, records)
        found: set[bool | None] = set()
        for values in product(_TRUTHS, repeat=len(apart)):
            record = {**records[-1], **dict(zip(apart, values, strict=True))} if apart else records[-1]
            found |= self._truths(node, (*records[:-1], record))
        return frozenset(found)

    def needs(self, node: Node, records: Records, wanted: bool = True) -> frozenset[str]:
        """Return the facts of which one has to be asked for before a condition can come out as wanted."""
        found = self._truths(node, records)
        if wanted not in found or len(found) == 1:
            return _NONE
        if node.op == "condition":
            return self.needs(self._compilation.conditions[str(node.args[0])], records, wanted)
        if node.op == "not":
            return self.needs(node.child(0), records, not wanted)
        if node.op in ("and", "or"):
            return frozenset().union(*(self.needs(child, records, wanted) for child in node.children()))
        if node.op == "or_else":
            return self._open(node.child(0), records) or self.needs(node.child(1), records, wanted)
        return self._open(node, records)

    def _truths(self, node: Node, records: Records) -> Truths:
        if not self._unasked(node, records):
            return frozenset((self._truth(node, records),))
        if node.op == "condition":
            return self._truths(self._compilation.conditions[str(node.args[0])], records)
        if node.op == "not":
            return frozenset(None if one is None else not one for one in self._truths(node.child(0), records))
        if node.op in ("and", "or"):
            ends = node.op == "or"
            first, *more = (self._truths(child, records) for child in node.children())
            for others in more:
                first = frozenset(joined(one, other, ends) for one in first for other in others)
            return first
        if node.op in ("known", "unknown"):
            return frozenset(
                known is (node.op == "known") for known in self._knowledge(node.child(0), records)
            )
        if node.op == "or_else":
            found = self._truths(node.child(0), records)
            return found if None not in found else (found - {None}) | self._truths(node.child(1), records)
        if not self._open(node, records):
            return frozenset((self._truth(node, records),))
        return ANY

    def _knowledge(self, node: Node, records: Records) -> frozenset[bool]:
        """Return whether a value is known, or can be."""
        if node.type is not None and node.type.kind == "bool":
            return frozenset(one is not None for one in self._truths(node, records))
        if self._open(node, records):
            return frozenset((True, False))
        return frozenset((self._value(node, records).__class__ is not Unknown,))

    def _open(self, node: Node, records: Records) -> frozenset[str]:
        """Return the facts not asked for that the value of a part may rest on; none where it is settled."""
        unasked = self._unasked(node, records)
        if not unasked or node.op in HISTORY or node.op in ON_ITEMS:
            return unasked
        if node.op == "fact":
            name = str(node.args[0])
            return self._of_computed(name, records) if name in self._parts else unasked
        if node.op in ("and", "or", "not", "condition", "known", "unknown"):
            return unasked if len(self._truths(node, records)) > 1 else _NONE
        if node.op == "or_else":
            first, second = node.children()
            found = self._open(first, records)
            if not found and self._value(first, records).__class__ is not Unknown:
                return _NONE
            return found | self._open(second, records)
        children = list(node.children())
        opened = [self._open(child, records) for child in children]
        for child, found in list(zip(children, opened, strict=True))[_STRICT.get(node.op, slice(0))]:
            if not found and _is_nothing_known(self._value(child, records)):
                return _NONE
        return frozenset().union(*opened)

    def _of_computed(self, name: str, records: Records) -> frozenset[str]:
        """Return the same of a computed fact, by what it is computed from."""
        found = _NONE
        for tree in self._parts[name]:
            if tree.type is not None and tree.type.kind == "bool":
                found |= self._unasked(tree, records) if len(self._truths(tree, records)) > 1 else _NONE
            else:
                found |= self._open(tree, records)
        return found

    def _unasked(self, node: Node, records: Records) -> frozenset[str]:
        """Return the facts not asked for that a tree reads in the last record, also by way of others."""
        found: set[str] = set()
        seen: set[str] = set()
        todo = [node]
        while todo:
            for name in facts_of(todo.pop(), self._compilation.conditions) - seen:
                seen.add(name)
                todo += self._parts.get(name, ())
                if name not in self._parts and is_unasked(records[-1].get(name)):
                    found.add(name)
        return frozenset(found)

    def _apart(self, node: Node, records: Records) -> tuple[str, ...]:
        """Return the facts that are true or false and that a condition names more than once."""
        unasked = self._unasked(node, records)
        if not unasked:
            return ()
        times: dict[str, int] = dict.fromkeys(unasked, 0)
        todo = [node]
        while todo:
            for part in todo.pop().walk():
                name = str(part.args[0]) if part.op in ("fact", "condition") else ""
                if part.op == "condition":
                    todo.append(self._compilation.conditions[name])
                elif name in self._parts:  # what is computed is in the record as it is
                    for below in self._unasked(part, records):
                        times.pop(below, None)
                elif name in times and part.type is not None and part.type.kind == "bool":
                    times[name] += 1
        often = [name for name, number in times.items() if number > 1]
        return tuple(sorted(often)) if len(often) <= APART else ()

    def _truth(self, node: Node, records: Records) -> bool | None:
        value = self._value(node, records)
        return value if isinstance(value, bool) else None

    def _value(self, node: Node, records: Records) -> object:
        found = self._closures.get(id(node))
        if found is None:  # the node is kept, so that its id stays its own
            found = self._closures[id(node)] = node, self._compilation.closure(node)
        return found[1](records)


def _is_nothing_known(value: object) -> bool:
    return isinstance(value, Unknown) and value.least is None
