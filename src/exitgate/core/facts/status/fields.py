"""Fields of a status block: a key at the start of a line, or behind another field of the same line."""

from __future__ import annotations

from exitgate.core.facts.text import structure
from exitgate.core.facts.text import words as words_module
from exitgate.core.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    Keys = Mapping[str, "Wanted"]
    from collections.abc import Mapping


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
    mark = structure.list_mark(stripped[:LEAD])
    if mark:
        start = len(line) - len(stripped) + mark
    while start < len(line) and not line[start].isalnum():
        if line[start] == "(" or start > LEAD:
            return None
        start += 1
    end = start
    limit = min(len(line), start + KEY_LIMIT)
    while end < limit and (
        line[end].isalnum() or line[end] in structure.KEY_MARKS or line[end] in structure.HYPHENS
    ):
        if line.startswith(structure.FIELD_DASH, end):
            return start, end, end + len(structure.FIELD_DASH)
        end += 1
    if end == start or end >= limit or line[end] not in structure.FIELD_MARKS:
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
    stripped = line.strip(structure.QUOTED_LINE)
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
    if found is None or line[found[1]] not in structure.COLONS:
        return False
    return len(line[found[0] : found[1]].split()) <= LABEL_WORDS


def in_row(text: str, start: int, end: int, known: Keys) -> list[Field]:
    """
    Return the fields that are one behind the other in ``start..end`` of `text`.

    Behind the key of a field of type text is prose: a key that was there before is part of it.
    """
    piece = text[start:end].replace(structure.COLONS[1], structure.COLONS[0])
    marks: list[tuple[int, int, Wanted]] = []
    seen: set[str] = set()
    prose = False
    colon = piece.find(structure.COLONS[0])
    while colon >= 0:
        first, wanted, fresh = _key_before(piece, colon, known)
        if wanted is not None and not (prose and wanted.fact in seen and not fresh):
            marks.append((first, colon, wanted))
            seen.add(wanted.fact)
            prose = wanted.kind == "text"
        colon = piece.find(structure.COLONS[0], colon + 1)
    return _fields(piece, start, marks)


def _fields(piece: str, start: int, marks: list[tuple[int, int, Wanted]]) -> list[Field]:
    fields = []
    for number, (first, colon, wanted) in enumerate(marks):
        stop = marks[number + 1][0] if number + 1 < len(marks) else len(piece)
        raw = piece[colon + 1 : stop]
        for mark in structure.WRITTEN_LINE_ENDS:
            raw = raw.partition(mark)[0]
        last = max(colon + 1, colon + 1 + len(raw.rstrip()))
        capitals = piece[first:colon].isupper()
        fields.append(Field(wanted, start + first, start + last, raw, capitals))
    return fields


def _key_before(piece: str, colon: int, known: Keys) -> tuple[int, Wanted | None, bool]:
    """Return where the key before `colon` starts, its field, and whether a line begins with it."""
    end = colon
    while end > 0 and colon - end < LEAD and piece[end - 1] in structure.KEY_MARKS and piece[end - 1] != "_":
        end -= 1
    first = end
    while first > 0 and end - first < KEY_LIMIT and (piece[first - 1].isalnum() or piece[first - 1] == "_"):
        first -= 1
    fresh = first > 0 and piece[first - 1] == "\\" and first < end
    if fresh:
        first += 1
    return first, known.get(normal(piece[first:end])), fresh


# Values of a status block's fields: what was written, read as the type that the policy gives the field.

#: Why a value was not read: nothing is there, the form was not filled in, the words are not known.
EMPTY = "empty"
TEMPLATE = "template"
UNREAD = "unread"
#: Longest text that a field keeps, in characters.
TEXT_LIMIT = 500
#: Longer numbers are not counts of anything.
DIGITS = 15
#: So many alternatives of a form are looked at.
ALTERNATIVES = 12
TRUTHS = {"true": True, "false": False}
PERCENT_LIMIT = 100


