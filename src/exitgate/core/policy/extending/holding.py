"""
Rules that hold a class: as long as one of them is true, no rule of their stage exits with it.

One that exits is asked just before the first rule that it holds. One that continues decides if nothing else
ends the run: it is behind the last rule of its stage that exits, and a warning beside other rules that
continue. One that warns does so at any time. `@completes` is the condition that one of the held rules is
true: any policy that ends well can extend one that says what has to be true besides, no matter what its own
rules are called.
"""

from __future__ import annotations

from exitgate.core.facts.registry import ASKING
from exitgate.core.policy.extending.merged import Merged
from exitgate.core.policy.extending.rule_chain import id_of
from exitgate.core.policy.yaml.node import YamlNode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from exitgate.core.policy.compiled import Parameter
    from exitgate.core.policy.findings import Findings

_STAGE = "after_iteration"
_NAMES = {
    _STAGE: "completes",
    "before_iteration": "completes_before_iteration",
    "after_failure": "completes_after_failure",
}
_DOC = "One of the rules that exit {} is true; made of their conditions."


def with_held(merged: Merged, parameters: Mapping[str, Parameter], findings: Findings) -> Merged:
    """
    Return the policy with rules that hold a class where they belong.

    A rule with nothing to hold is left out; all are, with the invariants, if the policy names no probe.

    Args:
        merged: The policy as all layers have it.
        parameters: With their effective values.
        findings: Takes EP475 for a condition of the policy that has the name of one made here.
    """
    holders = [rule for rule in merged.rules if "holds" in rule.fields]
    if not holders:
        return merged
    chain = [rule for rule in merged.rules if "holds" not in rule.fields]
    if not _names_probes(merged.root, parameters):
        return Merged(merged.file, _without_invariants(merged.root, set()), tuple(chain), merged.broken)
    section = merged.root.get("conditions")
    conditions = dict(section.fields) if section is not None else {}
    stages: set[str] = set()
    for stage, name in _NAMES.items():
        here = [rule for rule in holders if _stage(rule) == stage]
        held = [rule for rule in chain if here and _ends(rule, stage, here[0].fields["holds"].text)]
        if not held:
            continue
        if name in conditions:
            message = f"a condition cannot be called `{name}`: rules that hold a class make it"
            findings.error("EP475", message, conditions[name].label, "give it another name")
            continue
        stages.add(stage)
        conditions[name] = _any_of(held, here[0])
        chain = _placed(chain, held, here, stage, name)
    root = _without_invariants(merged.root, stages)
    if conditions:
        where = section if section is not None else root
        root = root.with_fields({**root.fields, "conditions": YamlNode(conditions, where.place, where.key)})
    return Merged(merged.file, root, tuple(chain), merged.broken)


def _names_probes(root: YamlNode, parameters: Mapping[str, Parameter]) -> bool:
    """Return whether a fact of the policy asks a probe."""
    facts = root.get("facts")
    for entry in facts.fields.values() if facts is not None else ():
        option = ASKING.get(_text(entry, "extract"))
        named = entry.get(option) if option is not None else None
        if named is None:
            continue
        parameter = parameters.get(named.text[1:]) if named.text.startswith("$") else None
        if parameter.value if parameter is not None else named.value:
            return True
    return False


def _without_invariants(root: YamlNode, stages: set[str]) -> YamlNode:
    """Return the policy without the invariants about rules that hold, but for those of some stages."""
    section = root.get("invariants")
    if section is None:
        return root
    kept = [one for one in section.items if "holds" not in one.fields or _stage(one) in stages]
    return root.with_fields({**root.fields, "invariants": section.with_items(kept)})


def _placed(
    chain: Sequence[YamlNode], held: Sequence[YamlNode], holders: Sequence[YamlNode], stage: str, name: str
) -> list[YamlNode]:
    """Return the chain with what is held, and with what holds it where it belongs."""
    free = [_free(rule, holders) if rule in held else rule for rule in chain]
    first = list(chain).index(held[0])
    last = max(at for at, rule in enumerate(chain) if "exit" in rule.fields and _stage(rule) == stage)
    ending = [_only_there(rule, name) for rule in holders if "exit" in rule.fields]
    other = [_only_there(rule, name) for rule in holders if "continue" in rule.fields]
    other += [rule for rule in holders if "warn" in rule.fields]
    between = [rule for rule in chain[first:last] if "continue" in rule.fields and _stage(rule) == stage]
    reminders = [_reminder(rule) for rule in other if "continue" in rule.fields and between]
    return [*free[:first], *ending, *free[first : last + 1], *other, *free[last + 1 :], *reminders]


def _free(rule: YamlNode, holders: Sequence[YamlNode]) -> YamlNode:
    """Return a rule that is held: false while one that holds it continues; those that exit come first."""
    when = rule.fields["when"]
    nots = [
        YamlNode({"not": holder.fields["when"]}, when.place)
        for holder in holders
        if "continue" in holder.fields
    ]
    return _with_condition(rule, (when, *nots))


def _not(condition: YamlNode) -> YamlNode:
    """Return the opposite of a condition; of one that is written as an opposite, what is in it."""
    inner = condition.get("not")
    return inner if inner is not None else YamlNode({"not": condition}, condition.place)


def _reminder(rule: YamlNode) -> YamlNode:
    """Return a rule that continues as a warning, for where another rule continues."""
    kept = {key: part for key, part in rule.fields.items() if key not in ("continue", "outcome", "locked")}
    warns = {"id": _scalar(f"{id_of(rule)}_too", rule.fields["id"]), "warn": YamlNode(True, rule.place)}
    return rule.with_fields({**kept, **warns})


def _decides(rule: YamlNode) -> bool:
    return "warn" not in rule.fields and _text(rule, "mode") in ("", "enforce")


def _stage(rule: YamlNode) -> str:
    return _text(rule, "stage") or _STAGE


def _ends(rule: YamlNode, stage: str, class_: str) -> bool:
    return _decides(rule) and _text(rule, "exit") == class_ and _stage(rule) == stage


def _only_there(rule: YamlNode, name: str) -> YamlNode:
    """Return a rule that is true only where a condition is, too; what it says itself is asked first."""
    when = rule.fields["when"]
    return _with_condition(rule, (when, _scalar(f"@{name}", when)))


def _with_condition(rule: YamlNode, parts: tuple[YamlNode, ...]) -> YamlNode:
    when = rule.fields["when"]
    both = YamlNode({"all": YamlNode(parts, when.place)}, when.place, when.key)
    return rule.with_fields({**rule.fields, "when": both})


def _any_of(held: Sequence[YamlNode], holder: YamlNode) -> YamlNode:
    """Return the entry of a named condition: one of some rules is true."""
    place = holder.place
    whens = tuple(rule.fields["when"] for rule in held)
    one = whens[0] if len(whens) == 1 else YamlNode({"any": YamlNode(whens, place)}, place)
    rules = ", ".join(f"`{id_of(rule)}`" for rule in held)
    doc = f"{_DOC.format(holder.fields['holds'].text)} They are {rules}."
    return YamlNode({"when": one, "doc": _scalar(doc, holder)}, place)


def _scalar(text: str, like: YamlNode) -> YamlNode:
    return YamlNode(text, like.place)


def _text(rule: YamlNode, key: str) -> str:
    part = rule.get(key)
    return part.text if part is not None else ""
