"""Entries under `given:`: typed facts that the caller of a check fills."""

from __future__ import annotations

from exitgate.core.facts import registry
from exitgate.core.facts.given import NAME
from exitgate.core.language.literals import RESERVED
from exitgate.core.model.json_object import number_of
from exitgate.core.model.value import ORDERED, outside, range_fault, usual_range
from exitgate.core.policy.compiled import Extraction
from exitgate.core.policy.sections.parameters import type_of
from exitgate.core.policy.values import Unfit, ask_about_value, from_yaml
from exitgate.core.policy.yaml.node import YamlNode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.model.value import Type
    from exitgate.core.policy.findings import Findings


SECTION = "given"
#: Keys that replace an inherited entry as a whole where they change what it holds.
_KIND = "type"
#: Words of the language: a fact of such a name could not be written in a condition.
_WORDS = frozenset(word for words in RESERVED for word in words.split())


class Given:
    """
    What the entries under `given:` come to.

    Attributes:
        extractions: One for each, in order: `exitgate.core.facts.given` fills it.
        unreadable: Name -> value instead of unknown.
        broken: Names of entries with errors.
    """

    __slots__ = ("broken", "extractions", "unreadable")

    def __init__(self) -> None:
        self.extractions: list[Extraction] = []
        self.unreadable: dict[str, object] = {}
        self.broken: set[str] = set()


def read_given(root: YamlNode, findings: Findings) -> Given:
    """
    Return the given facts of a merged policy.

    Args:
        root: The merged policy.
        findings: Takes EP202, EP467, EP474 and EP475.
    """
    found = Given()
    section, facts = root.get(SECTION), root.get("facts")
    entries = facts.fields if facts is not None else {}
    for name, entry in section.fields.items() if section is not None else ():
        before = findings.errors()
        _check_name(name, entry, set(entries), findings)
        extraction = _read(name, entry, found, findings)
        if findings.errors() > before:
            found.broken.add(name)
        elif extraction is not None:
            found.extractions.append(extraction)
    return found


def override_given(old: YamlNode, new: YamlNode) -> YamlNode:
    """Return the section with the entries of a later policy: key by key, whole where the type changes."""
    merged = dict(old.fields)
    for name, entry in new.fields.items():
        before = merged.get(name)
        changed = before is not None and _KIND in entry.fields and _KIND in before.fields
        if before is None or (changed and entry.fields[_KIND].value != before.fields[_KIND].value):
            merged[name] = entry
        else:
            merged[name] = YamlNode({**before.fields, **entry.fields}, entry.place, entry.key)
    return old.with_fields(merged)


def _check_name(name: str, entry: YamlNode, entries: set[str], findings: Findings) -> None:
    """Report a name that facts of something else have (EP475)."""
    first = name.partition(".")[0]
    if first in registry.BUILT_IN:
        message = f"`{first}` is the name of facts that are always there"
        findings.error("EP475", message, entry.label, "give the fact another name")
    elif any(name == other or name.startswith(other + ".") for other in entries):
        message = f"`{name}` is the name of an entry under `facts:`, or of a fact of it"
        findings.error("EP475", message, entry.label, "give one of them another name")
    elif name in _WORDS:
        message = f"a fact cannot be called `{name}`: it is a word of the language"
        findings.error("EP475", message, entry.label, "give the fact another name")


def _read(name: str, entry: YamlNode, found: Given, findings: Findings) -> Extraction | None:
    if _KIND not in entry.fields:
        message = f"given fact `{name}` has no `type`"
        findings.error("EP202", message, entry.label, "add `type: bool`, or another type")
        return None
    type_ = type_of(entry, findings)
    if type_ is None:
        return None
    low, high = _range(entry, type_, findings)
    doc = entry.fields["doc"].text if "doc" in entry.fields else "Given by the caller of a check."
    options: dict[str, object] = {"name": name, "type": type_.to_json(), "doc": doc}
    options |= {key: end for key, end in (("min", low), ("max", high)) if end is not None}
    extraction = Extraction(name, NAME, NAME, options)
    instead = entry.get("unreadable")
    if instead is not None:
        value = _value(type_, instead, f"`unreadable` of `{name}`", "EP474", findings)
        if value is not None and outside(value, low, high):
            message = f"`unreadable` of `{name}` is outside its range"
            findings.error("EP474", message, instead.place, "change the value or the range")
        elif value is not None:
            found.unreadable[name] = value
    return extraction


def _range(entry: YamlNode, type: Type, findings: Findings) -> tuple[float | None, float | None]:
    """Return the declared range, else that of the type."""
    section = entry.get("range")
    if section is None:
        return usual_range(type.kind)
    if type.kind in ORDERED:
        ends = [_value(type, item, "an end of `range`", "EP467", findings) for item in section.items]
    else:
        ends = [None, None]
    low, high = map(number_of, ends)
    fault = range_fault(type.kind, low, high)
    if fault is not None:
        place = section.place if type.kind in ORDERED else section.label
        findings.error("EP467", fault[0], place, fault[1])
    return low, high


def _value(type: Type, part: YamlNode, what: str, code: str, findings: Findings) -> object:
    """Return the value that is written, or None after an error."""
    try:
        value = from_yaml(type, part.plain(), part.text)
    except Unfit as error:
        findings.error(code, f"{what}: {error}", part.place, error.help)
        return None
    ask_about_value(type, value, part.text, part.place, findings)
    return value
