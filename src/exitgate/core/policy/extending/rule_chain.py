"""How a policy that extends another changes its chain of rules: insert, replace, disable, respect locks."""

from __future__ import annotations

from datetime import date

from exitgate.core.model.spelling import suggestion
from exitgate.core.policy.yaml.node import YamlNode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from exitgate.core.policy.findings import Findings
    from exitgate.core.policy.yaml.node import YamlNode


_STAGE = "after_iteration"


def id_of(rule: YamlNode) -> str:
    """Return the id of a rule."""
    return rule.fields["id"].text


def is_true(rule: YamlNode, key: str) -> bool:
    """Return whether a key of a rule is written and true."""
    part = rule.get(key)
    return part is not None and part.value is True


def first_rules(rules: Sequence[YamlNode], findings: Findings) -> list[YamlNode]:
    """Return the rules of a policy that extends nothing; nothing is there to be changed (EP455, EP456)."""
    for rule in rules:
        for key in ("before", "after"):
            if key in rule.fields:
                message = f"`{key}:` is only for policies that extend another"
                help = "list order is the order of the chain: move the rule"
                findings.error("EP455", message, rule.fields[key].label, help)
        if is_true(rule, "replace"):
            message = "`replace:` is only for policies that extend another"
            findings.error("EP456", message, rule.fields["replace"].label, "remove the key")
    report_twice(rules, findings)
    return [rule for rule in rules if not is_true(rule, "disabled")]


def change_rules(base: Sequence[YamlNode], later: Sequence[YamlNode], findings: Findings) -> list[YamlNode]:
    """
    Return the chain of the extended policy as a later policy changes it.

    Args:
        base: The rules so far, in chain order.
        later: The rules of the later policy. One of a new id is put `before:` or `after:` an id, or
            at the end; one of an id that exists needs `replace: true` or `disabled: true`.
        findings: Takes EP450 and EP454 to EP459.
    """
    chain = list(base)
    known = {id_of(rule): rule for rule in base}
    report_twice(later, findings)
    for number, rule in enumerate(later):
        below = later[number + 1 :]
        old = known.get(id_of(rule))
        if old is not None and _may_change(old, rule, findings):
            position = _position(chain, id_of(rule))
            if position is None:
                continue
            del chain[position]
            if not is_true(rule, "disabled"):
                chain.insert(_target(chain, rule, position, below, findings), rule)
        elif old is None and _is_new(rule, known, findings):
            chain.insert(_target(chain, rule, len(chain), below, findings), rule)
    _check_locks(chain, base, findings)
    return chain


def report_twice(rules: Sequence[YamlNode], findings: Findings) -> None:
    """Report rules of one id (EP450)."""
    seen: dict[str, YamlNode] = {}
    for rule in rules:
        part = rule.fields["id"]
        first = seen.setdefault(part.text, part)
        if first is not part:
            help = f"the first is on line {first.place.line}; give this one a different id"
            related = (("first", first.place),)
            findings.error("EP450", f"two rules have the id `{part.text}`", part.place, help, related)


def _may_change(old: YamlNode, rule: YamlNode, findings: Findings) -> bool:
    """Report what keeps `rule` from changing `old`; return whether nothing does."""
    name = id_of(rule)
    related = ((f"`{name}` of the extended policy", old.place),)
    place = rule.fields["id"].place
    if is_true(old, "locked"):
        report_locked(old, rule, findings)
        return False
    if not is_true(rule, "replace") and not is_true(rule, "disabled"):
        help = "add `replace: true` to replace it, or give this rule a different id"
        findings.error("EP454", f"the extended policy already has a rule `{name}`", place, help, related)
        return False
    return True


def report_locked(old: YamlNode, rule: YamlNode, findings: Findings) -> None:
    """Report that a rule would change a locked one (EP458)."""
    name = id_of(rule)
    related = ((f"`{name}` of the extended policy", old.place),)
    help = "set parameters instead, or extend another policy"
    place = rule.fields["id"].place
    findings.error("EP458", f"rule `{name}` is locked and cannot be changed", place, help, related)


def _is_new(rule: YamlNode, known: dict[str, YamlNode], findings: Findings) -> bool:
    for key in ("replace", "disabled"):
        if is_true(rule, key):
            help = suggestion(id_of(rule), known, "rules of the extended policy")
            message = f"there is no rule `{id_of(rule)}` to {'replace' if key == 'replace' else 'disable'}"
            findings.error("EP456", message, rule.fields["id"].place, help)
            return False
    return True


def _position(chain: Sequence[YamlNode], name: str) -> int | None:
    return next((number for number, rule in enumerate(chain) if id_of(rule) == name), None)


def _target(
    chain: Sequence[YamlNode], rule: YamlNode, otherwise: int, below: Sequence[YamlNode], findings: Findings
) -> int:
    """
    Return where in the chain a rule goes; report a `before:` or `after:` that names no rule.

    `below` are the rules written further down: they are not in the chain yet.
    """
    keys = [key for key in ("before", "after") if key in rule.fields]
    if len(keys) == 2:
        message = "`before:` and `after:` in one rule"
        findings.error("EP455", message, rule.fields["after"].label, "keep one of them")
    for key in keys[:1]:
        part = rule.fields[key]
        found = _position(chain, part.text)
        if found is not None:
            return found + (key == "after")
        if any(id_of(other) == part.text for other in below):
            message = f"rule `{part.text}` is further down: it is not in the chain yet"
            help = f"move this rule below `{part.text}`"
            findings.error("EP455", message, part.place, help)
            continue
        names = [id_of(other) for other in chain]
        help = suggestion(part.text, names, "rules")
        findings.error("EP455", f"there is no rule `{part.text}` to be {key}", part.place, help)
    return otherwise


