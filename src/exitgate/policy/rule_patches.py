"""Changes of single keys of inherited rules: what a rule does not say stays as it was."""

from __future__ import annotations

from exitgate.policy.part import Part
from exitgate.policy.rule_chain import id_of, is_true, report_locked, report_twice
from exitgate.policy.rule_shape import EFFECTS, check_rule
from exitgate.policy.suggestion import suggestion

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from exitgate.policy.findings import Findings

#: Where a rule is in the chain.
ORDER = ("before", "after")
#: What people and programs are shown; it decides nothing.
TOLD = ("because", "advice", "escalation", "outcome")


def is_patch(rule: Part) -> bool:
    """Return whether a rule says less than a whole rule must: it can only change an inherited one."""
    whole = "when" in rule.fields and any(key in rule.fields for key in EFFECTS)
    return not whole and not is_true(rule, "replace") and not is_true(rule, "disabled")


def complete(
    base: Sequence[Part], later: Sequence[Part], findings: Findings
) -> tuple[list[Part], list[Part]]:
    """
    Return the inherited rules and those of a later policy, with every patch made a whole rule.

    A patch of messages alone is applied to the inherited rule itself, which keeps its place and may come
    before a locked rule; any other takes the place of the rule, as one with `replace: true` does.

    Args:
        base: The inherited rules, in chain order.
        later: The rules of the later policy, of the shape the schema allows.
        findings: Takes EP202 for a patch of no rule, EP209, EP450, EP457, EP458.
    """
    report_twice(later, findings)
    chain, rest = list(base), []
    known = {id_of(rule): number for number, rule in enumerate(chain)}
    for rule in later:
        if not is_patch(rule):
            rest.append(rule)
        elif id_of(rule) not in known:
            message = f"rule `{id_of(rule)}` is not whole, and no rule of this id is inherited to be changed"
            help = suggestion(id_of(rule), known, "inherited rules")
            findings.error("EP202", message, rule.fields["id"].place, help)
        elif is_true(chain[known[id_of(rule)]], "locked"):
            report_locked(chain[known[id_of(rule)]], rule, findings)
        else:
            number = known[id_of(rule)]
            edits = {key: part for key, part in rule.fields.items() if key != "id"}
            new = patched(chain[number], edits, rule.fields["id"])
            before = findings.errors()
            check_rule(new, findings)
            if findings.errors() == before and edits.keys() <= set(TOLD):
                chain[number] = new
            elif findings.errors() == before:
                rest.append(new.with_fields({**new.fields, "replace": Part(True, rule.place)}))
    return chain, rest


def patched(old: Part, edits: Mapping[str, Part], id: Part) -> Part:
    """
    Return a rule with other keys; what belonged to a key that changed goes with it.

    Args:
        old: The rule.
        edits: The keys that change.
        id: Its id where it is changed; the rule keeps its own where only messages change.
    """
    gone = {*ORDER, "replace"}
    if any(key in edits for key in EFFECTS):
        gone |= {*EFFECTS}
        if "exit" not in edits:
            gone |= {"on_silence", "retry_after"}
        elif edits["exit"].text != "wait":
            gone.add("retry_after")
    if "when" in edits:
        gone.add("on_silence")  # the exception was made for another condition
    kept = {key: part for key, part in old.fields.items() if key not in gone}
    fields = {**kept, **edits}
    if not edits.keys() <= set(TOLD):
        fields["id"] = id
    return Part(fields, old.place)
