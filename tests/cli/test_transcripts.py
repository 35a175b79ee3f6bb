"""`exitgate transcripts`: what recorded runs there are."""

from __future__ import annotations

import csv
import io
import json
import os
from pathlib import Path
from typing import Any

import pytest
from cli_golden import same
from cli_program import run, run_apart


def trajectory(session: str, cost: float = 0.25) -> dict[str, Any]:
    return {
        "schema_version": "ATIF-v1.4",
        "session_id": session,
        "agent": {"name": "coder", "version": "2.0"},
        "steps": [
            {"step_id": 1, "timestamp": "2026-03-01T12:00:00Z", "source": "user", "message": "Add a port."},
            {"step_id": 2, "timestamp": "2026-03-01T12:01:00Z", "source": "agent", "message": "I look.",
             "metrics": {"cost_usd": cost, "prompt_tokens": 1200, "completion_tokens": 34}},
            {"step_id": 3, "timestamp": "2026-03-01T14:01:00Z", "source": "agent", "message": "Done."},
        ],
    }  # fmt: skip


def swe(status: str) -> dict[str, Any]:
    entry = {"action": "ls", "observation": "a", "response": "I look.", "thought": "I look.", "state": "{}"}
    stats = {"instance_cost": 0.001, "tokens_sent": 10, "tokens_received": 2, "api_calls": 1}
    return {
        "trajectory": [entry],
        "history": [],
        "environment": "e",
        "info": {"exit_status": status, "model_stats": stats},
    }


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """A folder of three runs in three files, one bad line, one file that is none."""
    folder = tmp_path / "runs"
    (folder / "deep").mkdir(parents=True)
    child = {**trajectory("sub-agent-1"), "trajectory_id": "sub-agent-1"}
    parent = {**trajectory("a-session-with-a-name-that-is-long-42"), "subagent_trajectories": [child]}
    text = json.dumps(parent) + "\n{broken\n" + json.dumps({**trajectory("b"), "steps": []}) + "\n"
    (folder / "all.jsonl").write_text(text, "utf-8")
    (folder / "deep" / "x.traj").write_text(json.dumps(swe("submitted (exit_cost)")), "utf-8")
    (folder / "notes.md").write_text("# Notes\n", "utf-8")
    return folder


def test_the_table(runs: Path) -> None:
    ran = run("transcripts", "runs", cwd=runs.parent)
    assert (ran.code, ran.err) == (0, "")
    same("transcripts.txt", ran.out)


def test_colour_only_repeats_what_words_say(runs: Path) -> None:
    painted = run("transcripts", "runs", "--color", "always", cwd=runs.parent).out
    assert "\x1b[" in painted
    for code in ("1", "2", "1;33"):
        painted = painted.replace(f"\x1b[{code}m", "")
    assert painted.replace("\x1b[0m", "") == run("transcripts", "runs", cwd=runs.parent, NO_COLOR="1").out


def test_json_and_json_lines_and_csv_say_the_same(runs: Path) -> None:
    told = json.loads(run("transcripts", "runs", "--format", "json", cwd=runs.parent).out)
    first, child, empty, swe_run = told["runs"]
    assert first == {
        "run": "a-session-with-a-name-that-is-long-42", "file": "runs/all.jsonl", "reader": "atif",
        "granularity": "step", "iterations": 2, "started_at": "2026-03-01T12:00:00Z",
        "ended_at": "2026-03-01T14:01:00Z", "seconds": 7260.0, "cost_usd": 0.25, "tokens": 1234, "end": None,
        "why": "", "title": "coder 2.0", "parent": None, "resumed": None,
    }  # fmt: skip
    assert child["parent"] == first["run"]
    assert (empty["iterations"], empty["started_at"], empty["cost_usd"]) == (0, None, None)
    assert (swe_run["end"], swe_run["why"]) == ("exhausted", "submitted (exit_cost)")
    assert (swe_run["cost_usd"], swe_run["tokens"]) == (0.001, 12)
    assert told["problems"] == [{"file": "runs/all.jsonl", "line": 2, "message": "not JSON; skipped"}]
    assert (told["unread"], told["no_reader"]) == ([], ["runs/notes.md"])
    lines = run("transcripts", "runs", "--format", "jsonl", cwd=runs.parent).out.splitlines()
    assert [json.loads(line) for line in lines] == told["runs"]
    table = list(
        csv.DictReader(io.StringIO(run("transcripts", "runs", "--format", "csv", cwd=runs.parent).out))
    )
    assert [row["run"] for row in table] == [row["run"] for row in told["runs"]]
    assert table[2]["cost_usd"] == ""


