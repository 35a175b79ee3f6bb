"""What `exitgate run` keeps, read as a transcript."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hostile_files import any_bytes, cut_by_lines, odd_members
from hypothesis import given, settings
from hypothesis import strategies as st
from loop_folders import read, reader, result

from exitgate.recordings.replay.dry_run import dry_run

ID = "exitgate-run"


def line(kind: str, **more: object) -> dict[str, object]:
    return {"exitgate_run": 1, "kind": kind, "run": "nightly#2", **more}


def text(written: str, digest: str | None = None) -> dict[str, object]:
    return {"digest": digest or written, "text": written}


def turn(number: int, said: str, status: int = 0, plan: object = None) -> list[dict[str, object]]:
    at = {"iteration": number, "turn": f"run {number}", "started_at": 1_000.0 + number * 10}
    prompt = text("do it") if number == 1 else {"digest": "do it"}
    return [
        line("start", **at, prompt=prompt, pid=4, process="x 1"),
        line(
            "iteration", **at, ended_at=1_005.0 + number * 10, exit_status=status, timed_out=False,
            interrupted=False, text=said, left_out=0, stderr="", stderr_left_out=0,
        ),
        line(
            "decided", iteration=number, sequence=number + 2, verdict="CONTINUE", outcome="otherwise",
            plan=plan, git={"changed": True, "commits": 1}, **{"class": None},
        ),
    ]  # fmt: skip


BEGIN = line(
    "begin", time=1_000.5, started_at=1_000.0, iteration=0, command=["agent"],
    policy={"name": "small", "version": "1.0.0"}, plan=text("- [ ] a\n"),
)  # fmt: skip
END = line("end", time=1_050.0, why="promised", **{"class": "complete"})
LINES = [
    BEGIN,
    *turn(1, "I began.\n", plan={"digest": "- [ ] a\n"}),
    *turn(2, result("All done.", cost=0.75) + "\n", plan=text("- [x] a\n")),
    END,
]


def write(folder: Path, *lines: dict[str, object] | str) -> Path:
    path = folder / "nightly.2.jsonl"
    path.write_text("".join(one if isinstance(one, str) else json.dumps(one) + "\n" for one in lines))
    return path


def test_a_run_with_all_that_was_said_and_looked_at(tmp_path: Path) -> None:
    path = write(tmp_path, *LINES)
    assert reader(path) == ID
    (run,), problems = read(path)
    assert problems == ()
    begin = run.begin
    assert (begin.id, begin.granularity, begin.started_at) == ("nightly#2", "process", 1_000.0)
    assert (begin.title, begin.plan) == ("decided by small 1.0.0", "- [ ] a\n")
    first, second = run.iterations
    assert (first.response, first.plan, first.prompt, first.exit_status) == (
        "I began.\n", "- [ ] a\n", "do it", 0,
    )  # fmt: skip
    assert (first.started_at, first.ended_at, first.git) == (
        1_010.0,
        1_015.0,
        {"changed": True, "commits": 1},
    )
    assert (second.response, second.plan, second.prompt, second.cost) == (
        "All done.",
        "- [x] a\n",
        "do it",
        0.75,
    )
    assert (run.end.how, run.end.why, run.end.ended_at) == ("complete", "promised", 1_025.0)


def test_a_failure_has_its_last_lines(tmp_path: Path) -> None:
    (run,), _ = read(write(tmp_path, BEGIN, *turn(1, "one\ntwo\n", status=3)))
    (one,) = run.iterations
    assert (one.exit_status, one.record["tail"], run.end.how) == (3, "one\ntwo", None)


def test_an_iteration_that_nobody_decided_on_counts(tmp_path: Path) -> None:
    (run,), _ = read(write(tmp_path, BEGIN, *turn(1, "one")[:2], *turn(2, "two")[:2]))
    assert [one.response for one in run.iterations] == ["one", "two"]
    assert run.iterations[0].plan is None  # nobody said how it stood


def test_one_that_was_cut_off_before_its_end_is_not_there_and_the_next_is(tmp_path: Path) -> None:
    torn = json.dumps(turn(2, "two")[1])[:40] + "\n"
    (run,), problems = read(write(tmp_path, BEGIN, *turn(1, "one"), turn(2, "")[0], torn, *turn(2, "again")))
    assert [one.response for one in run.iterations] == ["one", "again"]
    assert [(problem.line, problem.message) for problem in problems] == [(6, "this line is torn or damaged")]


def test_a_run_that_was_taken_up_again_has_not_ended(tmp_path: Path) -> None:
    ended = line("end", time=1_020.0, why="ended by SIGINT", **{"class": "interrupted"})
    again = {**BEGIN, "iteration": 1, "plan": text("- [ ] b\n")}
    (run,), _ = read(write(tmp_path, BEGIN, *turn(1, "one"), ended, again, *turn(2, "two")))
    assert (run.begin.plan, len(run.iterations), run.end.how) == ("- [ ] a\n", 2, None)


def test_an_iteration_that_moved_to_another_run_is_that_runs(tmp_path: Path) -> None:
    moved = line("decided", iteration=2, moved_to="nightly#3")
    (run,), _ = read(write(tmp_path, BEGIN, *turn(1, "one"), *turn(2, "two")[:2], moved))
    assert [one.response for one in run.iterations] == ["one"]


def test_cut_anywhere(tmp_path: Path) -> None:
    cut_by_lines(write(tmp_path, *LINES), ID, growing=True)


def test_odd_members(tmp_path: Path) -> None:
    odd_members(write(tmp_path, BEGIN, *turn(1, "one", plan=text("- [x] a\n"))), ID)


@settings(max_examples=30, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes(tmp_path_factory: pytest.TempPathFactory, body: bytes) -> None:
    any_bytes(tmp_path_factory.mktemp("any"), "nightly.2.jsonl", body, ID)


def test_what_git_said_before_any_work_counts_as_seen(tmp_path: Path) -> None:
    begin = {**BEGIN, "git": {"content": "a"}}
    same = [{**one, "git": {"content": "a"}} if one["kind"] == "decided" else one for one in turn(1, "one")]
    moved = [{**one, "git": {"content": "b"}} if one["kind"] == "decided" else one for one in turn(2, "two")]
    path = write(tmp_path, begin, *same, *moved)
    (found,) = dry_run([str(path)], ["guardrails"], to_the_end=True, keep=True).results
    assert [one.facts["progress.made"].value for one in found.decided] == [False, True]
