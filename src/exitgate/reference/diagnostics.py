"""A page for every diagnostic code and every lint: what it means, with examples as they are printed."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping

from exitgate.analysis.lint import registry
from exitgate.analysis.lint.doc import doc_of, whole
from exitgate.analysis.lint.finding import LEXICON, POLICY, SETTINGS, Lint
from exitgate.reference import source
from exitgate.reference.examples import Run, Shown, console_blocks, perform
from exitgate.reference.index import Entry, Page

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.reference.examples import Run


FOLDER = "diagnostics"


def pages(codes: Mapping[str, str], run: Run) -> tuple[Page, ...]:
    """
    Return a page for each code, by code.

    Args:
        codes: Code -> its meaning in one line.
        run: Runs a command line of an example in a folder.

    Raises:
        ValueError: A source has no code, or an example does not show its code.
    """
    there = set(source.names(FOLDER))
    if not there <= set(codes):
        raise ValueError(f"sources of no code: {sorted(there - set(codes))}")
    return tuple(
        page(code, codes[code], source.read(FOLDER, f"{code}.md"), run)
        if code in there
        else bare(code, codes[code])
        for code in sorted(codes)
    )


def bare(code: str, meaning: str) -> Page:
    """Return the page of a code without a source: its meaning only. The tests of pages miss the source."""
    path = f"{FOLDER}/{code}.md"
    return Page(path, f"# {code}: {meaning}\n", (Entry(code, "diagnostic", path, "", meaning),))


def page(code: str, meaning: str, text: str, run: Run) -> Page:
    """Return the page of one code made from its source."""
    written = source.written(text)
    bad, good = perform((written.bad, written.good), run)
    printed = "".join(shown.printed for shown in bad)
    if printed and f"[{code}]" not in printed:
        raise ValueError(f"the example of {code} does not show it:\n{printed}")
    lines = [f"# {code}: {meaning}", ""]
    lines += console_blocks(bad)
    lines += ["## How to fix it", ""]
    lines += console_blocks(good[:-1] if _is_right(code, good) else good)
    where = f"{FOLDER}/{code}.md"
    entry = Entry(code, "diagnostic", where, "", meaning)
    return Page(where, "\n".join(lines).rstrip("\n") + "\n", (entry,))


def _is_right(code: str, good: tuple[Shown, ...]) -> bool:
    """Return whether the last thing shown is a silent validation; raise when the code is still there."""
    printed = "".join(shown.printed for shown in good)
    if f"[{code}]" in printed:
        raise ValueError(f"the fixed example of {code} still shows it:\n{printed}")
    last = good[-1] if good else None
    return last is not None and last.block.text == source.VALIDATE + "\n" and last.code == 0


# The reference page of diagnostic codes.

FAMILIES = (
    ("EP1", "YAML"),
    ("EP2", "The format of the file"),
    ("EP3", "Syntax of conditions"),
    ("EP4", "Names, types and composition"),
    ("EP5", "Tests, lint, proofs, versions, editors"),
    ("EP6", "Analysis"),
    ("EP7", "While running"),
    ("EP8", "Command line, input and output"),
    ("EP9", "exitgate itself"),
)
INTRODUCTION = """# Diagnostics

Every problem in something you wrote is reported with a code, its place, the source line and what to
do about it. All problems of a file are reported at once. An error ends the command with the code of
[exit codes](exit-codes.md); warnings and notes do not. `exitgate explain CODE` prints the page of a code.
"""


def codes_page(codes: Mapping[str, str]) -> str:
    """Return the page of all codes, by family. Raises KeyError for a code of no family."""
    lines = [INTRODUCTION]
    families: dict[str, list[str]] = {prefix: [] for prefix, _ in FAMILIES}
    for code in sorted(codes):
        families[code[:3]].append(
            f"| [`{code}`](diagnostics/{code}.md) | {codes[code].replace('|', chr(92) + '|')} |"
        )
    for prefix, title in FAMILIES:
        if families[prefix]:
            lines += [f"## {title}", "", "| code | meaning |", "|---|---|", *families[prefix], ""]
    return "\n".join(lines).rstrip("\n") + "\n"


# A page for every lint, its bad example as `exitgate lint` reports it.

#: Kind of file -> what the example is called.
NAMES = {POLICY: "policy.yaml", LEXICON: "lexicon.yaml", SETTINGS: ".bb3/config.yaml"}


def lint_pages(run: Run) -> tuple[Page, ...]:
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
    return Page(path, lint_page(lint, _printed(lint, run)), (entry,))


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

LINTS = """# Lints

`exitgate lint` reads policies, lexicons and settings and reports what works and should not stay as it is.
Each lint has a page with a file that has the fault and one that has not; both are run by the tests.

| lint | severity | in | finds |
|---|---|---|---|
"""


def lint_page(lint: Lint, printed: str = "") -> str:
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
    return LINTS + "".join(_row(lint) for lint in lints)


def _row(lint: Lint) -> str:
    link = f"[{lint.ID}](lints/{lint.ID}.md)"
    return f"| {link} | {lint.SEVERITY} | {', '.join(lint.KINDS)} | {_cell(lint.TITLE)} |\n"


def _code(text: str) -> list[str]:
    return ["```yaml", text.rstrip("\n"), "```", ""]


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
