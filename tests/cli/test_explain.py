"""`exitgate explain`, `history` and `state`: a past decision comes back whole."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_policy import write
from cli_program import run

TURNS = 4


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with four decisions on record, the last of them EXIT stuck."""
    write(tmp_path)
    for n in range(TURNS):
        run("check", "-", "plan.md", "-p", "./policy.yaml", cwd=tmp_path, stdin=f"turn {n}\n")
    return tmp_path


def test_the_last_decision(project: Path) -> None:
    ran = run("explain", cwd=project)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith(
        "EXIT stuck · still\nnothing ticked; 1 of 2 tasks done\n"
        "Next: split the task or say what to do differently, then start again\n"
        "small 1.0.0 · default#1 iteration 4 · after iteration\n\n"
        "○ done   false\n│   tasks.percent (50%) >= $goal (80%)\n│\n"
    )
    assert "● still  EXIT stuck, decided\n│   tasks.done (1) unchanged for 3 iterations\n" in ran.out
    assert "│       plan:3 │ [x] one\n│              │ ^^^^^^^ done\n" in ran.out
    assert "\nwould have been CONTINUE (otherwise) if " in ran.out


def test_a_decision_by_its_number(project: Path) -> None:
    ran = run("explain", "4", cwd=project)
    assert ran.code == 0
    assert "◔ still  false, pending 2 of 3\n" in ran.out
    assert "● otherwise  CONTINUE, no rule is true\n" in ran.out


def test_a_number_that_no_decision_has(project: Path) -> None:
    ran = run("explain", "99", cwd=project)
    assert (ran.code, ran.out) == (66, "")
    assert "`exitgate history`" in ran.err


def test_no_decision_yet(tmp_path: Path) -> None:
    assert run("explain", cwd=tmp_path).code == 66
    assert run("history", cwd=tmp_path) == (0, "", "no decisions yet\n")
    ran = run("state", cwd=tmp_path)
    assert ran.code == 0
    assert "total decisions  0\n" in ran.out


def test_a_past_decision_is_explained_with_the_policy_of_that_time(project: Path) -> None:
    before = run("explain", cwd=project)
    (project / "policy.yaml").unlink()
    assert run("explain", cwd=project) == before


def test_files_are_explained_without_being_recorded(project: Path) -> None:
    words = ("explain", "-", "plan.md", "-p", "./policy.yaml", "--set", "goal=50")
    ran = run(*words, cwd=project, stdin="new\n")
    assert ran.code == 0
    assert ran.out.startswith("EXIT complete · done\n")
    assert "one more rule: `--all` shows all" in ran.out
    assert "· still  not asked\n" in run(*words, "--all", cwd=project, stdin="new\n").out
    assert "│       plan:3 │ - [x] one\n│              │   ^^^^^^^ done\n" in ran.out
    assert len(run("history", cwd=project).out.splitlines()) == TURNS + 1


def test_json_and_markdown(project: Path) -> None:
    shown = json.loads(run("explain", "--format", "json", cwd=project).out)
    assert [(rung["rule"], rung["state"]) for rung in shown["ladder"]] == [
        ("done", "false"),
        ("still", "decided"),
    ]
    assert shown["decision"]["class"] == "stuck"
    assert shown["changes"]
    page = run("explain", "--format", "markdown", cwd=project).out
    assert page.startswith("## EXIT stuck · still\n")
    assert "| ● | **still** | EXIT stuck, decided | `tasks.done (1) unchanged for 3 iterations` |" in page
    one = run("explain", "--format", "markdown", "--rule", "done", cwd=project).out
    assert "<summary>one rule</summary>" in one
    assert "**still**" not in one
    why = run("explain", "--format", "markdown", "--why-not", "complete", cwd=project).out
    assert "<summary>Why not EXIT complete: one rule</summary>" in why
    assert "| done |" in why
    assert "**still**" not in why


def test_history_is_a_table(project: Path) -> None:
    ran = run("history", cwd=project)
    head, *rows = ran.out.splitlines()
    assert head.split() == ["#", "run", "it", "time", "decision", "outcome"]
    assert [row.split()[0] for row in rows] == ["2", "3", "4", "5"]
    assert "EXIT stuck  still      nothing ticked" in rows[-1]
    assert len(run("history", "-n", "2", cwd=project).out.splitlines()) == 3
    assert run("history", "--run", "other", cwd=project).out == ""
    assert run("history", "-n", "0", cwd=project).code == 64


def test_history_as_json(project: Path) -> None:
    rows = json.loads(run("history", "--format", "json", cwd=project).out)
    assert [row["decision"]["verdict"] for row in rows] == ["CONTINUE"] * 3 + ["EXIT"]


def test_history_passes_over_damage_and_says_so(project: Path) -> None:
    ledger = project / ".ralph" / "exitgate" / "ledger.jsonl"
    lines = ledger.read_bytes().splitlines(keepends=True)
    ledger.write_bytes(b"".join([*lines[:2], b"{broken\x1b\n", *lines[3:]]))
    ran = run("history", cwd=project)
    assert ran.code == 0
    assert len(ran.out.splitlines()) == TURNS
    assert ran.err == "warning: line 3 of the ledger is skipped: it is damaged\n"


def test_state(project: Path) -> None:
    shown = json.loads(run("state", "--format", "json", cwd=project).out)
    assert shown["run"] == "default#1"
    assert shown["iteration"] == TURNS
    assert (shown["last_decision"], shown["exit_class"], shown["outcome"]) == ("EXIT", "stuck", "still")
    assert (shown["total_decisions"], shown["continue_count"], shown["exit_count"]) == (4, 3, 1)
    text = run("state", cwd=project).out
    assert "last decision    EXIT\n" in text
    assert "exit class       stuck\n" in text
