"""The section of exitgate in a file that other tools share."""

from __future__ import annotations

from exitgate.core.model.spelling import nearest_name
from exitgate.core.policy import shipped
from exitgate.core.policy.schema.check import check_schema, inspect
from exitgate.core.policy.sections.parameters import RESERVED
from exitgate.core.policy.yaml.node import YamlNode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from exitgate.core.model.diagnostic import Diagnostic
    from exitgate.core.policy.findings import Findings
    from exitgate.core.policy.schema.check import Path, Shape
    from exitgate.core.policy.yaml.document import Document
    from exitgate.core.settings.documents import Layer


SECTION = "exit_decision"
SHARED = "project"

#: Those that settings for one policy cannot have.
OUTER = frozenset(("policy", "preset", "policies", "hooks", "probes", "notify"))


def section_of(document: Document, own: Findings, findings: Findings) -> tuple[YamlNode, frozenset[str]]:
    """
    Return the section of a file, checked with the schema, empty if it is missing; and lost names.

    Args:
        document: The file.
        own: What was wrong with its YAML; only the section is ours.
        findings: Takes that, and what is wrong with the section's form.
    """
    root = document.root
    for found in own.sorted():
        if _is_ours(found, document):
            findings.take(found, _in_words_of_settings(found))
    part = root.get(SECTION)
    if part is None:
        _report_misspelt(root, findings)
        return YamlNode({}, root.place), frozenset()
    if part.value is None:
        return YamlNode({}, part.place, part.key), frozenset()
    if not part.is_mapping:
        fitting(part, "section", findings)
        return YamlNode({}, part.place, part.key), frozenset()
    return fitting(part, "section", findings)


def parameters_in(section: YamlNode) -> Iterator[tuple[str, YamlNode]]:
    """Yield the short keys of a section, those that are to be parameters."""
    for key, part in section.fields.items():
        if key not in RESERVED and not key.startswith("x-"):
            yield key, part


def _is_ours(found: Diagnostic, document: Document) -> bool:
    """Return whether a problem of YAML is in the section: other tools' sections are left alone."""
    place = found.place
    if place is None:
        return True
    keys = [(part.label.line, key) for key, part in document.root.fields.items()]
    above = [key for line, key in keys if line <= place.line]
    if place.column == 1 and found.code == "EP105":
        return found.message.startswith(f"`{SECTION}`")
    return not above or above[-1] == SECTION


def _in_words_of_settings(found: Diagnostic) -> str:
    if found.code == "EP106":
        return "write the value itself"
    if found.code == "EP107":
        return "write the keys themselves"
    if found.code == "EP108":
        return "write plain data; put a text that starts with `!` in quotes"
    return found.help


def _report_misspelt(root: YamlNode, findings: Findings) -> None:
    """Warn of a section that looks like ours under another name: it would be left alone in silence."""
    for key, part in root.fields.items():
        if nearest_name(key, [SECTION]) is not None:
            findings.warning("EP484", f"`{key}:` is not read", part.label, f"did you mean `{SECTION}:`?")


# A section checked with the schema, part by part, so that nothing that is out of shape hides another fault.
#
# What does not fit is reported and left out as deep down as can be; the rest is judged as if it had been
# right. In a rule something that fits takes its place: the rule is there, and says something of that kind.

#: Sections whose entries declare names -> how conditions write such a name.
_NAMING = {"facts": "", "conditions": "@"}
#: Key of a rule -> what takes the place of a value that does not fit; other keys are left out.
_INSTEAD: dict[str, bool | str] = {
    "mode": "shadow",
    "disabled": True,
    "why": "?",
    "when": "false",
    "exit": "review",
    "continue": True,
    "warn": True,
}
#: What would be said of a mapping only because something was left out of it.
_FOLLOWS = ("EP202", "EP205", "EP209", "EP460", "EP486")
#: Keys whose entries have names that people give; each is looked at by itself.
_BY_NAME = ("rules", "lists", "facts", "conditions", "lexicons", "views", "sources", "probes")
_POLICIES = "policies"


def fitting(section: YamlNode, definition: str, findings: Findings) -> tuple[YamlNode, frozenset[str]]:
    """
    Return what fits of a section, and the names declared in what does not, as conditions write them.

    Args:
        section: The section of a file, or its settings for one policy.
        definition: Name of its definition in the schema of settings.
        findings: Takes EP2xx and EP460.
    """
    schema = shipped.schema("config")
    wanted = {"$defs": schema["$defs"], "$ref": f"#/$defs/{definition}"}
    if not section.is_mapping:
        check_schema(section, wanted, findings)
        return section.with_fields({}), frozenset()
    kept: dict[str, YamlNode] = {}
    broken: set[str] = set()
    for key, part in section.fields.items():
        if key == _POLICIES and part.is_mapping:
            kept[key], lost = _policies(section, part, wanted, findings)
        elif part.is_mapping and part.fields and key in _BY_NAME:
            sound = _without_bare_lists(part, findings) if key == "lists" else part
            kept[key], lost = _entries(section, key, sound, wanted, findings)
        else:
            shape = inspect(section.with_fields({key: part}), wanted, findings)
            left = shape.root.fields.get(key)
            bad = _below(shape, 1)
            if left is not None and () not in bad:
                kept[key] = _pruned(left, bad) if bad else left
            continue
        broken |= lost
    return section.with_fields(kept), frozenset(broken)


