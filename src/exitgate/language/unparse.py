"""
From the tree back to text: canonical spelling, parentheses where they are needed.

An `and` within an `or`, and a comparison behind `not`, have them too: few readers are sure which binds
tighter.
"""

from __future__ import annotations

from exitgate.language.functions import HISTORY_OPS
from exitgate.language.literals import quoted, shown
from exitgate.language.tree import Node

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

# How tightly an operation binds, as the rules of grammar.lark nest.
OR, AND, NOT, TEST, SUM, PRODUCT, NEGATIVE, ATOM = range(8)

_INFIX = {
    "is": "is",
    "is_not": "is not",
    "contains": "contains",
    "known": "is known",
    "unknown": "is unknown",
}
#: Tests with a value on either side: behind `not` their parentheses help the reader.
_TWO_SIDED = frozenset(("compare", "is", "is_not", "in", "not_in", "between", "matches", "contains"))


def unparse(node: Node) -> str:
    """
    Return the canonical text of a tree.

    ``parse(unparse(node)) == node`` for every tree that `parse` or `check` returns, but for a window that is
    a parameter: only `check` knows whether it is a duration. A second round changes nothing.
    """
    return _text(node, OR)


def _text(node: Node, level: int) -> str:
    """Return the text of `node` for a place that takes operations of `level` or tighter."""
    own, write = _WRITERS[node.op]
    text = write(node)
    return f"({text})" if own < level else text


def _arg(node: Node, index: int, level: int) -> str:
    arg = node.args[index]
    assert isinstance(arg, Node)
    return _text(arg, level)


def _joined(node: Node) -> str:
    own = OR if node.op == "or" else AND
    parts = [_text(arg, own if arg.op == node.op else NOT) for arg in node.children()]
    return f" {node.op} ".join(parts)


def _not(node: Node) -> str:
    inner = node.args[0]
    assert isinstance(inner, Node)
    return f"not ({_text(inner, OR)})" if inner.op in _TWO_SIDED else f"not {_text(inner, NOT)}"


def _compare(node: Node) -> str:
    return f"{_arg(node, 1, SUM)} {node.args[0]} {_arg(node, 2, SUM)}"


def _infix(node: Node) -> str:
    return f" {_INFIX[node.op]} ".join(_text(arg, SUM) for arg in node.children())


def _known(node: Node) -> str:
    return f"{_arg(node, 0, SUM)} {_INFIX[node.op]}"


def _in(node: Node) -> str:
    word = "in" if node.op == "in" else "not in"
    return f"{_arg(node, 0, SUM)} {word} {_arg(node, 1, ATOM)}"


def _between(node: Node) -> str:
    return f"{_arg(node, 0, SUM)} between {_arg(node, 1, SUM)} and {_arg(node, 2, SUM)}"


def _matches(node: Node) -> str:
    return f"{_arg(node, 0, SUM)} matches {quoted(str(node.args[1]))}"


def _numbered(node: Node, index: int, word: str) -> str:
    """Return ``3 iterations``, ``1 iteration``, or ``45m``."""
    number = node.args[index]
    assert isinstance(number, Node)
    if number.op == "window":
        return _arg(number, 0, ATOM)
    one = number.op == "number" and number.args[0] == 1
    return f"{_text(number, ATOM)} {word}{'' if one else 's'}"


def _window(node: Node, index: int, before: str) -> str:
    return f"{before}last {_arg(node, index, ATOM)}" if node.args[index] is not None else ""


def _extent(node: Node) -> str:
    per = f" per {_arg(node, 2, ATOM)}" if node.args[2] is not None else ""
    return f"{_arg(node, 0, ATOM)}{per}"


def _unchanged(node: Node) -> str:
    return f"{_arg(node, 0, SUM)} unchanged for {_numbered(node, 1, 'iteration')}"


def _moved(node: Node) -> str:
    return f"{_arg(node, 0, SUM)} {node.op} by {_arg(node, 1, ATOM)}{_window(node, 2, ' over ')}"


def _repeats(node: Node) -> str:
    return f"{_arg(node, 0, SUM)} repeats {_numbered(node, 1, 'time')}{_window(node, 2, ' within ')}"


def _consecutive(node: Node) -> str:
    return f"({_arg(node, 0, OR)}) for {_numbered(node, 1, 'consecutive iteration')}"


def _after(node: Node) -> str:
    return f"after {_numbered(node, 0, 'iteration')}"


def _aged(node: Node) -> str:
    return f"after {_arg(node, 0, ATOM)}"


def _quantified(node: Node) -> str:
    words = str(node.args[0]).replace("_", " ")
    number = f" {_arg(node, 1, ATOM)}" if node.args[1] is not None else ""
    return f"{words}{number} of{_window(node, 2, ' ')} where ({_arg(node, 3, OR)})"


