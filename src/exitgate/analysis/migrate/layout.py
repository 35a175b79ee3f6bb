"""How a file is laid out: read with its comments, written so that equal lines look as they did."""

from __future__ import annotations

from typing import Any

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.policy.yaml.document import Document
    from exitgate.core.policy.yaml.node import YamlNode


#: Begins the line of a comment that followed something; so many more of it as no text has.
BEHIND = "#\ue000"


def written_like(document: Document) -> tuple[Any, dict[str, int]]:
    """
    Return a document that keeps its comments, and the indents to write it with.

    Comments behind something are on lines of their own above it meanwhile: ruamel.yaml moves those within
    brackets and joins lines behind them (`docs/decisions/0602-migrations.md`). `put_behind` brings them back.
    """
    from ruamel.yaml import YAML

    reader = YAML(typ="rt")
    reader.preserve_quotes = True
    tree = reader.load(_above(document))
    return tree, _indents(document.root)


def _above(document: Document) -> str:
    lines = document.lines.text.replace("\r\n", "\n").splitlines(keepends=True)
    mark = _mark(document)
    for number, text in reversed(comments(document)):
        line = lines[number - 1]
        before = line[: line.rindex(text)]
        if before.strip():
            indent = before[: len(before) - len(before.lstrip(" "))]
            lines[number - 1] = f"{indent}{mark}{len(before)} {text}\n{before.rstrip()}\n"
    return "".join(lines)


def _mark(document: Document) -> str:
    mark = BEHIND
    while mark in document.lines.text:
        mark += BEHIND[-1]
    return mark


def put_behind(new: str, document: Document) -> str:
    """Return a text in which comments follow something again: what follows their line."""
    mark = _mark(document)
    done: list[str] = []
    waiting: list[tuple[int, str]] = []
    for line in new.splitlines():
        inked = line.lstrip(" ")
        if inked.startswith(mark):
            column, _, text = inked.removeprefix(mark).partition(" ")
            waiting.append((int(column), text))
        elif waiting and inked and not inked.startswith("#"):
            place, own = waiting.pop()
            done += [" " * (len(line) - len(inked)) + text for _, text in waiting]
            done.append(line.ljust(place) + ("" if len(line) < place else "  ") + own)
            waiting = []
        else:
            done.append(line)
    return "".join(line + "\n" for line in (*done, *(text for _, text in waiting)))


def with_old_lines(new: str, old: str) -> str:
    """Return the new text in which lines that differ from an old one only in blanks are as they were."""
    known: dict[tuple[int, str], str] = {}
    for line in old.splitlines():
        known.setdefault(_bare(line), line)
    return "".join(known.get(_bare(line), line) + "\n" for line in new.splitlines())


def _bare(line: str) -> tuple[int, str]:
    return len(line) - len(line.lstrip(" ")), " ".join(line.split())


def _indents(root: YamlNode) -> dict[str, int]:
    """Return how far mappings and sequences in blocks are to the right, by the first of each."""
    mapping, sequence, offset = 2, 2, 0
    for part in root.walk():
        if part.key is None:
            continue
        inner = next(iter(part.fields.values()), None)
        if inner is not None and inner.key is not None and inner.key.line > part.key.line:
            mapping = max(inner.key.column - part.key.column, 1)
            break
    for part in root.walk():
        if part.key is not None and part.items and part.items[0].place.line > part.key.line:
            sequence = max(part.items[0].place.column - part.key.column, 2)
            offset = max(sequence - 2, 0)
            break
    return {"mapping": mapping, "sequence": sequence, "offset": offset}


# The comments of a document, in order: none may be lost.


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
    from exitgate.analysis.edits import offset

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
