"""A page for every lint, its bad example as `exitgate lint` reports it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator

from exitgate.analysis.lint import registry
from exitgate.analysis.lint.doc import doc_of, whole
from exitgate.analysis.lint.finding import LEXICON, POLICY, SETTINGS, Lint
from exitgate.reference.index import Entry, Page

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.reference.examples import Run

#: Kind of file -> what the example is called.
NAMES = {POLICY: "policy.yaml", LEXICON: "lexicon.yaml", SETTINGS: ".bb3/config.yaml"}


def pages(run: Run) -> tuple[Page, ...]:
    """
    Return a page for each lint, and the list of them.

    Args:
        run: Runs a command line of an example in a folder.
    """
    lints = registry.lints()
    return (*(_page(lint, run) for lint in lints), Page("lints.md", index(lints)))


def _page(lint: Lint, run: Run) -> Page:
    path = f"lints/{lint.ID}.md"
    entry = Entry(lint.ID, "lint", path, "", lint.TITLE)
    return Page(path, page(lint, _printed(lint, run)), (entry,))


def _printed(lint: Lint, run: Run) -> str:
    """Return a command line and what it prints on the bad example; nothing where git matters."""
    if doc_of(lint).earlier:
        return ""
    name = NAMES[lint.KINDS[0]]
    with tempfile.TemporaryDirectory() as place:
        folder = os.path.realpath(place)
        for file, text in _files(lint, name):
            path = os.path.join(folder, file)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8", newline="") as stream:
                stream.write(text)
        today = f" --today {doc_of(lint).today}" if doc_of(lint).today else ""
        line = f"exitgate lint {name} --select {lint.ID}{today}"
        printed, _ = run(line, folder)
    return f"$ {line}\n{printed}" if f"[{lint.ID}]" in printed else ""


def _files(lint: Lint, name: str) -> Iterator[tuple[str, str]]:
    yield name, whole(lint, doc_of(lint).bad)
    yield from doc_of(lint).beside


# The reference page of a lint, and of all of them.

INTRODUCTION = """# Lints

`exitgate lint` reads policies, lexicons and settings and reports what works and should not stay as it is.
Each lint has a page with a file that has the fault and one that has not; both are run by the tests.

| lint | severity | in | finds |
|---|---|---|---|
"""


def page(lint: Lint, printed: str = "") -> str:
    """
    Return the page of a lint: what it finds and why, a bad and a good example, how to turn it off.

    `printed` is a command line and what it prints on a file with the bad example.
    """
    doc = doc_of(lint)
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


def index(lints: Iterable[Lint]) -> str:
    """Return the page that lists all lints."""
    return INTRODUCTION + "".join(_row(lint) for lint in lints)


def _row(lint: Lint) -> str:
    link = f"[{lint.ID}](lints/{lint.ID}.md)"
    return f"| {link} | {lint.SEVERITY} | {', '.join(lint.KINDS)} | {_cell(lint.TITLE)} |\n"


def _code(text: str) -> list[str]:
    return ["```yaml", text.rstrip("\n"), "```", ""]


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
