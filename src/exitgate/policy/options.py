"""Options of extractors: lists and parameters resolved, each compared with the extractor's own schema."""

from __future__ import annotations

from exitgate.model.value import Value
from exitgate.policy.findings import Findings
from exitgate.policy.part import Part
from exitgate.policy.schema_check import check_schema
from exitgate.policy.suggestion import suggestion
from exitgate.policy.written import Written

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from collections.abc import Set as AbstractSet

    from exitgate.model.place import Place
    from exitgate.policy.compiled import Parameter

#: Keys of an entry that are not options of its extractor.
OWN_KEYS = frozenset(("extract", "from", "lexicon", "unreadable", "doc"))


class Known(Value):
    """
    What options may name.

    Args:
        root: The merged policy; its lists are for ``{list: name}``.
        parameters: With their effective values, for ``$name``.
        broken: Names of parameters declared with an error.
    """

    __slots__ = ("broken", "lists", "parameters")

    def __init__(
        self,
        root: Part,
        parameters: Mapping[str, Parameter],
        broken: AbstractSet[str] = frozenset(),
    ) -> None:
        section = root.get("lists")
        self.lists: Mapping[str, Part] = section.fields if section is not None else {}
        self.parameters = parameters
        self.broken = broken


def read_options(
    entry: Part, schemas: Mapping[str, object], extractor: str, known: Known, findings: Findings
) -> tuple[dict[str, object], tuple[str, ...]]:
    """
    Return the options of an entry as plain data, and the parameters they name, sorted.

    Args:
        entry: The entry under `facts:`.
        schemas: Option -> JSON Schema.
        extractor: Its id, for messages.
        known: Lists and parameters.
        findings: Takes what the extractor does not take (EP471, EP2xx), unknown lists (EP473) and
            parameters (EP468).
    """
    options: dict[str, object] = {}
    names: set[str] = set()
    takes = [name for name in schemas if name not in OWN_KEYS]
    for key, part in entry.fields.items():
        if key in OWN_KEYS:
            if key == "lexicon" and key not in schemas:
                message = f"`{extractor}` reads no lexicon"
                findings.error("EP471", message, part.label, "remove the key")
            continue
        if key not in takes:
            help = suggestion(key, takes, f"options of `{extractor}`")
            findings.error("EP471", f"`{extractor}` has no option `{key}`", part.label, help)
            continue
        before = findings.errors()
        places: dict[Place, str] = {}
        resolved = _with_parameters(_with_lists(part, known.lists, findings), known, places, findings)
        names |= set(places.values())
        if findings.errors() > before or known.broken & set(places.values()):
            continue
        schema = schemas[key]
        assert isinstance(schema, dict)
        _check(resolved, schema, places, known.parameters, findings)
        options[key] = resolved.plain()
    return options, tuple(sorted(names))


def _check(
    part: Part,
    schema: Mapping[str, object],
    places: Mapping[Place, str],
    parameters: Mapping[str, Parameter],
    findings: Findings,
) -> None:
    """Compare an option with its schema; what a parameter put there is reported at the ``$name``, by name."""
    if not places:
        check_schema(part, schema, findings)
        return
    trial = Findings()
    check_schema(part, schema, trial)
    for found in trial.sorted():
        name = places.get(found.place) if found.place is not None else None
        if name is None:
            findings.error(found.code, found.message, found.place, found.help, found.related)
            continue
        set_at = parameters[name].place
        related = (("the value", set_at),) if set_at is not None else ()
        help = f"give `${name}` a value that fits this option, or write one here"
        findings.error(found.code, f"`${name}`: {found.message}", found.place, help, related)


def _with_lists(part: Part, lists: Mapping[str, Part], findings: Findings) -> Part:
    """Return the part with every ``{list: name}`` replaced by the words of that list."""
    if list(part.fields) == ["list"] and isinstance(part.fields["list"].value, str):
        name = part.fields["list"]
        if name.text not in lists:
            help = suggestion(name.text, lists, "lists")
            findings.error("EP473", f"there is no list `{name.text}`", name.place, help)
            return Part((), part.place, part.key)
        return Part(lists[name.text].value, part.place, part.key)
    if part.fields:
        return part.with_fields({k: _with_lists(child, lists, findings) for k, child in part.fields.items()})
    if part.items:
        return part.with_items([_with_lists(child, lists, findings) for child in part.items])
    return part


def _with_parameters(part: Part, known: Known, places: dict[Place, str], findings: Findings) -> Part:
    """
    Return the part with every text ``$name`` replaced by the value of that parameter.

    A number, percent (``90%`` is 90), duration (in seconds) or amount of money becomes a number, a
    list the whole list. The text ``$$name`` becomes ``$name``. `places` takes where each one is.
    """
    if part.fields:
        fields = {k: _with_parameters(v, known, places, findings) for k, v in part.fields.items()}
        return part.with_fields(fields)
    if part.items:
        return part.with_items([_with_parameters(v, known, places, findings) for v in part.items])
    text = part.value
    if not isinstance(text, str) or not text.startswith("$"):
        return part
    if text.startswith("$$") and _is_name(text[2:]):
        return Part(text[1:], part.place, part.key, part.written)
    name = text[1:]
    if not _is_name(name):
        return part
    if name in known.broken:
        places[part.place] = name
        return part
    if name not in known.parameters:
        help = suggestion(text, [f"${other}" for other in known.parameters], "parameters")
        help = help if help.startswith("did") else f"{help}; the text itself is written `${text}`"
        findings.error("EP468", f"there is no parameter `{text}`", part.place, help)
        return part
    places[part.place] = name
    return _valued(known.parameters[name].value, part)


def _valued(value: object, part: Part) -> Part:
    """Return a value of a parameter as if it had been written in place of `part`."""
    if isinstance(value, tuple):
        return Part(tuple(_valued(item, part) for item in value), part.place, part.key)
    assert isinstance(value, str | int | float | bool)
    shown = str(value).lower() if isinstance(value, bool) else str(value)
    was = part.written
    written = Written(was.lines, was.start, was.end, "plain", shown, was.flow) if was is not None else None
    return Part(value, part.place, part.key, written)


def _is_name(text: str) -> bool:
    """Return whether a text could be the name of a parameter, as the schema of policies has it."""
    plain = text.replace("_", "a")
    return plain.isascii() and plain.isalnum() and text[:1].isalpha() and text.islower()