def _check_locks(chain: Sequence[YamlNode], base: Sequence[YamlNode], findings: Findings) -> None:
    """Report deciding rules of the later policy that come before a locked rule of the same stage."""
    old = {id(rule) for rule in base}
    for number, rule in enumerate(chain):
        if id(rule) in old or not _decides(rule):
            continue
        locked = next(
            (r for r in chain[number:] if id(r) in old and is_true(r, "locked") and _same(r, rule)), None
        )
        if locked is not None:
            help = f"put it after `{id_of(locked)}`, or make it `warn: true`"
            message = f"rule `{id_of(rule)}` would decide before the locked rule `{id_of(locked)}`"
            related = (("locked", locked.fields["locked"].label),)
            place = next((rule.fields[key].place for key in ("before", "after") if key in rule.fields), None)
            findings.error("EP459", message, place or rule.fields["id"].place, help, related)


def _decides(rule: YamlNode) -> bool:
    mode = rule.get("mode")
    return not is_true(rule, "warn") and (mode is None or mode.text == "enforce")


def _same(one: YamlNode, other: YamlNode) -> bool:
    stages = [rule.fields["stage"].text if "stage" in rule.fields else _STAGE for rule in (one, other)]
    return stages[0] == stages[1]


# Changes of single keys of inherited rules: what a rule does not say stays as it was.

#: Where a rule is in the chain.
ORDER = ("before", "after")
#: What people and programs are shown; it decides nothing.
TOLD = ("because", "advice", "escalation", "outcome")


def is_patch(rule: YamlNode) -> bool:
    """Return whether a rule says less than a whole rule must: it can only change an inherited one."""
    whole = "when" in rule.fields and any(key in rule.fields for key in EFFECTS)
    return not whole and not is_true(rule, "replace") and not is_true(rule, "disabled")


def complete(
    base: Sequence[YamlNode], later: Sequence[YamlNode], findings: Findings
) -> tuple[list[YamlNode], list[YamlNode]]:
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
                rest.append(new.with_fields({**new.fields, "replace": YamlNode(True, rule.place)}))
    return chain, rest


def patched(old: YamlNode, edits: Mapping[str, YamlNode], id: YamlNode) -> YamlNode:
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
    return YamlNode(fields, old.place)


# What a rule and an invariant must say beyond what the schema can.

EFFECTS = ("exit", "continue", "warn")


def check_rule(rule: YamlNode, findings: Findings) -> None:
    """Report a rule without condition or reason, or with another number of effects than one."""
    place = rule.fields["id"].place
    written = [key for key in EFFECTS if key in rule.fields]
    if is_true(rule, "disabled"):
        _need_why(rule, "disabled", "disabling a rule needs a reason", findings)
        for key in (*written, "replace"):
            if key in rule.fields:
                message = f"`{key}:` in a disabled rule"
                findings.error("EP209", message, rule.fields[key].label, f"remove `{key}:` or `disabled:`")
        return
    if "mode" in rule.fields and "when" not in rule.fields and not written:
        name = id_of(rule)
        help = (
            f"in settings, `rules: {{{name}: {{mode: ..., why: ...}}}}`; in a policy that extends another, "
            "the id of an inherited rule; here a rule is written whole"
        )
        findings.error("EP202", f"rule `{name}` has only a mode", place, help)
        return
    if "when" not in rule.fields:
        help = "add `when: CONDITION`"
        findings.error("EP202", f"rule `{id_of(rule)}` has no condition", place, help)
    if not written:
        message = f"rule `{id_of(rule)}` has no effect"
        findings.error("EP209", message, place, "add one of `exit: CLASS`, `continue: true`, `warn: true`")
    for key in written[1:]:
        message = f"`{key}:` beside `{written[0]}:` in one rule"
        findings.error("EP209", message, rule.fields[key].label, "keep one; split the rule if both are meant")
    if "on_silence" in rule.fields:
        _need_why(rule, "on_silence", "exiting on silence needs a reason", findings)
        if "exit" not in rule.fields:
            message = "`on_silence:` in a rule that does not exit"
            findings.error("EP209", message, rule.fields["on_silence"].label, "remove it")
    if "retry_after" in rule.fields and ("exit" not in rule.fields or rule.fields["exit"].text != "wait"):
        message = "`retry_after:` in a rule that does not wait"
        findings.error("EP209", message, rule.fields["retry_after"].label, "write `exit: wait`, or remove it")
    if "until" in rule.fields:
        _check_date(rule.fields["until"], findings)


def _need_why(rule: YamlNode, key: str, message: str, findings: Findings) -> None:
    if "why" not in rule.fields:
        findings.error("EP457", message, rule.fields[key].label, "add `why: ...`")


def is_date(text: str) -> bool:
    """Return whether a text is a day of the calendar, ``2027-03-01``."""
    try:
        return len(text) == 10 and text[4] == text[7] == "-" and bool(date.fromisoformat(text))
    except ValueError:
        return False


def _check_date(part: YamlNode, findings: Findings) -> None:
    if not is_date(part.text):
        findings.error(
            "EP477", f"`{part.text}` is not a date", part.place, "write year, month, day: `2027-03-01`"
        )


def check_invariant(invariant: YamlNode, findings: Findings) -> None:
    """Report an invariant without a claim or with two."""
    claims = [key for key in ("always", "never") if key in invariant.fields]
    if not claims:
        message = f"invariant `{id_of(invariant)}` has no claim"
        findings.error("EP202", message, invariant.fields["id"].place, "add `always: ...` or `never: ...`")
    if len(claims) == 2:
        message = "`always:` and `never:` in one invariant"
        findings.error("EP209", message, invariant.fields["never"].label, "write two invariants")
