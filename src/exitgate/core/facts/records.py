"""Plain values out of records that came from elsewhere, checked before they become facts."""

from __future__ import annotations

from exitgate.core.model.fact import EXCERPT_LIMIT, Evidence
from exitgate.core.model.json_object import JsonObject, number_of, object_or_none, texts_of
from exitgate.core.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from exitgate.core.model.fact import Source


#: Beyond this a number in a record is a mistake; also keeps sums finite.
LARGEST = 1e15


def amount(value: object) -> float | int | None:
    """Return a finite number of usable size, or None for anything else; booleans are not numbers."""
    number = number_of(value)
    return number if number is not None and -LARGEST <= number <= LARGEST else None


def count(value: object) -> int | None:
    """Return a whole number >= 0, or None for anything else."""
    number = amount(value)
    if number is None or number < 0 or number != int(number):
        return None
    return int(number)


def field(record: JsonObject, path: str) -> object:
    """Return the value at a dotted path (``breaker.state``), or None; a key spelled so goes first."""
    if path in record:
        return record[path]
    value: object = record
    for part in path.split("."):
        if not isinstance(value, dict) or part not in value:
            return None
        value = value[part]
    return value


# Records that observers make of files and folders, checked before facts rest on them.

#: Names of one kind that are kept.
LIMIT = 1_000
#: Names that are shown as evidence.
SHOWN = 20


def record_of(source: Source) -> JsonObject | None:
    """Return the record of a source, or the JSON object that its text is; None for anything else."""
    if source.record is not None:
        return source.record
    return parsed(source.text)


def parsed(text: str | None) -> JsonObject | None:
    """Return the JSON object in `text`, or None."""
    found = None if text is None else parse(text).value
    return object_or_none(found)


def names(value: object) -> tuple[str, ...]:
    """Return the texts of a list, sorted, each once, at most `LIMIT`."""
    return tuple(sorted(set(texts_of(value)) - {""}))[:LIMIT]


def last(path: str) -> str:
    """Return the last part of a path."""
    return path.rsplit("/", 1)[-1]


def shown(source: str, paths: Iterable[str], note: str) -> tuple[Evidence, ...]:
    """Return evidence that names files; it stands for an entry of the record, not for a place in a text."""
    first = [path for _, path in zip(range(SHOWN), paths, strict=False)]
    return tuple(
        Evidence(source, number, 1, 0, len(path), path[:EXCERPT_LIMIT], note)
        for number, path in enumerate(first, 1)
    )


def fits(name: str, pattern: str) -> bool:
    """
    Return whether the whole `name` fits: ``*`` is any characters, ``?`` one.

    Takes at most the product of the two lengths, no matter what they hold.
    """
    if name.startswith(".") and not pattern.startswith("."):
        return False
    at = place = 0
    star, resume = -1, 0
    while at < len(name):
        if place < len(pattern) and pattern[place] == "*":
            star, resume = place, at
            place += 1
        elif place < len(pattern) and pattern[place] in ("?", name[at]):
            at, place = at + 1, place + 1
        elif star >= 0:
            resume += 1
            at, place = resume, star + 1
        else:
            return False
    return not pattern[place:].strip("*")


# JSON read strictly, but for comments and commas behind the last item; short paths into it.
#
# A path is names joined by dots, each with any number of `[*]` (every item) or `[2]` (one item, from 0)
# behind it: `epics[*].stories`. The empty path is the value itself.

#: More values than these are not looked at along one path.
VALUE_LIMIT = 100_000
_NAME, _INDEX = r"[^.\[\]]+", r"\[(?:\*|[0-9]{1,6})\]"
#: The form of a path, as JSON Schema has patterns. It reads no path in two ways: `re` would try them all.
PATH_PATTERN = rf"^(?:{_NAME}|{_INDEX}(?:{_NAME})?)(?:\.{_NAME}|{_INDEX}(?:{_NAME})?)*$"

_BLANK = " \t\n\r"
#: Pieces behind which no comma is looked at.
_NEAR = 8
_COMMENTS = ("//", "/*")
_ADDED = (*_COMMENTS, ",]", ",}")
_NO_BLANKS = dict.fromkeys(map(ord, _BLANK))
_EVERY = "*"


class Parsed(Value):
    """A JSON value, or None and in `problem` what is wrong with the text, as a sentence part."""

    __slots__ = ("problem", "value")

    def __init__(self, value: object, problem: str = "") -> None:
        self.value = value
        self.problem = problem


