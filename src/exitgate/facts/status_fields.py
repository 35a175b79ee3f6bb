"""Fields of a status block: a key at the start of a line, or behind another field of the same line."""

from __future__ import annotations

from exitgate.facts import structural
from exitgate.facts.status_values import Wanted, normal, read
from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    Keys = Mapping[str, Wanted]

#: Marks before a key that are looked over, and the longest key, in characters.
LEAD, KEY_LIMIT = 40, 60
#: A line of the form ``some words: value`` with more words before its colon is prose.
LABEL_WORDS = 4


class Field(Value):
    """A field at ``start..end`` of the text: what is `wanted`, what follows its key."""

    __slots__ = ("capitals", "end", "raw", "start", "wanted")

    def __init__(self, wanted: Wanted, start: int, end: int, raw: str, capitals: bool) -> None:
        self.wanted = wanted
        self.start = start
        self.end = end
        self.raw = raw
        self.capitals = capitals


def keys(wanted: Iterable[Wanted]) -> dict[str, Wanted]:
    """Return the fields by each normal form of their keys; the first to claim one has it."""
    found: dict[str, Wanted] = {}
    for field in wanted:
        for key in field.normals:
            found.setdefault(key, field)
    return found


def label(line: str) -> tuple[int, int, int] | None:
    """
    Return start and end of the label at the start of `line` and where its value starts, or None.

    Marks of lists, quotations, tables, emphasis, code and JSON may be around the label.
    """
    start = 0
    stripped = line.lstrip(" \t>")
    mark = structural.list_mark(stripped[:LEAD])
    if mark:
        start = len(line) - len(stripped) + mark
    while start < len(line) and not line[start].isalnum():
        if line[start] == "(" or start > LEAD:
            return None
        start += 1
    end = start
    limit = min(len(line), start + KEY_LIMIT)
    while end < limit and (
        line[end].isalnum() or line[end] in structural.KEY_MARKS or line[end] in structural.HYPHENS
    ):
        if line.startswith(structural.FIELD_DASH, end):
            return start, end, end + len(structural.FIELD_DASH)
        end += 1
    if end == start or end >= limit or line[end] not in structural.FIELD_MARKS:
        return None
    if line[end] == "|" and not stripped.startswith("|"):
        return None
    return start, end, end + 1


def at_line(line: str, offset: int, known: Keys) -> Field | None:
    """Return the known field that `line`, which starts at `offset` of the text, begins with, or None."""
    found = label(line)
    if found is None:
        return None
    start, end, value = found
    wanted = known.get(normal(line[start:end]))
    if wanted is None:
        return None
    raw = line[value:]
    if line[end] == "|":
        raw = raw.partition("|")[0]
    stop = max(end, value + len(raw.rstrip()))
    return Field(wanted, offset + start, offset + stop, raw, line[start:end].isupper())


def without_mark(line: str, offset: int, known: Keys, closed: bool) -> Field | None:
    """
    Return the field of a line without a mark behind the key, ``EXIT_SIGNAL false``, or None.

    The key is in capitals, and the rest of the line is a value. A block that is not `closed` may break
    off, so that no flag is set in it.
    """
    stripped = line.strip(structural.QUOTED_LINE)
    key, _, raw = stripped.partition(" ")
    wanted = known.get(normal(key)) if key.isupper() else None
    if wanted is None or wanted.kind == "text":
        return None
    value = read(wanted, raw).value
    if value is None or (value is True and not closed):
        return None
    start = offset + line.find(stripped)
    return Field(wanted, start, start + len(stripped), raw, True)


def is_labelled(line: str) -> bool:
    """Return whether `line` has the form of a field that is not known: ``reason: nothing left``."""
    found = label(line)
    if found is None or line[found[1]] not in structural.COLONS:
        return False
    return len(line[found[0] : found[1]].split()) <= LABEL_WORDS


def in_row(text: str, start: int, end: int, known: Keys) -> list[Field]:
    """
    Return the fields that are one behind the other in ``start..end`` of `text`.

    Behind the key of a field of type text is prose: a key that was there before is part of it.
    """
    piece = text[start:end].replace(structural.COLONS[1], structural.COLONS[0])
    marks: list[tuple[int, int, Wanted]] = []
    seen: set[str] = set()
    prose = False
    colon = piece.find(structural.COLONS[0])
    while colon >= 0:
        first, wanted, fresh = _key_before(piece, colon, known)
        if wanted is not None and not (prose and wanted.fact in seen and not fresh):
            marks.append((first, colon, wanted))
            seen.add(wanted.fact)
            prose = wanted.kind == "text"
        colon = piece.find(structural.COLONS[0], colon + 1)
    return _fields(piece, start, marks)


def _fields(piece: str, start: int, marks: list[tuple[int, int, Wanted]]) -> list[Field]:
    fields = []
    for number, (first, colon, wanted) in enumerate(marks):
        stop = marks[number + 1][0] if number + 1 < len(marks) else len(piece)
        raw = piece[colon + 1 : stop]
        for mark in structural.WRITTEN_LINE_ENDS:
            raw = raw.partition(mark)[0]
        last = max(colon + 1, colon + 1 + len(raw.rstrip()))
        capitals = piece[first:colon].isupper()
        fields.append(Field(wanted, start + first, start + last, raw, capitals))
    return fields


def _key_before(piece: str, colon: int, known: Keys) -> tuple[int, Wanted | None, bool]:
    """Return where the key before `colon` starts, its field, and whether a line begins with it."""
    end = colon
    while end > 0 and colon - end < LEAD and piece[end - 1] in structural.KEY_MARKS and piece[end - 1] != "_":
        end -= 1
    first = end
    while first > 0 and end - first < KEY_LIMIT and (piece[first - 1].isalnum() or piece[first - 1] == "_"):
        first -= 1
    fresh = first > 0 and piece[first - 1] == "\\" and first < end
    if fresh:
        first += 1
    return first, known.get(normal(piece[first:end])), fresh
