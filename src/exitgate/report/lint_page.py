"""The reference page of a lint, and of all of them."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Protocol

    class Explained(Protocol):
        """What a page needs of `exitgate.analysis.lint.finding.Doc`."""

        finds: str
        matters: str
        bad: str
        good: str
        fix: str
        earlier: str
        today: str
        beside: tuple[tuple[str, str], ...]

    class Listed(Protocol):
        """What a page needs of a lint's module."""

        ID: str
        TITLE: str
        SEVERITY: str
        KINDS: tuple[str, ...]

        @property
        def DOC(self) -> Explained:  # noqa: N802 - modules write it so
            """What the page says."""


INTRODUCTION = """# Lints

`exitgate lint` reads policies, lexicons and settings and reports what works and should not stay as it is.
Each lint has a page with a file that has the fault and one that has not; both are run by the tests.

| lint | severity | in | finds |
|---|---|---|---|
"""


def page(lint: Listed, printed: str = "") -> str:
    """
    Return the page of a lint: what it finds and why, a bad and a good example, how to turn it off.

    `printed` is a command line and what it prints on a file with the bad example.
    """
    doc = lint.DOC
    lines = [f"# {lint.ID}", "", f"{lint.TITLE[:1].upper()}{lint.TITLE[1:]}.", ""]
    lines += ["| severity | in | `--fix` |", "|---|---|---|"]
    lines += [f"| {lint.SEVERITY} | {', '.join(lint.KINDS)} | {_cell(doc.fix) or 'no'} |", ""]
    lines += ["## What it finds", "", doc.finds, "", "## Why it matters", "", doc.matters, ""]
    if doc.earlier:
        lines += ["## Before", "", *_code(doc.earlier)]
    lines += ["## Bad", "", *_code(doc.bad)]
    if doc.today:
        lines += [f"linted on {doc.today}.", ""]
    if printed:
        lines += ["In a whole file:", "", "```console", printed.rstrip("\n"), "```", ""]
    lines += ["## Good", "", *_code(doc.good)]
    for name, text in doc.beside:
        lines += [f"with `{name}` in the same folder:", "", *_code(text)]
    lines += ["## Turning it off", "", "With a reason, above the line or at its end:", ""]
    lines += _code(f"# lint: off {lint.ID}: reason\n")
    lines += [f"For a whole file: `# lint: off-file {lint.ID}: why`. For a run: `--ignore {lint.ID}`.", ""]
    return "\n".join(lines)


def index(lints: Iterable[Listed]) -> str:
    """Return the page that lists all lints."""
    return INTRODUCTION + "".join(_row(lint) for lint in lints)


def _row(lint: Listed) -> str:
    link = f"[{lint.ID}](lints/{lint.ID}.md)"
    return f"| {link} | {lint.SEVERITY} | {', '.join(lint.KINDS)} | {_cell(lint.TITLE)} |\n"


def _code(text: str) -> list[str]:
    return ["```yaml", text.rstrip("\n"), "```", ""]


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
