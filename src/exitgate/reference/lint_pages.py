"""A page for every lint, its bad example as `exitgate lint` reports it."""

from __future__ import annotations

import os
import tempfile

from exitgate.analysis.lint import registry
from exitgate.analysis.lint.example import whole
from exitgate.analysis.lint.finding import LEXICON, POLICY, SETTINGS
from exitgate.reference.entry import Entry, Page
from exitgate.report import lint_page

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.analysis.lint.finding import Lint
    from exitgate.reference.performed import Run

#: Kind of file -> what the example is called.
NAMES = {POLICY: "policy.yaml", LEXICON: "lexicon.yaml", SETTINGS: ".bb3/config.yaml"}


def pages(run: Run) -> tuple[Page, ...]:
    """
    Return a page for each lint, and the list of them.

    Args:
        run: Runs a command line of an example in a folder.
    """
    lints = registry.lints()
    return (*(_page(lint, run) for lint in lints), Page("lints.md", lint_page.index(lints)))


def _page(lint: Lint, run: Run) -> Page:
    path = f"lints/{lint.ID}.md"
    entry = Entry(lint.ID, "lint", path, "", lint.TITLE)
    return Page(path, lint_page.page(lint, _printed(lint, run)), (entry,))


def _printed(lint: Lint, run: Run) -> str:
    """Return a command line and what it prints on the bad example; nothing where git matters."""
    if lint.DOC.earlier:
        return ""
    name = NAMES[lint.KINDS[0]]
    with tempfile.TemporaryDirectory() as place:
        folder = os.path.realpath(place)
        for file, text in _files(lint, name):
            path = os.path.join(folder, file)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8", newline="") as stream:
                stream.write(text)
        today = f" --today {lint.DOC.today}" if lint.DOC.today else ""
        line = f"exitgate lint {name} --select {lint.ID}{today}"
        printed, _ = run(line, folder)
    return f"$ {line}\n{printed}" if f"[{lint.ID}]" in printed else ""


def _files(lint: Lint, name: str) -> Iterator[tuple[str, str]]:
    yield name, whole(lint, lint.DOC.bad)
    yield from lint.DOC.beside
