"""Comparisons and other tests of values."""

from __future__ import annotations

from exitgate.language.check_context import as_percent, child, short, with_type
from exitgate.language.check_mismatch import absence, emptiness, mismatch
from exitgate.language.patterns import searcher
from exitgate.language.tree import Node
from exitgate.language.types import BROKEN, agreed, joined, numeric, phrase, ratio
from exitgate.language.unparse import unparse
from exitgate.model.type import BOOL, TEXT, Type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.language.check_context import Checking

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
    if sign in ("==", "!=") and _nothing(child(node, 1), child(node, 2), sign, checking):
        return with_type(node, BOOL)
    left, right = pair(child(node, 1), child(node, 2), checking)
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
    if _nothing(child(node, 0), child(node, 1), "==" if node.op == "is" else "!=", checking):
        return with_type(node, BOOL)
    left, right = pair(child(node, 0), child(node, 1), checking)
    left, right, _ = agree(left, right, node, checking)
    return with_type(node, BOOL, (left, right))


def known(node: Node, checking: Checking, hint: Type | None) -> Node:
    """Type ``a is known`` and ``a is unknown``."""
    del hint
    return with_type(node, BOOL, (checking.typed(child(node, 0)),))


def _sides_of_in(node: Node, checking: Checking) -> tuple[Node, Node]:
    left, right = child(node, 0), child(node, 1)
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
    value, low = pair(child(node, 0), child(node, 1), checking)
    high = checking.typed(child(node, 2), value.type)
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
    whole = checking.typed(child(node, 0))
    assert whole.type is not None
    if whole.type.kind == "list":
        part = checking.typed(child(node, 1), whole.type.item)
        item = Node("fact", ("",), type=whole.type.item or BROKEN)
        assert part.type is not None
        if agreed(item, part) is None:
            message = f"{short(whole)} is {phrase(whole.type)} and {short(part)} is {phrase(part.type)}"
            checking.report("EP407", f"{message}; it can never be an item", node)
        return with_type(node, BOOL, (whole, part))
    part = checking.typed(child(node, 1), whole.type)
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
    value = checking.typed(child(node, 0))
    _is_text(value, checking, "a text is matched with a pattern")
    try:
        searcher(str(node.args[1]))
    except ValueError as error:
        help_ = "patterns are RE2's: no look-around, no backreferences"
        reason = str(error).removeprefix("b'").removesuffix("'")
        checking.report("EP417", f"`{node.args[1]}` is not a pattern: {reason}", node, help_)
    return with_type(node, BOOL, (value, node.args[1]))
