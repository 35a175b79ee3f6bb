"""Folders of the Cursor dialect."""

from __future__ import annotations

from pathlib import Path

import pytest
from hostile_files import any_bytes, cut_by_lines
from hypothesis import given, settings
from hypothesis import strategies as st
from loop_folders import folder, read, reader

from exitgate.recordings.readers.ralph_cursor.log import date
from exitgate.recordings.replay.dry_run import dry_run

ID = "ralph-cursor"
BAR = "\u2550" * 20
DOT = "\U0001f7e2"


def banner(clock: str, day: int = 2) -> str:
    return f"\n{BAR}\nRalph Session Started: Fri Jan {day:2} {clock} CET 2026\n{BAR}\n"


LOG = (
    "# Activity Log\n\n> Real-time tool call logging from stream-parser.\n"
    + banner("10:00:00")
    + f"[10:00:02] {DOT} SESSION START: model=big-1\n"
    + f"[10:00:05] {DOT} READ /w/src/a.py (28 lines, ~2.7KB)\n"
    + f"[10:00:09] {DOT} WRITE /w/src/b.py (3 lines, ~.1KB)\n"
    + f'[10:00:20] {DOT} SHELL git commit -m "one\n\ntwo" \u2192 exit 1\n'
    + f"[10:00:30] {DOT} TOKENS: 700 / 80000 (0%) [read:0KB]\n"
    + f"[10:00:40] {DOT} SESSION END: 38000ms, ~812 tokens used\n"
    + banner("23:59:30")
    + f"[23:59:40] {DOT} TOKENS: 79000 / 80000 (98%)\n"
    + f"[00:00:10] {DOT} ROTATE: Token threshold reached (80432 >= 80000)\n"
    + f"[00:00:12] {DOT} SHELL make test"
)
PROGRESS = """# Progress Log

> Updated by the agent after significant work.

### 2026-01-02 10:00:00
**Session 1 started** (model: big-1)

### 2026-01-02 10:00:41
**Session 1 ended** - Agent finished naturally (3 criteria remaining)

### 2026-01-02 23:59:30
**Session 1 started** (model: big-1)

### 2026-01-03 00:01:00
**Session 1 ended** - \u2705 TASK COMPLETE
"""
TASKS = """# Ralph Task Cache
generated_at: 2026-01-03T00:01:00Z

tasks:
  - id: "line_1"
    status: completed
    description: First thing
  - id: "line_2"
    status: pending
    description: Second thing
"""


@pytest.fixture
def loop(tmp_path: Path) -> Path:
    return folder(tmp_path, {"activity.log": LOG, "progress.md": PROGRESS, "tasks.yaml": TASKS}, ".ralph")


def test_a_session_is_an_iteration(loop: Path) -> None:
    assert reader(loop / "activity.log") == ID
    (run,), problems = read(loop / "activity.log")
    assert (problems, run.begin.granularity, run.end.how) == ((), "process", None)
    one, _ = run.iterations
    assert (one.started_at, one.ended_at) == (1_767_348_000.0, 1_767_348_040.0)
    assert (one.provenance.first, one.provenance.last) == (6, 15)
    assert one.tool_calls is not None
    assert [(call.name, call.exit_status, call.is_error) for call in one.tool_calls] == [
        ("READ", None, None), ("WRITE", None, None), ("SHELL", 1, True),
    ]  # fmt: skip
    assert one.tool_calls[2].input == {"command": 'git commit -m "one\ntwo"'}
    assert [change.path for change in one.files_changed or ()] == ["/w/src/b.py"]
    assert (one.record["tokens"], one.record["model"], one.record["tool_calls"]) == (812, "big-1", 3)
    assert "truncated" not in one.record
    assert (one.response, one.exit_status, one.cost, one.plan) == (None, None, None, None)
    assert "not text" in one.not_known["response"]


def test_a_rotation_ends_a_session_without_a_claim_and_midnight_passes(loop: Path) -> None:
    (run,), _ = read(loop / "activity.log")
    two = run.iterations[1]
    assert (two.record["stop_reason"], two.record["truncated"]) == ("ROTATE", True)
    assert two.started_at is not None and two.ended_at == two.started_at + 42
    assert two.tool_calls is not None and two.tool_calls[0].exit_status is None, "its end was cut off"


def test_launches_are_runs_where_their_sessions_are_numbered(loop: Path) -> None:
    assert reader(loop) == ID
    (a, b), problems = read(loop)
    assert (problems, len(a.iterations), len(b.iterations), b.iterations[0].index) == ((), 1, 1, 1)
    assert (a.end.how, b.end.how) == (None, "complete")
    assert a.end.why == "Agent finished naturally (3 criteria remaining)"
    assert a.iterations[0].record["fields"] == {"CRITERIA_REMAINING": 3}
    assert (a.iterations[0].plan, b.iterations[0].plan) == (None, None)
    assert "may be newer" in b.iterations[0].not_known["plan"], "the loop counted none, the file shows one"
    (loop / "tasks.yaml").write_text(TASKS.replace("pending", "completed"))
    (_, b), _ = read(loop)
    assert b.iterations[0].plan == "- [x] First thing\n- [x] Second thing\n"


