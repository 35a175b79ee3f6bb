"""How far the rules of a policy may go, as layers say: their mode, and whether they are there at all."""

from __future__ import annotations

from exitgate.core.model.spelling import suggestion
from exitgate.core.model.value import Value
from exitgate.core.policy.extending.rule_chain import (
    EFFECTS,
    ORDER,
    TOLD,
    change_rules,
    check_rule,
    id_of,
    is_date,
    is_true,
    patched,
)
from exitgate.core.policy.yaml.node import YamlNode
from exitgate.core.settings.elsewhere import RULES
from exitgate.core.settings.files import POLICY
from exitgate.core.settings.provenance import Setting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from exitgate.core.policy.findings import Findings
    from exitgate.core.policy.yaml.node import YamlNode
    from exitgate.core.settings.choose import Scope
    from exitgate.core.settings.elsewhere import Elsewhere
    from exitgate.core.settings.provenance import Chain


ENFORCE, WARN, SHADOW, DISABLED = "enforce", "warn", "shadow", "disabled"
_STRENGTH = (ENFORCE, WARN, SHADOW, DISABLED)


class Changed(Value):
    """The chain of rules as layers change it, who set the mode of each, and of the whole policy."""

    __slots__ = ("chains", "mode", "rules")

    def __init__(self, rules: tuple[YamlNode, ...], chains: Mapping[str, Chain], mode: Chain) -> None:
        self.rules = rules
        self.chains = chains
        self.mode = mode


def settle_rules(
    rules: Sequence[YamlNode],
    policy: str,
    scopes: Sequence[Scope],
    elsewhere: Elsewhere,
    findings: Findings,
    own: Mapping[str, str] | None = None,
) -> Changed:
    """
    Return the rules with the modes that the layers give them, without those they disable.

    `mode:` of a section is how far every rule may go; that of a higher layer takes the place of a
    lower one's. A rule that is weaker by itself or by `rules:` stays so, and `rules:` of the same or
    a higher layer can lift one rule above it. Locked rules stay as they are.

    Args:
        rules: The merged policy's chain, as the layers change it otherwise.
        policy: Its name, for messages.
        scopes: Settings from low to high.
        elsewhere: Knows the rules of other policies.
        findings: Takes EP457 to EP459, EP477, EP486, EP487 and EP485 (note).
        own: Rule -> the layer that brought it, for those that are not the policy's.
    """
    own = own or {}
    by_id = {id_of(rule): rule for rule in rules}
    for scope in scopes:
        for name, change in changes_of(scope):
            _check(name, change, by_id, policy, elsewhere, findings, name in own)
    mode = tuple(
        Setting(scope.kind, scope.section.fields["mode"].text, scope.section.fields["mode"].place)
        for scope in scopes
        if "mode" in scope.section.fields
    )
    chains = {name: _chain(rule, scopes, own.get(name, POLICY)) for name, rule in by_id.items()}
    changed = [_with_mode(rule, chains[id_of(rule)], scopes) for rule in rules]
    _check_locks(rules, changed, chains, findings)
    kept = tuple(rule for rule in changed if chains[id_of(rule)][-1].value != DISABLED)
    return Changed(kept, chains, mode)


def _check(
    name: str,
    change: YamlNode,
    rules: Mapping[str, YamlNode],
    policy: str,
    elsewhere: Elsewhere,
    findings: Findings,
    own: bool,
) -> None:
    """Report a change of no rule or of a locked one, and one that says too little or too much."""
    if name not in rules:
        owner = elsewhere.owner(RULES, name)
        if owner:
            help = f"it applies if `{owner}` decides"
            message = f"`{name}` is a rule of `{owner}`, not of `{policy}`"
            findings.note("EP485", message, change.label, help)
        else:
            help = suggestion(name, rules, f"rules of `{policy}`")
            findings.error("EP487", f"`{policy}` has no rule `{name}`", change.label, help)
    elif is_true(rules[name], "locked") and _mode_of(change) not in (None, _own_mode(rules[name])):
        related = (("locked", rules[name].fields["locked"].label),)
        help = "set parameters instead, or choose another policy"
        message = f"rule `{name}` is locked and cannot be changed"
        findings.error("EP458", message, change.label, help, related)
    edited = any(key in EDITS for key in change.fields)
    mode, disabled, until = (change.get(key) for key in ("mode", "disabled", "until"))
    if mode is None and disabled is None and edited:
        pass
    elif mode is None and disabled is None:
        help = "add `mode: warn`, `disabled: true` or another key of a rule, or remove it"
        findings.error("EP486", f"nothing changes in rule `{name}`", change.label, help)
    elif mode is not None and disabled is not None and disabled.value is True:
        help = "keep one of them"
        findings.error("EP486", f"`mode:` in rule `{name}`, which is disabled", mode.label, help)
    said = mode is not None or disabled is not None
    if said and "why" not in change.fields and _mode_of(change) != ENFORCE and not own:
        part = mode or disabled or change
        what = "disabling a rule needs a reason"
        if mode is not None:
            # the mode itself is not named: it may be a stand-in for one that does not fit
            what = "a mode other than `enforce` needs a reason"
        findings.error("EP457", what, part.label, "add `why: ...`")
    if until is not None and not is_date(until.text):
        help = "write year, month, day: `2027-03-01`"
        findings.error("EP477", f"`{until.text}` is not a date", until.place, help)


def _mode_of(change: YamlNode) -> str | None:
    """Return what a change makes of a rule: a mode, `DISABLED`, or None when it only says why."""
    disabled, mode = change.get("disabled"), change.get("mode")
    if disabled is not None and disabled.value is True:
        return DISABLED
    if mode is not None:
        return mode.text
    return ENFORCE if disabled is not None else None


