"""What a layer changes in rules beyond their mode: condition, class, messages, order; its own rules."""

from __future__ import annotations

from exitgate.policy.layers.elsewhere import RULES
from exitgate.policy.part import Part
from exitgate.policy.rule_chain import change_rules, id_of, is_true
from exitgate.policy.rule_patches import ORDER, TOLD, patched
from exitgate.policy.rule_shape import EFFECTS, check_rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from exitgate.policy.findings import Findings
    from exitgate.policy.layers.elsewhere import Elsewhere
    from exitgate.policy.layers.scopes import Scope

#: Keys of a change that say what a rule is; the others say how far it may go.
EDITS = (*EFFECTS, *ORDER, *TOLD, "when", "stage", "on_silence", "retry_after", "locked")


def changes_of(scope: Scope) -> Iterable[tuple[str, Part]]:
    """Return the changes of rules in a scope, by id."""
    section = scope.section.get("rules")
    return section.fields.items() if section is not None else ()


def edit_rules(
    rules: Sequence[Part], scope: Scope, elsewhere: Elsewhere, findings: Findings
) -> tuple[Part, ...]:
    """
    Return the chain as one scope changes it, by the means of a policy that extends another.

    A change under an id that no rule has makes a rule of its own where it has a condition and says
    what the rule does, and no other policy has a rule of that id. One of messages alone may come
    before a locked rule; of a locked rule nothing may change.

    Args:
        rules: The chain so far.
        scope: Settings of one layer.
        elsewhere: Knows the rules of other policies.
        findings: Takes EP2xx for an invalid rule, EP455, EP457 to EP459.
    """
    chain = list(rules)
    later: list[Part] = []
    for name, change in changes_of(scope):
        edits = {key: part for key, part in change.fields.items() if key in EDITS}
        old = next((rule for rule in chain if id_of(rule) == name), None)
        if not edits or (old is None and not _is_rule(name, edits, elsewhere)):
            continue
        rule = _own(name, change, edits) if old is None else _patched(old, change, edits)
        before = findings.errors()
        check_rule(rule, findings)
        if findings.errors() > before:
            rule = _whole(rule)  # what else is wrong with it is found, too
        if old is not None and not is_true(old, "locked") and edits.keys() <= set(TOLD):
            chain = [rule if one is old else one for one in chain]
        else:
            later.append(rule)
    return tuple(change_rules(chain, later, findings)) if later else tuple(chain)


def _is_rule(name: str, edits: Mapping[str, Part], elsewhere: Elsewhere) -> bool:
    """Return whether a change of no rule is one of its own, not one of a rule that another policy has."""
    return "when" in edits and any(key in edits for key in EFFECTS) and not elsewhere.owner(RULES, name)


def _own(name: str, change: Part, edits: Mapping[str, Part]) -> Part:
    reasons = {"why": change.fields["why"]} if "on_silence" in edits and "why" in change.fields else {}
    return Part({"id": Part(name, change.label), **edits, **reasons}, change.place)


def _patched(old: Part, change: Part, edits: Mapping[str, Part]) -> Part:
    """Return a rule with what a change says, as if it took the rule's place in a policy that extends."""
    own = {key: part for key, part in _own(id_of(old), change, edits).fields.items() if key != "id"}
    rule = patched(old, own, Part(id_of(old), change.label))
    if is_true(old, "locked"):
        rule = rule.with_fields({**rule.fields, "id": Part(id_of(old), change.label)})
    return Part({**rule.fields, "replace": Part(True, change.label)}, old.place)


def _whole(rule: Part) -> Part:
    """Return a rule that says too little or too much as one that can be read: more may be wrong with it."""
    effects = [key for key in EFFECTS if key in rule.fields][:1]
    fields = {key: part for key, part in rule.fields.items() if key not in EFFECTS or key in effects}
    if not effects:
        fields["warn"] = Part(True, rule.place)
    fields.setdefault("when", Part("false", rule.place))
    if "exit" not in fields:
        fields = {key: part for key, part in fields.items() if key not in ("on_silence", "retry_after")}
    fields.pop("disabled", None)
    return rule.with_fields(fields)
