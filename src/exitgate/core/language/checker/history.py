"""History forms."""

from __future__ import annotations

from exitgate.core.language.checker.context import (
    BROKEN,
    as_percent,
    numeric,
    phrase,
    short,
    with_type,
)
from exitgate.core.language.checker.names import fact, parameter
from exitgate.core.language.functions import HISTORY_OPS, KEYS, MEAN, SAME, WINDOW_LIMIT
from exitgate.core.language.tree import ELAPSED, Node, timed
from exitgate.core.language.unparse import unparse
from exitgate.core.model.value import BOOL, COUNT, DURATION, NUMBER, PERCENT, Type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.language.checker.context import Checking


def _window(node: Node, index: int, checking: Checking, keyed: bool = True) -> Node | None:
    return window(node.child(index), checking, keyed) if node.args[index] is not None else None


def unchanged(node: Node, checking: Checking, hint: Type | None) -> Node:
    """Type ``a unchanged for 3 iterations``."""
    del hint
    return with_type(node, BOOL, (checking.typed(node.child(0)), number_or_span(node.child(1), checking)))


def consecutive(node: Node, checking: Checking, hint: Type | None) -> Node:
    """Type ``(P) for 3 consecutive iterations``."""
    del hint
    condition = checking.condition(node.child(0))
    return with_type(node, BOOL, (condition, number_or_span(node.child(1), checking)))


def after(node: Node, checking: Checking, hint: Type | None) -> Node:
    """Type ``after 4 iterations``."""
    del hint
    return with_type(node, BOOL, (size(node.child(0), checking),))


def aged(node: Node, checking: Checking, hint: Type | None) -> Node:
    """Type ``after 45m``: it becomes the comparison that it stands for, ``clock.elapsed >= 45m``."""
    del hint
    amount = span(node.child(0), checking)
    since = fact(Node("fact", (ELAPSED,), node.start, node.end), checking, None)
    return Node("compare", (">=", since, amount), node.start, node.end, BOOL)


def quantified(node: Node, checking: Checking, hint: Type | None) -> Node:
    """Type ``at least 3 of last 5 where (P)``; `at most` takes 0 too."""
    del hint
    number = None
    if node.args[1] is not None:
        number = size(node.child(1), checking, 0 if node.args[0] == "at_most" else 1)
    among = window(node.child(2), checking)
    if number is not None:
        within(number, among, checking)
    return with_type(node, BOOL, (node.args[0], number, among, checking.condition(node.child(3))))


def repeats(node: Node, checking: Checking, hint: Type | None) -> Node:
    """Type ``a repeats 3 times within last 5``."""
    del hint
    value, number = checking.typed(node.child(0)), size(node.child(1), checking)
    among = _window(node, 2, checking)
    if among is not None:
        within(number, among, checking)
    return with_type(node, BOOL, (value, number, among))


def moved(node: Node, checking: Checking, hint: Type | None) -> Node:
    """Type ``a declined by 70% over last 3`` and ``a rose by ...``: the share is a percent."""
    del hint
    value = checking.typed(node.child(0))
    assert value.type is not None
    if not numeric(value.type):
        message = f"{short(value)} is {phrase(value.type)}; only numbers decline or rise"
        checking.report("EP409", message, value)
    share = _share(node.child(1), checking, falls=node.op == "declined")
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
    skipping = checking.condition(node.child(1)) if node.args[1] is not None else None
    return with_type(node, COUNT, (checking.condition(node.child(0)), skipping, _window(node, 2, checking)))


def function(node: Node, checking: Checking, hint: Type | None) -> Node:
    """Type a history function by its first argument and perhaps a window, as `functions` says."""
    spec = HISTORY_OPS[node.op]
    kinds = spec.kinds[0]
    if kinds == ("bool",):
        value = checking.condition(node.child(0))
    else:
        value = checking.typed(node.child(0), hint if spec.result == SAME else None)
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
    given = node.child(1)
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


# How far back a history form looks: numbers of iterations, lengths of time, and the key they share.