class TwiceError(Exception):
    """A key that is twice in one object; the key is its argument."""


class NoNumberError(Exception):
    """A number that is infinite or none; how it is written is its argument."""


def parse(text: str, plain: bool = False) -> Parsed:
    """Return the value of a JSON text: a key twice, or NaN, is a problem. `plain`: it has no comments."""
    if not text.strip(_BLANK + "\ufeff"):
        return Parsed(None, "is empty")
    try:
        return Parsed(_loads(text.lstrip("\ufeff")))
    except TwiceError as twice:
        return Parsed(None, f"has the key `{str(twice)[:80]}` twice in one object")
    except NoNumberError as number:
        return Parsed(None, f"holds `{number}`, which is not JSON")
    except (ValueError, RecursionError, StopIteration, SystemError):
        bare = text if plain else _uncommented(text)
        return Parsed(None, "is not JSON") if bare == text else parse(bare, plain=True)


def _uncommented(text: str) -> str:
    """Return a text without what people add to JSON: comments, and commas behind the last item."""
    bare = text.translate(_NO_BLANKS)
    if not any(mark in bare for mark in _ADDED):
        return text
    kept: list[str] = []
    at = 0
    while at < len(text):
        here = text[at]
        end = at + 1
        if here == '"':
            end = _string_end(text, at)
        elif text.startswith(_COMMENTS, at):
            stop = "\n" if text[end] == "/" else "*/"
            found = text.find(stop, at + 2)
            at = len(text) if found < 0 else found + len(stop)
            kept.append(" ")
            continue
        elif here in "]}":
            while kept and kept[-1] in _BLANK:
                kept.pop()
            if (
                kept
                and kept[-1] == ","
                and "".join(kept[-1 - _NEAR : -1]).rstrip(_BLANK)[-1:] not in tuple("[{,")
            ):
                kept.pop()
        kept.append(text[at:end])
        at = end
    return "".join(kept)


def _string_end(text: str, at: int) -> int:
    """Return the offset behind the string that begins at `at`."""
    end = at + 1
    while end < len(text) and text[end] != '"':
        end += 2 if text[end] == "\\" else 1
    return min(end + 1, len(text))


def _pairs(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise TwiceError(key)
            seen.add(key)
    return found


def _refuse(written: str) -> object:
    raise NoNumberError(written)


class Strict:
    """What keys and numbers are accepted: what the scanner of the package `json` asks of a decoder."""

    strict = True
    object_hook = None
    object_pairs_hook = _pairs
    parse_float: Callable[[str], object] = float
    parse_int = int
    parse_constant = _refuse


def _loads(text: str) -> object:
    try:
        from _json import make_scanner
    except ImportError:  # pragma: no cover - another Python
        import json

        return json.loads(text, object_pairs_hook=_pairs, parse_constant=_refuse)
    start = len(text) - len(text.lstrip(_BLANK))
    found, end = make_scanner(Strict)(text, start)  # type: ignore[arg-type]
    if text[end:].strip(_BLANK):
        raise ValueError("more than one value")
    return found


def steps(path: str) -> tuple[str | int, ...]:
    """Return the names, indices and ``*`` of a path."""
    found: list[str | int] = []
    for part in path.split("."):
        name, *marks = part.split("[")
        if name:
            found.append(name)
        for mark in marks:
            inner = mark.rstrip("]")
            found.append(int(inner) if inner.isdecimal() and inner.isascii() else _EVERY)
    return tuple(found)


def values(value: object, path: str) -> list[object]:
    """Return the values at `path`, in order, at most `VALUE_LIMIT`; those that are missing are left out."""
    found = [value]
    for step in steps(path):
        deeper: list[object] = []
        for one in found:
            deeper += _inner(one, step)
            if len(deeper) >= VALUE_LIMIT:
                break
        found = deeper[:VALUE_LIMIT]
    return found


def _inner(value: object, step: str | int) -> list[object]:
    if isinstance(value, dict) and isinstance(step, str):
        if step == _EVERY and _EVERY not in value:
            return list(value.values())
        return [value[step]] if step in value else []
    if isinstance(value, list):
        if step == _EVERY:
            return value
        if isinstance(step, int) and step < len(value):
            return [value[step]]
    return []
