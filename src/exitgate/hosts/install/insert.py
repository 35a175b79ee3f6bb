"""Putting an entry into a JSON text, written as its neighbours are."""

from __future__ import annotations

import json

from exitgate.hosts.install.json_text import BOM, OBJECT, SPACE, Node, comment_end
from exitgate.model.value import Value
from exitgate.policy.edits import Edit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

INDENT = "  "


class Layout(Value):
    """How a text is laid out: its line end, the indentation of a level, whether it is all on one line."""

    __slots__ = ("colon", "comma", "newline", "one_line", "unit")

    def __init__(self, newline: str, unit: str, one_line: bool, comma: str, colon: str) -> None:
        self.newline = newline
        self.unit = unit
        self.one_line = one_line
        self.comma = comma
        self.colon = colon

    def lines(self, value: object, indent: str) -> str:
        """Return `value` as JSON in lines, those after the first at `indent`."""
        text = json.dumps(value, ensure_ascii=False, indent=self.unit, separators=(",", ": "))
        return text.replace("\n", self.newline + indent)


def layout_of(text: str, root: Node) -> Layout:
    """Return the layout of a text whose value is `root`."""
    newline = "\r\n" if "\r\n" in text else "\n"
    first = root.parts[0][0] if root.parts else root.end
    one_line = bool(root.parts) and "\n" not in text[root.start : first]
    unit = _indent(text, first) if root.parts and not one_line else INDENT
    tight = one_line and '":' in text and '": ' not in text
    return Layout(newline, unit, one_line, "," if tight else ", ", ":" if tight else ": ")


def new_text(value: Mapping[str, object], blank: str = "") -> str:
    """Return the text of a new file; `blank` is what the file holds now, which says nothing and is kept."""
    mark = BOM if blank.startswith(BOM) else ""
    rest = blank.removeprefix(BOM)
    newline = "\r\n" if "\r\n" in rest else "\n"
    text = json.dumps(value, ensure_ascii=False, indent=INDENT).replace("\n", newline)
    return mark + text + (rest or newline)


def added(text: str, container: Node, key: str, value: object, layout: Layout) -> tuple[Edit, ...]:
    """Return the edits that put `value` at the end of an array, or of an object under `key`."""

    name = json.dumps(key, ensure_ascii=False) + layout.colon if container.kind == OBJECT else ""
    if layout.one_line or (container.parts and "\n" not in text[container.start : container.parts[0][0]]):
        at = container.parts[-1][1] if container.parts else container.start + 1
        piece = name + json.dumps(value, ensure_ascii=False, separators=(layout.comma, layout.colon))
        return (Edit(at, at, (layout.comma if container.parts else "") + piece),)
    if container.parts:
        indent = _indent(text, container.parts[0][0])
        last = container.parts[-1][1]
        at = _behind_comments(text, last)
        line = layout.newline + indent + name + layout.lines(value, indent)
        return (Edit(last, last, "," + line),) if at == last else (Edit(last, last, ","), Edit(at, at, line))
    outside = _indent(text, container.start)
    indent = outside + layout.unit
    at = _behind_comments(text, container.start + 1)
    # A bracket that closes on a line of its own stays there; else it gets one.
    closing = "" if "\n" in text[at : container.end - 1] else layout.newline + outside
    return (Edit(at, at, layout.newline + indent + name + layout.lines(value, indent) + closing),)


def _indent(text: str, at: int) -> str:
    """Return the white space that the line of `at` begins with."""
    line = text[text.rfind("\n", 0, at) + 1 : at].removeprefix(BOM)
    return line[: len(line) - len(line.lstrip(SPACE))]


def _behind_comments(text: str, at: int) -> int:
    """Return the offset behind the comments that follow `at` on its line."""
    end = at
    while True:
        next_ = end
        while text[next_ : next_ + 1] in (" ", "\t"):
            next_ += 1
        if text[next_ : next_ + 2] not in ("//", "/*"):
            return end
        behind = comment_end(text, next_)
        if "\n" in text[next_:behind]:
            return end
        end = behind
