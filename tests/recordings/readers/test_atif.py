"""ATIF: trajectories of every version, sub-agents, continued ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reading_steps import any_bytes, cut_anywhere, lines, one_run, runs_of, sniffed, written

from exitgate.recordings.replay.dry_run import dry_run

READER = "atif"


def step(id: int, source: str, message: Any, **parts: Any) -> dict[str, Any]:
    return {
        "step_id": id,
        "timestamp": f"2026-03-01T12:00:{id:02d}Z",
        "source": source,
        "message": message,
        **parts,
    }


def call(id: str, name: str, **arguments: Any) -> dict[str, Any]:
    return {"tool_call_id": id, "function_name": name, "arguments": arguments}


def results(*pairs: tuple[str | None, Any]) -> dict[str, Any]:
    return {"results": [{"source_call_id": id, "content": content} for id, content in pairs]}


def trajectory(version: str = "ATIF-v1.4", session: str = "s-1", **parts: Any) -> dict[str, Any]:
    return {
        "schema_version": version,
        "session_id": session,
        "agent": {"name": "coder", "version": "2.0", "model_name": "maker/model-1"},
        "steps": [
            step(1, "system", "Everything is done when the tests pass."),
            step(2, "user", "Add a port."),
            step(3, "agent", "I look and plan.", reasoning_content="hm",
                 tool_calls=[call("a", "bash", command="ls"),
                             call("b", "write_file", file_path="TODO.md", content="- [ ] port\n")],
                 observation=results(("b", "written"), ("a", "app.py"), (None, "note")),
                 metrics={"prompt_tokens": 50, "completion_tokens": 10, "cached_tokens": 40,
                          "cost_usd": 0.02}),
            step(4, "agent", "", model_name="maker/model-2", tool_calls=[call("c", "bash", command="make")],
                 observation=results(("c", [{"type": "text", "text": "built"}, {"type": "image"}])),
                 metrics={"prompt_tokens": 60, "completion_tokens": 5}),
            step(5, "agent", "The port is there."),
        ],
        "final_metrics": {"total_prompt_tokens": 110, "total_completion_tokens": 15, "total_cost_usd": 0.05},
        **parts,
    }  # fmt: skip


@pytest.mark.parametrize("version", [f"ATIF-v1.{minor}" for minor in range(9)])
def test_every_version_is_told_by_its_word(tmp_path: Path, version: str) -> None:
    assert sniffed(written(tmp_path, "trajectory.json", trajectory(version))) == READER
    assert sniffed(written(tmp_path, "x.json", {**trajectory(), "schema_version": "1.4"})) is None


def test_every_part(tmp_path: Path) -> None:
    run = one_run(READER, written(tmp_path, "trajectory.json", trajectory()))
    assert (run.begin.id, run.begin.granularity, run.begin.title) == ("s-1", "step", "coder 2.0")
    assert (run.begin.started_at, run.begin.parent, run.begin.resumed) == (1772366401.0, None, None)
    look, make, end = run.iterations
    assert (look.index, look.response, look.prompt) == (1, "I look and plan.", "Add a port.")
    assert [(c.name, c.input, c.result, c.id) for c in look.tool_calls or ()] == [
        ("bash", {"command": "ls"}, "app.py", "a"),
        ("write_file", {"file_path": "TODO.md", "content": "- [ ] port\n"}, "written", "b"),
    ]
    assert look.tool_results == "app.py\nwritten\nnote"
    assert look.record == {
        "format": "JSON", "model": "maker/model-1", "cost": 0.02, "tokens": 60, "tool_calls": 2,
        "files_changed": 1,
    }  # fmt: skip
    assert [change.path for change in look.files_changed or ()] == ["TODO.md"]
    assert (look.plan, end.plan) == ("- [ ] port\n", "- [ ] port\n")
    assert look.started_at == 1772366403.0
    assert (make.response, make.tool_results, make.record["model"]) == ("", "built", "maker/model-2")
    assert "cost" not in make.record
    assert end.tool_calls == ()
    assert (run.end.how, run.end.cost, run.end.tokens) == (None, None, None)
    assert run.end.ended_at == 1772366405.0


def test_totals_are_told_for_the_run_where_steps_have_none(tmp_path: Path) -> None:
    value = trajectory()
    for one in value["steps"]:
        one.pop("metrics", None)
    run = one_run(READER, written(tmp_path, "t.json", value))
    assert (run.end.cost, run.end.tokens) == (0.05, 125)


def test_steps_copied_from_before_are_no_new_work(tmp_path: Path) -> None:
    value = trajectory("ATIF-v1.5")
    for one in value["steps"][:3]:
        one["is_copied_context"] = True
    run = one_run(READER, written(tmp_path, "t.json", value))
    assert run.begin.resumed is True
    assert [one.response for one in run.iterations] == ["", "The port is there."]


def test_trajectories_of_sub_agents_are_runs_with_a_parent(tmp_path: Path) -> None:
    grandchild = trajectory("ATIF-v1.7", trajectory_id="t-3")
    child = trajectory("ATIF-v1.7", trajectory_id="t-2", subagent_trajectories=[grandchild])
    value = trajectory(
        "ATIF-v1.7", trajectory_id="t-1", subagent_trajectories=[child, "?", trajectory("ATIF-v1.7")]
    )
    runs, problems = runs_of(READER, written(tmp_path, "t.json", value))
    assert problems == ()
    assert [(run.begin.id, run.begin.parent) for run in runs] == [
        ("t-1", None), ("t-2", "t-1"), ("t-3", "t-2"), ("s-1", "t-1"),
    ]  # fmt: skip


def test_trajectories_one_a_line(tmp_path: Path) -> None:
    text = (
        lines([trajectory(), trajectory()])
        + "{broken\n"
        + lines([{"schema_version": "ATIF-v1.0"}, trajectory()])
    )
    path = written(tmp_path, "all.jsonl", text)
    assert sniffed(path) == READER
    runs, problems = runs_of(READER, path)
    assert [run.begin.id for run in runs] == ["s-1", "s-1#2", "s-1#3"]
    assert {one.provenance.first for one in runs[2].iterations} == {5}
    assert [(one.line, one.message) for one in problems] == [
        (3, "not JSON; skipped"),
        (4, "no steps; skipped"),
    ]


def test_what_does_not_fit_is_passed_over(tmp_path: Path) -> None:
    value = trajectory()
    value["steps"] += ["words", {"source": "agent", "message": 3, "tool_calls": "none", "observation": []},
                       step(2, "agent", "Back in time.", timestamp="yesterday"),
                       step(9, "tool", "new source")]  # fmt: skip
    run = one_run(READER, written(tmp_path, "t.json", value))
    assert [one.response for one in run.iterations][3:] == ["", "Back in time."]
    assert run.iterations[4].started_at is None


def test_a_policy_walks_over_it(tmp_path: Path) -> None:
    path = written(tmp_path, "trajectory.json", trajectory())
    (found,) = dry_run([str(path)], ["recommended"]).results
    assert (found.run.id, found.run.reader, found.run.iterations) == ("s-1", READER, 3)


@settings(max_examples=50, deadline=None)
@given(st.binary(max_size=400))
def test_any_bytes(content: bytes) -> None:
    any_bytes(READER, "x.json", content)
    any_bytes(READER, "x.json", b'{"schema_version": "ATIF-v1.4", "steps": [{"source": "agent", ' + content)


def test_cut_off_anywhere() -> None:
    cut_anywhere(READER, "x.json", json.dumps(trajectory(), indent=1).encode(), 23)
