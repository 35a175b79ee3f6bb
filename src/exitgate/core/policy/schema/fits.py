"""
Whether plain data fits a JSON Schema (2020-12): yes, no, or not sure, without the package `jsonschema`.

Nearly every document that is read fits, and then no details are needed; importing `jsonschema` to
hear it costs as much as compiling the policy. What does not match, or uses a keyword that is not known here,
goes to `jsonschema`, which finds every misfit. A test holds the two together on all documents of the
tests and on generated ones.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sized
    from typing import Any

    Schema = Mapping[str, Any] | bool


class Unsure(Exception):  # noqa: N818 - an answer, not an error
    """The schema or the data is beyond what this module judges."""


def fits(data: object, schema: Mapping[str, Any]) -> bool:
    """
    Return whether `data` surely fits `schema`.

    Args:
        data: Dicts with text keys, lists, texts, numbers, bools and None.
        schema: A JSON Schema whose references all point into its own `$defs`.
    """
    try:
        return _fits(data, schema, schema)
    except (Unsure, RecursionError):
        return False


def _fits(data: Any, schema: Schema, root: Mapping[str, Any]) -> bool:
    if schema is True or schema is False:
        return schema
    for keyword, value in schema.items():
        test = _TESTS.get(keyword)
        if test is None:
            if keyword not in _SILENT:
                raise Unsure(keyword)
        elif not test(data, value, schema, root):
            return False
    return True


def _reference(data: Any, value: Any, _schema: Any, root: Any) -> bool:
    head, _, name = str(value).rpartition("/")
    if head != "#/$defs" or name not in root["$defs"]:
        raise Unsure(value)
    return _fits(data, root["$defs"][name], root)


def _type(data: Any, value: Any, _schema: Any, _root: Any) -> bool:
    return any(_is(data, name) for name in ([value] if isinstance(value, str) else value))


def _is(data: Any, name: str) -> bool:
    if name == "null":
        return data is None
    kind = data.__class__
    if name in ("integer", "number"):
        if kind is float and name == "integer":
            raise Unsure(name)  # 1.0 is an integer there
        return kind is int or kind is float
    if name not in _CLASSES:
        raise Unsure(name)
    return kind is _CLASSES[name]


def _same(data: Any, other: Any) -> bool:
    if isinstance(data, dict | list) or isinstance(other, dict | list):
        raise Unsure(other)
    return bool(data == other) and (data.__class__ is bool) == (other.__class__ is bool)


def _properties(data: Any, value: Any, _schema: Any, root: Any) -> bool:
    return data.__class__ is not dict or all(
        _fits(data[name], schema, root) for name, schema in value.items() if name in data
    )


def _patterned(data: Any, value: Any, _schema: Any, root: Any) -> bool:
    return data.__class__ is not dict or all(
        _fits(item, schema, root)
        for pattern, schema in value.items()
        for name, item in data.items()
        if re.search(pattern, name)
    )


def _additional(data: Any, value: Any, schema: Any, root: Any) -> bool:
    if data.__class__ is not dict:
        return True
    known, patterns = schema.get("properties", {}), schema.get("patternProperties", {})
    return all(
        _fits(item, value, root)
        for name, item in data.items()
        if name not in known and not any(re.search(pattern, name) for pattern in patterns)
    )


def _if(data: Any, value: Any, schema: Any, root: Any) -> bool:
    branch = schema.get("then" if _fits(data, value, root) else "else", True)
    return _fits(data, branch, root)


def _unique(data: Any, value: Any, _schema: Any, _root: Any) -> bool:
    if data.__class__ is not list or value is not True:
        return True
    return unique(data)


def unique(items: list[object]) -> bool:
    """Return whether no two items are equal as JSON; not a pair at a time, as lists may be long."""
    return len({frozen(item) for item in items}) == len(items)


def frozen(data: object) -> object:
    """Return JSON data as a value that can be in a set, equal for equal data; `true` is not 1."""
    if isinstance(data, dict):
        return "mapping", frozenset((key, frozen(value)) for key, value in data.items())
    if isinstance(data, list):
        return "list", tuple(frozen(item) for item in data)
    return (data.__class__ is bool, data)


def _sized(kind: type[Sized], fits_size: Callable[[int, Any], bool]) -> Callable[[Any, Any, Any, Any], bool]:
    return lambda data, value, _schema, _root: not isinstance(data, kind) or fits_size(len(data), value)


def _is_number(data: Any) -> bool:
    return data.__class__ is int or data.__class__ is float


_CLASSES: dict[str, type] = {"object": dict, "array": list, "string": str, "boolean": bool}
_SILENT = frozenset((
    "$schema", "$id", "$defs", "$comment", "title", "description", "examples", "default", "then", "else",
    "markdownDescription", "enumDescriptions", "defaultSnippets",
))  # fmt: skip
_TESTS: dict[str, Callable[[Any, Any, Any, Any], bool]] = {
    "$ref": _reference,
    "type": _type,
    "enum": lambda data, value, _s, _r: any(_same(data, one) for one in value),
    "const": lambda data, value, _s, _r: _same(data, value),
    "properties": _properties,
    "patternProperties": _patterned,
    "additionalProperties": _additional,
    "propertyNames": lambda d, v, _s, r: d.__class__ is not dict or all(_fits(name, v, r) for name in d),
    "required": lambda d, v, _s, _r: d.__class__ is not dict or all(name in d for name in v),
    "items": lambda d, v, _s, r: d.__class__ is not list or all(_fits(item, v, r) for item in d),
    "uniqueItems": _unique,
    "minItems": _sized(list, lambda size, limit: size >= limit),
    "maxItems": _sized(list, lambda size, limit: size <= limit),
    "minLength": _sized(str, lambda size, limit: size >= limit),
    "maxLength": _sized(str, lambda size, limit: size <= limit),
    "minProperties": _sized(dict, lambda size, limit: size >= limit),
    "maxProperties": _sized(dict, lambda size, limit: size <= limit),
    "minimum": lambda d, v, _s, _r: not _is_number(d) or d >= v,
    "maximum": lambda d, v, _s, _r: not _is_number(d) or d <= v,
    "pattern": lambda d, v, _s, _r: d.__class__ is not str or re.search(v, d) is not None,
    "if": _if,
    "not": lambda d, v, _s, r: not _fits(d, v, r),
    "allOf": lambda d, v, _s, r: all(_fits(d, one, r) for one in v),
    "anyOf": lambda d, v, _s, r: any(_fits(d, one, r) for one in v),
    "oneOf": lambda d, v, _s, r: sum(_fits(d, one, r) for one in v) == 1,
}
