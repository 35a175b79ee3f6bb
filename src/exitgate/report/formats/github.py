"""Workflow commands of GitHub Actions: decisions and diagnostics as annotations."""

from __future__ import annotations

from collections.abc import Iterable

from exitgate.core.model.decision import Decision
from exitgate.core.model.diagnostic import Diagnostic, Location
from exitgate.report.decision.summary import (
    alternative_text,
    if_readable_text,
    undetermined_text,
    verdict_text,
)
from exitgate.report.diagnostics import ordered
from exitgate.report.terminal import TROUBLE, safe_block
from exitgate.report.wording import retry_text

LEVELS = {"error": "error", "warning": "warning", "note": "notice"}


def diagnostics_github(diagnostics: Iterable[Diagnostic]) -> str:
    """Return an annotation for each diagnostic, errors first: GitHub shows ten of a kind, no more."""
    rank = {severity: at for at, severity in enumerate(LEVELS)}
    found = sorted(ordered(diagnostics), key=lambda d: rank[d.severity])
    return "".join(_diagnostic(d) + "\n" for d in found)


def decision_github(decision: Decision) -> str:
    """Return the decision as a notice, a warning where a person should look, and a line for each remark."""
    trouble = decision.exit_class in TROUBLE or decision.exit_class == "blocked"
    title = f"{verdict_text(decision.verdict, decision.exit_class)} · {decision.outcome}"
    lines = [annotation("warning" if trouble else "notice", decision.message or title, title=title)]
    retry = retry_text(decision)
    if retry:
        lines.append(annotation("notice", retry, title="retry"))
    for warned in decision.warnings:
        lines.append(annotation("warning", warned.message, title=warned.rule or "exitgate"))
    for other in decision.alternatives:
        lines.append(annotation("notice", alternative_text(other), title="tentative"))
    for other in decision.if_readable:
        lines.append(annotation("notice", if_readable_text(other), title="if readable"))
    for step in decision.undetermined:
        lines.append(annotation("notice", undetermined_text(step), title="undetermined"))
    return "".join(line + "\n" for line in lines)


def annotation(level: str, message: str, **properties: object) -> str:
    """
    Return one workflow command on one line.

    `level` is ``error``, ``warning`` or ``notice``; `properties` are `file`, `line`, `col`, `endLine`,
    `endColumn` and `title`, left out where None. Nothing in message or property can end the command early.
    """
    given = ",".join(f"{name}={_property(value)}" for name, value in properties.items() if value is not None)
    return f"::{level}{' ' + given if given else ''}::{_message(message)}"


def annotation_at(place: Location | None, level: str, message: str, title: str) -> str:
    """Return an annotation where a place begins, or of no place."""
    file, line, column = (None, None, None) if place is None else (place.file, place.line, place.column)
    return annotation(level, message, file=file, line=line, col=column, title=title)


def _diagnostic(diagnostic: Diagnostic) -> str:
    place = diagnostic.place
    text = diagnostic.message + (f"\nhelp: {diagnostic.help}" if diagnostic.help else "")
    if place is None:
        return annotation(LEVELS[diagnostic.severity], text, title=diagnostic.code)
    return annotation(
        LEVELS[diagnostic.severity],
        text,
        file=place.file,
        line=place.line,
        endLine=place.end_line,
        col=place.column,
        endColumn=place.end_column if place.end_line == place.line else None,
        title=diagnostic.code,
    )


def _message(text: str) -> str:
    return safe_block(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(value: object) -> str:
    return _message(str(value)).replace(":", "%3A").replace(",", "%2C")
