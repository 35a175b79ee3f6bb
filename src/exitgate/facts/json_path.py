"""
JSON read strictly, but for comments and commas behind the last item; short paths into it.

A path is names joined by dots, each with any number of `[*]` (every item) or `[2]` (one item, from 0)
behind it: `epics[*].stories`. The empty path is the value itself.
"""

from __future__ import annotations

from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

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
