"""The facts that an extractor of another package describes, held to what facts of a policy can be."""

from __future__ import annotations

from math import isfinite

from exitgate.core.model.json_object import array_of, kind_of, object_or_none, texts_of, whole_of
from exitgate.core.model.value import KINDS, ORDERED, Type, is_number, range_fault, usual_range
from exitgate.core.plugins.extractor import FILE
from exitgate.core.plugins.installed import is_name
from exitgate.core.plugins.permissions import Unfit
from exitgate.core.policy.sections.options import OWN_KEYS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from exitgate.core.model.json_object import JsonObject


#: Facts of one extractor, and members of an enum.
FACTS, MEMBERS = 100, 100
#: Bounds beyond it, of either sign, are none that a policy could compare exactly.
_LARGEST = 10**300
_TEXTS = 2000
_FIELDS = frozenset(("name", "type", "doc", "unknown", "low", "high", "members", "item", "currency"))
_PLAIN_ITEMS = frozenset(KINDS) - {"enum", "list", "money"}


def checked_facts(told: object) -> list[dict[str, object]]:
    """
    Return the described facts as plain specs.

    Args:
        told: What `facts()` of the package returned, any JSON.

    Raises:
        Unfit: A policy cannot have such facts; the text says why.
    """
    if not 0 < len(array_of(told)) <= FACTS:
        raise Unfit(f"`facts()` did not return a list of 1 to {FACTS} facts")
    found: dict[str, dict[str, object]] = {}
    for fact in array_of(told):
        one = object_or_none(fact)
        if one is None or not _FIELDS.issuperset(one):
            raise Unfit(f"a fact is a mapping with some of {', '.join(sorted(_FIELDS))}")
        name = _text(one, "name")
        if name is None or (name and not is_name(name)):
            raise Unfit(f"`{str(one['name'])[:80]}` cannot be the name of a fact")
        if name in found:
            raise Unfit(f"it describes the fact `{name}` twice")
        found[name] = _fact(name, one)
    return list(found.values())


def _fact(name: str, one: JsonObject) -> dict[str, object]:
    type_ = _type(name, one)
    low, high = one.number("low"), one.number("high")
    for bound, written in ((low, one.get("low")), (high, one.get("high"))):
        if written is not None and (bound is None or not -_LARGEST <= bound <= _LARGEST):
            raise Unfit(f"a bound of its fact `{name}` is not a number")
    if (low, high) != (None, None) or type_.kind in ORDERED:
        fault = range_fault(type_.kind, low, high, "`low` and `high`")
        if fault is not None:
            raise Unfit(f"`low` and `high` of its fact `{name}`: {fault[0]}")
    least, most = usual_range(type_.kind)
    doc, unknown = _text(one, "doc"), _text(one, "unknown", "it found none")
    if doc is None or unknown is None or len(doc) + len(unknown) > _TEXTS:
        raise Unfit(f"`doc` and `unknown` of its fact `{name}` are not short texts")
    plain_spec = {"name": name, "type": type_.to_json(), "doc": doc, "unknown_when": unknown}
    return {**plain_spec, "low": least if low is None else low, "high": most if high is None else high}


def _text(one: JsonObject, key: str, default: str = "") -> str | None:
    """Return a text, the default where the key is missing, None where something else is there."""
    return one.text(key) if key in one else default


def _type(name: str, one: JsonObject) -> Type:
    kind, currency = one.text("type"), one.text("currency", "")
    if kind is None or kind not in KINDS:
        raise Unfit(f"the type of its fact `{name}` is not one of {', '.join(KINDS)}")
    if kind == "enum":
        return Type("enum", members=_members(name, one))
    if kind == "list":
        item = _text(one, "item", "text")
        if item is None or item not in _PLAIN_ITEMS:
            raise Unfit(f"the `item` of its fact `{name}` is not a plain type")
        return Type("list", item=Type(item))
    if kind == "money":
        code = len(currency) == 3 and currency.isascii()
        if not code or not currency.isalpha() or not currency.isupper():
            raise Unfit(f"its fact `{name}` is money without a `currency` of three capital letters")
        return Type("money", currency=currency)
    return Type(kind)


def _members(name: str, one: JsonObject) -> tuple[str, ...]:
    upper = tuple(member.upper() for member in one.texts("members") if _is_member(member))
    if not 0 < len(upper) <= MEMBERS or len(set(upper)) < len(one.array("members")):
        raise Unfit(f"its fact `{name}` is an enum without `members` that a policy could name")
    return upper


def _is_member(member: str) -> bool:
    plain = is_name(member.lower()) and member.isascii()
    return plain and member.upper() not in ("KNOWN", "UNKNOWN")