def _policies(
    section: YamlNode, part: YamlNode, wanted: Mapping[str, object], findings: Findings
) -> tuple[YamlNode, set[str]]:
    """Return the settings for single policies, each checked with the schema by itself."""
    kept: dict[str, YamlNode] = {}
    broken: set[str] = set()
    for name, inner in part.fields.items():
        empty = inner.with_fields({}) if inner.is_mapping else inner
        alone = section.with_fields({_POLICIES: part.with_fields({name: empty})})
        if check_schema(alone, wanted, findings)[1] and inner.is_mapping:
            kept[name], lost = fitting(inner, "policy_settings", findings)
            broken |= lost
    return part.with_fields(kept), broken


def _entries(
    section: YamlNode, key: str, part: YamlNode, wanted: Mapping[str, object], findings: Findings
) -> tuple[YamlNode, set[str]]:
    """Return the entries under one key of a section, each checked with the schema by itself."""
    kept: dict[str, YamlNode] = {}
    broken: set[str] = set()
    for name, entry in part.fields.items():
        shape = inspect(section.with_fields({key: part.with_fields({name: entry})}), wanted, findings)
        found = shape.root.fields.get(key, part).fields.get(name)
        bad = _below(shape, 2)
        if shape.fits and found == entry:
            kept[name] = entry
            continue
        if key in _NAMING:
            broken.add(_NAMING[key] + name)
        if found is None or shape.bad is None or not found.is_mapping:
            continue
        if () in bad and key != "rules":
            continue
        for inner in found.walk():
            for code in _FOLLOWS:
                findings.follows(code, inner.label)
        kept[name] = _rule(found, bad) if key == "rules" else _pruned(found, bad)
    return part.with_fields(kept), broken


def _below(shape: Shape, depth: int) -> set[Path]:
    """Return the paths to what does not fit, from so many steps down; all of it where names are wrong."""
    nowhere: Path = ()
    return {path[depth:] for path in shape.bad} if shape.bad is not None else {nowhere}


def _rule(rule: YamlNode, bad: set[Path]) -> YamlNode:
    """Return a change of a rule without what does not fit; some of it has a stand-in."""
    fields = dict(_pruned(rule, bad).fields)
    for key in {str(path[0]) for path in bad if path} & _INSTEAD.keys() - fields.keys():
        place = rule.fields[key].place if key in rule.fields else rule.place
        fields[key] = YamlNode(_INSTEAD[key], place, rule.label)
    return rule.with_fields(fields)


def _pruned(part: YamlNode, bad: set[Path]) -> YamlNode:
    """Return a part without what is at the ends of `bad`, and without what is empty then."""
    steps: list[tuple[str | int, YamlNode]] = [*part.fields.items(), *enumerate(part.items)]
    kept: dict[str | int, YamlNode] = {}
    for step, inner in steps:
        below = {path[1:] for path in bad if path[:1] == (step,)}
        left = _pruned(inner, below) if below else inner
        if () not in below and (not below or left.value not in ({}, ())):
            kept[step] = left
    if part.items:
        return part.with_items(list(kept.values()))
    return part.with_fields({str(step): inner for step, inner in kept.items()})


def _without_bare_lists(lists: YamlNode, findings: Findings) -> YamlNode:
    """Report lists where a change of a list is wanted (EP460); return the others."""
    for part in lists.fields.values():
        if part.is_sequence:
            help = "write `append: [...]`, `remove: [...]` or `replace: [...]` under it"
            findings.error("EP460", "lists are not merged automatically", part.label, help)
    return lists.with_fields({
        name: part for name, part in lists.fields.items() if not part.is_sequence
    })  # fmt: skip


# Parameters that are beside the section: they belong to no tool, and are not read.


def report_stray(layers: Sequence[Layer], parameters: Collection[str], findings: Findings) -> None:
    """Warn of top-level keys that are named like parameters of the policy in force (EP484)."""
    for layer in layers:
        for key, part in layer.root.fields.items():
            if key in parameters:
                message = f"`{key}` is outside `{SECTION}:` and is not read"
                findings.warning("EP484", message, part.label, f"indent it under `{SECTION}:`")