class Wanted(Value):
    """
    A field as the policy describes it.

    Args:
        fact: Name of the fact behind the prefix.
        key: The key as it is written in a block; `normal` of it, and of other spellings, are in `normals`.
        normals: Keys by which the field is known, as `normal` returns them.
        kind: bool, count, number, percent, enum or text.
        words: For bool and enum: `key_of` a word -> the value it means.
        unless: For bool and enum: value -> pattern of remarks behind it that take it back.
        unreadable: What is taken where the field is there and cannot be read, or None.
    """

    __slots__ = ("fact", "key", "kind", "normals", "unless", "unreadable", "words")

    def __init__(
        self,
        fact: str,
        key: str,
        normals: tuple[str, ...],
        kind: str,
        words: dict[str, object],
        unreadable: object = None,
        unless: Mapping[object, str] | None = None,
    ) -> None:
        self.fact = fact
        self.key = key
        self.normals = normals
        self.kind = kind
        self.words = words
        self.unreadable = unreadable
        self.unless = unless or {}


class Reading(Value):
    """A value, or None and its `fault` (`EMPTY`, `TEMPLATE`, `UNREAD`); `raw` is what was written, tidied."""

    __slots__ = ("fault", "raw", "value")

    def __init__(self, raw: str, value: object, fault: str = "") -> None:
        self.raw = raw
        self.value = value
        self.fault = fault


def normal(written: str) -> str:
    """Return letters and digits alone, in lower case: ``EXIT_SIGNAL``, ``exit-signal``, ``Exit Signal``."""
    return "".join(letter for letter in words_module.fold(written) if letter.isalnum())


def key_of(written: str) -> str:
    """Return what a value is known by: `normal` of it, or its marks where it has no letter: ``❌``."""
    return normal(written) or "".join(letter for letter in written if letter not in structure.NO_VALUE)


def read(wanted: Wanted, written: str) -> Reading:
    """Return the value that is in `written`, what follows the key on its line."""
    raw = _tidy(written)
    if not raw or (len(raw) <= structure.DASH_LIMIT and not raw.strip(structure.DASHES)):
        return Reading(raw, None, EMPTY)
    if not raw.strip(structure.BLANK_FORM):
        return Reading(raw, None, TEMPLATE)
    if wanted.kind == "text":
        return Reading(raw, None, TEMPLATE) if _wrapped(raw) else Reading(raw, raw)
    if wanted.kind in ("bool", "enum"):
        return _chosen(wanted, raw)
    return _counted(wanted.kind, raw)


def _tidy(written: str) -> str:
    """Return `written` without struck text and without marks of emphasis, code, tables, JSON around it."""
    raw = written[: 2 * TEXT_LIMIT]
    if not raw.isascii():
        raw = "".join(letter for letter in raw if letter not in structure.INVISIBLE)
    if structure.STRIKE in raw:
        raw = "".join(raw.split(structure.STRIKE)[::2])
    raw = raw.partition(structure.COMMENT_START)[0]
    raw = raw.strip(structure.VALUE_ENDS)
    if raw[-1:] == "}" and "{" not in raw:
        raw = raw.rstrip("} ")
    raw = raw.strip("*").strip(structure.VALUE_ENDS)
    for mark in structure.VALUE_QUOTES:
        if len(raw) > 1 and raw[0] == raw[-1] == mark and raw.count(mark) == len("xx"):
            raw = raw[1:-1].strip()
    return raw[:TEXT_LIMIT]


def _wrapped(raw: str) -> bool:
    """Return whether the whole of `raw` is a placeholder: ``<one line>``, ``[summary]``, ``{text}``."""
    closing = structure.PLACEHOLDERS.get(raw[0])
    return closing is not None and raw[-1] == closing and len(raw) > len("[]")


def _chosen(wanted: Wanted, raw: str) -> Reading:
    """Return the value of a bool or an enum; a form's list of alternatives is none."""
    inner = raw[1:-1] if raw[0] == "[" and raw[-1] == "]" else raw
    if inner[:1] in structure.PLACEHOLDERS:
        return Reading(raw, None, TEMPLATE)
    if _alternatives(wanted, inner):
        return Reading(raw, None, TEMPLATE)
    value = _choice(wanted, inner)
    if value is not None:
        return Reading(raw, value)
    return Reading(raw, None, TEMPLATE if inner is not raw else UNREAD)


