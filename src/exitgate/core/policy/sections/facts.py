"""Entries under `facts:` that an extractor fills."""

from __future__ import annotations

from exitgate.core.facts import registry
from exitgate.core.model.fact import FactSpec
from exitgate.core.model.json_object import JsonObject, object_of, one_or_more
from exitgate.core.model.spelling import suggestion
from exitgate.core.model.value import Value, outside
from exitgate.core.policy.compiled import Extraction
from exitgate.core.policy.extending.overrides import stand_ins
from exitgate.core.policy.sections.given import read_given
from exitgate.core.policy.sections.lexicons import AUTO, changes_in, read_guards, read_language, read_lexicons
from exitgate.core.policy.sections.options import check_faults, check_shared, read_options, source_of
from exitgate.core.policy.sections.plugged import is_plugged, read_plugged
from exitgate.core.policy.sections.progress import is_progress
from exitgate.core.policy.values import Unfit, ask_about_options, ask_about_value, from_yaml
from exitgate.core.policy.yaml.node import YamlNode
from exitgate.core.system.folders import leads_out

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.core.policy.findings import Findings
    from exitgate.core.policy.library import Library
    from exitgate.core.policy.sections.options import Known


class Extracted(Value):
    """
    What the entries with `extract:` and those under `given:` come to.

    Args:
        extractions: In order of the entries; built-in ones at the end, used or not.
        specs: Full name -> spec.
        unreadable: Full name -> value instead of unknown.
        broken: Prefixes of entries with errors.
    """

    __slots__ = ("broken", "extractions", "specs", "unreadable")

    def __init__(
        self,
        extractions: tuple[Extraction, ...],
        specs: Mapping[str, FactSpec],
        unreadable: Mapping[str, object],
        broken: frozenset[str],
    ) -> None:
        self.extractions = extractions
        self.specs = specs
        self.unreadable = unreadable
        self.broken = broken


def read_extractions(root: YamlNode, known: Known, library: Library, findings: Findings) -> Extracted:
    """
    Return the extractions of a merged policy, with options, lexicons, lists and parameters resolved.

    Args:
        root: The merged policy.
        known: Its named lists, and its parameters with their effective values.
        library: Reads lexicons.
        findings: Takes EP468, EP470 to EP475 and schema errors of options.
    """
    library.lexicon_changes = changes_in(root)
    section = root.get("facts")
    entries = {} if section is None else section.fields
    extractions: list[Extraction] = []
    specs: dict[str, FactSpec] = {}
    unreadable: dict[str, object] = {}
    broken: set[str] = set()
    for prefix, entry in entries.items():
        if "points" in entry.fields or "formula" in entry.fields or is_progress(entry):
            continue
        before = findings.errors()
        extraction = _extraction(prefix, entry, known, library, findings)
        if extraction is None:
            broken.add(prefix)
            continue
        extractions.append(extraction)
        added = full_specs(extraction)
        for name in added.keys() & specs.keys():
            message = f"`{name}` is the name of another fact"
            findings.error("EP475", message, entry.label, "give this entry a different name")
        specs |= added
        _read_unreadable(prefix, entry, specs, unreadable, findings)
        if findings.errors() > before:
            broken.add(prefix)
    given = read_given(root, findings)
    for extraction in given.extractions:
        extractions.append(extraction)
        specs |= full_specs(extraction)
    unreadable |= given.unreadable
    broken |= given.broken
    check_shared(extractions, root, findings)
    for prefix, id in registry.BUILT_IN.items():
        if prefix not in entries:
            extraction = Extraction(
                prefix,
                id,
                registry.load(id).SOURCE,
                _circuit(root, findings) if id == "circuit" else JsonObject(),
            )
            extractions.append(extraction)
            specs |= full_specs(extraction)
    lost = _lost_circuit(root)
    if lost is not None:
        unreadable["circuit.state"] = lost.text
    return Extracted(tuple(extractions), specs, unreadable, frozenset(broken))


def _circuit(root: YamlNode, findings: Findings) -> JsonObject:
    """Return the options that name the external state file, where the policy names one (EP444)."""
    circuit = root.get("circuit")
    if circuit is None or "from" not in circuit.fields:
        return JsonObject()
    path = circuit.fields["from"]
    if leads_out(path.text):
        help = "write a path below the project, such as `.ralph/circuit-state.json`"
        findings.error("EP444", f"`{path.text}` leads out of the project", path.place, help)
    options = JsonObject(path=path.text)
    absent = circuit.get("absent")
    if absent is not None:
        options["absent"] = absent.text
    return options


def _lost_circuit(root: YamlNode) -> YamlNode | None:
    """Return what the policy takes the state of an external breaker for when its file cannot be read."""
    circuit = root.get("circuit")
    return circuit.get("unreadable") if circuit is not None and "from" in circuit.fields else None


