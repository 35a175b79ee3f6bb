"""`exitgate replay`: decisions that come out again, and those that do not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_golden import same
from cli_policy import write
from cli_program import run

from exitgate.core.ledger.typed import typed
from exitgate.report.replay import difference_of, replay_text, replayed
from exitgate.report.terminal import Style

EXIT = {"verdict": "EXIT", "class": "stuck", "outcome": "still\x1b[2J", "message": "x"}
GOING = {"verdict": "CONTINUE", "class": None, "outcome": "otherwise", "message": "x"}
LINE = typed({"sequence": 7, "run": "night#1", "iteration": 3, "decision": EXIT})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path)
    (tmp_path / "response.md").write_text("Working on two.\n", encoding="utf-8")
    for _ in range(4):
        run("check", "response.md", "plan.md", "-p", "policy.yaml", cwd=tmp_path)
    return tmp_path


def test_differences_read_well() -> None:
    different = [
        difference_of(LINE, GOING, "`decision.verdict` was `EXIT`, now `CONTINUE`"),
        difference_of(LINE, EXIT, "`decision.message` was `x`, now `y`"),
        difference_of(LINE, None, "the policy is not kept"),
    ]
    same("replay.txt", replay_text(replayed(12, different, ()), Style(False, 80)))


def test_everything_comes_out_again(folder: Path) -> None:
    assert run("replay", cwd=folder) == (0, "● 4 reproduced, 0 differ\n", "")
    assert json.loads(run("replay", "--format", "json", cwd=folder).out) == {
        "reproduced": 4, "differ": 0, "differences": [], "warnings": [],
    }  # fmt: skip


def test_it_needs_no_file_but_the_state_directory(folder: Path) -> None:
    for path in (*folder.glob("*.yaml"), *folder.glob("*.md")):
        path.unlink()
    assert run("replay", cwd=folder).code == 0


def test_another_policy_is_compared_by_its_answers(folder: Path) -> None:
    ran = run("replay", "-p", "policy.yaml", "--set", "goal=40", "--format", "json", cwd=folder)
    assert ran.code == 69
    plain = json.loads(ran.out)
    assert (plain["reproduced"], plain["differ"]) == (0, 4)
    first = plain["differences"][0]
    assert first["recorded"]["verdict"] == "CONTINUE"
    assert first["now"] == {"verdict": "EXIT", "class": "complete", "outcome": "done"}
    assert run("replay", "-p", "policy.yaml", "--set", "goal=90", cwd=folder).code == 0


def test_a_changed_fact_is_found(folder: Path) -> None:
    ledger = folder / ".ralph" / "exitgate" / "ledger.jsonl"
    raw = ledger.read_text(encoding="utf-8")
    changed = raw.replace('"tasks.percent":{"v":50', '"tasks.percent":{"v":90')
    assert changed != raw
    ledger.write_text(changed, encoding="utf-8")
    ran = run("replay", cwd=folder)
    assert ran.code == 69
    assert "was CONTINUE · otherwise, now EXIT complete · done" in ran.out


def test_a_damaged_line_is_told(folder: Path) -> None:
    ledger = folder / ".ralph" / "exitgate" / "ledger.jsonl"
    with ledger.open("a", encoding="utf-8") as file:
        file.write("nonsense\n")
    ran = run("replay", cwd=folder)
    assert (ran.code, ran.out) == (69, "● 4 reproduced, 0 differ\n")
    assert ran.err == "warning: line 6 of the ledger is skipped: it is damaged\n"


def test_one_run(folder: Path) -> None:
    run("check", "response.md", "plan.md", "-p", "policy.yaml", "--run", "other", cwd=folder)
    assert run("replay", "--run", "other", cwd=folder).out == "● 1 reproduced, 0 differ\n"


def test_a_setting_without_a_policy_is_64(folder: Path) -> None:
    assert run("replay", "--set", "goal=90", cwd=folder).code == 64


def test_no_ledger_is_66(tmp_path: Path) -> None:
    assert run("replay", cwd=tmp_path).code == 66
