"""History forms."""

from __future__ import annotations

from exitgate.language.check_context import as_percent, child, short, with_type
from exitgate.language.check_names import fact
from exitgate.language.check_windows import number_or_span, size, span, window, within
from exitgate.language.functions import HISTORY_OPS, MEAN, SAME
from exitgate.language.tree import ELAPSED, Node
from exitgate.language.types import BROKEN, numeric, phrase
from exitgate.model.type import BOOL, COUNT, NUMBER, PERCENT, Type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.language.check_context import Checking


def _window(node: Node, index: int, checking: Checking, keyed: bool = True) -> Node | None:
    return window(child(node, index), checking, keyed) if node.args[index] is not None else None


def unchanged(node: Node, checking: Checking, hint: Type | None) -> Node:
    """Type ``a unchanged for 3 iterations``."""
    del hint
    return with_type(node, BOOL, (checking.typed(child(node, 0)), number_or_span(child(node, 1), checking)))


def consecutive(node: Node, checking: Checking, hint: Type | None) -> Node:
    """Type ``(P) for 3 consecutive iterations``."""
    del hint
    condition = checking.condition(child(node, 0))
    return with_type(node, BOOL, (condition, number_or_span(child(node, 1), checking)))


def after(node: Node, checking: Checking, hint: Type | None) -> Node:
    """Type ``after 4 iterations``."""
    del hint
    return with_type(node, BOOL, (size(child(node, 0), checking),))


def aged(node: Node, checking: Checking, hint: Type | None) -> Node:
    """Type ``after 45m``: it becomes the comparison that it stands for, ``clock.elapsed >= 45m``."""
    del hint
    amount = span(child(node, 0), checking)
    since = fact(Node("fact", (ELAPSED,), node.start, node.end), checking, None)
    return Node("compare", (">=", since, amount), node.start, node.end, BOOL)


def quantified(node: Node, checking: Checking, hint: Type | None) -> Node:
    """Type ``at least 3 of last 5 where (P)``; `at most` takes 0 too."""
    del hint
    number = None
    if node.args[1] is not None:
        number = size(child(node, 1), checking, 0 if node.args[0] == "at_most" else 1)
    among = window(child(node, 2), checking)
    if number is not None:
        within(number, among, checking)
    return with_type(node, BOOL, (node.args[0], number, among, checking.condition(child(node, 3))))


def repeats(node: Node, checking: Checking, hint: Type | None) -> Node:
    """Type ``a repeats 3 times within last 5``."""
    del hint
    value, number = checking.typed(child(node, 0)), size(child(node, 1), checking)
    among = _window(node, 2, checking)
    if among is not None:
        within(number, among, checking)
    return with_type(node, BOOL, (value, number, among))


def moved(node: Node, checking: Checking, hint: Type | None) -> Node:
    """Type ``a declined by 70% over last 3`` and ``a rose by ...``: the share is a percent."""
    del hint
    value = checking.typed(child(node, 0))
    assert value.type is not None
    if not numeric(value.type):
        message = f"{short(value)} is {phrase(value.type)}; only numbers decline or rise"
        checking.report("EP409", message, value)
    share = _share(child(node, 1), checking, falls=node.op == "declined")
    return with_type(node, BOOL, (value, share, _window(node, 2, checking, keyed=False)))


def _share(node: Node, checking: Checking, falls: bool) -> Node:
    if node.op == "number":
        message = f"{short(node)} is not a share of the earlier value"
        amount = node.args[0]
        assert isinstance(amount, int | float)
        help_ = "a share is a percentage, for example `10%`"
        if 0 < amount < 1:
            help_ = f"write `{amount * 100:g}%`"
        return checking.broken("EP409", message, node, help_)
    share = checking.typed(node)
    assert share.type is not None
    if share.type.kind not in ("percent", "broken"):
        message = f"{short(node)} is {phrase(share.type)}, but a percent is expected here"
        checking.report("EP409", message, node, "declare the parameter with `type: percent`")
    elif falls and node.op == "percent" and node.args[0] > 100:  # type: ignore[operator]
        checking.report("EP413", f"nothing declines by {short(node)}", node, "write at most `100%`")
    return share


def streak(node: Node, checking: Checking, hint: Type | None) -> Node:
    """Type ``streak(P) skipping (Q)``."""
    del hint
    skipping = checking.condition(child(node, 1)) if node.args[1] is not None else None
    return with_type(node, COUNT, (checking.condition(child(node, 0)), skipping, _window(node, 2, checking)))


def function(node: Node, checking: Checking, hint: Type | None) -> Node:
    """Type a history function by its first argument and perhaps a window, as `functions` says."""
    spec = HISTORY_OPS[node.op]
    kinds = spec.kinds[0]
    if kinds == ("bool",):
        value = checking.condition(child(node, 0))
    else:
        value = checking.typed(child(node, 0), hint if spec.result == SAME else None)
    assert value.type is not None
    if value.type != BROKEN and value.type.kind not in kinds:
        message = f"`{spec.name}` takes a number, but {short(value)} is {phrase(value.type)}"
        checking.report("EP411", message, value, f"write it like `{spec.example}`")
        return with_type(node, BROKEN)
    result = value.type if spec.result in (SAME, MEAN) else Type(spec.result)
    if spec.result == MEAN and result.kind == "count":
        result = NUMBER
    return with_type(node, result, (value, *node.args[1:-1], _window(node, -1, checking)))


def percentile(node: Node, checking: Checking, hint: Type | None) -> Node:
    """Type ``percentile(a, 95%, last 20)``: a bare number is a percentage."""
    typed = function(node, checking, hint)
    given = child(node, 1)
    share = as_percent(checking.typed(given, PERCENT))
    assert share.type is not None
    if share.op not in ("percent", "parameter"):
        message = f"{short(given)} is not written as a percentage or parameter"
        checking.report("EP409", message, given, "write it like `percentile(a, 95%, last 20)`")
    elif share.type.kind not in ("percent", "broken"):
        message = f"{short(given)} is {phrase(share.type)}, but a percent is expected here"
        checking.report("EP409", message, given, "declare the parameter with `type: percent`")
    elif share.op == "percent" and share.args[0] > 100:  # type: ignore[operator]
        checking.report(
            "EP413", f"{short(share)} is more than 100%", given, "write a percentage from 0% to 100%"
        )
    if typed.type == BROKEN:
        return typed
    return Node(typed.op, (typed.args[0], share, typed.args[2]), typed.start, typed.end, typed.type)