def _own_mode(rule: YamlNode) -> str:
    return rule.fields["mode"].text if "mode" in rule.fields else ENFORCE


def _chain(rule: YamlNode, scopes: Sequence[Scope], first: str) -> Chain:
    """Return who set the mode of a rule, from the policy up."""
    own = _own_mode(rule)
    part = rule.fields["mode"] if "mode" in rule.fields else rule.fields["id"]
    chain = [Setting(first, own, part.place, _text(rule, "why"), _text(rule, "until"))]
    if is_true(rule, "locked"):
        return tuple(chain)
    single = own
    for scope in scopes:
        whole = scope.section.get("mode")
        if whole is not None:
            # A rule that warns cannot be weakened to a warning.
            limit = ENFORCE if whole.text == WARN and is_true(rule, "warn") else whole.text
            mode = max(single, limit, key=_STRENGTH.index)
            if mode != chain[-1].value:
                chain.append(Setting(scope.kind, mode, whole.place))
        change = dict(changes_of(scope)).get(id_of(rule))
        changed = _mode_of(change) if change is not None else None
        if change is not None and changed is not None:
            # `disabled: false` puts the rule back as the policy has it.
            single = changed if changed != ENFORCE or "mode" in change.fields else own
            said = change.get("mode") or change.fields["disabled"]
            why, until = _text(change, "why"), _text(change, "until")
            chain.append(Setting(scope.kind, single, said.place, why, until))
    return tuple(chain)


def _text(part: YamlNode, key: str) -> str:
    found = part.get(key)
    return found.text if found is not None else ""


def _with_mode(rule: YamlNode, chain: Chain, scopes: Sequence[Scope]) -> YamlNode:
    """Return the rule with the mode in force."""
    last = chain[-1]
    if last.value in (DISABLED, _own_mode(rule)):
        return rule
    for scope in scopes:
        change = dict(changes_of(scope)).get(id_of(rule))
        for part in (scope.section.get("mode"), change.get("mode") if change is not None else None):
            if part is not None and part.place == last.place:
                return rule.with_fields({**rule.fields, "mode": part})
    fields = {key: part for key, part in rule.fields.items() if key != "mode"}
    return rule.with_fields(fields)


def _check_locks(
    before: Sequence[YamlNode], after: Sequence[YamlNode], chains: Mapping[str, Chain], findings: Findings
) -> None:
    """Report rules that layers make deciding and that come before a locked rule of the same stage."""
    for number, (old, new) in enumerate(zip(before, after, strict=True)):
        made = _own_mode(old) != ENFORCE and _own_mode(new) == ENFORCE and not is_true(new, "warn")
        if not made or chains[id_of(new)][-1].value == DISABLED:
            continue
        for rule in before[number:]:
            if is_true(rule, "locked") and _text(rule, "stage") == _text(new, "stage"):
                message = f"rule `{id_of(new)}` would decide before the locked rule `{id_of(rule)}`"
                place = chains[id_of(new)][-1].place
                related = (("locked", rule.fields["locked"].label),)
                findings.error("EP459", message, place, "do not change its mode", related)
                break


# What a layer changes in rules beyond their mode: condition, class, messages, order; its own rules.

#: Keys of a change that say what a rule is; the others say how far it may go.
EDITS = (*EFFECTS, *ORDER, *TOLD, "when", "stage", "on_silence", "retry_after", "locked")


def changes_of(scope: Scope) -> Iterable[tuple[str, YamlNode]]:
    """Return the changes of rules in a scope, by id."""
    section = scope.section.get("rules")
    return section.fields.items() if section is not None else ()


def edit_rules(
    rules: Sequence[YamlNode], scope: Scope, elsewhere: Elsewhere, findings: Findings
) -> tuple[YamlNode, ...]:
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
    later: list[YamlNode] = []
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


def _is_rule(name: str, edits: Mapping[str, YamlNode], elsewhere: Elsewhere) -> bool:
    """Return whether a change of no rule is one of its own, not one of a rule that another policy has."""
    return "when" in edits and any(key in edits for key in EFFECTS) and not elsewhere.owner(RULES, name)


def _own(name: str, change: YamlNode, edits: Mapping[str, YamlNode]) -> YamlNode:
    reasons = {"why": change.fields["why"]} if "on_silence" in edits and "why" in change.fields else {}
    return YamlNode({"id": YamlNode(name, change.label), **edits, **reasons}, change.place)


def _patched(old: YamlNode, change: YamlNode, edits: Mapping[str, YamlNode]) -> YamlNode:
    """Return a rule with what a change says, as if it took the rule's place in a policy that extends."""
    own = {key: part for key, part in _own(id_of(old), change, edits).fields.items() if key != "id"}
    rule = patched(old, own, YamlNode(id_of(old), change.label))
    if is_true(old, "locked"):
        rule = rule.with_fields({**rule.fields, "id": YamlNode(id_of(old), change.label)})
    return YamlNode({**rule.fields, "replace": YamlNode(True, change.label)}, old.place)


def _whole(rule: YamlNode) -> YamlNode:
    """Return a rule that says too little or too much as one that can be read: more may be wrong with it."""
    effects = [key for key in EFFECTS if key in rule.fields][:1]
    fields = {key: part for key, part in rule.fields.items() if key not in EFFECTS or key in effects}
    if not effects:
        fields["warn"] = YamlNode(True, rule.place)
    fields.setdefault("when", YamlNode("false", rule.place))
    if "exit" not in fields:
        fields = {key: part for key, part in fields.items() if key not in ("on_silence", "retry_after")}
    fields.pop("disabled", None)
    return rule.with_fields(fields)
