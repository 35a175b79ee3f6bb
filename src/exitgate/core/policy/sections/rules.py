"""Rules and invariants of a merged policy, compiled."""

from __future__ import annotations

from exitgate.core.language.silence import NOTHING, exits_on_silence
from exitgate.core.model.decision import COMPLETE
from exitgate.core.model.value import DURATION
from exitgate.core.policy.compiled import Invariant, Rule
from exitgate.core.policy.condition_cache import CONDITIONS
from exitgate.core.policy.extending.rule_chain import id_of, is_true
from exitgate.core.policy.sections.conditions import check_condition, parse_condition
from exitgate.core.policy.sections.templates import read_template

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.language.silence import Silence
    from exitgate.core.language.tree import Node
    from exitgate.core.policy.compiled import Template
    from exitgate.core.policy.findings import Findings
    from exitgate.core.policy.sections.conditions import Checked, Names
    from exitgate.core.policy.yaml.node import YamlNode


def read_rule(part: YamlNode, names: Names, findings: Findings, silence: Silence = NOTHING) -> Rule | None:
    """
    Return a rule of the chain, or None after an error in its condition.

    Args:
        part: The rule, of the shape the schema and `check_rule` allow.
        names: What its condition and messages may name.
        findings: Takes EP3xx, EP4xx, EP462 and EP464.
        silence: What computed facts come to when nothing is known.
    """
    spoken = parse_condition(part.fields["when"], findings, names)
    checked = check_condition(spoken, names, findings) if spoken is not None else None
    because, advice, escalation = (
        read_template(part.get(key), names, findings) for key in ("because", "advice", "escalation")
    )
    retry_after = _retry_after(part, names, findings)
    if checked is None:
        return None
    effect = next(key for key in ("exit", "continue", "warn") if key in part.fields)
    if effect == "exit" and "on_silence" not in part.fields:
        _check_silence(part, checked, names, silence, findings)
    return Rule(
        id_of(part), effect, _text(part, "exit") or None, _text(part, "outcome") or id_of(part),
        checked.node, checked.text, because, _text(part, "mode") or "enforce",
        _text(part, "stage") or "after_iteration", advice, escalation, is_true(part, "locked"),
        "on_silence" in part.fields, part.fields["id"].place, retry_after,
    )  # fmt: skip


def _retry_after(part: YamlNode, names: Names, findings: Findings) -> Node | None:
    """Return when a rule that waits lets the run go on, or None; report what is not a duration."""
    found = part.get("retry_after")
    spoken = parse_condition(found, findings, names, DURATION) if found is not None else None
    checked = check_condition(spoken, names, findings, DURATION) if spoken is not None else None
    return checked.node if checked is not None else None


def _text(part: YamlNode, key: str) -> str:
    found = part.get(key)
    return found.text if found is not None else ""


def _check_silence(
    part: YamlNode, checked: Checked, names: Names, silence: Silence, findings: Findings
) -> None:
    """Report a condition that is true without any response, at the part that makes it so."""
    values = {name: parameter.value for name, parameter in names.parameters.items()}
    place = part.fields["when"].place
    completes = _text(part, "exit") == COMPLETE
    node = checked.own or checked.node
    cause = exits_on_silence(node, values, names.conditions, silence, completes, CONDITIONS)
    if cause is None:
        return
    written = part.fields["when"].written
    if checked.own is not None and written is not None:
        place = written.place(cause.start, cause.end)
    message = f"rule `{id_of(part)}` would exit without any response"
    help = "let the condition require a known fact, or add `on_silence: exit` and `why:`"
    findings.error("EP464", message, place, help)


def read_invariant(part: YamlNode, names: Names, findings: Findings) -> Invariant | None:
    """Return an invariant, or None after an error in its condition."""
    spoken = parse_condition(part.fields["given"], findings, names)
    checked = check_condition(spoken, names, findings) if spoken is not None else None
    if checked is None:
        return None
    claim = "always" if "always" in part.fields else "never"
    verdict = part.fields[claim].text
    verdict = verdict.upper() if verdict in ("exit", "continue") else verdict
    stage = _text(part, "stage") or "after_iteration"
    return Invariant(id_of(part), checked.node, checked.text, claim, verdict, part.fields["id"].place, stage)


def read_otherwise(root: YamlNode, names: Names, findings: Findings) -> Template:
    """Return the message of a decision that no rule made."""
    otherwise = root.get("otherwise")
    return read_template(otherwise.get("because") if otherwise is not None else None, names, findings)
