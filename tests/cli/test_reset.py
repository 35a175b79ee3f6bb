"""`exitgate reset`: what counted no longer does, and nothing is removed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_policy import write
from cli_program import Ran, run

STUCK = 12


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path)
    (tmp_path / "response.md").write_text("Working on two.\n", encoding="utf-8")
    return tmp_path


def check(folder: Path, *words: str) -> Ran:
    return run("check", "response.md", "plan.md", "-p", "policy.yaml", *words, cwd=folder)


def test_history_forms_begin_after_a_reset(folder: Path) -> None:
    codes = [check(folder).code for _ in range(3)]
    assert codes == [0, 0, 0]
    ledger = folder / ".ralph" / "exitgate" / "ledger.jsonl"
    before = ledger.read_bytes()
    ran = run("reset", cwd=folder)
    assert ran == (0, "reset default#1 after 3 iterations; the next check begins a new run\n", "")
    assert ledger.read_bytes().startswith(before), "nothing is removed"
    assert [check(folder).code for _ in range(4)] == [0, 0, 0, STUCK]
    runs = [line["run"] for line in json.loads(run("history", "--format", "json", cwd=folder).out)]
    assert runs == ["default#1"] * 3 + ["default#2"] * 4
    assert run("ledger", "verify", cwd=folder).code == 0


def test_without_a_reset_the_run_is_stuck(folder: Path) -> None:
    assert [check(folder).code for _ in range(4)] == [0, 0, 0, STUCK]


def test_one_loop_of_several(folder: Path) -> None:
    check(folder, "--run", "day")
    check(folder, "--run", "night")
    ran = run("reset", "--run", "night", "--reason", "plan\x1b[2J rewritten", "--format", "json", cwd=folder)
    line = json.loads(ran.out)
    assert (line["kind"], line["run"], line["reason"]) == ("reset", "night#1", "plan\x1b[2J rewritten")
    assert "\x1b" not in ran.out
    assert check(folder, "--run", "day", "--format", "json").out.count('"day#1"') == 1


def test_a_second_reset_has_nothing_to_do(folder: Path) -> None:
    check(folder)
    run("reset", cwd=folder)
    ran = run("reset", cwd=folder)
    assert (ran.code, ran.err) == (0, "")
    assert "nothing to reset: `default`" in ran.out
    assert json.loads(run("reset", "--format", "json", cwd=folder).out) is None


def test_an_open_breaker_is_named(folder: Path) -> None:
    check(folder)
    run("circuit", "trip", "--reason", "x", "-p", "policy.yaml", cwd=folder)
    assert run("reset", cwd=folder).out.splitlines()[1:] == [
        "the breaker stays OPEN: `exitgate circuit reset` closes it"
    ]


def test_a_name_that_cannot_be_used_is_64(folder: Path) -> None:
    assert run("reset", "--run", "a\x1b[2Jb", cwd=folder).code == 64


def test_state_and_the_state_file_say_the_same(tmp_path: Path) -> None:
    """After each decision and after a reset, key by key."""
    folder = tmp_path / ".ralph"
    folder.mkdir()
    (folder / "@fix_plan.md").write_text("- [x] one\n- [ ] two\n", encoding="utf-8")

    def agree() -> dict[str, object]:
        state = json.loads(run("state", "--format", "json", cwd=tmp_path).out)
        view = json.loads((folder / "exit-state.json").read_text(encoding="utf-8"))
        for key in ("run", "iteration", "last_decision", "decision_reason", "total_decisions",
                    "continue_count", "exit_count"):  # fmt: skip
            assert state[key] == view[key], key
        return view  # type: ignore[no-any-return]

    for text in ("I am confident about the parser.", "Maybe it might work, perhaps; I am not sure."):
        (folder / "last-response.md").write_text(text, encoding="utf-8")
        run("check", "--policy", "bb3", cwd=tmp_path)
        agree()
    run("reset", cwd=tmp_path)
    assert agree()["total_decisions"] == 0
    run("check", "--policy", "bb3", cwd=tmp_path)
    assert agree()["total_decisions"] == 1
