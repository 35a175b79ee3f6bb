"""SWE-agent: trajectories of every version, and demonstrations."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from cases import each
from hypothesis import given, settings
from hypothesis import strategies as st
from reading_steps import any_bytes, cut_anywhere, one_run, runs_of, sniffed, written

from exitgate.recordings.replay.dry_run import dry_run

READER = "swe-agent"


def entry(thought: str, action: str, observation: str, state: Any = '{"open_file": "n/a"}') -> dict[str, Any]:
    return {
        "action": action, "observation": observation, "response": f"{thought}\n```\n{action}```",
        "state": state, "thought": thought,
    }  # fmt: skip


def trajectory(status: str | None = "submitted", **stats: Any) -> dict[str, Any]:
    used = {"instance_cost": 0.5, "tokens_sent": 900, "tokens_received": 100, "api_calls": 3, **stats}
    return {
        "environment": "swe_main",
        "trajectory": [
            entry("I look.\n", "ls\n", "app.py\r\nREADME.md\r\n"),
            entry("I edit.\n", "edit 1:1\nport = 1\nend_of_edit\n", "ok", {"open_file": "app.py"}),
            entry("", "submit\n", ""),
        ],
        "history": [
            {"role": "system", "content": "SETTING", "agent": "main"},
            {"role": "user", "content": "A demonstration", "agent": "main", "is_demo": True},
            {"role": "user", "content": "ISSUE: add a port", "agent": "main"},
            {"role": "assistant", "content": "I look.", "agent": "main"},
        ],
        "info": {"exit_status": status, "submission": "diff", "model_stats": used},
    }


def test_every_part(tmp_path: Path) -> None:
    path = written(tmp_path, "acme__port-1.traj", json.dumps(trajectory(), indent=2))
    assert sniffed(path) == READER
    run = one_run(READER, path)
    assert (run.begin.id, run.begin.granularity, run.begin.title) == ("acme__port-1", "step", "swe_main")
    look, edit, end = run.iterations
    assert (look.response, look.prompt) == ("I look.\n", "ISSUE: add a port")
    assert look.tool_results == "app.py\r\nREADME.md\r\n"
    assert look.tool_calls is not None
    assert (look.tool_calls[0].name, look.tool_calls[0].input) == ("bash", {"command": "ls\n"})
    assert look.record == {"format": "JSON", "tool_calls": 1}
    assert look.started_at is None
    assert edit.files_changed is None  # its commands are a shell's
    assert (end.response, end.tool_results) == ("", "")
    assert (run.end.how, run.end.why) == ("complete", "submitted")
    assert (run.end.cost, run.end.tokens) == (0.5, 1000)


@each(
    ("status", "how"),
    [
        ("submitted", "complete"),
        ("submitted (exit_cost)", "exhausted"),
        ("submitted (exit_context)", "exhausted"),
        ("submitted (exit_total_execution_time)", "exhausted"),
        ("submitted (exit_format)", "failed"),
        ("submitted (something new)", None),
        ("exit_cost", "exhausted"),
        ("exit_error", "failed"),
        ("not submitted", None),
        ("early_exit", None),
        (None, None),
    ],
)
def test_the_exit_status_is_matched_whole(tmp_path: Path, status: str | None, how: str | None) -> None:
    run = one_run(READER, written(tmp_path, "t.traj", trajectory(status)))
    assert (run.end.how, run.end.why) == (how, status or "")


def test_a_replay_that_asked_no_model_cost_nobody_knows_what(tmp_path: Path) -> None:
    stats = {"instance_cost": 0, "tokens_sent": 0, "tokens_received": 0, "api_calls": 0}
    run = one_run(READER, written(tmp_path, "t.traj", trajectory(**stats)))
    assert (run.end.cost, run.end.tokens) == (None, None)


def test_a_demonstration_has_a_history_only(tmp_path: Path) -> None:
    history = [
        {"role": "system", "content": "SETTING", "agent": "main", "message_type": "system_prompt"},
        {"role": "user", "content": "ISSUE: add a port", "agent": "main", "message_type": "observation"},
        {"role": "assistant", "content": "I look.", "thought": "I look.", "action": "ls", "agent": "main"},
        {"role": "tool", "content": [{"type": "text", "text": "app.py"}], "agent": "main",
         "message_type": "observation", "tool_call_ids": ["c1"]},
        {"role": "assistant", "content": "Done.", "thought": "Done.", "action": "submit", "agent": "main"},
    ]  # fmt: skip
    path = written(tmp_path, "demo.traj", {"history": history})
    assert sniffed(path) == READER
    run = one_run(READER, path)
    assert [(one.response, one.tool_results) for one in run.iterations] == [
        ("I look.", "app.py"),
        ("Done.", ""),
    ]
    assert run.iterations[0].prompt == "ISSUE: add a port"
    assert run.end.how is None


def test_attempts_are_runs(tmp_path: Path) -> None:
    value = {**trajectory(), "attempts": [trajectory("exit_cost"), trajectory()]}
    runs, problems = runs_of(READER, written(tmp_path, "t.traj", value))
    assert problems == ()
    assert [(run.begin.id, run.end.how) for run in runs] == [("t#1", "exhausted"), ("t#2", "complete")]


def test_wrong_escapes_and_control_characters_are_taken_as_they_stand(tmp_path: Path) -> None:
    text = json.dumps(trajectory()).replace("app.py\\r\\n", "C:\\Users\x00\x07 \\u12 ")
    path = written(tmp_path, "t.traj", text)
    assert sniffed(path) == READER
    assert "C:\\Users\x00" in (one_run(READER, path).iterations[0].tool_results or "")


def test_half_a_character_can_be_written_on(tmp_path: Path) -> None:
    path = written(tmp_path, "t.traj", json.dumps(trajectory()).replace("app.py", "\\ud83d"))
    (one_run(READER, path).iterations[0].tool_results or "").encode()


def test_a_megabyte_on_one_line(tmp_path: Path) -> None:
    value = trajectory()
    value["trajectory"][0]["observation"] = "x" * 1_500_000
    path = written(tmp_path, "t.traj", value)
    assert sniffed(path) == READER
    assert len(one_run(READER, path).iterations[0].tool_results or "") == 1_500_000


def test_entries_that_are_none_and_other_files(tmp_path: Path) -> None:
    value = trajectory()
    value["trajectory"].insert(1, "words")
    value["trajectory"].insert(1, {"new": 1})
    run = one_run(READER, written(tmp_path, "t.traj", value))
    assert len(run.iterations) == 4
    assert (run.iterations[1].response, run.iterations[1].tool_calls) == ("", ())
    runs, problems = runs_of(READER, written(tmp_path, "u.traj", "[1]"))
    assert runs == ()
    assert [one.message for one in problems] == ["no trajectory; skipped"]


def test_a_policy_walks_over_it(tmp_path: Path) -> None:
    written(tmp_path, "a.traj", trajectory())
    written(tmp_path, "b.traj", trajectory("submitted (exit_cost)"))
    found = dry_run([str(tmp_path)], ["recommended"])
    assert [(one.run.id, one.run.iterations) for one in found.results] == [("a", 3), ("b", 3)]


@settings(max_examples=50, deadline=None)
@given(st.binary(max_size=400))
def test_any_bytes(content: bytes) -> None:
    any_bytes(READER, "x.traj", content)
    any_bytes(READER, "x.traj", b'{"trajectory": [{"action": "ls", "observation": "", "response": ' + content)


def test_cut_off_anywhere() -> None:
    cut_anywhere(READER, "x.traj", json.dumps(trajectory(), indent=1).encode(), 17)