def test_the_progress_file_by_itself(loop: Path) -> None:
    assert reader(loop / "progress.md") == ID
    (a, b), _ = read(loop / "progress.md")
    assert (a.iterations[0].started_at, a.iterations[0].ended_at) == (1_767_348_000.0, 1_767_348_041.0)
    assert (a.end.why, b.end.how) == ("Agent finished naturally (3 criteria remaining)", "complete")
    stuck = PROGRESS.replace("\u2705 TASK COMPLETE", "\U0001f6a8 GUTTER (agent stuck)")
    (loop / "progress.md").write_text(stuck)
    assert read(loop / "progress.md")[0][1].end.how == "stuck"


def test_a_log_of_stories(tmp_path: Path) -> None:
    log = "2026-01-02T10:00:00Z S1 built the base\nnothing\n2026-01-02T09:00:00Z S2 built more\n"
    ran = "# Run Summary 2026-01-02T10:00:00Z\n- Story: S1\n- Acceptance: pass\n"
    files = {
        "activity.log": log,
        "runs/2026-01-02T10-00-00Z.md": ran,
        "errors.log": "2026-01-02T10:00:00Z S1 hung\n",
    }
    state = folder(tmp_path, files, ".ralph")
    assert [reader(state), *(reader(state / name) for name in files)] == [ID] * 4
    (run,), (problem,) = read(state)
    assert problem.line == 2
    assert [one.record["fields"] for one in run.iterations] == [
        {"STORY": "S1", "ACCEPTANCE": "pass"},
        {"STORY": "S2"},
    ]
    assert [one.ended_at for one in run.iterations] == [1_767_348_000.0, 1_767_344_400.0]
    (alone,), _ = read(state / "runs" / "2026-01-02T10-00-00Z.md")
    assert alone.iterations[0].record["fields"] == {"STORY": "S1", "ACCEPTANCE": "pass"}


@pytest.mark.parametrize(
    ("name", "text", "plan"),
    [
        ("tasks.yaml", TASKS, "- [x] First thing\n- [ ] Second thing\n"),
        ("RALPH_TASK.md", "---\ntask: x\n---\n- [ ] one\n", "---\ntask: x\n---\n- [ ] one\n"),
        ("guardrails.md", "# Ralph Guardrails (Signs)\n\n> Lessons.\n", None),
        ("errors.log", "# Error Log\n\n> Failures.\n", None),
    ],
)
def test_state_files_are_runs_without_iterations(
    tmp_path: Path, name: str, text: str, plan: str | None
) -> None:
    path = folder(tmp_path, {name: text}) / name
    assert reader(path) == ID
    (run,), problems = read(path)
    assert (run.iterations, problems, run.begin.plan, run.begin.files) == ((), (), plan, {str(path): text})


@pytest.mark.parametrize(
    ("text", "at"),
    [
        (" Fri Jan  2 10:00:00 CET 2026", 1_767_348_000.0),
        ("Fri Jan 2 10:00:00 AM PST 2026", 1_767_348_000.0),
        ("Fri Jan 2 12:00:00 AM PST 2026", 1_767_312_000.0),
        ("Fri Jan 2 01:00:00 PM PST 2026", 1_767_358_800.0),
        ("ven. janv. 2 10:00:00 2026", None), ("", None), ("Fri Jan 2 10:xx:00 CET 2026", None),
    ],
)  # fmt: skip
def test_dates_of_banners(text: str, at: float | None) -> None:
    assert date(text) == at


def test_cut_anywhere(loop: Path) -> None:
    cut_by_lines(loop / "activity.log", ID, growing=True)
    cut_by_lines(loop / "progress.md", ID, growing=True)


@settings(max_examples=40, deadline=None)
@given(st.binary(max_size=200), st.sampled_from(["activity.log", "progress.md", "tasks.yaml"]))
def test_any_bytes(tmp_path_factory: pytest.TempPathFactory, body: bytes, name: str) -> None:
    any_bytes(tmp_path_factory.mktemp("any"), name, body, ID)


def test_a_dry_run_opens_it(loop: Path) -> None:
    results = dry_run([str(loop)], ["recommended"]).results
    assert [(result.run.reader, result.run.iterations) for result in results] == [(ID, 1), (ID, 1)]
    assert all(result.stop is None or result.stop.exit_class != "complete" for result in results)
