"""`exitgate circuit track`: the breaker after an iteration, which is counted once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_breaker import write
from cli_program import run

HALTED, CONTINUE = 13, 0
RESPONSE, PLAN = ".ralph/last-response.md", ".ralph/fix_plan.md"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return write(tmp_path)


def say(folder: Path, number: int) -> None:
    (folder / RESPONSE).write_text(f"Turn {number}: still at it.\n", encoding="utf-8")


def lines(folder: Path) -> list[dict[str, object]]:
    text = (folder / ".ralph" / "exitgate" / "ledger.jsonl").read_text(encoding="utf-8")
    return [line for line in map(json.loads, text.splitlines()) if line["kind"] == "decision"]


def state(folder: Path) -> str:
    return run("circuit", "status", "--format", "word", cwd=folder).out.strip()


def test_a_bare_track_counts_nothing_and_tells_what_the_check_will_find(project: Path) -> None:
    codes, told = [], []
    for number in range(1, 5):
        say(project, number)
        for _ in range(3):
            foreseen = run("circuit", "track", "--format", "word", cwd=project)
        told.append(foreseen.out.strip())
        codes.append(run("check", "-q", cwd=project).code)
        assert state(project) == told[-1]
    assert codes == [CONTINUE, CONTINUE, HALTED, HALTED]
    assert told == ["CLOSED", "CLOSED", "OPEN", "OPEN"]
    assert len(lines(project)) == 4


def test_with_and_without_track_the_loop_ends_at_the_same_iteration(tmp_path: Path) -> None:
    ends = []
    for name, words in (("without", None), ("bare", ()), ("numbered", ("--iteration",))):
        folder = tmp_path / name
        folder.mkdir()
        write(folder)
        code, number = CONTINUE, 0
        while code == CONTINUE and number < 9:
            number += 1
            say(folder, number)
            counted = (*words, str(number)) if words else ()
            if words is not None:
                assert run("circuit", "track", *counted, cwd=folder).code == 0
            code = run("check", "-q", *counted, cwd=folder).code
        ends.append((number, code, len(lines(folder))))
    assert ends == [(3, HALTED, 3)] * 3


def test_a_numbered_track_moves_the_breaker_without_any_check(project: Path) -> None:
    told = []
    for number in range(1, 4):
        say(project, number)
        for _ in range(2):
            ran = run("circuit", "track", "--iteration", str(number), "--format", "word", cwd=project)
        told.append(ran.out.strip())
    assert told == ["CLOSED", "CLOSED", "OPEN"]
    assert state(project) == "OPEN"
    assert len(lines(project)) == 3
    moves = json.loads(run("circuit", "history", "--format", "json", cwd=project).out)
    assert [(m["from"], m["to"], m["why"], m["iteration"]) for m in moves] == [
        ("CLOSED", "OPEN", "nothing_ticked", 3)
    ]


def test_the_check_answers_from_what_was_tracked(project: Path) -> None:
    for number in range(1, 4):
        say(project, number)
        assert run("circuit", "track", "--turn", f"t{number}", cwd=project).code == 0
    answered = json.loads(run("check", "--turn", "t3", "--format", "json", cwd=project).out)
    assert (answered["verdict"], answered["rule"]) == ("EXIT", "circuit_open")
    assert len(lines(project)) == 3


def test_it_says_whether_the_iteration_was_counted(project: Path) -> None:
    looked = run("circuit", "track", RESPONSE, PLAN, cwd=project)
    assert looked.out.splitlines()[0] == "CLOSED"
    assert "iteration 1 of default#1 is only shown: `exitgate check` counts it" in looked.out
    assert not (project / ".ralph" / "exitgate").exists()
    counted = run("circuit", "track", RESPONSE, PLAN, "--iteration", "1", cwd=project)
    assert "iteration 1 of default#1 is recorded" in counted.out
    found = json.loads(
        run("circuit", "track", RESPONSE, PLAN, "--iteration", "1", "--format", "json", cwd=project).out
    )
    assert (found["state"], found["recorded"], found["iteration"]) == ("CLOSED", True, 1)


def test_a_breaker_that_another_program_keeps_is_shown_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / ".ralph").mkdir()
    record = tmp_path / ".ralph" / "circuit-state.json"
    record.write_text('{"state": "OPEN", "reason": "same error"}', encoding="utf-8")
    (tmp_path / RESPONSE).write_text("I am confident.\n", encoding="utf-8")
    shown = run("circuit", "track", "-p", "bb3", cwd=tmp_path)
    assert shown.out.startswith("OPEN · same error\n")
    assert "kept by `.ralph/circuit-state.json`" in shown.out
    assert record.read_text(encoding="utf-8") == '{"state": "OPEN", "reason": "same error"}'


def test_a_policy_without_a_breaker_says_so(project: Path) -> None:
    text = (project / "guarded.yaml").read_text(encoding="utf-8")
    rules = "rules: [{id: done, when: tasks.complete, exit: complete, because: done}]\n"
    bare = text[: text.index("circuit:")] + rules + "otherwise: continue\n"
    (project / "guarded.yaml").write_text(bare, encoding="utf-8")
    assert (
        "has no breaker: only a breaker opened by hand stops it" in run("circuit", "track", cwd=project).out
    )


@pytest.mark.parametrize(
    ("words", "code"), [(["missing.md"], 66), (["-p", "no-such"], 66), (["--iteration", "0"], 64)]
)
def test_trouble_is_trouble(words: list[str], code: int, project: Path) -> None:
    ran = run("circuit", "track", *words, cwd=project)
    assert (ran.code, ran.out) == (code, "")
    assert not (project / ".ralph" / "exitgate").exists()
