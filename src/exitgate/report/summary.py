"""The short parts that the answer of a check and its explanation share: headline, remarks, alternatives."""

from __future__ import annotations

from exitgate.model.value import Unknown
from exitgate.report.brief import listed
from exitgate.report.retry import retry_text
from exitgate.report.safe import safe, safe_block
from exitgate.report.style import Style, verdict_role
from exitgate.report.width import wrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.model.decision import Alternative, Decision, Step

LABEL = 14
#: Undetermined rules and pending forms listed; the rest is counted.
LISTED = 5


def head_lines(decision: Decision, style: Style) -> list[str]:
    """Return the headline ``EXIT complete · high_completion`` and the message under it, wrapped."""
    role = verdict_role(decision.verdict, decision.exit_class)
    verdict = style.paint(role, verdict_text(decision.verdict, decision.exit_class))
    lines = [f"{verdict} · {style.paint('strong', safe(decision.outcome))}"]
    if decision.message:
        lines += wrap(safe(decision.message), style.width)
    return lines


def verdict_text(verdict: str, exit_class: str | None) -> str:
    """Return ``EXIT complete`` or ``CONTINUE``."""
    return f"{verdict} {exit_class}" if exit_class else verdict


def tail_rows(decision: Decision, style: Style, now: float | None = None) -> list[str]:
    """
    Return labelled rows: retry time, what could change the decision, warnings, shadows, advice.

    `now` is when the reader reads it, seconds since the epoch; without it no time to wait is reported.
    """
    rows: list[str] = []
    retry = retry_text(decision, now)
    if retry:
        rows += row("retry", retry, style, "note")
    for other in decision.alternatives:
        rows += row("tentative", alternative_text(other), style, "unknown")
    for other in decision.if_readable:
        rows += row("if readable", if_readable_text(other), style, "note")
    for warned in decision.warnings:
        text = f"{warned.rule}: {warned.message}" if warned.rule else warned.message
        rows += row("warning", text, style, "warning")
    for name in decision.shadows:
        rows += row("shadow", f"{name} would have decided", style, "note")
    if decision.advice:
        rows += row("advice", decision.advice, style, "note")
    return rows


def escalation_lines(decision: Decision) -> list[str]:
    """Return the escalation behind an empty line, as its Markdown is, or no lines."""
    if not decision.escalation:
        return []
    return ["", *safe_block(decision.escalation).strip("\n").split("\n")]


def open_rows(decision: Decision, style: Style) -> list[str]:
    """Return labelled rows for history forms under way and for rules that could not be determined."""
    rows: list[str] = []
    pending = [(step.rule, form) for step in decision.steps for form in step.pending]
    for rule, form in pending[:LISTED]:
        rows += row("pending", f"{rule} {form}: {form.form}", style, "unknown")
    rows += _more(len(pending), "pending", style)
    undetermined = decision.undetermined
    for step in undetermined[:LISTED]:
        rows += row("undetermined", undetermined_text(step), style, "unknown")
    return rows + _more(len(undetermined), "undetermined", style)


def undetermined_text(step: Step) -> str:
    """Return ``rule: fact, reason``, each reason once."""
    leaves = step.unknowns or ((step.truth,) if isinstance(step.truth, Unknown) else ())
    reasons = [f"{leaf.origin}, {leaf.reason}" if leaf.origin else leaf.reason for leaf in leaves]
    return f"{step.rule}: {'; '.join(dict.fromkeys(reasons)) or 'unknown'}"


def is_unchecked(decision: Mapping[str, object]) -> bool:
    """Return whether a rule that could not be checked would have changed a recorded decision."""
    found = decision.get("alternatives")
    if decision.get("firm") is not False or not isinstance(found, list):
        return decision.get("firm") is False
    return any(isinstance(one, dict) and one.get("assumed") is not True for one in found)


def alternative_text(other: Alternative) -> str:
    """Return what the decision could be as well, and by which rule."""
    how = "did not rest on unknown values" if other.assumed else "came out true"
    return f"{verdict_text(other.verdict, other.exit_class)} · {other.outcome} if {other.rule} {how}"


def if_readable_text(other: Alternative) -> str:
    """Return what the decision could be if facts were readable, and which."""
    result = verdict_text(other.verdict, other.exit_class)
    names = listed([*other.unreadable])
    return f"{result} · {other.outcome} if {names} could be read and had another value"


def row(label: str, text: str, style: Style, role: str = "quiet") -> list[str]:
    """Return a row ``label   text`` with the text wrapped behind the label."""
    lines = wrap(safe(text), style.width, f"{label}".ljust(LABEL))
    lines[0] = style.paint(role, label) + lines[0][len(label) :]
    return lines


def _more(count: int, label: str, style: Style) -> list[str]:
    return row(label, f"and {count - LISTED} more", style, "quiet") if count > LISTED else []
