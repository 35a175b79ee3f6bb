"""The comments of a document, in order: none may be lost."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.policy.document import Document


def comments(document: Document) -> tuple[tuple[int, str], ...]:
    """Return line, from 1, and text of every comment, from its ``#`` to the end of the line."""
    text = document.lines.text
    taken = _taken(document)
    found: list[tuple[int, str]] = []
    start = 0
    for number, line in enumerate(text.splitlines(keepends=True), 1):
        for at, character in enumerate(line):
            if character == "#" and not taken[start + at] and (at == 0 or line[at - 1] in " \t"):
                found.append((number, line[at:].rstrip()))
                break
        start += len(line)
    return tuple(found)


def _taken(document: Document) -> bytearray:
    """Return for each character of the text whether it is in a scalar or a key."""
    from exitgate.policy.edits import offset

    taken = bytearray(len(document.lines.text))
    for part in document.root.walk():
        spans = []
        if part.written is not None:
            spans.append((part.written.start, part.written.end))
        if part.key is not None:
            key = part.key
            lines = document.lines
            spans.append((offset(lines, key.line, key.column), offset(lines, key.end_line, key.end_column)))
        for start, end in spans:
            taken[start:end] = b"\1" * (end - start)
    return taken
