"""
The sections of layers that change what a policy is, merged into it as policies are that extend one another.

`facts`, `conditions`, `lexicons` and `views` are written as in a policy that extends the one in force;
`rules` by id; `sources` say where files are.
"""

from __future__ import annotations

from exitgate.core.facts.registry import BUILT_IN
from exitgate.core.model.spelling import suggestion
from exitgate.core.model.value import Value
from exitgate.core.policy.extending.merged import Merged, check_locked_conditions
from exitgate.core.policy.extending.overrides import KINDS, override
from exitgate.core.policy.extending.rule_chain import id_of
from exitgate.core.policy.findings import Findings
from exitgate.core.policy.sections.lexicons import changed
from exitgate.core.policy.yaml.node import YamlNode
from exitgate.core.settings.elsewhere import FACTS
from exitgate.core.settings.files import POLICY
from exitgate.core.settings.provenance import Setting
from exitgate.core.settings.rules import EDITS, edit_rules
from exitgate.core.settings.sources import with_circuit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from exitgate.core.model.diagnostic import Location
    from exitgate.core.policy.library import Library
    from exitgate.core.settings.choose import Scope
    from exitgate.core.settings.elsewhere import Elsewhere
    from exitgate.core.settings.provenance import Chain


#: Keys of a section that are merged as they are.
_MERGED = ("conditions", "lexicons", "views")


class Overlaid(Value):
    """A merged policy with what the layers change in it, and path -> chain of every value they can change."""

    __slots__ = ("chains", "merged")

    def __init__(self, merged: Merged, chains: Mapping[str, Chain]) -> None:
        self.merged = merged
        self.chains = chains


def overlay(merged: Merged, scopes: Sequence[Scope], elsewhere: Elsewhere, findings: Findings) -> Overlaid:
    """
    Return a policy as the layers change it, and who set what.

    Args:
        merged: The policy with those it extends.
        scopes: Settings from low to high.
        elsewhere: Knows what other policies declare.
        findings: Takes what a policy that extends another gives, and EP485 (note), EP487.
    """
    root, rules = merged.root, merged.rules
    values = values_of(root, rules)
    chains = first_chains(values)
    for scope in scopes:
        later = _later(scope, root, elsewhere, findings)
        check_locked_conditions(root, list(rules), later, findings)
        root = with_circuit(override(root, later, findings), scope, findings)
        rules = edit_rules(rules, scope, elsewhere, findings)
        after = values_of(root, rules)
        chains = with_layer(chains, values, after, scope.kind)
        values = after
    return Overlaid(Merged(merged.file, root, rules, merged.broken), chains)


def _later(scope: Scope, root: YamlNode, elsewhere: Elsewhere, findings: Findings) -> YamlNode:
    """Return a scope's sections as a policy that extends has them, without facts of other policies."""
    fields = {key: scope.section.fields[key] for key in _MERGED if key in scope.section.fields}
    facts = scope.section.get("facts")
    if facts is not None:
        fields["facts"] = facts.with_fields(_facts(facts, root, elsewhere, findings))
    return YamlNode(fields, scope.section.place)


def _facts(facts: YamlNode, root: YamlNode, elsewhere: Elsewhere, findings: Findings) -> dict[str, YamlNode]:
    policy = root.fields["policy"].text
    section = root.get("facts")
    known = section.fields if section is not None else {}
    found: dict[str, YamlNode] = {}
    for name, entry in facts.fields.items():
        if name in known or any(key in entry.fields for key in KINDS):
            found[name] = entry
        elif name in BUILT_IN:
            found[name] = entry.with_fields(
                {"extract": YamlNode(BUILT_IN[name], entry.label), **entry.fields}
            )
        elif owner := elsewhere.owner(FACTS, name):
            message = f"`{name}` is a fact of `{owner}`, not of `{policy}`"
            findings.note("EP485", message, entry.label, f"it applies if `{owner}` decides")
        else:
            help = suggestion(name, [*known, *BUILT_IN], f"facts of `{policy}`")
            findings.error("EP487", f"`{policy}` has no fact `{name}`", entry.label, help)
    return found


def lexicon_chains(scopes: Sequence[Scope], root: YamlNode, library: Library) -> dict[str, Chain]:
    """Return path -> chain of every value in a lexicon that a layer changed; its own comes first."""
    read = library.lexicons_read()
    found: dict[str, Chain] = {}
    for name in library.lexicon_changes.keys() & read.keys():
        section = root.get("lexicons")
        own = section.fields[name].items if section is not None and name in section.fields else ()
        lexicon = changed(read[name].root, own, Findings())
        values = entries_of(name, lexicon)
        chains = first_chains(values)
        for scope in scopes:
            changes = scope.section.get("lexicons")
            if changes is None or name not in changes.fields:
                continue
            lexicon = changed(lexicon, (changes.fields[name],), Findings())
            after = entries_of(name, lexicon)
            chains = with_layer(chains, values, after, scope.kind)
            values = after
        found |= {path: chain for path, chain in chains.items() if chain[-1].layer != POLICY}
    return found


