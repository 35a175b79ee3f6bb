"""A page for every diagnostic code: what it means, an example as it is printed, how to fix it."""

from __future__ import annotations

from collections.abc import Mapping

from exitgate.reference import source
from exitgate.reference.examples import Run, Shown, console_blocks, perform
from exitgate.reference.index import Entry, Page

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
