"""Ledgers of the forge loop: sections, fences in fences, Codex's last words, Claude's result."""

from __future__ import annotations

import json
from pathlib import Path

from loop_folders import read, reader

from exitgate.recordings.formats.timestamps import instant

HEAD = (
    "---\nloop_id: 11-22\nloop_name: otter\ncreated_at: 2026-01-31T12:00:00Z\n---\n\n# Loop Ledger: otter\n"
)
CODEX = "exec\nls\ncodex\nIt holds.\ntokens used\n12,345\nIt holds.\n\n```sh\nmake\n```\n\nMore later."
RESULT = json.dumps(
    {"type": "result", "subtype": "success", "result": "Done with it.", "total_cost_usd": 0.5}
)


def section(minute: int, tail: str, status: int = 0, harness: str = "codex") -> str:
    at = f"2026-01-31T12:{minute:02}"
    told = f"- run_id: r{minute}\n- status: success\n- harness: {harness}\n- started_at: {at}:00Z\n"
    return f"\n## {at}:50Z\n\n{told}- finished_at: {at}:49Z\n- exit_code: {status}\n\n```\n{tail}\n```\n"


LEDGER = (
    HEAD
    + section(1, CODEX)
    + section(2, "thinking\n**Looking**\n\nNo plan yet.\ncodex\nI looked around.", 1)
    + section(3, RESULT, harness="claude")
    + section(4, '"task": "print COMPLETE at the end"\nexec\nls')
)


def ledger(folder: Path, text: str = LEDGER) -> Path:
    path = folder / "otter.md"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_section_is_an_iteration(tmp_path: Path) -> None:
    path = ledger(tmp_path)
    assert reader(path) == "forge-ledger"
    (run,), problems = read(path)
    assert problems == () and run.begin.id == "otter"
    one, two, three, four = run.iterations
    assert one.response == "It holds.\n\n```sh\nmake\n```\n\nMore later."
    assert one.record["tokens"] == 12345 and one.exit_status == 0
    assert (one.started_at, one.ended_at) == (
        instant("2026-01-31T12:01:00Z"),
        instant("2026-01-31T12:01:49Z"),
    )
    assert (two.response, two.exit_status) == ("I looked around.", 1)
    assert (three.response, three.cost) == ("Done with it.", 0.5)
    assert three.tool_calls is None and "tool_calls" not in three.record  # the tail is not all of it
    assert four.response is None and "response" in four.not_known


def test_a_page_with_other_front_matter_is_none(tmp_path: Path) -> None:
    assert (
        reader(ledger(tmp_path, "---\ntitle: x\n---\n\n# Loop Ledger: x\n\n## 2026-01-31T12:00:00Z\n"))
        is None
    )
