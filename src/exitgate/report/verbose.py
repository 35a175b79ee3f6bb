"""A decision as `check -v` prints it: three lines in full, warnings, what could not be checked by cause."""

from __future__ import annotations

from exitgate.model.value import Unknown
from exitgate.report.brief import brief, listed
from exitgate.report.safe import safe
from exitgate.report.short import coming_next, could_be, headline, repeats, why
from exitgate.report.summary import row
from exitgate.report.width import wrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.model.decision import Decision
    from exitgate.report.short import Setting
    from exitgate.report.style import Style


def verbose_text(decision: Decision, setting: Setting, style: Style) -> str:
    """Return the lines of the short form in full, then a row for each further detail."""
    lines = [
        headline(decision, style),
        *wrap(safe(brief(why(decision, setting), setting.folder)), style.width),
    ]
    lines += wrap(safe(brief(f"Next: {coming_next(decision, setting)}", setting.folder)), style.width)
    rows: list[str] = []
    for label, text, role in _rows(decision, setting):
        rows += row(label, brief(text, setting.folder), style, role)
    return "\n".join([*lines, *(["", *rows] if rows else [])]) + "\n"


def causes(decision: Decision) -> dict[str, list[str]]:
    """Return the reasons why rules could not be checked, each with the rules it concerns, in chain order."""
    found: dict[str, list[str]] = {}
    for step in decision.undetermined:
        leaves = step.unknowns or ((step.truth,) if isinstance(step.truth, Unknown) else ())
        for reason in dict.fromkeys(leaf.reason for leaf in leaves):
            found.setdefault(reason, []).append(step.rule)
    return found


def beside(decision: Decision, setting: Setting) -> list[tuple[str, str, str]]:
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
    rows = beside(decision, setting)
    for step in decision.steps:
        for form in (form for form in step.pending if not form.is_first):
            rows.append(("under way", f"{form} iterations (rule `{step.rule}`)", "unknown"))
    for reason, rules in causes(decision).items():
        rows.append(("cannot check", f"{listed(rules)}: {reason}", "unknown"))
    return list(dict.fromkeys(rows))
