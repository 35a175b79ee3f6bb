"""Values as a test writes them, read by the type of the fact they are for."""

from __future__ import annotations

import math

from exitgate.core.language.functions import NUMERIC
from exitgate.core.language.literals import duration as written
from exitgate.core.language.literals import pieces
from exitgate.core.language.problem import LanguageError
from exitgate.core.model.display import shown as show
from exitgate.core.model.exact import calculate, keeps_digits, recorded
from exitgate.core.model.fact import FactSpec
from exitgate.core.model.value import Type, Unknown, is_number, outside
from exitgate.testing.cases.series import GIVEN_UNKNOWN

UNKNOWN_WORD = "unknown"
#: Ends of bounds that were left out.
_OPEN = (-math.inf, math.inf)
_ENDS = (("least", -math.inf), ("most", math.inf))
#: Seconds in one unit of a duration, as the condition language has them.
UNITS = {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86400}

SHAPES = {
    "bool": "true or false",
    "count": "a whole number from 0",
    "number": "a number",
    "percent": "a number or a percentage such as 70%",
    "duration": "seconds, or a number with ms, s, m, h or d such as 30m",
    "money": "an amount such as 5 or 5 USD",
    "text": "a text",
    "signature": "a text",
}


class MisfitError(ValueError):
    """A value that does not match the type of its fact; the message says what would."""


def read(raw: object, type_: Type) -> object:
    """
    Return the value of `type_` that `raw` stands for, or `Unknown` for ``unknown``.

    `raw` is a scalar or list from YAML, a sample of a series (always text), or a mapping:
    ``{unknown: reason}``, ``{least: 10, most: 45}`` for a number of which bounds are known (one of them
    will do), or ``{text: unknown}`` for a text that would read as something else.
    Raises `MisfitError`.
    """
    if isinstance(raw, Unknown):
        return raw
    if isinstance(raw, dict):
        return _from_mapping(raw, type_)
    if raw == UNKNOWN_WORD:
        return GIVEN_UNKNOWN
    if type_.kind == "list":
        return _items(raw, type_)
    found = _scalar(raw, type_)
    if found is None:
        shape = f"one of {', '.join(type_.members)}" if type_.kind == "enum" else SHAPES[type_.kind]
        raise MisfitError(f"`{raw}` is not {shape}")
    return found


def read_fact(raw: object, spec: FactSpec) -> object:
    """Return `read(raw, spec.type)`; raises `MisfitError` for a number outside the range of the fact, too."""
    value = read(raw, spec.type)
    for end in (value.least, value.most) if isinstance(value, Unknown) else (value,):
        if end is None or end in _OPEN or not outside(end, spec.low, spec.high):
            continue
        written = show(end, spec.type)
        if outside(end, spec.low, None):
            raise MisfitError(f"`{written}` is below its smallest value, {show(spec.low, spec.type)}")
        raise MisfitError(f"`{written}` is above its largest value, {show(spec.high, spec.type)}")
    return value


def _from_mapping(raw: dict[object, object], type_: Type) -> object:
    if list(raw) == ["unknown"] and isinstance(raw["unknown"], str):
        return Unknown(raw["unknown"], GIVEN_UNKNOWN.origin)
    if raw and raw.keys() <= {"least", "most"} and type_.kind in NUMERIC:
        least, most = (read(raw[end], type_) if end in raw else open_ for end, open_ in _ENDS)
        if least > most:  # type: ignore[operator]
            raise MisfitError(f"`{raw['least']}` is more than `{raw['most']}`")
        return Unknown("given with bounds", GIVEN_UNKNOWN.origin, least, most)
    if list(raw) == ["text"] and isinstance(raw["text"], str) and type_.kind in ("text", "signature"):
        return raw["text"]
    raise MisfitError(f"a mapping is not a value of type {type_}; {_mappings(type_)}")


def _mappings(type_: Type) -> str:
    if type_.kind in NUMERIC:
        return "only {unknown: REASON} and {least: NUMBER, most: NUMBER} are"
    return "only {unknown: REASON} is"


def _items(raw: object, type_: Type) -> tuple[object, ...]:
    if isinstance(raw, str) and raw.startswith("[") and raw.endswith("]"):
        # a sample of a series is text: `[a,b]` is how it writes a list, `[a,"b,c"]` with a comma in an item
        raw = _split(raw[1:-1])
    if not isinstance(raw, list) or type_.item is None:
        raise MisfitError(f"`{raw}` is not a list")
    return tuple(read(item, type_.item) for item in raw)


