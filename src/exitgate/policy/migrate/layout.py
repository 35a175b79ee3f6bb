"""How a file is laid out: read with its comments, written so that equal lines look as they did."""

from __future__ import annotations

from typing import Any

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.policy.document import Document
    from exitgate.policy.part import Part


def written_like(document: Document) -> tuple[Any, dict[str, int]]:
    """Return a document that keeps its comments, and the indents to write it with."""
    from ruamel.yaml import YAML

    reader = YAML(typ="rt")
    reader.preserve_quotes = True
    tree = reader.load(document.lines.text.replace("\r\n", "\n"))
    return tree, _indents(document.root)


def with_old_lines(new: str, old: str) -> str:
    """Return the new text in which lines that differ from an old one only in blanks stand as they stood."""
    known: dict[tuple[int, str], str] = {}
    for line in old.splitlines():
        known.setdefault(_bare(line), line)
    return "".join(known.get(_bare(line), line) + "\n" for line in new.splitlines())


def _bare(line: str) -> tuple[int, str]:
    return len(line) - len(line.lstrip(" ")), " ".join(line.split())


def _indents(root: Part) -> dict[str, int]:
    """Return how far mappings and sequences in blocks stand to the right, by the first of each."""
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