def full_specs(extraction: Extraction) -> dict[str, FactSpec]:
    """Return the specs of an extraction under their full names."""
    found = {}
    for spec in registry.load(extraction.extractor).specs(extraction.options):
        name = f"{extraction.prefix}.{spec.name}" if spec.name else extraction.prefix
        found[name] = FactSpec(name, spec.type, spec.doc, spec.unknown_when, spec.low, spec.high, spec.read)
    return found


def _extraction(
    prefix: str, entry: YamlNode, known: Known, library: Library, findings: Findings
) -> Extraction | None:
    id_part = entry.get("extract")
    if id_part is None:
        help = "add `extract: ...`, `points: [...]` or `formula: ...`"
        findings.error("EP202", f"fact `{prefix}` has no source", entry.label, help)
        return None
    if is_plugged(id_part.text):
        return read_plugged(prefix, entry, id_part, known, library, findings)
    if id_part.text not in registry.names():
        help = suggestion(id_part.text, registry.names(), "extractors")
        findings.error("EP470", f"there is no extractor `{id_part.text}`", id_part.place, help)
        return None
    if registry.BUILT_IN.get(prefix, id_part.text) != id_part.text:
        message = f"`{prefix}` is the name of facts that are always there"
        findings.error("EP475", message, entry.label, "give the entry another name")
        return None
    module = registry.load(id_part.text)
    before = findings.errors()
    options, parameters = read_options(entry, module.OPTIONS, id_part.text, known, findings)
    default = _default_lexicon(entry, module.OPTIONS)
    if "lexicon" in entry.fields or default or ("lexicon" in module.OPTIONS and "guards" in module.OPTIONS):
        options["lexicon"] = _lexicon(entry, options.get("language", AUTO), library, findings, default)
    if findings.errors() == before:
        check_faults(module, entry, options, findings)
        ask_about_options(id_part.text, entry, findings)
    if findings.errors() > before:
        return None
    source = source_of(prefix, entry, id_part.text, module.SOURCE, findings)
    return Extraction(prefix, id_part.text, source, options, parameters)


def _default_lexicon(entry: YamlNode, schemas: Mapping[str, object]) -> YamlNode | None:
    """
    Return the lexicon that an entry reads without naming it, or None.

    An extractor that takes `guards:` does without one, and so does an entry with words of its own.
    """
    if "guards" in schemas or ("words" in schemas and "words" in entry.fields):
        return None
    name = object_of(schemas.get("lexicon")).text("default")
    return None if name is None else YamlNode(name, entry.place)


def _lexicon(
    entry: YamlNode, language: object, library: Library, findings: Findings, default: YamlNode | None = None
) -> JsonObject | None:
    """Return the lexicons an entry names, in the languages it names; the guards where it names none."""
    written = entry.get("language")
    place = written.place if written is not None else entry.place
    named = entry.get("lexicon") or default
    if named is None:
        first = one_or_more(language)[0]
        return read_guards(place, library, findings, "" if first == AUTO else first)
    found = read_lexicons(named, library, findings)
    return None if found is None else read_language(found, language, place, findings)


def _read_unreadable(
    prefix: str,
    entry: YamlNode,
    specs: Mapping[str, FactSpec],
    unreadable: dict[str, object],
    findings: Findings,
) -> None:
    section = entry.get("unreadable")
    if section is not None and entry.fields["extract"].text in registry.ASKING:
        message = f"a missing answer of a probe cannot be taken for another: `{prefix}`"
        findings.error(
            "EP474", message, section.label, "remove `unreadable:`, and say in the rule what is to be"
        )
        return
    for suffix, part in stand_ins(section).items() if section is not None else ():
        name = f"{prefix}.{suffix}" if suffix else prefix
        spec = specs.get(name) or (specs.get(prefix) if suffix == "value" else None)
        if spec is None:
            suffixes = [full[len(prefix) + 1 :] for full in specs if full.startswith(prefix + ".")]
            help = suggestion(suffix, suffixes, f"facts of `{prefix}`")
            if not suffix:
                help = f"write `unreadable: {{{suffixes[0]}: ...}}`" if suffixes else "remove it"
            findings.error("EP474", f"there is no fact `{name}`", part.label if suffix else part.place, help)
            continue
        try:
            value = from_yaml(spec.type, part.plain(), part.text)
        except Unfit as error:
            findings.error("EP474", f"`{name}`: {error}", part.place, error.help)
            continue
        if outside(value, spec.low, spec.high):
            message = f"`unreadable` of `{spec.name}` is outside its range"
            findings.error("EP474", message, part.place, "change the value or the range")
            continue
        unreadable[spec.name] = value
        ask_about_value(spec.type, value, part.text, part.place, findings)
