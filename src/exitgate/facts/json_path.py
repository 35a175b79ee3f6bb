"""
JSON read strictly, and short paths into it.

A path is names joined by dots, each with any number of `[*]` (every item) or `[2]` (one item, from 0)
behind it: `epics[*].stories`. The empty path is the value itself.
"""

from __future__ import annotations

from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

#: More values than these are not looked at along one path.
VALUE_LIMIT = 100_000
#: The form of a path, as JSON Schema has patterns.
PATH_PATTERN = r"^(?:[^.\[\]]+|\[(?:\*|[0-9]{1,6})\])(?:\.?[^.\[\]]+|\[(?:\*|[0-9]{1,6})\])*$"

_BLANK = " \t\n\r"
_EVERY = "*"


class Parsed(Value):
    """A JSON value, or None and in `problem` what is wrong with the text, as a sentence part."""

    __slots__ = ("problem", "value")

    def __init__(self, value: object, problem: str = "") -> None:
        self.value = value
        self.problem = problem


class _TwiceError(Exception):
    """A key that stands twice in one object; the key is its argument."""


class _NoNumberError(Exception):
    """A number that is infinite or none; how it is written is its argument."""


def parse(text: str) -> Parsed:
    """Return the value of a JSON text. A key twice in one object, or NaN, is a problem: which one holds?"""
    if not text.strip(_BLANK + "\ufeff"):
        return Parsed(None, "is empty")
    try:
        return Parsed(_loads(text.lstrip("\ufeff")))
    except _TwiceError as twice:
        return Parsed(None, f"has the key `{str(twice)[:80]}` twice in one object")
    except _NoNumberError as number:
        return Parsed(None, f"holds `{number}`, which is no JSON")
    except (ValueError, RecursionError, StopIteration, SystemError):
        return Parsed(None, "is not JSON")


def _pairs(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise _TwiceError(key)
            seen.add(key)
    return found


def _refuse(written: str) -> object:
    raise _NoNumberError(written)


class _Strict:
    """What the scanner of the package `json` asks of a decoder."""

    strict = True
    object_hook = None
    object_pairs_hook = _pairs
    parse_float = float
    parse_int = int
    parse_constant = _refuse


def _loads(text: str) -> object:
    try:
        from _json import make_scanner
    except ImportError:  # pragma: no cover - another Python
        import json

        return json.loads(text, object_pairs_hook=_pairs, parse_constant=_refuse)
    start = len(text) - len(text.lstrip(_BLANK))
    found, end = make_scanner(_Strict)(text, start)  # type: ignore[arg-type]
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
    """Return the values at `path`, in order, at most `VALUE_LIMIT`; those that are not there are left out."""
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
