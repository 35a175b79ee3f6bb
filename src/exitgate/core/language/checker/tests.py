"""Comparisons and other tests of values."""

from __future__ import annotations

from exitgate.core.language.checker.context import (
    BROKEN,
    PLAIN,
    agreed,
    as_percent,
    joined,
    numeric,
    phrase,
    ratio,
    short,
    with_type,
)
from exitgate.core.language.checker.mismatch import absence, emptiness, mismatch
from exitgate.core.language.evaluation.kleene import searcher
from exitgate.core.language.tree import Node
from exitgate.core.language.unparse import unparse
from exitgate.core.model.value import BOOL, NUMBER, TEXT, Type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.language.checker.context import Checking
    from exitgate.core.language.tree import Node


#: Literals whose first arg is an amount.
_AMOUNTS = ("number", "percent", "duration", "money")

#: How a type without an order is compared.
_INSTEAD = {
    "bool": "write `{left} is true` or `{left} is false`",
    "enum": "write `{left} is {member}`, or `{left} in [{member}, ...]`",
    "text": "compare lengths, for example `length({left}) > 10`",
    "list": "compare how many items there are, for example `length({left}) > 3`",
    "signature": "write `{left} is ...` or `{left} repeats 3 times`",
}


def pair(left: Node, right: Node, checking: Checking) -> tuple[Node, Node]:
    """Type two nodes that are beside each other, each with the other's type as a hint."""
    if _needs_hint(left, checking) and not _needs_hint(right, checking):
        typed_right = checking.typed(right)
        return checking.typed(left, typed_right.type), typed_right
    typed_left = checking.typed(left)
    return typed_left, checking.typed(right, typed_left.type)


def _needs_hint(node: Node, checking: Checking) -> bool:
    if node.op == "fact":
        return str(node.args[0]) not in checking.scope.facts
    return node.op == "enum" or (node.op == "list" and any(_needs_hint(c, checking) for c in node.children()))


def agree(left: Node, right: Node, whole: Node, checking: Checking) -> tuple[Node, Node, Type]:
    """
    Return two typed nodes as they are beside each other, and the type that covers both.

    Reports types that do not go together; a bare number next to a percent becomes a percentage.
    """
    assert left.type is not None
    assert right.type is not None
    covering = agreed(left, right)
    if covering is None:
        _report_mismatch(left, right, whole, checking)
        return left, right, BROKEN
    if covering.kind == "percent":
        left, right = as_percent(left), as_percent(right)
        for side in (left, right):
            if side.op == "percent" and side.args[0] > 100:  # type: ignore[operator]
                message = f"`{unparse(side)}` is more than 100%"
                checking.report("EP413", message, side, "write a percentage from 0% to 100%")
            if ratio(side):
                message = f"{short(side)} is a share of 1, not a percentage"
                checking.report("EP407", message, side, f"write `100 * {unparse(side)}`")
    return left, right, covering


def _report_mismatch(left: Node, right: Node, whole: Node, checking: Checking) -> None:
    assert left.type is not None
    assert right.type is not None
    one, other = left.type, right.type
    if one.kind == other.kind == "money":
        message = f"{short(left)} is {phrase(one)} and {short(right)} is {phrase(other)}"
        checking.report("EP412", message, whole, "compare amounts in one currency")
        return
    message = f"{short(left)} is {phrase(one)} and {short(right)} is {phrase(other)}"
    checking.report("EP407", f"{message}; they cannot be compared", whole, mismatch(left, right, whole))


def compare(node: Node, checking: Checking, hint: Type | None) -> Node:
    """Type ``a >= b`` and ``a == b``."""
    del hint
    sign = str(node.args[0])
    if sign in ("==", "!=") and _nothing(node.child(1), node.child(2), sign, checking):
        return with_type(node, BOOL)
    left, right = pair(node.child(1), node.child(2), checking)
    left, right, covering = agree(left, right, node, checking)
    if sign not in ("==", "!=") and not numeric(covering):
        _report_order(left, right, covering, node, checking)
    return with_type(node, BOOL, (sign, left, right))


def _report_order(left: Node, right: Node, covering: Type, node: Node, checking: Checking) -> None:
    member = unparse(right) if right.op == "enum" else covering.members[0] if covering.members else "..."
    help_ = _INSTEAD[covering.kind].format(left=unparse(left), member=member)
    message = f"{short(left)} is {phrase(covering)}, which has no order"
    checking.report("EP408", message, node, help_)


def _nothing(left: Node, right: Node, sign: str, checking: Checking) -> bool:
    """Report a comparison with nothing, or with a value that does not exist; else return False."""
    return emptiness(left, right, sign, checking) or absence(left, right, sign, checking)


