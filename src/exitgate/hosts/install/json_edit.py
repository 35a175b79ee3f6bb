"""JSON with the place of everything, for edits that leave every other byte as it is."""

from __future__ import annotations

import json
from collections.abc import Mapping

from msgspec import Struct

from exitgate.analysis.edits import Edit

OBJECT, ARRAY, SCALAR = "object", "array", "scalar"
BOM = "\ufeff"
SPACE = " \t\r\n"
#: What ends a number or a word, beside white space.
ENDS = ',:[]{}"/'
DEPTH_LIMIT = 200


class NotJsonError(Exception):
    """A text that is not JSON: `message` says why, `offset` where, in characters from 0."""

    def __init__(self, message: str, offset: int) -> None:
        self.message = message
        self.offset = offset
        super().__init__(f"{message} at character {offset}")


class Node(Struct, frozen=True):
    """
    A value with its place.

    Args:
        kind: `OBJECT`, `ARRAY` or `SCALAR`.
        start, end: Offsets of its first character and behind its last.
        members: Of an object: key, offset of the key, value, in the order of the file.
        items: Of an array.
        scalar: Text, number, bool or None.
    """

    kind: str
    start: int
    end: int
    members: tuple[tuple[str, int, Node], ...] = ()
    items: tuple[Node, ...] = ()
    scalar: object = None

    def get(self, key: str) -> Node | None:
        """Return the value under `key`, the last one where there are several, as programs read it."""
        found = [node for name, _, node in self.members if name == key]
        return found[-1] if found else None

    @property
    def parts(self) -> tuple[tuple[int, int], ...]:
        """Start and end of every entry of an object, key included, or of every item of an array."""
        if self.kind == OBJECT:
            return tuple((at, node.end) for _, at, node in self.members)
        return tuple((node.start, node.end) for node in self.items)

    def plain(self) -> object:
        """Return the value without places."""
        if self.kind == OBJECT:
            return {key: node.plain() for key, _, node in self.members}
        return [node.plain() for node in self.items] if self.kind == ARRAY else self.scalar


def is_blank(text: str) -> bool:
    """Return whether a file of this text says nothing: no byte, a byte-order mark, white space."""
    return not text.removeprefix(BOM).strip(SPACE)


def parse(text: str) -> Node:
    """
    Return the value that a text of JSON holds; `//` and `/* */` comments count as white space.

    Raises:
        NotJsonError: It is not JSON, or nested deeper than `DEPTH_LIMIT`.
    """
    node = _value(text, skip(text, len(BOM) if text.startswith(BOM) else 0), 0)
    rest = skip(text, node.end)
    if rest < len(text):
        raise NotJsonError("there is text after the end", rest)
    return node


def skip(text: str, at: int) -> int:
    """Return the offset of the first character from `at` that is neither white space nor in a comment."""
    while at < len(text):
        if text[at] in SPACE:
            at += 1
        elif text[at] == "/":
            at = comment_end(text, at)
        else:
            break
    return at


def comment_end(text: str, at: int) -> int:
    """Return the offset behind the comment at `at`, line end not included. Raises `NotJsonError`."""
    if text.startswith("//", at):
        found = text.find("\n", at)
        end = len(text) if found < 0 else found
        return end - 1 if text[end - 1] == "\r" else end
    if text.startswith("/*", at):
        found = text.find("*/", at + 2)
        if found < 0:
            raise NotJsonError("this comment has no end", at)
        return found + 2
    raise NotJsonError("a value is missing here", at)


def has_comments(text: str) -> bool:
    """Return whether a text of JSON holds a comment. Raises `NotJsonError` for a text without its quote."""
    at = 0
    while at < len(text):
        if text[at] == "/":
            return True
        at = _string_end(text, at) if text[at] == '"' else at + 1
    return False


def _value(text: str, at: int, depth: int) -> Node:
    if depth > DEPTH_LIMIT:
        raise NotJsonError(f"nested deeper than {DEPTH_LIMIT}", at)
    first = text[at : at + 1]
    if first == "{":
        return _object(text, at, depth)
    if first == "[":
        return _array(text, at, depth)
    if first == '"':
        end = _string_end(text, at)
        return Node(SCALAR, at, end, scalar=_decoded(text, at, end))
    end = at
    while end < len(text) and text[end] not in ENDS and text[end] not in SPACE:
        end += 1
    if end == at:
        raise NotJsonError("a value is missing here", at)
    return Node(SCALAR, at, end, scalar=_decoded(text, at, end))


