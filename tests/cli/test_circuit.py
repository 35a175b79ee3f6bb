"""`exitgate circuit`: what the breaker says, and what a person may do to it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from cli_breaker import write
from cli_golden import same
from cli_program import run

from exitgate.report.breaker import breaker_output, move_outputs, moves_text, status_text
from exitgate.report.terminal import Style

HALTED = 13
PLAIN = Style(False, 80)
CLOSED: dict[str, object] = {
    "state": "CLOSED", "reason": "", "opened_at": None, "opened_for": None, "cooldown_left": None,
    "by_hand": False, "probe": False, "kept_by": "policy", "warning": "",
}  # fmt: skip
OPEN = {
    **CLOSED,
    "state": "OPEN",
    "reason": "no_progress\x1b[2J",
    "opened_at": "2026-02-02T02:40:00.000+00:00",
}
STATES = (
    CLOSED,
    OPEN | {"opened_for": 720.0, "cooldown_left": 1080.0},
    OPEN | {"opened_for": 7200.0, "cooldown_left": 0.0},
    OPEN | {"by_hand": True, "opened_for": 3.0},
    CLOSED | {"state": "HALF_OPEN", "reason": "no_progress", "probe": True},
    CLOSED | {"state": "UNKNOWN", "reason": "no circuit at `x`", "kept_by": "file", "path": "x"},
    CLOSED | {"kept_by": "nothing"},
)


def test_every_state_reads_well() -> None:
    same(
        "circuit-status.txt",
        "\n".join(status_text(breaker_output(one), "guarded 2.0.0", PLAIN) for one in STATES),
    )


def test_moves_read_well() -> None:
    move = {"sequence": 3, "at": OPEN["opened_at"], "from": "CLOSED", "to": "OPEN", "why": "a\x1b[2J" * 30}
    by_hand = move | {
        "sequence": 12,
        "by_hand": True,
        "from": "OPEN",
        "to": "CLOSED",
        "why": "disk\nreplaced",
    }
    in_run = move | {"by_hand": False, "run": "night#1", "iteration": 4}
    text = moves_text(move_outputs([in_run, by_hand | {"run": None, "iteration": None}]), PLAIN)
    assert max(map(len, text.splitlines())) <= 80
    same("circuit-history.txt", text)


def test_a_loop_is_stopped_and_let_go_on_by_hand(tmp_path: Path) -> None:
    write(tmp_path)
    assert run("check", "-q", cwd=tmp_path).code == 0
    tripped = run("circuit", "trip", "--reason", "deploy\x1b[2J under way", cwd=tmp_path)
    assert tripped == (0, "OPEN: deploy\\x1b[2J under way\n", "")
    assert run("check", "-q", cwd=tmp_path).code == HALTED
    assert run("circuit", "status", "--format", "word", cwd=tmp_path).out == "OPEN\n"
    shown = run("circuit", "status", cwd=tmp_path)
    assert shown.out.startswith("OPEN · deploy\\x1b[2J under way\n")
    assert "kept by exitgate for guarded 2.0.0" in shown.out
    assert run("circuit", "reset", cwd=tmp_path) == (0, "CLOSED: reset by hand\n", "")
    assert run("check", "-q", cwd=tmp_path).code == 0
    moves = json.loads(run("circuit", "history", "--format", "json", cwd=tmp_path).out)
    assert [(move["from"], move["to"], move["by_hand"]) for move in moves] == [
        ("CLOSED", "OPEN", True), ("OPEN", "CLOSED", True),
    ]  # fmt: skip
    assert len(run("circuit", "history", "-n", "1", cwd=tmp_path).out.splitlines()) == 2
    assert run("ledger", "verify", cwd=tmp_path).code == 0


def test_the_breaker_opens_by_itself_and_says_why(tmp_path: Path) -> None:
    write(tmp_path)
    codes = [run("check", "-q", cwd=tmp_path).code for _ in range(4)]
    assert HALTED in codes
    status = json.loads(run("circuit", "status", "--format", "json", cwd=tmp_path).out)
    assert (status["state"], status["reason"], status["by_hand"]) == ("OPEN", "nothing_ticked", False)
    assert 0 < status["cooldown_left"] <= 1800


def test_a_shell_stops_on_the_word(tmp_path: Path) -> None:
    write(tmp_path)
    run("circuit", "trip", "--reason", "x", cwd=tmp_path)
    line = f'if [ "$({sys.executable} -m exitgate circuit status --format word)" = OPEN ]; then echo halt; fi'
    ran = subprocess.run(["bash", "-c", line], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert ran.stdout == "halt\n"


def test_a_breaker_in_a_file_is_shown_and_left_alone(tmp_path: Path) -> None:
    folder = tmp_path / ".ralph"
    folder.mkdir()
    record = folder / "circuit-state.json"
    record.write_text('{"state": "OPEN", "reason": "same\\u001b[2J error"}', encoding="utf-8")
    shown = run("circuit", "status", "--policy", "bb3", cwd=tmp_path)
    assert shown.out.startswith("OPEN · same\\x1b[2J error\n")
    assert "kept by `.ralph/circuit-state.json`" in shown.out
    before = record.read_bytes()
    ran = run("circuit", "reset", "--policy", "bb3", cwd=tmp_path)
    assert ran.code == 0
    assert "reads is unchanged" in ran.err
    assert record.read_bytes() == before


def test_no_file_means_what_the_policy_says_and_is_told(tmp_path: Path) -> None:
    ran = run("circuit", "status", "-p", "bb3", cwd=tmp_path)
    assert ran.out.startswith("CLOSED · no circuit at `.ralph/circuit-state.json`\n")


def test_a_broken_file_is_unknown_never_closed(tmp_path: Path) -> None:
    (tmp_path / ".ralph").mkdir()
    (tmp_path / ".ralph" / "circuit-state.json").write_text("OPEN", encoding="utf-8")
    ran = run("circuit", "status", "-p", "bb3", "--format", "word", cwd=tmp_path)
    assert (ran.code, ran.out) == (0, "UNKNOWN\n")
    assert "is lost: is not JSON" in ran.err


def test_a_broken_policy_does_not_keep_a_person_from_the_breaker(tmp_path: Path) -> None:
    write(tmp_path)
    (tmp_path / "guarded.yaml").write_text("policy: [", encoding="utf-8")
    ran = run("circuit", "trip", "--reason", "stop all", cwd=tmp_path)
    assert (ran.code, ran.out) == (0, "OPEN: stop all\n")
    assert "cannot tell whether" in ran.err
    shown = run("circuit", "status", cwd=tmp_path)
    assert shown.code == 0
    assert shown.out.startswith("OPEN · stop all\n")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["trip"], "no reason is given"),
        (["trip", "--reason", " "], "the reason is empty"),
        (["history", "-n", "0"], "is less than 1"),
        (["open"], "no command `open`"),
    ],
)
def test_usage_errors(words: list[str], message: str, tmp_path: Path) -> None:
    ran = run("circuit", *words, cwd=tmp_path)
    assert (ran.code, ran.out) == (64, "")
    assert message in ran.err
    assert not (tmp_path / ".ralph").exists()


def test_a_ledger_of_a_newer_version_is_74(tmp_path: Path) -> None:
    directory = tmp_path / ".ralph" / "exitgate"
    directory.mkdir(parents=True)
    line = '{"format": 99, "sequence": 1, "run": "x#1"}\n'
    (directory / "ledger.jsonl").write_text(line, encoding="utf-8")
    for words in (["status"], ["history"], ["trip", "--reason", "x"]):
        assert run("circuit", *words, cwd=tmp_path).code == 74


def test_looking_makes_nothing(tmp_path: Path) -> None:
    assert run("circuit", "history", cwd=tmp_path) == (0, "", "the breaker never moved\n")
    assert run("circuit", "status", "-p", "bb3", cwd=tmp_path).code == 0
    assert list(tmp_path.iterdir()) == []
