"""
Options of extractors of other packages: JSON Schemas of which exitgate knows beforehand what they cost.

A schema of others is compared in our own process. So it keeps to keywords with which each value is looked at
once: no patterns, which Python may try for years, no references, which may lead round or to the network, and
no combinations, which look at a value again and again.
"""

from __future__ import annotations

from math import isfinite

from exitgate.facts.plugged import FILE
from exitgate.plugins.content import Unfit
from exitgate.policy.options import OWN_KEYS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

#: Options of one extractor, levels of a schema, values in an `enum`, and characters of all schemas as JSON.
OPTIONS, LEVELS, CHOICES, CHARACTERS = 100, 8, 200, 200_000
_TYPES = ("array", "boolean", "integer", "null", "number", "object", "string")
_LARGEST = 10**15


def checked_schemas(told: object) -> dict[str, object]:
    """
    Return the schemas of an extractor's options, by name.

    Args:
        told: What the package calls `OPTIONS`, any JSON.

    Raises:
        Unfit: They are not schemas that exitgate compares options with; the text says why.
    """
    from exitgate.model.quick_json import dumps

    if not isinstance(told, dict) or len(told) > OPTIONS:
        raise Unfit(f"its `OPTIONS` is not a mapping of at most {OPTIONS} names to JSON Schemas")
    for name, schema in told.items():
        if name in OWN_KEYS or name == FILE or not isinstance(schema, dict):
            raise Unfit(f"its option `{name[:80]}` has a name that exitgate uses itself, or no JSON Schema")
        fault = _fault(schema, 1)
        if fault:
            raise Unfit(f"the JSON Schema of its option `{name[:80]}` {fault}")
    if len(dumps(told)) > CHARACTERS:
        raise Unfit(f"the JSON Schemas of its options have more than {CHARACTERS} characters")
    return told


def keywords() -> tuple[str, ...]:
    """Return the keywords that such a schema may have, sorted."""
    return tuple(sorted((*_VALUES, *_NESTED)))


def _fault(schema: Any, level: int) -> str:
    """Return what is wrong with a schema, as a sentence part behind its name; empty for a good one."""
    if not isinstance(schema, dict):
        return "holds something that is not a schema"
    if level > LEVELS:
        return f"has more than {LEVELS} levels"
    for keyword, value in schema.items():
        if keyword in _NESTED:
            fault = _NESTED[keyword](value, level + 1)
            if fault:
                return fault
        elif keyword not in _VALUES:
            return f"uses `{keyword[:80]}`; schemas of other packages may use {', '.join(keywords())}"
        elif not _VALUES[keyword](value):
            return f"has a value of `{keyword}` that is not allowed there"
    return ""


def _properties(value: Any, level: int) -> str:
    if not isinstance(value, dict):
        return "has a value of `properties` that is not allowed there"
    return next((fault for fault in (_fault(one, level) for one in value.values()) if fault), "")


def _schema_or_bool(value: Any, level: int) -> str:
    return "" if isinstance(value, bool) else _fault(value, level)


def _is_scalar(value: Any) -> bool:
    return value is None or isinstance(value, bool | str) or _is_number(value)


def _is_number(value: Any) -> bool:
    plain = isinstance(value, int | float) and not isinstance(value, bool)
    return plain and -_LARGEST <= value <= _LARGEST and isfinite(value)


def _is_count(value: Any) -> bool:
    return _is_number(value) and isinstance(value, int) and value >= 0


def _is_type(value: Any) -> bool:
    names = value if isinstance(value, list) else [value]
    return 0 < len(names) == len({str(one) for one in names}) and all(one in _TYPES for one in names)


def _is_choice(value: Any) -> bool:
    return isinstance(value, list) and 0 < len(value) <= CHOICES and all(_is_scalar(one) for one in value)


def _is_names(value: Any) -> bool:
    plain = isinstance(value, list) and all(isinstance(one, str) for one in value)
    return plain and len(value) <= CHOICES and len(set(value)) == len(value)


#: Keywords without a schema below them, and what their values have to be. Those of the last lines are for
#: people: a check passes over them.
_VALUES: dict[str, Callable[[Any], bool]] = {
    "type": _is_type,
    "enum": _is_choice,
    "const": _is_scalar,
    "required": _is_names,
    "uniqueItems": lambda value: isinstance(value, bool),
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), _is_number),
    **dict.fromkeys(("minLength", "maxLength", "minItems", "maxItems"), _is_count),
    **dict.fromkeys(("minProperties", "maxProperties"), _is_count),
    **dict.fromkeys(("$comment", "description", "title"), lambda value: isinstance(value, str)),
    "default": lambda _value: True,
    "deprecated": lambda value: isinstance(value, bool),
    "examples": lambda value: isinstance(value, list),
}
_NESTED: dict[str, Callable[[Any, int], str]] = {
    "properties": _properties,
    "items": _fault,
    "additionalProperties": _schema_or_bool,
}