# Every value that layers can change, by a path such as ``rules.stagnation.when``, and who set each.

#: Sections whose values are shown, beside the rules.
_SECTIONS = ("facts", "conditions", "views")
#: Keys of entries of lexicons that are for their readers and tests.
_FOR_READERS = ("examples", "counterexamples", "doc")
#: What a value is that a layer took out.
REMOVED = "removed"


class Values(Value):
    """
    What is in force at one layer.

    Args:
        parts: Path -> part, for every value and for each mapping and list on the way to it.
        leaves: The paths of the values.
    """

    __slots__ = ("leaves", "parts")

    def __init__(self, parts: Mapping[str, YamlNode], leaves: frozenset[str]) -> None:
        self.parts = parts
        self.leaves = leaves

    def says(self, path: str) -> object:
        """Return the plain value at a path, without what is for readers."""
        plain = self.parts[path].plain()
        return _without(plain, _FOR_READERS) if isinstance(plain, dict) else plain


def values_of(root: YamlNode, rules: Sequence[YamlNode]) -> Values:
    """Return the values of a merged policy that layers can change: its rules, facts, conditions, views."""
    found: list[tuple[str, YamlNode, bool]] = []
    for rule in rules:
        path = f"rules.{id_of(rule)}"
        kept = {key: part for key, part in rule.fields.items() if key in EDITS}
        found.append((path, YamlNode(kept, rule.fields["id"].place), False))
        found += [(f"{path}.{key}", part, True) for key, part in kept.items()]
    for section in _SECTIONS:
        part = root.get(section)
        for name, entry in part.fields.items() if part is not None else ():
            found += _flat(f"{section}.{name}", entry)
    circuit = root.get("circuit")
    if circuit is not None and "from" in circuit.fields:
        found.append(("sources.circuit", circuit.fields["from"], True))
    return _values(found)


def entries_of(name: str, lexicon: YamlNode) -> Values:
    """Return the values in a lexicon that layers can change."""
    found: list[tuple[str, YamlNode, bool]] = [(f"lexicons.{name}", lexicon, False)]
    for key in ("entries", "apply", "guards"):
        part = lexicon.get(key)
        if part is not None:
            found += _flat(f"lexicons.{name}" + ("" if key == "entries" else f".{key}"), part)
    return _values([one for one in found if one[0].rpartition(".")[2] not in _FOR_READERS])


def _values(found: list[tuple[str, YamlNode, bool]]) -> Values:
    return Values({path: part for path, part, _ in found}, frozenset(path for path, _, leaf in found if leaf))


def _flat(path: str, part: YamlNode) -> Iterator[tuple[str, YamlNode, bool]]:
    """
    Yield path and part of every value below, parents first.

    Mappings in a list are named by their id, or else by their position from 1.
    """
    if part.items and all(item.fields for item in part.items):
        yield path, part, False
        for number, item in enumerate(part.items, 1):
            name = f"{path}.{id_of(item) if 'id' in item.fields else number}"
            kept = item.with_fields({key: inner for key, inner in item.fields.items() if key != "id"})
            yield name, kept, False
            yield from ((f"{name}.{key}", inner, True) for key, inner in kept.fields.items())
    elif part.fields:
        yield path, part, False
        for key, inner in part.fields.items():
            yield from _flat(f"{path}.{key}", inner)
    else:
        yield path, part, True


def first_chains(values: Values) -> dict[str, Chain]:
    """Return path -> what the policy itself says."""
    return {path: (_setting(POLICY, values, path),) for path in values.parts if path in values.leaves}


def with_layer(chains: Mapping[str, Chain], before: Values, after: Values, layer: str) -> dict[str, Chain]:
    """
    Return the chains with what one layer changed: set, set anew, or took out.

    What is new or gone with all that is in it is one entry.
    """
    found = dict(chains)
    new, lost = after.parts.keys() - before.parts.keys(), before.parts.keys() - after.parts.keys()
    for path, part in after.parts.items():
        old = before.parts.get(path)
        anew = path in after.leaves and old is not None and old != part
        if anew or (path in new and _above(path) not in new):
            known = found.get(path, (_setting(POLICY, before, path),) if old is not None else ())
            found[path] = (*known, _setting(layer, after, path))
    for path in before.parts:
        if path in lost and _above(path) not in lost and _above(path) not in after.leaves:
            known = found.get(path, (_setting(POLICY, before, path),))
            for gone in [one for one in found if one.startswith(path + ".")]:
                del found[gone]
            found[path] = (*known, Setting(layer, REMOVED, _nearest(path, after)))
    return found


def _setting(layer: str, values: Values, path: str) -> Setting:
    return Setting(layer, values.says(path), values.parts[path].place)


def _above(path: str) -> str:
    return path.rpartition(".")[0]


def _nearest(path: str, values: Values) -> Location | None:
    """Return where the nearest thing above a path is that is still there."""
    while path:
        path = _above(path)
        if path in values.parts:
            return values.parts[path].place
    return None


def _without(plain: Mapping[str, object], keys: Sequence[str]) -> dict[str, object]:
    return {key: value for key, value in plain.items() if key not in keys}
