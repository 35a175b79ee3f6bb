"""Values of a status block's fields: what was written, read as the type that the policy gives the field."""

from __future__ import annotations

from exitgate.facts import structural, words
from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

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
    return "".join(letter for letter in words.fold(written) if letter.isalnum())


def key_of(written: str) -> str:
    """Return what a value is known by: `normal` of it, or its marks where it has no letter: ``❌``."""
    return normal(written) or "".join(letter for letter in written if letter not in structural.NO_VALUE)


def read(wanted: Wanted, written: str) -> Reading:
    """Return the value that is in `written`, what follows the key on its line."""
    raw = _tidy(written)
    if not raw or (len(raw) <= structural.DASH_LIMIT and not raw.strip(structural.DASHES)):
        return Reading(raw, None, EMPTY)
    if not raw.strip(structural.BLANK_FORM):
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
        raw = "".join(letter for letter in raw if letter not in structural.INVISIBLE)
    if structural.STRIKE in raw:
        raw = "".join(raw.split(structural.STRIKE)[::2])
    raw = raw.partition(structural.COMMENT_START)[0]
    raw = raw.strip(structural.VALUE_ENDS)
    if raw[-1:] == "}" and "{" not in raw:
        raw = raw.rstrip("} ")
    raw = raw.strip("*").strip(structural.VALUE_ENDS)
    for mark in structural.VALUE_QUOTES:
        if len(raw) > 1 and raw[0] == raw[-1] == mark and raw.count(mark) == len("xx"):
            raw = raw[1:-1].strip()
    return raw[:TEXT_LIMIT]


def _wrapped(raw: str) -> bool:
    """Return whether the whole of `raw` is a placeholder: ``<one line>``, ``[summary]``, ``{text}``."""
    closing = structural.PLACEHOLDERS.get(raw[0])
    return closing is not None and raw[-1] == closing and len(raw) > len("[]")


def _chosen(wanted: Wanted, raw: str) -> Reading:
    """Return the value of a bool or an enum; a form's list of alternatives is none."""
    inner = raw[1:-1] if raw[0] == "[" and raw[-1] == "]" else raw
    if inner[:1] in structural.PLACEHOLDERS:
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
    for mark in structural.ALTERNATIVE_MARKS:
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
    for mark in structural.REMARK_MARKS:
        head = head.partition(mark)[0]
    value = wanted.words.get(key_of(head))
    if value is None or normal(head):
        if any(mark in head for mark in structural.QUESTIONS + structural.UNMET):
            return None
        if head.lstrip()[:1] in structural.ROUGHLY:
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
    from exitgate.facts.scan_patterns import Patterns

    return Patterns((wanted.unless[value],)).occurs(0, remark)


def _counted(kind: str, raw: str) -> Reading:
    """Return the number that `raw` begins with; a range, an estimate or a word is none."""
    closing = structural.PLACEHOLDERS.get(raw[0])
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
    exact = rest[:1] not in structural.NO_NUMBER and not rest[:1].isalpha()
    ranged = after[:1] in structural.RANGES and after[1:].lstrip()[:1].isdigit()
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
