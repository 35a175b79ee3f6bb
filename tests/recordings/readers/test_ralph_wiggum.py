"""The state of the ralph-wiggum plugin."""

from __future__ import annotations

from pathlib import Path

import pytest
from hostile_files import any_bytes
from hypothesis import given, settings
from hypothesis import strategies as st
from loop_folders import folder, read, reader

from exitgate.recordings.replay.dry_run import dry_run

ID = "ralph-wiggum"
STATE = """---
active: true
iteration: 4
max_iterations: 20
completion_promise: "ALL DONE"
started_at: "2026-01-02T10:00:00Z"
session_id: abc-1
---

Build it until it works.
"""


def test_a_state_says_how_far_the_loop_is_and_where_its_session_is(tmp_path: Path) -> None:
    path = folder(tmp_path, {"ralph-loop.local.md": STATE}) / "ralph-loop.local.md"
    assert reader(path) == ID
    (run,), (problem,) = read(path)
    assert (run.begin.id, run.begin.started_at, run.iterations) == ("abc-1", 1_767_348_000.0, ())
    assert run.begin.title == "iteration 4, max_iterations 20, completion_promise ALL DONE"
    assert (run.end.how, run.end.why) == (None, "at iteration 4")
    assert "abc-1.jsonl" in problem.message
    (result,) = dry_run([str(path)], ["recommended"]).results
    assert (result.run.iterations, result.stop) == (0, None)


def test_an_older_state_without_a_session_and_other_front_matter(tmp_path: Path) -> None:
    older = STATE.replace("session_id: abc-1\n", "")
    path = folder(tmp_path, {"x.md": older, "y.md": "---\ntitle: x\n---\ntext\n", "z.md": STATE[4:]}) / "x.md"
    (run,), (problem,) = read(path)
    assert (run.begin.id, "JSON lines" in problem.message) == ("x.md", True)
    assert reader(path.with_name("y.md")) is None and reader(path.with_name("z.md")) is None


@settings(max_examples=30, deadline=None)
@given(st.binary(max_size=200), st.integers(0, len(STATE)))
def test_any_bytes(tmp_path_factory: pytest.TempPathFactory, body: bytes, end: int) -> None:
    any_bytes(tmp_path_factory.mktemp("any"), "ralph-loop.local.md", STATE[:end].encode() + body, ID)
