"""The facts that an extractor of another package describes, held to what facts of a policy can be."""

from __future__ import annotations

from exitgate.model.ranges import ORDERED, range_fault, usual_range
from exitgate.model.type import KINDS, Type
from exitgate.plugins.content import Unfit
from exitgate.plugins.installed import is_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

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
    if not isinstance(told, list) or not 0 < len(told) <= FACTS:
        raise Unfit(f"`facts()` did not return a list of 1 to {FACTS} facts")
    found: dict[str, dict[str, object]] = {}
    for one in told:
        if not isinstance(one, dict) or not _FIELDS.issuperset(one):
            raise Unfit(f"a fact is a mapping with some of {', '.join(sorted(_FIELDS))}")
        name = one.get("name", "")
        if name != "" and not is_name(name):
            raise Unfit(f"`{str(name)[:80]}` cannot be the name of a fact")
        if name in found:
            raise Unfit(f"it describes the fact `{name}` twice")
        found[name] = _fact(name, one)
    return list(found.values())


def _fact(name: str, one: Mapping[str, Any]) -> dict[str, object]:
    type_ = _type(name, one)
    low, high = one.get("low"), one.get("high")
    for bound in (low, high):
        plain = bound is None or (isinstance(bound, int | float) and not isinstance(bound, bool))
        if not plain or (bound is not None and not -_LARGEST <= bound <= _LARGEST):
            raise Unfit(f"a bound of its fact `{name}` is not a number")
    if (low, high) != (None, None) or type_.kind in ORDERED:
        fault = range_fault(type_.kind, low, high, "`low` and `high`")
        if fault is not None:
            raise Unfit(f"`low` and `high` of its fact `{name}`: {fault[0]}")
    least, most = usual_range(type_.kind)
    doc, unknown = one.get("doc", ""), one.get("unknown", "it found none")
    if not isinstance(doc, str) or not isinstance(unknown, str) or len(doc) + len(unknown) > _TEXTS:
        raise Unfit(f"`doc` and `unknown` of its fact `{name}` are not short texts")
    plain_spec = {"name": name, "type": type_.to_json(), "doc": doc, "unknown_when": unknown}
    return {**plain_spec, "low": least if low is None else low, "high": most if high is None else high}


def _type(name: str, one: Mapping[str, Any]) -> Type:
    kind, item, currency = one.get("type"), one.get("item", "text"), one.get("currency")
    if not isinstance(kind, str) or kind not in KINDS:
        raise Unfit(f"the type of its fact `{name}` is not one of {', '.join(KINDS)}")
    if kind == "enum":
        return Type("enum", members=_members(name, one.get("members")))
    if kind == "list":
        if not isinstance(item, str) or item not in _PLAIN_ITEMS:
            raise Unfit(f"the `item` of its fact `{name}` is not a plain type")
        return Type("list", item=Type(item))
    if kind == "money":
        code = isinstance(currency, str) and len(currency) == 3 and currency.isascii()
        if not code or not str(currency).isalpha() or not str(currency).isupper():
            raise Unfit(f"its fact `{name}` is money without a `currency` of three capital letters")
        return Type("money", currency=str(currency))
    return Type(kind)


def _members(name: str, members: object) -> tuple[str, ...]:
    plain = isinstance(members, list) and 0 < len(members) <= MEMBERS and all(map(_is_member, members))
    upper = tuple(str(member).upper() for member in members) if isinstance(members, list) and plain else ()
    if not upper or len(set(upper)) < len(upper):
        raise Unfit(f"its fact `{name}` is an enum without `members` that a policy could name")
    return upper


def _is_member(member: object) -> bool:
    plain = isinstance(member, str) and is_name(member.lower()) and member.isascii()
    return plain and str(member).upper() not in ("KNOWN", "UNKNOWN")
