"""JSON with the place of everything, for edits that leave every other byte as it is."""

from __future__ import annotations

import json

from exitgate.model.value import Value

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


class Node(Value):
    """
    A value with its place.

    Args:
        kind: `OBJECT`, `ARRAY` or `SCALAR`.
        start, end: Offsets of its first character and behind its last.
        members: Of an object: key, offset of the key, value, in the order of the file.
        items: Of an array.
        scalar: Text, number, bool or None.
    """

    __slots__ = ("end", "items", "kind", "members", "scalar", "start")

    def __init__(
        self,
        kind: str,
        start: int,
        end: int,
        members: tuple[tuple[str, int, Node], ...] = (),
        items: tuple[Node, ...] = (),
        scalar: object = None,
    ) -> None:
        self.kind = kind
        self.start = start
        self.end = end
        self.members = members
        self.items = items
        self.scalar = scalar

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
