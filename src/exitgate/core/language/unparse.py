"""
From the tree back to text: canonical spelling, parentheses where they are needed.

An `and` within an `or`, and a comparison behind `not`, have them too: few readers are sure which binds
tighter.
"""

from __future__ import annotations

from exitgate.core.language.evaluation.closures import Compilation
from exitgate.core.language.evaluation.items import looked_at
from exitgate.core.language.functions import HISTORY_OPS, ON_ITEMS
from exitgate.core.language.literals import UNITS, quoted, shown
from exitgate.core.language.literals import shown as plain
from exitgate.core.language.tree import Node
from exitgate.core.model.decimals import ABOUT, decimals, milliseconds, negative
from exitgate.core.model.exact import bounds_text
from exitgate.core.model.value import Type, Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    Records = Sequence[Mapping[str, object]]


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
    return _text(node.child(index), level)


def _joined(node: Node) -> str:
    own = OR if node.op == "or" else AND
    parts = [_text(arg, own if arg.op == node.op else NOT) for arg in node.children()]
    return f" {node.op} ".join(parts)


def _not(node: Node) -> str:
    inner = node.child(0)
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
    number = node.child(index)
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
    listed, condition = node.children()
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


# A condition with the values of its facts, parameters and named conditions written in.

#: Characters of a text, and items of a list, that are written.
TEXT_LIMIT, LIST_LIMIT = 60, 10
_LARGEST = 10**30
_INFINITY = float("inf")


def written(
    node: Node,
    records: Records,
    parameters: Mapping[str, object],
    conditions: Mapping[str, Node],
) -> str:
    """
    Return the canonical text of a checked tree with values behind the names.

    ``tasks.percent (40%) >= $min_completion (80%)``; an unknown is written ``(unknown: reason)``, a
    named condition with its truth. Values are those of the last record, under history forms too.
    """
    compilation = Compilation(parameters, conditions)
    return unparse(_annotated(node, records, compilation))


def _annotated(node: Node, records: Records, compilation: Compilation) -> Node:
    if node.op in ("fact", "parameter", "condition"):
        value = compilation.recorded(node)(records)
        return Node(node.op, (f"{node.args[0]} ({value_text(value, node.type)})",))
    if node.op in ON_ITEMS:
        return _items(node, records, compilation)
    return node.mapped(lambda child: _annotated(child, records, compilation))


def _items(node: Node, records: Records, compilation: Compilation) -> Node:
    """Return a condition on a list; behind a list that is a name, the items that it is true of."""
    *quantifier, _, _ = node.args
    listed, condition = node.children()
    shown = _annotated(listed, records, compilation)
    values = compilation.closure(listed)(records)
    if listed.op in ("fact", "parameter") and isinstance(values, tuple):
        test = compilation.closure(condition)
        found = tuple(
            v for v, at in zip(values, looked_at(records, values), strict=False) if test(at) is True
        )
        if found:
            text = str(shown.args[0]).removesuffix(")")
            shown = Node(shown.op, (f"{text}; true of {value_text(found, listed.type)})",))
    return Node(node.op, (*quantifier, shown, _annotated(condition, records, compilation)))


def value_text(value: object, type: Type | None = None) -> str:
    """
    Return a value in the notation of the language.

    Args:
        value: As `exitgate.core.model.value.Type` says for `type`, or `Unknown`: its bounds where they are
        known. type: Its type; without one, numbers have no unit and texts are quoted.
    """
    kind = type.kind if type is not None else ""
    if isinstance(value, Unknown):
        if value.least is not None:
            return bounds_text(value, lambda end: value_text(end, type))
        return f"unknown: {_visible(value.reason)}"
    if value is True or value is False:
        return "true" if value else "false"
    if isinstance(value, tuple | list):
        item = type.item if type is not None else None
        more = ", …" if len(value) > LIST_LIMIT else ""
        return "[" + ", ".join(value_text(v, item) for v in value[:LIST_LIMIT]) + more + "]"
    if isinstance(value, str):
        short = _visible(value if len(value) <= TEXT_LIMIT else value[: TEXT_LIMIT - 1] + "…")
        return short if kind in ("enum", "signature") else quoted(short)
    if isinstance(value, int | float):
        return _amount(value, kind, type)
    return _visible(repr(value))


def exact_text(value: object, type: Type) -> str:
    """Return a value as `value_text` does, a number in full: what a policy or a setting may hold."""
    text = value_text(value, type)
    if not text.startswith(ABOUT) or not isinstance(value, int | float):
        return text
    unit = "s" if type.kind == "duration" else "%" if type.kind == "percent" else ""
    return plain(value) + (f" {type.currency}" if type.kind == "money" else unit)


def _amount(value: float, kind: str, type: Type | None) -> str:
    if not -_INFINITY < value < _INFINITY:
        return str(value)
    if kind == "duration":
        return _duration(value)
    unit = "%" if kind == "percent" else f" {type.currency}" if kind == "money" and type is not None else ""
    return _written_number(value) + unit


def _written_number(value: float) -> str:
    """Return a number in full where it has few digits, else rounded with `~` in front."""
    if not -_LARGEST < value < _LARGEST:
        return f"{'-' if value < 0 else ''}about 2^{abs(int(value)).bit_length() - 1}"
    return decimals(value)


def _duration(seconds: float) -> str:
    """Return seconds as the language writes them: ``1h30m``, ``1.5s``, ``250ms``; ``~1h30m`` if not exact."""
    if seconds < 0:
        return negative(_duration(-seconds))
    if seconds < 1:
        return milliseconds(seconds) if seconds else "0s"
    if seconds < 60 or seconds >= _LARGEST:
        return f"{_written_number(seconds)}s"
    rest, text = int(seconds), ""
    for unit, size in UNITS.items():
        if size >= 1 and rest >= size:
            text += f"{rest // int(size)}{unit}"
            rest %= int(size)
    return text if seconds == int(seconds) else ABOUT + text


def _visible(text: str) -> str:
    """Return the text on one line, what cannot be printed written as an escape."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)