def test_hostile_names_act_on_nothing(tmp_path: Path) -> None:
    value = trajectory("=cmd|'/c calc'!A1\x1b]0;gone\x07\u202e\nrow")
    (tmp_path / "t.json").write_text(json.dumps(value), "utf-8")
    for form in ("text", "json", "jsonl", "csv"):
        out = run("transcripts", "t.json", "--format", form, cwd=tmp_path).out
        assert not set(out) & set("\x1b\x07\u202e")
    (row,) = csv.DictReader(io.StringIO(out))
    assert row["run"].startswith("'=cmd")


def test_files_that_no_reader_takes_are_counted_or_named(runs: Path) -> None:
    assert "1 other file is in a format that no reader recognises; `--all` names it" in (
        run("transcripts", "runs", cwd=runs.parent).out
    )
    assert run("transcripts", "runs", "--all", cwd=runs.parent).out.endswith("recognises:\n  runs/notes.md\n")


def test_a_named_file_of_no_known_format_is_an_error_and_the_rest_goes_on(runs: Path) -> None:
    ran = run("transcripts", "runs/notes.md", "runs/deep", cwd=runs.parent)
    assert ran.code == 65
    assert "1 run in 1 file, 1 iteration" in ran.out
    assert "error[EP850]: no reader recognises the format of `runs/notes.md`: it looks like" in ran.err
    assert "Markdown" in ran.err
    assert "openhands-sdk" in ran.err  # the readers are listed


def test_what_cannot_be_read_is_told_at_the_end(runs: Path) -> None:
    (runs / "gone.jsonl").symlink_to(runs / "nowhere")
    ran = run("transcripts", "runs", "missing.json", cwd=runs.parent)
    assert ran.code == 66
    assert "4 runs in 2 files" in ran.out
    assert "cannot read `runs/gone.jsonl`: No such file or directory" in ran.err
    assert "cannot read `missing.json`: No such file or directory" in ran.err


