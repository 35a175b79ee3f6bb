"""Answers about policies as Markdown for pull requests: a table, counterexamples folded below it."""

from __future__ import annotations

from exitgate.report.markdown import cell
from exitgate.report.prove_told import GLYPHS, HEADINGS, summed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.report.prove_told import Told, ToldPolicy


def prove_markdown(policies: tuple[ToldPolicy, ...]) -> str:
    """Return a section for each policy."""
    lines: list[str] = []
    for policy in policies:
        lines += [
            f"### {policy.name} {policy.version}",
            "",
            "| | question | about | answer |",
            "|---|---|---|---|",
        ]
        for one in policy.proofs:
            says = ": ".join(filter(None, (one.status, one.says)))
            glyph = GLYPHS[one.status][0]
            lines.append(f"| {glyph} | {HEADINGS[one.kind]} | `{cell(one.subject)}` | {cell(says)} |")
        lines.append("")
        for one in policy.proofs:
            lines += _details(one)
    return "\n".join([*lines, summed(policies)]) + "\n"


def _details(one: Told) -> Iterator[str]:
    if one.status == "broken" and (one.lines or one.case):
        yield f"<details><summary>{one.subject} is broken</summary>"
        yield ""
        yield "```yaml"
        yield from (f"# {line}" for line in one.lines)
        yield from one.case.rstrip("\n").split("\n")
        yield "```"
        yield ""
        yield "</details>"
        yield ""