def _alternatives(wanted: Wanted, raw: str) -> bool:
    """Return whether `raw` offers a choice: ``true | false``, ``pass/fail``, or two values together."""
    flat = raw
    for mark in structure.ALTERNATIVE_MARKS:
        flat = flat.replace(mark, "|")
    if "|" not in flat:
        return False
    parts = flat.split("|", ALTERNATIVES)[:ALTERNATIVES]
    values = [_choice(wanted, part) for part in parts]
    if len({str(v) for v in values if v is not None}) > 1:
        return True
    if values[0] is None:
        return False
    second = raw.partition("|")[2] or raw.partition("/")[2]
    near = "|" in raw or not (raw.partition("/")[0][-1:].isspace() or second[:1].isspace())
    word = second.partition("|")[0].strip()
    return near and word[:1].isalpha() and " " not in word


def _choice(wanted: Wanted, raw: str) -> object:
    """
    Return the value whose word is all that is before a remark, or None.

    A remark begins with a mark (``true - all done``, ``NOT_RUN (no runner)``); a count may follow
    (``PASSING 12/12``). Words that follow without a mark make it another value: ``true once reviewed``.
    """
    head = raw
    for mark in structure.REMARK_MARKS:
        head = head.partition(mark)[0]
    value = wanted.words.get(key_of(head))
    if value is None or normal(head):
        if any(mark in head for mark in structure.QUESTIONS + structure.UNMET):
            return None
        if head.lstrip()[:1] in structure.ROUGHLY:
            return None
    if value is None and any(letter.isdigit() for letter in head):
        parts = head.split()
        while parts and parts[-1][0].isdigit():
            parts.pop()
        value = wanted.words.get(key_of(" ".join(parts)))
    return None if _taken_back(wanted, value, raw[len(head) :]) else value


def _taken_back(wanted: Wanted, value: object, remark: str) -> bool:
    """Return whether the remark behind a value takes it back."""
    if value not in wanted.unless or not remark:
        return False
    from exitgate.core.facts.lexicons.patterns import Patterns

    return Patterns((wanted.unless[value],)).occurs(0, remark)


def _counted(kind: str, raw: str) -> Reading:
    """Return the number that `raw` begins with; a range, an estimate or a word is none."""
    closing = structure.PLACEHOLDERS.get(raw[0])
    if closing is not None:
        inner = raw[1:-1].strip() if raw[-1] == closing else ""
        if raw[0] != "[" or not inner.isdigit():
            return Reading(raw, None, TEMPLATE if closing in raw else UNREAD)
        return _counted(kind, inner)
    sign = raw[0] if kind == "number" and raw[0] in "+-" else ""
    digits, rest = _digits(raw[len(sign) :])
    if not digits or len(digits) > DIGITS:
        return Reading(raw, None, UNREAD)
    value: int | float = int(digits)
    if rest[:1] == "." and rest[1:2].isdigit():
        fraction, rest = _digits(rest[1:])
        if kind == "count" or len(fraction) > DIGITS:
            return Reading(raw, None, UNREAD)
        value = float(f"{digits}.{fraction}")
    after = rest.lstrip()
    exact = rest[:1] not in structure.NO_NUMBER and not rest[:1].isalpha()
    ranged = after[:1] in structure.RANGES and after[1:].lstrip()[:1].isdigit()
    if not exact or ranged or (after[:1] == "%" and kind != "percent"):
        return Reading(raw, None, UNREAD)
    if kind == "percent" and value > PERCENT_LIMIT:
        return Reading(raw, None, UNREAD)
    return Reading(raw, -value if sign == "-" else value)


def _digits(raw: str) -> tuple[str, str]:
    """Return the ASCII digits at the start, commas between thousands left out, and what follows."""
    end = 0
    while end < len(raw) and ("0" <= raw[end] <= "9" or _thousands(raw, end)):
        end += 1
    return raw[:end].replace(",", ""), raw[end:]


def _thousands(raw: str, at: int) -> bool:
    three = raw[at + 1 : at + 4]
    return raw[at] == "," and at > 0 and len(three) == len("000") and three.isascii() and three.isdigit()
