"""
Structs read from plain JSON values that anybody may have written: what does not fit is as if it were absent.

Only cold code imports this: `msgspec` takes longer to import than Python takes to start.
"""

from __future__ import annotations

from contextlib import suppress
from json import dumps
from types import UnionType
from typing import Annotated, Any, TypeVar, get_args, get_origin

from msgspec import UNSET, Meta, Raw, Struct, ValidationError, convert
from msgspec.structs import fields

#: An amount that somebody reports: a number from 0 that can be believed; else None.
Amount = Annotated[int, Meta(ge=0, le=10**15)] | Annotated[float, Meta(ge=0, le=1e15)] | None

#: A whole number from 0, however large; else None.
Whole = Annotated[int, Meta(ge=0)] | None

#: A name that is not Unicode cannot be looked up among those of a struct.
_NO_FIT = (ValidationError, UnicodeEncodeError)
S = TypeVar("S", bound=Struct)


def read_as(kind: type[S], plain: object) -> S:
    """
    Return the struct that a JSON value is read as; it never fails.

    A member of another type than its field's has the field's default, and so has every member of a value
    that is not an object. Of a list of structs the items that are objects are read; of a mapping the values
    that fit. No value is turned into another type: `true` is not a number, nor ``"1"``. A member of the type
    `Raw` is as JSON would write it.

    Args:
        kind: A struct all of whose fields have defaults.
        plain: As `json.loads` gives it.
    """
    if not isinstance(plain, dict):
        return kind()
    try:
        return convert(plain, kind)
    except _NO_FIT:
        found = {
            field.name: _member(field.type, plain[field.encode_name])
            for field in fields(kind)
            if field.encode_name in plain
        }
    return kind(**{name: value for name, value in found.items() if value is not UNSET})


def _member(kind: Any, plain: object) -> object:
    """Return a value as its field has it; `UNSET` where it does not fit at all."""
    try:
        return convert(plain, kind)
    except _NO_FIT:
        pass
    for one in get_args(kind) if get_origin(kind) is UnionType else (kind,):
        if isinstance(plain, dict) and get_origin(one) is dict:
            inner = {key: _member(get_args(one)[1], value) for key, value in plain.items()}
            return {key: value for key, value in inner.items() if value is not UNSET}
        if isinstance(plain, dict) and isinstance(one, type) and issubclass(one, Struct):
            return read_as(one, plain)
        sequence = get_origin(one)
        if isinstance(plain, list) and (sequence is list or (sequence is tuple and get_args(one)[-1] is ...)):
            items = (_member(get_args(one)[0], value) for value in plain)
            return sequence(item for item in items if item is not UNSET)
        if one is Raw and plain is not None:
            return Raw(dumps(plain, ensure_ascii=False).encode("utf-8", "replace"))
    return UNSET


def amount(value: object) -> float | None:
    """Return a value that is an `Amount`, else None."""
    found: float | None = None
    with suppress(ValidationError):
        found = convert(value, Amount)
    return found


def summed(*amounts: float | None) -> int | None:
    """Return the sum of the amounts that are whole; None where none is."""
    found = [int(one) for one in amounts if one is not None and one == int(one)]
    return sum(found) if found else None
