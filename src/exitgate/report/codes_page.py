"""The reference page of diagnostic codes."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

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