def test_nothing_there(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    ran = run("transcripts", "empty", cwd=tmp_path)
    assert (ran.code, ran.out) == (66, "")
    assert "error[EP853]: no recorded runs in `empty`: empty" in ran.err
    (tmp_path / "empty" / "a.txt").write_text("words", "utf-8")
    ran = run("transcripts", "empty", "--all", cwd=tmp_path)
    assert ran.code == 66
    assert "1 file, none in a format that a reader recognises" in " ".join(ran.err.split())
    assert ran.err.endswith("  empty/a.txt\n")


def test_a_reader_is_forced_and_a_wrong_name_is_told(runs: Path) -> None:
    ran = run("transcripts", "runs/notes.md", "--reader", "atif", cwd=runs.parent)
    assert ran.code == 0
    assert "not JSON; skipped" in ran.out
    ran = run("transcripts", "runs", "--reader", "swe_agent", cwd=runs.parent)
    assert (ran.code, ran.out) == (64, "")
    assert "no reader `swe_agent`" in ran.err
    assert "did you mean `swe-agent`?" in ran.err


def test_readers_are_listed_with_what_they_give(tmp_path: Path) -> None:
    ran = run("transcripts", "--readers", cwd=tmp_path)
    assert ran.code == 0
    assert max(map(len, ran.out.splitlines())) <= 80
    told = json.loads(run("transcripts", "--readers", "--format", "json", cwd=tmp_path).out)
    by_id = {one["reader"]: one for one in told}
    assert "tool_calls" in by_id["openhands"]["gives"]
    assert all(one["title"] and one["gives"] for one in told)


def test_a_reader_of_another_package_that_fails_is_told_and_the_rest_goes_on(runs: Path) -> None:
    code = "ID = TITLE = 'acme'\nGIVES = ()\ndef fits(look): return look.text == 'acme'\n"
    code += "def read(place, wants): 1 / 0\n"
    (runs.parent / "acme_reader.py").write_text(code, "utf-8")
    about = runs.parent / "acme_transcripts-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-transcripts\nVersion: 1.0\n", "utf-8")
    (about / "entry_points.txt").write_text("[exitgate.readers]\nacme = acme_reader\n", "utf-8")
    (runs / "a.acme").write_text("acme", "utf-8")
    ran = run_apart("transcripts", "runs", cwd=runs.parent, PYTHONPATH=str(runs.parent))
    assert ran.code == 74
    assert "4 runs in 2 files" in ran.out
    told = " ".join(ran.err.split())
    assert (
        "the reader `acme` of `acme-transcripts` failed on `runs/a.acme`: ZeroDivisionError: division by zero"
        in told
    )


def test_no_path_lists_where_the_sessions_of_agents_lie(tmp_path: Path) -> None:
    session = tmp_path / ".claude" / "projects" / "\x1b[2Jp" / "one.jsonl"
    session.parent.mkdir(parents=True)
    session.write_text("not looked at")
    os.utime(session, (1_900_000_000, 1_900_000_000))
    (tmp_path / ".codex").mkdir()
    ran = run("transcripts", cwd=tmp_path, HOME=str(tmp_path))
    assert ran.out.splitlines() == [
        f"Claude Code   1 session  newest 2030-03-17 17:46  {tmp_path}/.claude",
        f"Codex CLI    0 sessions                           {tmp_path}/.codex",
    ]
    told = json.loads(run("transcripts", "--format", "json", cwd=tmp_path, HOME=str(tmp_path)).out)
    assert [(one["agent"], one["sessions"], one["newest"]) for one in told] == [
        ("claude-code", 1, "2030-03-17T17:46:40Z"), ("codex", 0, None),
    ]  # fmt: skip
    lines = run("transcripts", "--format", "csv", cwd=tmp_path, HOME=str(tmp_path)).out.splitlines()
    assert len(lines) == 3


def test_nothing_is_written(runs: Path) -> None:
    before = sorted(str(path) for path in runs.parent.rglob("*"))
    run("transcripts", ".", cwd=runs.parent)
    assert sorted(str(path) for path in runs.parent.rglob("*")) == before


def test_the_largest_file_that_no_reader_takes_is_named_with_what_it_looks_like(runs: Path) -> None:
    (runs / "big.yaml").write_text("a: 1\n" * 2000, "utf-8")
    (runs / "agent.log").write_text("I laid a stone and went home.\n" * 40, "utf-8")
    out = " ".join(run("transcripts", "runs", cwd=runs.parent).out.split())
    assert "the largest, `runs/agent.log` (1200 bytes), looks like text that begins with `I laid a" in out
    ran = run("dry-run", "runs", "-p", "recommended", "--no-cache", cwd=runs.parent)
    assert "the largest, `runs/agent.log` (1200 bytes), looks like" in ran.err
    (runs / "only").mkdir()
    (runs / "agent.log").rename(runs / "only" / "agent.log")
    ran = run("transcripts", "runs/only", cwd=runs.parent)
    assert ran.code == 66 and "it, `runs/only/agent.log` (1200 bytes), looks like" in ran.err