def _split(text: str) -> list[str]:
    """Return what is between commas; an item in double quotes is as it is, a quote inside is doubled."""
    found, at = [], 0
    while at < len(text):
        at += len(text[at:]) - len(text[at:].lstrip())
        if text.startswith('"', at):
            end = at + 1
            while (end := text.find('"', end)) >= 0 and text.startswith('"', end + 1):
                end += 2
            if end < 0:
                raise MisfitError(f"a quote in `[{text}]` is never closed")
            found.append(text[at + 1 : end].replace('""', '"'))
            at = end + 1
            if text[at : at + 1] not in ("", ","):
                raise MisfitError(f"there is no comma behind an item of `[{text}]`")
            at += 1
            continue
        item, _, _ = text[at:].partition(",")
        found += [item.strip()] if item.strip() else []
        at += len(item) + 1
    return found


def _scalar(raw: object, type_: Type) -> object:
    """Return the value, or None where `raw` does not match."""
    kind = type_.kind
    if kind == "bool":
        return raw if isinstance(raw, bool) else {"true": True, "false": False}.get(str(raw))
    if isinstance(raw, bool):
        return None
    if kind == "enum":
        return raw.upper() if isinstance(raw, str) and raw.upper() in type_.members else None
    if kind in ("text", "signature"):
        return str(raw) if isinstance(raw, str | int | float) else None
    if kind == "percent" and isinstance(raw, str) and raw.endswith("%"):
        return number(raw[:-1])
    if kind == "duration" and isinstance(raw, str):
        return duration(raw)
    if kind == "money" and isinstance(raw, str):
        raw = raw.removesuffix(f" {type_.currency}")
    found = number(raw)
    if kind == "count" and found is not None:
        return found if isinstance(found, int) and found >= 0 else None
    return found


def duration(text: str) -> int | float | None:
    """Return the seconds of ``90``, ``30m``, ``1.5h`` or ``22h30m``, or None."""
    for unit in sorted(UNITS, key=len, reverse=True):
        head = number(text.removesuffix(unit)) if text.endswith(unit) else None
        if head is not None:
            return number(recorded(calculate("mul", head, UNITS[unit])))
    parts = pieces(text)
    whole = all(unit in UNITS and amount.replace(".", "", 1).isdecimal() for amount, unit in parts)
    if len(parts) < 2 or not whole or not text.isascii():
        return number(text)
    try:
        return written(text, 0)
    except LanguageError:
        return None


def number(raw: object) -> int | float | None:
    """Return a finite number, whole ones as `int`, or None; raises `MisfitError` if digits would be lost."""
    if isinstance(raw, str):
        raw = _read_number(raw)
    if not is_number(raw) or not math.isfinite(raw):
        return None
    return raw


def _read_number(text: str) -> int | float | None:
    if "_" in text:
        return None
    try:
        return int(text)
    except ValueError:
        try:
            value = float(text)
        except ValueError:
            return None
    if math.isfinite(value) and not keeps_digits(text.strip(), value):
        raise MisfitError(f"`{text[:40]}` has more digits than a number holds; write `{value!r}`")
    return value


def write(value: object, type_: Type | None = None) -> object:
    """Return plain YAML data that `read` takes for `value`."""
    if isinstance(value, Unknown):
        ends = {end: getattr(value, end) for end, _ in _ENDS}
        known = {end: number for end, number in ends.items() if number is not None and math.isfinite(number)}
        return known or UNKNOWN_WORD
    if isinstance(value, tuple):
        return [write(item, type_.item if type_ else None) for item in value]
    if isinstance(value, str) and value == UNKNOWN_WORD:
        return {"text": value}
    return value


def shown(value: object, type_: Type | None = None) -> str:
    """Return `value` for people, an unknown with its reason: ``70%``, ``unknown (no task items)``."""
    if isinstance(value, Unknown) and value.reason:
        return f"{show(value, type_)} ({value.reason})"
    return show(value, type_)


def same(left: object, right: object) -> bool:
    """
    Return whether two values of one fact are equal; percentages to two places.

    Unknowns are alike for any reasons; where both have bounds, these are compared.
    """
    if isinstance(left, Unknown) or isinstance(right, Unknown):
        if not isinstance(left, Unknown) or not isinstance(right, Unknown):
            return False
        if left.least is None or right.least is None:
            return True
        return same(left.least, right.least) and same(left.most, right.most)
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, int | float) and isinstance(right, int | float):
        return left == right or abs(left - right) < 0.005
    return left == right
