"""
The sections of layers that change what a policy is, merged into it as policies are that extend one another.

`facts`, `conditions`, `lexicons` and `views` are written as in a policy that extends the one in force;
`rules` by id; `sources` say where files are.
"""

from __future__ import annotations

from exitgate.facts.registry import BUILT_IN
from exitgate.model.value import Value
from exitgate.policy.findings import Findings
from exitgate.policy.layers.effective import entries_of, first_chains, values_of, with_layer
from exitgate.policy.layers.elsewhere import FACTS
from exitgate.policy.layers.places import POLICY
from exitgate.policy.layers.rule_edits import edit_rules
from exitgate.policy.layers.source_paths import with_circuit
from exitgate.policy.lexicon_changes import changed
from exitgate.policy.merged import Merged, check_locked_conditions
from exitgate.policy.overrides import KINDS, override
from exitgate.policy.part import Part
from exitgate.policy.suggestion import suggestion

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from exitgate.policy.layers.elsewhere import Elsewhere
    from exitgate.policy.layers.scopes import Scope
    from exitgate.policy.library import Library
    from exitgate.policy.provenance import Chain

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


def _later(scope: Scope, root: Part, elsewhere: Elsewhere, findings: Findings) -> Part:
    """Return a scope's sections as a policy that extends has them, without facts of other policies."""
    fields = {key: scope.section.fields[key] for key in _MERGED if key in scope.section.fields}
    facts = scope.section.get("facts")
    if facts is not None:
        fields["facts"] = facts.with_fields(_facts(facts, root, elsewhere, findings))
    return Part(fields, scope.section.place)


def _facts(facts: Part, root: Part, elsewhere: Elsewhere, findings: Findings) -> dict[str, Part]:
    policy = root.fields["policy"].text
    section = root.get("facts")
    known = section.fields if section is not None else {}
    found: dict[str, Part] = {}
    for name, entry in facts.fields.items():
        if name in known or any(key in entry.fields for key in KINDS):
            found[name] = entry
        elif name in BUILT_IN:
            found[name] = entry.with_fields({"extract": Part(BUILT_IN[name], entry.label), **entry.fields})
        elif owner := elsewhere.owner(FACTS, name):
            message = f"`{name}` is a fact of `{owner}`, not of `{policy}`"
            findings.note("EP485", message, entry.label, f"it applies if `{owner}` decides")
        else:
            help = suggestion(name, [*known, *BUILT_IN], f"facts of `{policy}`")
            findings.error("EP487", f"`{policy}` has no fact `{name}`", entry.label, help)
    return found


def lexicon_chains(scopes: Sequence[Scope], root: Part, library: Library) -> dict[str, Chain]:
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
