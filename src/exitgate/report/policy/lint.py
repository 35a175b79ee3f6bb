"""What `exitgate lint` found, as text and as JSON."""

from __future__ import annotations

from msgspec import Struct

from exitgate.report.diagnostics import count_text, diagnostic_text, ordered
from exitgate.report.formats.json import diagnostics_json, json_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from exitgate.core.model.diagnostic import Diagnostic
    from exitgate.report.terminal import Style


SCHEMA = "exitgate/lint@1"
#: Where the page of a lint is, in the documentation.
PAGES = "reference/lints"


class LintFinding(Struct, frozen=True):
    """
    A finding.

    Args:
        diagnostic: Its code is the lint's id.
        fixable: Whether `--fix` fixes it.
        reason: Why a comment turns it off, empty without a reason; None where none does.
    """

    diagnostic: Diagnostic
    fixable: bool
    reason: str | None = None


def page_path(id: str) -> str:
    """Return the page of a lint, relative to the documentation."""
    return f"{PAGES}/{id}.md"


def lint_text(problems: Sequence[Diagnostic], findings: Iterable[LintFinding], style: Style) -> str:
    """
    Return errors and findings that nothing turns off, each with the page of its lint, and their count.

    The empty text for none.
    """
    told = [one for one in findings if one.reason is None]
    lints = dict.fromkeys(one.diagnostic for one in told)
    shown = ordered([*problems, *lints])
    if not shown:
        return ""
    blocks = []
    for one in shown:
        block = diagnostic_text(one, style)
        if one in lints:
            margin = " " * len(str(one.place.line)) if one.place is not None else ""
            block += f"\n{margin}{style.paint('help', 'page')}: `exitgate explain {one.code}`"
        blocks.append(block)
    fixable = sum(one.fixable for one in told)
    more = f"; `--fix` fixes {fixable}" if fixable else ""
    return "\n\n".join(blocks) + f"\n\n{count_text(shown)}{more}\n"


def lint_json(problems: Sequence[Diagnostic], findings: Iterable[LintFinding], files: int) -> str:
    """Return everything found, suppressed findings included, in the order of files and lines."""
    told = {one.diagnostic: one for one in findings}
    plain = []
    for one in ordered(told):
        found = told[one]
        row = diagnostics_json([one])[0]
        lint = {"lint": row.pop("code"), "page": page_path(one.code), "fixable": found.fixable}
        suppressed = None if found.reason is None else {"reason": found.reason}
        plain.append({**lint, **row, "suppressed": suppressed})
    open_ = [one.diagnostic.severity for one in told.values() if one.reason is None]
    counts = {f"{severity}s": open_.count(severity) for severity in ("error", "warning", "note")}
    return json_text(
        {
            "schema": SCHEMA,
            "files": files,
            "counts": {**counts, "suppressed": len(told) - len(open_)},
            "findings": plain,
            "errors": diagnostics_json(problems),
        }
    )