def is_(node: Node, checking: Checking, hint: Type | None) -> Node:
    """Type ``a is b`` and ``a is not b``."""
    del hint
    if _nothing(node.child(0), node.child(1), "==" if node.op == "is" else "!=", checking):
        return with_type(node, BOOL)
    left, right = pair(node.child(0), node.child(1), checking)
    left, right, _ = agree(left, right, node, checking)
    return with_type(node, BOOL, (left, right))


def known(node: Node, checking: Checking, hint: Type | None) -> Node:
    """Type ``a is known`` and ``a is unknown``."""
    del hint
    return with_type(node, BOOL, (checking.typed(node.child(0)),))


def _sides_of_in(node: Node, checking: Checking) -> tuple[Node, Node]:
    left, right = node.child(0), node.child(1)
    if _needs_hint(left, checking) and not _needs_hint(right, checking):
        right = checking.typed(right)
        assert right.type is not None
        return checking.typed(left, right.type.item or BROKEN), right
    left = checking.typed(left)
    return left, checking.typed(right, Type("list", item=left.type))


def in_(node: Node, checking: Checking, hint: Type | None) -> Node:
    """Type ``a in [B, C]`` and ``a not in $list``."""
    del hint
    left, right = _sides_of_in(node, checking)
    one, other = left.type, right.type
    assert one is not None
    assert other is not None
    if other.kind not in ("list", "broken"):
        message = f"{short(right)} is {phrase(other)}, not a list"
        help_ = f"write `{unparse(left)} in [...]`"
        if one.kind == "bool" and right.op == "duration":
            help_ = f"write `({unparse(left)}) for {unparse(right)}`"
        checking.report("EP409", message, right, help_)
    elif right.op == "list" and other != BROKEN:
        items = [agree(left, item, item, checking)[1] for item in right.children()]
        right = with_type(right, other, tuple(items))
    elif other.item is not None and joined(one, other.item) is None:
        _report_mismatch(left, right, node, checking)
    return with_type(node, BOOL, (left, right))


def list_(node: Node, checking: Checking, hint: Type | None) -> Node:
    """Type ``[A, B]``; every item must go with the first and with the hint's items."""
    if not node.args:
        return checking.broken("EP420", "the list is empty", node, "write at least one item")
    wanted = hint.item if hint is not None else None
    if hint == BROKEN:
        wanted = BROKEN
    items = [checking.typed(item, wanted) for item in node.children()]
    first = next((item for item in items if wanted and item.type and joined(wanted, item.type)), items[0])
    item_type = first.type
    assert item_type is not None
    for item in items:
        assert item.type is not None
        covering = joined(item_type, item.type)
        if covering is None:
            message = f"{short(first)} is {phrase(item_type)} and {short(item)} is {phrase(item.type)}"
            checking.report("EP420", f"{message}; all items of a list must have one type", item)
            covering = BROKEN
        item_type = covering
    whole = BROKEN if item_type == BROKEN else Type("list", item=item_type)
    return with_type(node, whole, tuple(items))


def between(node: Node, checking: Checking, hint: Type | None) -> Node:
    """Type ``a between low and high``."""
    del hint
    value, low = pair(node.child(0), node.child(1), checking)
    high = checking.typed(node.child(2), value.type)
    value, low, covering = agree(value, low, low, checking)
    if not numeric(covering):
        _report_order(value, low, covering, node, checking)
    value, high, _ = agree(value, high, high, checking)
    if low.op == high.op and low.op in _AMOUNTS and low.args[0] > high.args[0]:  # type: ignore[operator]
        message = f"no value is between {short(low)} and {short(high)}"
        ends = f"{unparse(high)} and {unparse(low)}"
        help_ = f"write the smaller one first: `{unparse(value)} between {ends}`"
        checking.report("EP421", message, node, help_)
    return with_type(node, BOOL, (value, low, high))


def contains(node: Node, checking: Checking, hint: Type | None) -> Node:
    """Type ``text contains text`` and ``list contains item``."""
    del hint
    whole = checking.typed(node.child(0))
    assert whole.type is not None
    if whole.type.kind == "list":
        part = checking.typed(node.child(1), whole.type.item)
        item = Node("fact", ("",), type=whole.type.item or BROKEN)
        assert part.type is not None
        if agreed(item, part) is None:
            message = f"{short(whole)} is {phrase(whole.type)} and {short(part)} is {phrase(part.type)}"
            checking.report("EP407", f"{message}; it can never be an item", node)
        return with_type(node, BOOL, (whole, part))
    part = checking.typed(node.child(1), whole.type)
    if whole.type == BROKEN or _is_text(whole, checking):
        checking.fits(part, TEXT)
    return with_type(node, BOOL, (whole, part))


def _is_text(node: Node, checking: Checking, searched: str = "a text or a list is searched") -> bool:
    assert node.type is not None
    if node.type.kind in ("text", "broken"):
        return True
    message = f"{short(node)} is {phrase(node.type)}; only {searched}"
    checking.report("EP409", message, node, f"compare it, for example `{unparse(node)} is ...`")
    return False