def size(node: Node, checking: Checking, least: int = 1) -> Node:
    """Type a number of iterations or times: a whole number from `least`, or a count parameter."""
    if node.op == "parameter":
        typed = parameter(node, checking, None)
        if typed.type not in (COUNT, BROKEN):
            assert typed.type is not None
            message = (
                f"{short(node)} is {phrase(typed.type)}, but a count of iterations or times is expected here"
            )
            help_ = "declare the parameter with `type: count`"
            if typed.type == DURATION:
                help_ = f"write {short(node)} without `iterations`, or {help_}"
            checking.report("EP414", message, node, help_)
        return typed
    value = node.args[0]
    if not isinstance(value, int) or value < least:
        message = f"{short(node)} is not a whole number from {least} up"
        checking.report("EP414", message, node, f"write {least}, {least + 1}, {least + 2} or more")
    elif value > WINDOW_LIMIT:
        message = f"{short(node)} is more than the {WINDOW_LIMIT} iterations that a condition may look back"
        checking.report("EP416", message, node, f"write a number up to {WINDOW_LIMIT}")
    return with_type(node, COUNT)


def span(node: Node, checking: Checking) -> Node:
    """Type the length of a time: a duration above zero, or a parameter of that type."""
    typed = checking.typed(node)
    assert typed.type is not None
    if typed.type.kind not in ("duration", "broken"):
        message = f"{short(node)} is {phrase(typed.type)}, but a duration is expected here"
        help_ = f"write `{unparse(node)} iterations`" if typed.type == COUNT else ""
        checking.report("EP414", message, node, help_ or "declare the parameter with `type: duration`")
    elif node.op == "duration" and node.args[0] == 0:
        checking.report("EP414", f"{short(node)} is too short", node, "write a duration above zero")
    return typed


def number_or_span(node: Node, checking: Checking) -> Node:
    """Type the ``3`` of ``for 3 iterations``, or the ``45m`` of ``for 45m``."""
    return window(node, checking) if node.op == "window" else size(node, checking)


def window(node: Node, checking: Checking, keyed: bool = True) -> Node:
    """
    Type what is behind `last`: a number of iterations or a length of time, and perhaps the key they share.

    A parameter that is a duration becomes a window in time. `keyed` is False where no key is taken.
    """
    if _is_duration(node, checking):
        node = timed(node)
    if node.op != "window":
        return size(node, checking)
    length, clock, key = node.child(0), node.optional(1), node.optional(2)
    if clock is None and _is_duration(length, checking):
        clock = timed(length).child(1)
    typed = size(length, checking) if clock is None else span(length, checking)
    since = None if clock is None else fact(clock, checking, None)
    by = None if key is None else _key(key, checking, keyed)
    return with_type(node, COUNT if clock is None else DURATION, (typed, since, by))


def within(number: Node, window: Node, checking: Checking) -> None:
    """Report a number that its window can never reach."""
    most = window.child(0) if window.op == "window" else window
    if number.op == most.op == "number" and number.args[0] > most.args[0]:  # type: ignore[operator]
        message = f"there are never {unparse(number)} among the last {unparse(most)}"
        checking.report("EP415", message, number, f"write a number up to {unparse(most)}")


def _is_duration(node: Node, checking: Checking) -> bool:
    return node.op == "parameter" and checking.scope.parameters.get(str(node.args[0])) == DURATION


def _key(node: Node, checking: Checking, keyed: bool) -> Node:
    typed = checking.typed(node)
    assert typed.type is not None
    if not keyed:
        message = f"iterations cannot be chosen by {short(node)} here: each is compared with those before it"
        checking.report("EP409", message, node, f"remove `per {unparse(node)}`")
    elif typed.type != BROKEN and typed.type.kind not in KEYS:
        message = f"{short(node)} is {phrase(typed.type)}; only a text, enum, count or signature is shared"
        checking.report("EP409", message, node, "name a fact such as the current task")
    return typed
