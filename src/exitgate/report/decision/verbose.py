"""A decision as `check -v` prints it: three lines in full, warnings, what could not be checked by cause."""

from __future__ import annotations

from exitgate.core.model.decision import Decision
from exitgate.core.model.value import Unknown
from exitgate.report.decision.summary import (
    Setting,
    coming_next,
    could_be,
    escalation_lines,
    head_lines,
    headline,
    open_rows,
    repeats,
    row,
    tail_rows,
    why,
)
from exitgate.report.terminal import Style, safe, wrap
from exitgate.report.wording import brief, listed


def verbose_text(decision: Decision, setting: Setting, style: Style) -> str:
    """Return the lines of the short form in full, then a row for each further detail."""
    lines = answer_lines(decision, setting, style)
    rows: list[str] = []
    for label, text, role in _rows(decision, setting):
        rows += row(label, brief(text, setting.folder), style, role)
    return "\n".join([*lines, *(["", *rows] if rows else [])]) + "\n"


def answer_lines(decision: Decision, setting: Setting, style: Style) -> list[str]:
    """Return the verdict, why, and what comes next, as `check` says it, in full."""
    lines = [headline(decision, style)]
    for text in (why(decision, setting), f"Next: {coming_next(decision, setting)}"):
        lines += wrap(safe(brief(text, setting.folder)), style.width)
    return lines


def causes(decision: Decision) -> dict[str, list[str]]:
    """Return the reasons why rules could not be checked, each with the rules it concerns, in chain order."""
    found: dict[str, list[str]] = {}
    for step in decision.undetermined:
        leaves = step.unknowns or ((step.truth,) if isinstance(step.truth, Unknown) else ())
        for reason in dict.fromkeys(leaf.reason for leaf in leaves):
            found.setdefault(reason, []).append(step.rule)
    return found


def remark_rows(decision: Decision, setting: Setting) -> list[tuple[str, str, str]]:
    """Return label, text and role of what is beside the answer: warnings, what it could be, advice."""
    rows = [("warning", setting.unread, "warning")] if setting.unread else []
    for warned in decision.warnings:
        if warned.rule or not (setting.unread and repeats(warned.message, setting)):
            text = f"{warned.message} (rule `{warned.rule}`)" if warned.rule else warned.message
            rows.append(("warning", text, "warning"))
    rows += [("uncertain", text, "unknown") for text in could_be(decision)]
    rows += [("shadow", f"rule `{name}` would have decided", "note") for name in decision.shadows]
    if decision.advice:
        rows.append(("advice", decision.advice, "note"))
    return rows


def _rows(decision: Decision, setting: Setting) -> list[tuple[str, str, str]]:
    rows = remark_rows(decision, setting)
    for step in decision.steps:
        for form in (form for form in step.pending if not form.is_first):
            rows.append(("under way", f"{form} iterations (rule `{step.rule}`)", "unknown"))
    for reason, rules in causes(decision).items():
        rows.append(("cannot check", f"{listed(rules)}: {reason}", "unknown"))
    return list(dict.fromkeys(rows))


# A decision as `check` prints it for people: the verdict first, then only what matters about it.


def decision_text(
    decision: Decision,
    style: Style,
    *,
    policy: str = "",
    run: str = "",
    number: int = 0,
    now: float | None = None,
) -> str:
    """
    Return a few lines with a line end behind the last.

    Args:
        decision: Decisions.
        style: Colour and width.
        policy: Name and version of the policy.
        run: Id of the run.
        number: Number of the iteration in it.
        now: Seconds since the epoch, for how long to wait.
    """
    lines = head_lines(decision, style)
    origin = [part for part in (policy, f"{run} iteration {number}" if run else "") if part]
    origin.append("firm" if decision.firm else "tentative")
    if decision.blind and number:
        origin.append("blind: nothing from the agent could be read")
    lines += [style.paint("quiet", line) for line in wrap(safe(" · ".join(origin)), style.width)]
    rows = tail_rows(decision, style, now) + open_rows(decision, style)
    below = ["", *rows] if rows else []
    return "\n".join([*lines, *below, *escalation_lines(decision)]) + "\n"
