"""
Rules that hold a class: asked just before the first rule of their stage that exits with it, and only where one
of those is true.

`@completes` is the condition that one of them is: any policy that ends well can extend one that says what has
to be true besides, whatever its own rules are called.
"""

from __future__ import annotations

from exitgate.core.policy.extending.merged import Merged
from exitgate.core.policy.extending.rule_chain import id_of
from exitgate.core.policy.yaml.node import YamlNode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from exitgate.core.policy.findings import Findings

_STAGE = "after_iteration"
_NAMES = {
    _STAGE: "completes",
    "before_iteration": "completes_before_iteration",
    "after_failure": "completes_after_failure",
}
_DOC = "One of the rules that exit {} is true; made of their conditions."


def with_held(merged: Merged, findings: Findings) -> Merged:
    """
    Return the policy with rules that hold a class where they belong; one with nothing to hold is left out.

    Args:
        merged: The policy as all layers have it.
        findings: Takes EP475 for a condition of the policy that has the name of one made here.
    """
    holders = [rule for rule in merged.rules if "holds" in rule.fields]
    if not holders:
        return merged
    chain = [rule for rule in merged.rules if "holds" not in rule.fields]
    section = merged.root.get("conditions")
    conditions = dict(section.fields) if section is not None else {}
    for stage, name in _NAMES.items():
        here = [rule for rule in holders if _text(rule, "stage") in (stage, "" if stage == _STAGE else stage)]
        held = [rule for rule in chain if here and _ends(rule, stage, here[0].fields["holds"].text)]
        if not held:
            continue
        if name in conditions:
            message = f"a condition cannot be called `{name}`: rules that hold a class make it"
            findings.error("EP475", message, conditions[name].label, "give it another name")
            continue
        first = chain.index(held[0])
        chain[first:first] = [_only_there(rule, name) for rule in here]
        conditions[name] = _any_of(held, here[0])
    root = merged.root
    place = section.place if section is not None else root.place
    fields = {
        **root.fields,
        "conditions": YamlNode(conditions, place, section.key if section is not None else None),
    }
    return Merged(
        merged.file, root.with_fields(fields if conditions else root.fields), tuple(chain), merged.broken
    )


def _ends(rule: YamlNode, stage: str, class_: str) -> bool:
    enforced = _text(rule, "mode") in ("", "enforce")
    return enforced and _text(rule, "exit") == class_ and (_text(rule, "stage") or _STAGE) == stage


def _only_there(rule: YamlNode, name: str) -> YamlNode:
    """Return a rule that is true only where a condition is, too; what it says itself is asked first."""
    when = rule.fields["when"]
    both = YamlNode((when, _condition(name, when)), when.place)
    return rule.with_fields({**rule.fields, "when": YamlNode({"all": both}, when.place, when.key)})


def _any_of(held: Sequence[YamlNode], holder: YamlNode) -> YamlNode:
    """Return the entry of a named condition: one of some rules is true."""
    place = holder.place
    whens = tuple(rule.fields["when"] for rule in held)
    one = whens[0] if len(whens) == 1 else YamlNode({"any": YamlNode(whens, place)}, place)
    rules = ", ".join(f"`{id_of(rule)}`" for rule in held)
    doc = f"{_DOC.format(holder.fields['holds'].text)} They are {rules}."
    return YamlNode({"when": one, "doc": _scalar(doc, holder)}, place)


def _condition(name: str, like: YamlNode) -> YamlNode:
    return _scalar(f"@{name}", like)


def _scalar(text: str, like: YamlNode) -> YamlNode:
    return YamlNode(text, like.place)


def _text(rule: YamlNode, key: str) -> str:
    part = rule.get(key)
    return part.text if part is not None else ""
