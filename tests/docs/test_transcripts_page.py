"""The table of readers says what the readers say of themselves."""

from __future__ import annotations

from pathlib import Path

from cases import each

from exitgate.core.model import capabilities
from exitgate.recordings import registry

PAGE = Path(__file__).parents[2] / "docs" / "explanation" / "transcripts.md"
COLUMNS = {
    "response": capabilities.RESPONSE, "tool calls": capabilities.TOOL_CALLS,
    "results": capabilities.TOOL_RESULTS, "plan": capabilities.PLAN,
    "files changed": capabilities.FILES_CHANGED, "times": capabilities.TIMES, "cost": capabilities.COST,
    "tokens": capabilities.TOKENS, "denials": capabilities.DENIALS,
}  # fmt: skip


def rows() -> dict[str, dict[str, str]]:
    lines = [line.strip().strip("|") for line in PAGE.read_text(encoding="utf-8").splitlines()]
    start = next(at for at, line in enumerate(lines) if line.startswith(" reader | iteration"))
    names = [cell.strip() for cell in lines[start].split("|")]
    found = {}
    for line in lines[start + 2 :]:
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) != len(names):
            break
        for reader in cells[0].replace("`", "").split(", "):
            found[reader] = dict(zip(names, cells, strict=True))
    return found


@each("id", registry.READERS)
def test_a_reader_stands_in_the_table_with_what_it_gives(id: str) -> None:
    row = rows()[id]
    told = registry.load(id).GIVES
    said = {name for name, cell in row.items() if name in COLUMNS and cell != "-"}
    # what only a whole run tells stands in words
    assert {name for name in said if row[name] == "yes"} <= {n for n, word in COLUMNS.items() if word in told}
    assert {name for name, word in COLUMNS.items() if word in told} <= said


def test_every_row_is_a_reader() -> None:
    assert set(rows()) <= set(registry.names()) | {"ralph-folder", "claude-session-steps"}
