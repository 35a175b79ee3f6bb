"""What a rule and an invariant must say beyond what the schema can."""

from __future__ import annotations

from datetime import date

from exitgate.policy.rule_chain import id_of, is_true

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.policy.findings import Findings
    from exitgate.policy.part import Part

EFFECTS = ("exit", "continue", "warn")


def check_rule(rule: Part, findings: Findings) -> None:
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


def _need_why(rule: Part, key: str, message: str, findings: Findings) -> None:
    if "why" not in rule.fields:
        findings.error("EP457", message, rule.fields[key].label, "add `why: ...`")


def is_date(text: str) -> bool:
    """Return whether a text is a day of the calendar, ``2027-03-01``."""
    try:
        return len(text) == 10 and text[4] == text[7] == "-" and bool(date.fromisoformat(text))
    except ValueError:
        return False


def _check_date(part: Part, findings: Findings) -> None:
    if not is_date(part.text):
        findings.error(
            "EP477", f"`{part.text}` is not a date", part.place, "write year, month, day: `2027-03-01`"
        )


def check_invariant(invariant: Part, findings: Findings) -> None:
    """Report an invariant without a claim or with two."""
    claims = [key for key in ("always", "never") if key in invariant.fields]
    if not claims:
        message = f"invariant `{id_of(invariant)}` has no claim"
        findings.error("EP202", message, invariant.fields["id"].place, "add `always: ...` or `never: ...`")
    if len(claims) == 2:
        message = "`always:` and `never:` in one invariant"
        findings.error("EP209", message, invariant.fields["never"].label, "write two invariants")
