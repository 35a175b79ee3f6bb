"""How far back a history form looks: numbers of iterations, lengths of time, and the key they share."""

from __future__ import annotations

from exitgate.language.check_context import child, short, with_type
from exitgate.language.check_names import fact, parameter
from exitgate.language.functions import KEYS, WINDOW_LIMIT
from exitgate.language.tree import Node, timed
from exitgate.language.types import BROKEN, phrase
from exitgate.language.unparse import unparse
from exitgate.model.type import COUNT, DURATION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.language.check_context import Checking


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
    length, clock, key = child(node, 0), node.args[1], node.args[2]
    if clock is None and _is_duration(length, checking):
        clock = timed(length).args[1]
    typed = size(length, checking) if clock is None else span(length, checking)
    since = fact(clock, checking, None) if isinstance(clock, Node) else None
    by = _key(key, checking, keyed) if isinstance(key, Node) else None
    return with_type(node, COUNT if clock is None else DURATION, (typed, since, by))


def within(number: Node, window: Node, checking: Checking) -> None:
    """Report a number that its window can never reach."""
    most = child(window, 0) if window.op == "window" else window
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