# Options of extractors of other packages: JSON Schemas of which exitgate knows beforehand what they cost.
#
# A schema of others is compared in our own process. So it keeps to keywords with which each value is looked
# at once: no patterns, which Python may try for years, no references, which may lead round or to the
# network, and no combinations, which look at a value again and again.

#: Options of one extractor, levels of a schema, values in an `enum`, and characters of all schemas as JSON.
OPTIONS, LEVELS, CHOICES, CHARACTERS = 100, 8, 200, 200_000
_TYPES = ("array", "boolean", "integer", "null", "number", "object", "string")
_LARGEST_OPTION = 10**15


def checked_schemas(told: object) -> dict[str, object]:
    """
    Return the schemas of an extractor's options, by name.

    Args:
        told: What the package calls `OPTIONS`, any JSON.

    Raises:
        Unfit: They are not schemas that exitgate compares options with; the text says why.
    """
    from exitgate.core.system.quick_json import dumps

    schemas = object_or_none(told)
    if schemas is None or len(schemas) > OPTIONS:
        raise Unfit(f"its `OPTIONS` is not a mapping of at most {OPTIONS} names to JSON Schemas")
    for name, schema in schemas.items():
        if name in OWN_KEYS or name == FILE or kind_of(schema) != "object":
            raise Unfit(f"its option `{name[:80]}` has a name that exitgate uses itself, or no JSON Schema")
        fault = _fault(schema, 1)
        if fault:
            raise Unfit(f"the JSON Schema of its option `{name[:80]}` {fault}")
    if len(dumps(schemas)) > CHARACTERS:
        raise Unfit(f"the JSON Schemas of its options have more than {CHARACTERS} characters")
    return schemas


def keywords() -> tuple[str, ...]:
    """Return the keywords that such a schema may have, sorted."""
    return tuple(sorted((*_VALUES, *_NESTED)))


def _fault(schema: object, level: int) -> str:
    """Return what is wrong with a schema, as a sentence part behind its name; empty for a good one."""
    members = object_or_none(schema)
    if members is None:
        return "holds something that is not a schema"
    if level > LEVELS:
        return f"has more than {LEVELS} levels"
    for keyword, value in members.items():
        if keyword in _NESTED:
            fault = _NESTED[keyword](value, level + 1)
            if fault:
                return fault
        elif keyword not in _VALUES:
            return f"uses `{keyword[:80]}`; schemas of other packages may use {', '.join(keywords())}"
        elif not _VALUES[keyword](value):
            return f"has a value of `{keyword}` that is not allowed there"
    return ""


def _properties(value: object, level: int) -> str:
    members = object_or_none(value)
    if members is None:
        return "has a value of `properties` that is not allowed there"
    return next((fault for fault in (_fault(one, level) for one in members.values()) if fault), "")


def _schema_or_bool(value: object, level: int) -> str:
    return "" if kind_of(value) == "boolean" else _fault(value, level)


def _is_a(kind: str) -> Callable[[object], bool]:
    return lambda value: kind_of(value) == kind


def _is_scalar(value: object) -> bool:
    return kind_of(value) in ("null", "boolean", "string") or _is_number(value)


def _is_number(value: object) -> bool:
    return is_number(value) and -_LARGEST_OPTION <= value <= _LARGEST_OPTION and isfinite(value)


def _is_count(value: object) -> bool:
    whole = whole_of(value)
    return whole is not None and 0 <= whole <= _LARGEST_OPTION


def _is_type(value: object) -> bool:
    names = array_of(value) if kind_of(value) == "array" else [value]
    return 0 < len(names) == len({str(one) for one in names}) and all(one in _TYPES for one in names)


def _is_choice(value: object) -> bool:
    return 0 < len(array_of(value)) <= CHOICES and all(_is_scalar(one) for one in array_of(value))


def _is_names(value: object) -> bool:
    names = texts_of(value)
    return kind_of(value) == "array" and len(names) <= CHOICES and len(set(names)) == len(array_of(value))


#: Keywords without a schema below them, and what their values have to be. Those of the last lines are for
#: people: a check passes over them.
_VALUES: dict[str, Callable[[object], bool]] = {
    "type": _is_type,
    "enum": _is_choice,
    "const": _is_scalar,
    "required": _is_names,
    "uniqueItems": _is_a("boolean"),
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), _is_number),
    **dict.fromkeys(("minLength", "maxLength", "minItems", "maxItems"), _is_count),
    **dict.fromkeys(("minProperties", "maxProperties"), _is_count),
    **dict.fromkeys(("$comment", "description", "title"), _is_a("string")),
    "default": lambda _value: True,
    "deprecated": _is_a("boolean"),
    "examples": _is_a("array"),
}
_NESTED: dict[str, Callable[[object, int], str]] = {
    "properties": _properties,
    "items": _fault,
    "additionalProperties": _schema_or_bool,
}