def _object(text: str, start: int, depth: int) -> Node:
    members: list[tuple[str, int, Node]] = []
    at = skip(text, start + 1)
    while text[at : at + 1] != "}":
        if text[at : at + 1] != '"':
            raise NotJsonError("a key in double quotes is missing here", at)
        end = _string_end(text, at)
        colon = skip(text, end)
        if text[colon : colon + 1] != ":":
            raise NotJsonError("a `:` is missing here", colon)
        node = _value(text, skip(text, colon + 1), depth + 1)
        members.append((str(_decoded(text, at, end)), at, node))
        at = _next(text, node.end, "}")
    return Node(OBJECT, start, at + 1, members=tuple(members))


def _array(text: str, start: int, depth: int) -> Node:
    items: list[Node] = []
    at = skip(text, start + 1)
    while text[at : at + 1] != "]":
        items.append(_value(text, at, depth + 1))
        at = _next(text, items[-1].end, "]")
    return Node(ARRAY, start, at + 1, items=tuple(items))


def _next(text: str, at: int, closing: str) -> int:
    """Return the offset of the next entry, or of the closing bracket."""
    at = skip(text, at)
    if text[at : at + 1] == closing:
        return at
    if text[at : at + 1] != ",":
        raise NotJsonError(f"a `,` or `{closing}` is missing here", at)
    behind = skip(text, at + 1)
    if text[behind : behind + 1] == closing:
        raise NotJsonError("nothing follows this comma", at)
    return behind


def _string_end(text: str, start: int) -> int:
    at = start + 1
    while at < len(text) and text[at] not in '"\n':
        at += 2 if text[at] == "\\" else 1
    if text[at : at + 1] != '"':
        raise NotJsonError("this text has no closing quote", start)
    return at + 1


def _decoded(text: str, start: int, end: int) -> object:
    try:
        return json.loads(text[start:end], parse_constant=_refused)
    except ValueError as error:
        raise NotJsonError("this is not a JSON value", start) from error


def _refused(_: str) -> object:
    raise ValueError("no JSON")


# Putting an entry into a JSON text, written as its neighbours are.

INDENT = "  "


class Layout(Struct, frozen=True):
    """How a text is laid out: its line end, the indentation of a level, whether it is all on one line."""

    newline: str
    unit: str
    one_line: bool
    comma: str
    colon: str

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


# Taking an entry out of a JSON text, with the comma and the white space that came with it.


def removed(text: str, container: Node, index: int) -> tuple[Edit, ...]:
    """Return the edits that take entry `index` out of an object or an array; comments of others stay."""
    start, end = container.parts[index]
    before = container.parts[index - 1][1] if index else container.start
    opening = skip(text, before) if index else before
    head = _last_comment_end(text, opening + 1, start)
    if index + 1 < len(container.parts):
        comma = skip(text, end)
        if "\n" in text[head:start]:
            return (_cut(text, head, start, comma + 1),)
        rest = text[comma + 1 :]
        return (Edit(start, comma + 1 + len(rest) - len(rest.lstrip(" \t")), ""),)
    if index == 0:
        rest = text[end : container.end - 1]
        if head == opening + 1 and not rest.strip(SPACE):
            return (Edit(head, container.end - 1, ""),)
        return (_cut(text, head, start, end),)
    if head == opening + 1:
        return (Edit(opening, end, ""),)
    return (Edit(opening, opening + 1, ""), _cut(text, head, start, end))


def _cut(text: str, head: int, start: int, end: int) -> Edit:
    """Return the edit that cuts from `head` on; from `start` where the line would run into a comment."""
    line = text.rfind("\n", 0, head) + 1
    follows = text[end:].lstrip(" \t")[:1]
    if "//" in text[line:head] and follows not in ("\r", "\n", ""):
        return Edit(start, end, "")
    return Edit(head, end, "")


def _last_comment_end(text: str, at: int, start: int) -> int:
    """Return the offset behind the last comment between `at` and `start`, `at` where there is none."""
    end = at
    while at < start:
        if text[at] == "/":
            at = end = comment_end(text, at)
        else:
            at += 1
    return end
