"""What became of mutants as Markdown, for a pull request: a table of policies, then what is left."""

from __future__ import annotations

from exitgate.report.markdown import cell, code, prose
from exitgate.report.mutants_found import EQUIVALENT, KILLED, OPEN, SURVIVED
from exitgate.report.mutation_text import WORDS, share_text
from exitgate.report.safe import safe, safe_block

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from exitgate.report.mutants_found import FoundMutant, FoundMutants

COLUMNS = (KILLED, SURVIVED, OPEN, EQUIVALENT, "excused")


def mutation_markdown(found: Sequence[FoundMutants]) -> str:
    """Return a Markdown document."""
    head = ["policy", "mutants", *(WORDS[key] for key in COLUMNS), "share killed"]
    rows = [
        [
            f"{one.policy} {one.version}",
            str(len(one.mutants)),
            *(str(one.counts()[key]) for key in COLUMNS),
            share_text([one]),
        ]
        for one in found
    ]
    table = [_row(head), "|" + " --- |" * len(head), *(_row([cell(part) for part in row]) for row in rows)]
    blocks = ["## Mutants", "\n".join(table)]
    for one in found:
        if one.left or one.open:
            blocks.append(f"### {prose(f'{one.policy} {one.version}')}")
        blocks += ["\n".join(_mutant(left)) for left in (*one.left, *one.open)]
        blocks += [f"- {prose(f'{told.place}: {told.message}')}" for told in one.stale]
    return "\n\n".join(blocks) + "\n"


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _mutant(one: FoundMutant) -> Iterator[str]:
    place = f" ({prose(str(one.place))})" if one.place is not None else ""
    yield f"**{code(one.id)}** {WORDS[one.status]}{place}"
    yield ""
    yield "```diff"
    yield safe(f"- {one.before}")
    if one.after:
        yield safe(f"+ {one.after}")
    yield "```"
    if one.status == OPEN:
        yield ""
        yield prose(one.why)
    elif one.example:
        yield ""
        yield "A case that would catch it:"
        yield ""
        yield "```yaml"
        yield safe_block(one.example.rstrip("\n"))
        yield "```"
