"""A condition with the values of its facts, parameters and named conditions written in."""

from __future__ import annotations

from exitgate.language.closures import Compilation
from exitgate.language.functions import ON_ITEMS
from exitgate.language.items import looked_at
from exitgate.language.literals import UNITS, quoted
from exitgate.language.literals import shown as plain
from exitgate.language.tree import Node
from exitgate.language.unparse import unparse
from exitgate.model.bounds import bounds_text
from exitgate.model.decimals import ABOUT, decimals, milliseconds, negative
from exitgate.model.type import Type
from exitgate.model.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Records = Sequence[Mapping[str, object]]

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
    args = tuple(_annotated(arg, records, compilation) if isinstance(arg, Node) else arg for arg in node.args)
    return Node(node.op, args)


def _items(node: Node, records: Records, compilation: Compilation) -> Node:
    """Return a condition on a list; behind a list that is a name, the items that it is true of."""
    *quantifier, listed, condition = node.args
    assert isinstance(listed, Node)
    assert isinstance(condition, Node)
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
        value: As `exitgate.model.type.Type` says for `type`, or `Unknown`: its bounds where they are known.
        type: Its type; without one, numbers have no unit and texts are quoted.
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
    return _number(value) + unit


def _number(value: float) -> str:
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
        return f"{_number(seconds)}s"
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
