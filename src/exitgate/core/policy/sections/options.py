"""Options of extractors: lists and parameters resolved, each compared with the extractor's own schema."""

from __future__ import annotations

from exitgate.core.facts.registry import OWN_FILES, own_files
from exitgate.core.model.json_object import JsonObject, object_of
from exitgate.core.model.spelling import suggestion
from exitgate.core.model.value import Value
from exitgate.core.policy.findings import Findings
from exitgate.core.policy.schema.check import check_schema
from exitgate.core.policy.yaml.node import Written, YamlNode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from exitgate.core.model.diagnostic import Location
    from exitgate.core.policy.compiled import Extraction, Parameter
    from exitgate.core.policy.findings import Findings
    from exitgate.core.policy.yaml.node import YamlNode


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
        root: YamlNode,
        parameters: Mapping[str, Parameter],
        broken: AbstractSet[str] = frozenset(),
    ) -> None:
        section = root.get("lists")
        self.lists: Mapping[str, YamlNode] = section.fields if section is not None else {}
        self.parameters = parameters
        self.broken = broken


def read_options(
    entry: YamlNode, schemas: Mapping[str, object], extractor: str, known: Known, findings: Findings
) -> tuple[JsonObject, tuple[str, ...]]:
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
    options = JsonObject()
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
        places: dict[Location, str] = {}
        resolved = _with_parameters(_with_lists(part, known.lists, findings), known, places, findings)
        names |= set(places.values())
        if findings.errors() > before or known.broken & set(places.values()):
            continue
        _check(resolved, object_of(schemas[key]), places, known.parameters, findings)
        options[key] = resolved.plain()
    return options, tuple(sorted(names))


def _check(
    part: YamlNode,
    schema: JsonObject,
    places: Mapping[Location, str],
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


def _with_lists(part: YamlNode, lists: Mapping[str, YamlNode], findings: Findings) -> YamlNode:
    """Return the part with every ``{list: name}`` replaced by the words of that list."""
    if list(part.fields) == ["list"] and isinstance(part.fields["list"].value, str):
        name = part.fields["list"]
        if name.text not in lists:
            help = suggestion(name.text, lists, "lists")
            findings.error("EP473", f"there is no list `{name.text}`", name.place, help)
            return YamlNode((), part.place, part.key)
        return YamlNode(lists[name.text].value, part.place, part.key)
    if part.fields:
        return part.with_fields({k: _with_lists(child, lists, findings) for k, child in part.fields.items()})
    if part.items:
        return part.with_items([_with_lists(child, lists, findings) for child in part.items])
    return part


def _with_parameters(
    part: YamlNode, known: Known, places: dict[Location, str], findings: Findings
) -> YamlNode:
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
        return YamlNode(text[1:], part.place, part.key, part.written)
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


def _valued(value: object, part: YamlNode) -> YamlNode:
    """Return a value of a parameter as if it had been written in place of `part`."""
    if isinstance(value, tuple):
        return YamlNode(tuple(_valued(item, part) for item in value), part.place, part.key)
    assert isinstance(value, str | int | float | bool)
    shown = str(value).lower() if isinstance(value, bool) else str(value)
    was = part.written
    written = Written(was.lines, was.start, was.end, "plain", shown, was.flow) if was is not None else None
    return YamlNode(value, part.place, part.key, written)


def _is_name(text: str) -> bool:
    """Return whether a text could be the name of a parameter, as the schema of policies has it."""
    plain = text.replace("_", "a")
    return plain.isascii() and plain.isalnum() and text[:1].isalpha() and text.islower()


# Entries under `facts:` that name files of the project: what their sources are called.

#: Sources that mean the same in every policy.
SOURCES = frozenset(
    (
        "circuit", "clock", "day", "diff", "git", "output", "plan", "response", "result", "run", "tampering",
        "task", "tool_calls", "tool_results",
    )
)  # fmt: skip


def source_of(prefix: str, entry: YamlNode, extractor: str, otherwise: str, findings: Findings) -> str:
    """
    Return the source that an entry reads: `from:`, else `otherwise`; its own name where it names files.

    Args:
        prefix: Name of the entry.
        entry: The entry.
        extractor: Id of its extractor.
        otherwise: Default source of the extractor.
        findings: Takes EP202 for an entry without files, EP475 for one that would hide another source.
    """
    written = entry.get("from")
    options = OWN_FILES.get(extractor)
    if options is None:
        return written.text if written is not None else otherwise
    named = [entry.fields[option] for option in options if option in entry.fields]
    if not named and written is None:
        help = f"add `{options[0]}:` with a path below the project, or `from:` with a source"
        findings.error("EP202", f"`{prefix}` does not name its files", entry.label, help)
    name = written.text if written is not None else prefix
    if named and name in SOURCES:
        place = written.place if written is not None else entry.label
        help = "give the entry another name" if written is None else "remove `from:`, or the files"
        findings.error("EP475", f"`{name}` is the name of a built-in source", place, help)
    return name


def check_shared(extractions: Iterable[Extraction], root: YamlNode, findings: Findings) -> None:
    """Report entries that read different files under one name of a source (EP475)."""
    first: dict[str, tuple[str, object]] = {}
    facts = root.get("facts")
    for entry in extractions:
        options = own_files(entry.extractor)
        files = {option: entry.options[option] for option in options if option in entry.options}
        if not files:
            continue
        seen = (entry.extractor, {**files, "contains": entry.options.get("contains")})
        if first.setdefault(entry.source, seen) != seen and facts is not None:
            message = f"source `{entry.source}` means other files in an entry above"
            help = "give this entry its own `from:`, or none"
            findings.error("EP475", message, facts.fields[entry.prefix].label, help)


# Options that fit their schema and still cannot be used: patterns, templates, names of groups.


def check_faults(extractor: object, entry: YamlNode, options: JsonObject, findings: Findings) -> None:
    """
    Report what an extractor finds wrong with its options (EP479), each fault at its own place.

    Args:
        extractor: Its module. One that has `faults` yields path, message and help from the options.
        entry: The entry under `facts:`.
        options: As the extractor takes them, lexicons resolved.
        findings: Takes the diagnostics.
    """
    faults = getattr(extractor, "faults", None)
    if faults is None:
        return
    for path, message, help in faults(options):
        findings.error("EP479", message, _part(entry, path).place, help)


def _part(entry: YamlNode, path: Sequence[str | int]) -> YamlNode:
    """Return the part at `path`, or the nearest above it that was written in this file."""
    for step in path:
        if isinstance(step, int) and step < len(entry.items):
            entry = entry.items[step]
        elif isinstance(step, str) and step in entry.fields:
            entry = entry.fields[step]
        else:
            break
    return entry
