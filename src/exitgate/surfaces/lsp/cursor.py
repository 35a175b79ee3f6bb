"""Where a cursor is in a YAML text that may be broken: the path, and the text around it."""

from __future__ import annotations

from msgspec import Struct

from exitgate.surfaces.lsp.tolerant_yaml import parse
from exitgate.surfaces.lsp.tree import MAPPING, NOTHING, SCALAR, SEQUENCE, Entry, Node, Path

#: Put in at the cursor, so that even an empty place has something that is there; of no script.
_MARK = "\ue000"

AT_KEY, AT_VALUE = "key", "value"


class Cursor(Struct, frozen=True):
    """
    Where a cursor is.

    Args:
        path: Of the mapping or sequence for a key, of the value else.
        role: `AT_KEY` or `AT_VALUE`.
        start, end: Offsets of the key or scalar around the cursor, quotes included; equal for none.
        style: Of the scalar: ``plain``, ``'``, ``"``, ``|`` or ``>``; empty for a key.
        alone: A value that is on a line of its own, or behind a dash: it may become a key.
        flow: It is in brackets or braces.
        column: Where the entries of the mapping around it begin, -1 in brackets.
        root: The whole text's tree, with a mark at the cursor.
    """

    path: Path
    role: str
    start: int
    end: int
    style: str
    alone: bool
    flow: bool
    column: int
    root: Node


def cursor_at(text: str, cursor: int) -> Cursor | None:
    """Return where a cursor at `cursor` (an offset in characters) is; None in a comment."""
    if in_comment(text, cursor):
        return None
    root = parse(text[:cursor] + _MARK + text[cursor:])
    path: Path = ()
    twig = root
    while True:
        entry = _around(twig, cursor)
        if entry is None:
            return None
        if twig.kind == MAPPING and entry.key_start <= cursor < max(entry.key_end, entry.key_start + 1):
            end = entry.key_end - 1
            return Cursor(path, AT_KEY, entry.key_start, end, "", True, twig.flow, twig.column, root)
        if entry.key is None:
            return None
        path = (*path, entry.key)
        value = entry.value
        if value.kind in (SCALAR, NOTHING):
            start, end = min(value.start, cursor), max(value.end - 1, cursor)
            alone = value.alone or (twig.kind == SEQUENCE and not twig.flow)
            return Cursor(path, AT_VALUE, start, end, value.style, alone, value.flow, twig.column, root)
        twig = value


def _around(twig: Node, cursor: int) -> Entry | None:
    """Return the entry whose key or value holds the mark, None where none does."""
    for entry in twig.entries:
        if entry.key_start <= cursor < entry.key_end:
            return entry
        if entry.value.start <= cursor < entry.value.end:
            return entry
    return None


def in_comment(text: str, cursor: int) -> bool:
    """Return whether the cursor follows a `#` that begins a comment, quotes of its line considered."""
    start = max(text.rfind("\n", 0, cursor), text.rfind("\r", 0, cursor)) + 1
    quote = ""
    for at in range(start, min(cursor, len(text))):
        here = text[at]
        if quote:
            quote = "" if here == quote else quote
        elif here in "'\"" and (at == start or text[at - 1] in " \t[{,:-"):
            quote = here
        elif here == "#" and (at == start or text[at - 1] in " \t"):
            return True
    return False


def inner(text: str, start: int, end: int, style: str) -> tuple[str, int]:
    """
    Return what a scalar says, and the offset of its first character; a character for each of the file.

    A quote or backslash that only escapes the next character becomes a blank, so that offsets stay.
    """
    if style in ("'", '"'):
        closed = end - start > 1 and text[end - 1] == style
        said = text[start + 1 : end - 1 if closed else end]
        escape = "''" if style == "'" else '\\"'
        return said.replace(escape, " " + style), start + 1
    if style in ("|", ">"):
        line_end = text.find("\n", start, end)
        body = line_end + 1 if line_end >= 0 else end
        return text[body:end], body
    return text[start:end], start
