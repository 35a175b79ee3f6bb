"""Options of `status_block` made ready: names of the block, its fields, what may not be together."""

from __future__ import annotations

from exitgate.facts import structural
from exitgate.facts.status_fields import keys
from exitgate.facts.status_values import TRUTHS, Wanted, key_of, normal
from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.facts.status_fields import Keys

#: The member that the language takes for a word of its own, and what it is called there.
UNKNOWN, NOT_SAID = "UNKNOWN", "NOT_SAID"


class Form(Value):
    """
    A status block as a policy describes it.

    Args:
        names: Names under which it is.
        fields: In order.
        known: The fields by `normal` of their keys.
        contradictions: Each fact -> value, which together say two things.
    """

    __slots__ = ("contradictions", "fields", "known", "names")

    def __init__(
        self,
        names: tuple[str, ...],
        fields: tuple[Wanted, ...],
        known: Keys,
        contradictions: tuple[Mapping[str, object], ...],
    ) -> None:
        self.names = names
        self.fields = fields
        self.known = known
        self.contradictions = contradictions


def form(options: Mapping[str, object]) -> Form:
    """Return the form that `options` describe; what does not match their schema is left out."""
    written = options.get("fields")
    fields = tuple(
        wanted(str(fact), entry)
        for fact, entry in (written.items() if isinstance(written, dict) else ())
        if isinstance(entry, dict)
    )
    combined = tuple(c for c in _listed(options.get("contradictions")) if isinstance(c, dict) and c)
    names = tuple(str(n) for n in _listed(options.get("name")) if str(n).strip(structural.KEY_MARKS))
    return Form(
        names, fields, keys(fields), tuple({k: _canonical(v) for k, v in c.items()} for c in combined)
    )


def wanted(fact: str, entry: Mapping[str, object]) -> Wanted:
    """Return one field from its options."""
    written = [str(k) for k in _listed(entry.get("key", fact.upper()))] or [fact.upper()]
    kind = str(entry.get("type", "text"))
    also, unless = entry.get("also"), entry.get("unless")
    words = _words(kind, entry, also if isinstance(also, dict) else {})
    return Wanted(
        fact,
        written[0],
        tuple(n for n in map(normal, written) if n),
        kind,
        words,
        _canonical(entry.get("unreadable")),
        {words.get(key_of(str(value))): str(pattern) for value, pattern in unless.items()}
        if isinstance(unless, dict)
        else None,
    )


def members(entry: Mapping[str, object]) -> tuple[str, ...]:
    """Return the members of an enum field in upper case, as conditions name them."""
    return tuple(dict.fromkeys(_member(entry, m) for m in _listed(entry.get("members"))))


def _member(entry: Mapping[str, object], written: object) -> str:
    member = str(written).upper()
    return str(entry.get("unknown", NOT_SAID)) if member == UNKNOWN else member


def _words(kind: str, entry: Mapping[str, object], also: Mapping[str, object]) -> dict[str, object]:
    """Return `key_of` each word -> value, members before the words that stand for them."""
    values: dict[str, object] = {}
    if kind == "bool":
        values = dict(TRUTHS)
    elif kind == "enum":
        values = {normal(str(m)): _member(entry, m) for m in _listed(entry.get("members"))}
    for member, others in also.items():
        value = values.get(normal(str(member)))
        for word in _listed(others) if value is not None else ():
            values.setdefault(key_of(str(word)), value)
    values.pop("", None)
    return values


def _canonical(value: object) -> object:
    return value.upper() if isinstance(value, str) else value


def _listed(value: object) -> list[object]:
    if isinstance(value, list | tuple):
        return list(value)
    return [] if value is None else [value]