def _of_items(node: Node) -> str:
    quantifier = node.args[0] if node.op == "of_items" else "count"
    *_, listed, condition = node.args
    assert isinstance(listed, Node)
    assert isinstance(condition, Node)
    return f"{quantifier} of {_text(listed, ATOM)} where ({_text(condition, OR)})"


def _silence(node: Node) -> str:
    del node
    return "nothing is known"


def _sum(node: Node) -> str:
    return f"{_arg(node, 0, SUM)} {'+' if node.op == 'add' else '-'} {_arg(node, 1, PRODUCT)}"


def _product(node: Node) -> str:
    return f"{_arg(node, 0, PRODUCT)} {'*' if node.op == 'mul' else '/'} {_arg(node, 1, NEGATIVE)}"


def _neg(node: Node) -> str:
    return f"-{_arg(node, 0, NEGATIVE)}"


def _or_else(node: Node) -> str:
    value, default = node.children()
    before = _or_else(value) if value.op == "or_else" else _text(value, ATOM)
    behind = f"-{_arg(default, 0, ATOM)}" if default.op == "neg" else _text(default, ATOM)
    return f"{before} or else {behind}"


def _number(node: Node) -> str:
    value = node.args[0]
    assert isinstance(value, (int, float))
    return shown(value) + ("%" if node.op == "percent" else "")


def _money(node: Node) -> str:
    return f"{_number(node)} {node.args[1]}"


def _bool(node: Node) -> str:
    return "true" if node.args[0] else "false"


def _list(node: Node) -> str:
    return f"[{', '.join(_text(item, SUM) for item in node.children())}]"


def _call(node: Node) -> str:
    return f"{node.args[0]}({', '.join(_text(arg, OR) for arg in node.children())})"


def _history(node: Node) -> str:
    name = HISTORY_OPS[node.op].name
    return f"{name}({_arg(node, 0, OR)}{_window(node, len(node.args) - 1, ', ')})"


def _streak(node: Node) -> str:
    skipping = f" skipping ({_arg(node, 1, OR)})" if node.args[1] is not None else ""
    return _history(node) + skipping


def _percentile(node: Node) -> str:
    return f"percentile({_arg(node, 0, OR)}, {_arg(node, 1, OR)}{_window(node, 2, ', ')})"


_WRITERS: dict[str, tuple[int, Callable[[Node], str]]] = {
    "or": (OR, _joined),
    "and": (AND, _joined),
    "not": (NOT, _not),
    "compare": (TEST, _compare),
    "is": (TEST, _infix),
    "is_not": (TEST, _infix),
    "contains": (TEST, _infix),
    "known": (TEST, _known),
    "unknown": (TEST, _known),
    "in": (TEST, _in),
    "not_in": (TEST, _in),
    "between": (TEST, _between),
    "matches": (TEST, _matches),
    "unchanged": (TEST, _unchanged),
    "declined": (TEST, _moved),
    "rose": (TEST, _moved),
    "repeats": (TEST, _repeats),
    "consecutive": (TEST, _consecutive),
    "quantified": (TEST, _quantified),
    "window": (ATOM, _extent),
    "after": (TEST, _after),
    "aged": (TEST, _aged),
    "of_items": (TEST, _of_items),
    "count_items": (ATOM, _of_items),
    "item": (ATOM, lambda _node: "item"),
    "silence": (TEST, _silence),
    "add": (SUM, _sum),
    "sub": (SUM, _sum),
    "mul": (PRODUCT, _product),
    "div": (PRODUCT, _product),
    "neg": (NEGATIVE, _neg),
    # It binds tighter than anything but a leaf; within anything else its parentheses help the reader.
    "or_else": (OR, _or_else),
    "number": (ATOM, _number),
    "percent": (ATOM, _number),
    "duration": (ATOM, lambda node: str(node.args[1])),
    "money": (ATOM, _money),
    "text": (ATOM, lambda node: quoted(str(node.args[0]))),
    "enum": (ATOM, lambda node: str(node.args[0])),
    "bool": (ATOM, _bool),
    "list": (ATOM, _list),
    "fact": (ATOM, lambda node: str(node.args[0])),
    "parameter": (ATOM, lambda node: f"${node.args[0]}"),
    "condition": (ATOM, lambda node: f"@{node.args[0]}"),
    "call": (ATOM, _call),
    "streak": (ATOM, _streak),
    "percentile": (ATOM, _percentile),
    **{op: (ATOM, _history) for op in HISTORY_OPS if op not in ("streak", "percentile")},
}
