"""Which types go together."""

from __future__ import annotations

from exitgate.language.functions import NUMERIC
from exitgate.model.type import NUMBER, PERCENT, Type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.language.tree import Node

#: Type of what already has a problem; it goes with everything, so that nothing is reported twice.
#: Never part of a tree that `check` returns.
BROKEN = Type("broken")

#: Kinds of plain numbers, without a unit.
PLAIN = ("count", "number")

#: Operations whose value is calculated from their children, and so may carry a share.
_CALCULATED = (
    "mul", "add", "sub", "neg", "call", "average", "sum", "first", "last", "previous", "or_else",
    "largest", "smallest", "median", "percentile", "deviation",
)  # fmt: skip


def joined(left: Type, right: Type) -> Type | None:
    """
    Return the type that covers both, or None where they cannot be compared or combined.

    Equal types go together, count widens to number; nothing else converts here.
    """
    if BROKEN in (left, right):
        return BROKEN
    if left.kind in PLAIN and right.kind in PLAIN:
        return left if left.kind == right.kind else NUMBER
    if left.kind != right.kind:
        return None
    if left.kind == "list":
        if left.item is None or right.item is None:
            return left if right.item is None else right
        item = joined(left.item, right.item)
        return Type("list", item=item) if item is not None else None
    if left.kind == "enum" and set(left.members) != set(right.members):
        return None
    if left.kind == "money" and left.currency != right.currency:
        return None
    return left


def agreed(left: Node, right: Node) -> Type | None:
    """
    Return the type that covers both typed nodes, or None.

    Beyond `joined`, a bare number fits a percent: a literal, or a quotient and what is made of one
    (``100 * done / total``), but no count and no number that has a name.
    """
    assert left.type is not None
    assert right.type is not None
    if left.type.kind == "percent" and right.type.kind in PLAIN and bare(right):
        return PERCENT
    if right.type.kind == "percent" and left.type.kind in PLAIN and bare(left):
        return PERCENT
    return joined(left.type, right.type)


def bare(node: Node) -> bool:
    """Return whether a typed node is a number without a name or unit that may stand for a percent."""
    if node.op == "number":
        return True
    if node.op == "neg" and next(node.children()).op == "number":
        return True
    if node.op == "div":
        return node.type is not None and node.type.kind == "number"
    if node.op in _CALCULATED:
        return any(child.op != "number" and bare(child) for child in node.children())
    return False


def ratio(node: Node) -> bool:
    """Return whether a typed node divides amounts of one unit: a share of 1, no percentage."""
    if node.op != "div":
        return False
    over, under = node.children()
    assert over.type is not None
    assert under.type is not None
    literal = any(part.op == "number" for part in node.walk())
    return not literal and over.type.kind == under.type.kind in ("count", "duration", "money")


def numeric(type_: Type) -> bool:
    """Return whether values of the type can be ordered and calculated with."""
    return type_.kind in NUMERIC or type_ == BROKEN


def phrase(type_: Type) -> str:
    """Return the type with its article: ``a percent``, ``an enum of OPEN, CLOSED``, ``text``."""
    if type_.kind in ("text", "money"):
        return str(type_)
    return f"{'an' if type_.kind == 'enum' else 'a'} {type_}"
