"""How a policy that extends another changes its chain of rules: insert, replace, disable, respect locks."""

from __future__ import annotations

from exitgate.policy.suggestion import suggestion

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from exitgate.policy.findings import Findings
    from exitgate.policy.part import Part

_STAGE = "after_iteration"


def id_of(rule: Part) -> str:
    """Return the id of a rule."""
    return rule.fields["id"].text


def is_true(rule: Part, key: str) -> bool:
    """Return whether a key of a rule is written and true."""
    part = rule.get(key)
    return part is not None and part.value is True


def first_rules(rules: Sequence[Part], findings: Findings) -> list[Part]:
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


def change_rules(base: Sequence[Part], later: Sequence[Part], findings: Findings) -> list[Part]:
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


def report_twice(rules: Sequence[Part], findings: Findings) -> None:
    """Report rules of one id (EP450)."""
    seen: dict[str, Part] = {}
    for rule in rules:
        part = rule.fields["id"]
        first = seen.setdefault(part.text, part)
        if first is not part:
            help = f"the first is on line {first.place.line}; give this one a different id"
            related = (("first", first.place),)
            findings.error("EP450", f"two rules have the id `{part.text}`", part.place, help, related)


def _may_change(old: Part, rule: Part, findings: Findings) -> bool:
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


def report_locked(old: Part, rule: Part, findings: Findings) -> None:
    """Report that a rule would change a locked one (EP458)."""
    name = id_of(rule)
    related = ((f"`{name}` of the extended policy", old.place),)
    help = "set parameters instead, or extend another policy"
    place = rule.fields["id"].place
    findings.error("EP458", f"rule `{name}` is locked and cannot be changed", place, help, related)


def _is_new(rule: Part, known: dict[str, Part], findings: Findings) -> bool:
    for key in ("replace", "disabled"):
        if is_true(rule, key):
            help = suggestion(id_of(rule), known, "rules of the extended policy")
            message = f"there is no rule `{id_of(rule)}` to {'replace' if key == 'replace' else 'disable'}"
            findings.error("EP456", message, rule.fields["id"].place, help)
            return False
    return True


def _position(chain: Sequence[Part], name: str) -> int | None:
    return next((number for number, rule in enumerate(chain) if id_of(rule) == name), None)


def _target(
    chain: Sequence[Part], rule: Part, otherwise: int, below: Sequence[Part], findings: Findings
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


def _check_locks(chain: Sequence[Part], base: Sequence[Part], findings: Findings) -> None:
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


def _decides(rule: Part) -> bool:
    mode = rule.get("mode")
    return not is_true(rule, "warn") and (mode is None or mode.text == "enforce")


def _same(one: Part, other: Part) -> bool:
    stages = [rule.fields["stage"].text if "stage" in rule.fields else _STAGE for rule in (one, other)]
    return stages[0] == stages[1]
