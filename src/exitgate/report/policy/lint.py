"""What `exitgate lint` found, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, Literal

from msgspec import Struct, UnsetType

from exitgate.core.model.diagnostic import Diagnostic
from exitgate.report.diagnostics import count_text, diagnostic_text, ordered
from exitgate.report.formats.output import (
    Count,
    DiagnosticOutput,
    Output,
    RelatedOutput,
    diagnostic_outputs,
    output_text,
)
from exitgate.report.terminal import Style

SCHEMA: Final = "exitgate/lint@1"
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


class SuppressedOutput(Output, frozen=True):
    """
    A comment that turns a finding off.

    Args:
        reason: Why; may be empty.
    """

    reason: str


class LintFindingOutput(Output, frozen=True):
    """
    A finding.

    Args:
        lint: Id of the lint.
        page: Its page, relative to the documentation.
        fixable: Whether `--fix` fixes it.
        severity: How bad it is.
        message: What is wrong.
        help: What to do; may be empty.
        file: Where it is, if that is known.
        line: From 1.
        column: From 1.
        end_line: Where it ends.
        end_column: Behind the last character.
        related: Other places that matter.
        suppressed: The comment that turns it off; null where none does.
    """

    lint: str
    page: str
    fixable: bool
    severity: str
    message: str
    help: str
    file: str | UnsetType
    line: int | UnsetType
    column: int | UnsetType
    end_line: int | UnsetType
    end_column: int | UnsetType
    related: tuple[RelatedOutput, ...] | UnsetType
    suppressed: SuppressedOutput | None


class LintCountsOutput(Output, frozen=True):
    """
    How many findings there are of each severity; those turned off apart.

    Args:
        errors: Findings that are errors.
        warnings: Findings that are warnings.
        notes: Findings that are notes.
        suppressed: Findings that comments turn off.
    """

    errors: Count
    warnings: Count
    notes: Count
    suppressed: Count


class LintOutput(Output, frozen=True):
    """
    What `exitgate lint --format json` prints.

    Args:
        schema: Name and version of this form.
        files: How many files were read.
        counts: How many findings there are.
        findings: In the order of files and lines, those that comments turn off too.
        errors: What keeps files from being linted.
    """

    schema: Literal["exitgate/lint@1"]
    files: Count
    counts: LintCountsOutput
    findings: tuple[LintFindingOutput, ...]
    errors: tuple[DiagnosticOutput, ...]


def lint_json(problems: Sequence[Diagnostic], findings: Iterable[LintFinding], files: int) -> str:
    """Return everything found, suppressed findings included, in the order of files and lines."""
    told = {one.diagnostic: one for one in findings}
    open_ = [one.diagnostic.severity for one in told.values() if one.reason is None]
    errors, warnings, notes = (open_.count(severity) for severity in ("error", "warning", "note"))
    counts = LintCountsOutput(errors, warnings, notes, len(told) - len(open_))
    rows = tuple(_finding(told[one]) for one in ordered(told))
    return output_text(LintOutput(SCHEMA, files, counts, rows, diagnostic_outputs(problems)))


def _finding(found: LintFinding) -> LintFindingOutput:
    (one,) = diagnostic_outputs([found.diagnostic])
    return LintFindingOutput(
        one.code,
        page_path(one.code),
        found.fixable,
        one.severity,
        one.message,
        one.help,
        one.file,
        one.line,
        one.column,
        one.end_line,
        one.end_column,
        one.related,
        None if found.reason is None else SuppressedOutput(found.reason),
    )