def matches(node: Node, checking: Checking, hint: Type | None) -> Node:
    """Type ``text matches "pattern"``; the pattern must be one that RE2 takes."""
    del hint
    value = checking.typed(node.child(0))
    _is_text(value, checking, "a text is matched with a pattern")
    try:
        searcher(str(node.args[1]))
    except ValueError as error:
        help_ = "patterns are RE2's: no look-around, no backreferences"
        reason = str(error).removeprefix("b'").removesuffix("'")
        checking.report("EP417", f"`{node.args[1]}` is not a pattern: {reason}", node, help_)
    return with_type(node, BOOL, (value, node.args[1]))


# Calculation: which units go together and what comes out.


def _operands(node: Node, checking: Checking) -> tuple[Node, Node] | None:
    """Return both sides typed, or None when one of them is nothing to calculate with."""
    left, right = pair(node.child(0), node.child(1), checking)
    good = [_is_numeric(side, checking) for side in (left, right)]
    return (left, right) if all(good) else None


def _is_numeric(node: Node, checking: Checking) -> bool:
    assert node.type is not None
    if not numeric(node.type):
        message = f"{short(node)} is {phrase(node.type)}; only numbers can be calculated with"
        checking.report("EP409", message, node)
        return False
    return node.type != BROKEN


def sum_(node: Node, checking: Checking, hint: Type | None) -> Node:
    """Type ``a + b`` and ``a - b``: both sides alike; the difference of two counts is a number."""
    del hint
    sides = _operands(node, checking)
    if sides is None:
        return with_type(node, BROKEN)
    left, right, covering = agree(*sides, node, checking)
    if node.op == "sub" and covering.kind == "count":
        covering = NUMBER
    return with_type(node, covering, (left, right))


def product(node: Node, checking: Checking, hint: Type | None) -> Node:
    """Type ``a * b``: at most one side has a unit, and the product has it."""
    del hint
    sides = _operands(node, checking)
    if sides is None:
        return with_type(node, BROKEN)
    left, right = sides
    assert left.type is not None
    assert right.type is not None
    if left.type.kind in PLAIN:
        both = joined(left.type, right.type)
        return with_type(node, both if both is not None else right.type, (left, right))
    if right.type.kind in PLAIN:
        return with_type(node, left.type, (left, right))
    return _refuse(node, left, right, "multiplied", checking)


def quotient(node: Node, checking: Checking, hint: Type | None) -> Node:
    """Type ``a / b``: by a plain number, which keeps the unit, or by the same unit, which drops it."""
    del hint
    sides = _operands(node, checking)
    if sides is None:
        return with_type(node, BROKEN)
    left, right = sides
    assert left.type is not None
    assert right.type is not None
    if right.op in ("number", "percent", "duration", "money") and right.args[0] == 0:
        message = f"{short(node)} divides by zero, so it is never known"
        return checking.broken("EP422", message, node, "divide by something else")
    if right.type.kind in PLAIN:
        return with_type(node, NUMBER if left.type.kind in PLAIN else left.type, (left, right))
    if joined(left.type, right.type) is not None:
        return with_type(node, NUMBER, (left, right))
    return _refuse(node, left, right, "divided", checking)


def _refuse(node: Node, left: Node, right: Node, done: str, checking: Checking) -> Node:
    assert left.type is not None
    assert right.type is not None
    message = f"{short(left)} is {phrase(left.type)} and {short(right)} is {phrase(right.type)}"
    return checking.broken("EP407", f"{message}; they cannot be {done}", node)


def neg(node: Node, checking: Checking, hint: Type | None) -> Node:
    """Type ``-a``."""
    value = checking.typed(node.child(0), hint)
    assert value.type is not None
    if not _is_numeric(value, checking):
        return with_type(node, BROKEN)
    return with_type(node, NUMBER if value.type.kind == "count" else value.type, (value,))


def or_else(node: Node, checking: Checking, hint: Type | None) -> Node:
    """Type ``a or else b``: both sides alike; an empty list is of the type of the other side."""
    value, default = node.child(0), node.child(1)
    if default.op == "list" and not default.args:
        left = checking.typed(value, hint)
        if left.type is not None and left.type.kind == "list":
            return with_type(node, left.type, (left, with_type(default, left.type, ())))
    if hint is not None:
        left, right = checking.typed(value, hint), checking.typed(default, hint)
    else:
        left, right = pair(value, default, checking)
    if left.op in ("number", "percent", "duration", "money", "text") and right.op == "bool":
        message = f"`or else` takes {short(left)} alone, which is always known"
        return checking.broken(
            "EP407", message, node, "put parentheses around the whole test before `or else`"
        )
    left, right, covering = agree(left, right, node, checking)
    if covering.kind == "percent":
        right = as_percent(right)
    return with_type(node, covering, (left, right))
