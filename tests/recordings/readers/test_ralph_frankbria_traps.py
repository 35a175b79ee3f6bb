"""Folders of ralph-claude-code: interleaved loops, no log, state files, hostile bytes."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from loop_folders import folder, launch, log, loop, output, read, reader, result
from streams import INIT, assistant, lines, text


def test_two_loops_at_once_are_told_apart_by_their_numbers_and_budgets(tmp_path: Path) -> None:
    done = "SUCCESS Claude Code execution completed successfully"
    body = [
        *launch("12:00:00"),
        *loop(1, "12:00:01", "12:05:00"),
        *launch("12:06:00"),
        *loop(1, "12:06:01", None, minutes=10),
        *loop(2, "12:07:00", None),
        f"12:09:00 {done}",
        "12:09:02 LOOP === Completed Loop #2 ===",
        *loop(3, "12:10:00", None),
        "12:16:01 WARN Claude Code execution timed out after 10 minutes",
        "12:16:30 LOOP === Completed Loop #1 ===",
        *loop(2, "12:17:00", None),
        f"12:20:00 {done}",
        "12:20:03 LOOP === Completed Loop #3 ===",
        f"12:25:00 {done}",
        "12:25:03 LOOP === Completed Loop #2 ===",
    ]
    names = ("12:00:01", "12:06:01", "12:07:00", "12:10:00", "12:17:00")
    files = {"ralph.log": log(*body)} | {output(name): result(name) for name in names}
    (first, second), _ = read(folder(tmp_path, files))
    assert [i.response for i in first.iterations] == ["12:00:01", "12:07:00", "12:10:00"]
    assert [i.response for i in second.iterations] == ["12:06:01", "12:17:00"]
    assert [i.exit_status for i in first.iterations] == [0, 0, 0]
    assert [(i.exit_status, i.timed_out) for i in second.iterations] == [(124, True), (0, False)]


def test_without_a_log_the_outputs_are_one_run_in_order_of_time(tmp_path: Path) -> None:
    files = {output("13:00:00"): result("Second."), output("12:00:00"): result("First.")}
    files[output("14:00:00", stream=True)] = lines(INIT, assistant(text("Cut o")))
    place = folder(tmp_path, files)
    (run,), _ = read(place)
    assert [i.response for i in run.iterations] == ["First.", "Second.", "Cut o"]
    one = run.iterations[0]
    assert one.ended_at is not None and one.started_at is not None and one.ended_at - one.started_at == 30
    assert (run.reader, run.end.how, run.begin.started_at) == ("ralph-frankbria", None, one.started_at)
    assert run.iterations[2].ended_at is None and one.exit_status is None


def test_outputs_the_log_tells_nothing_of_are_kept(tmp_path: Path) -> None:
    body = [*launch("12:00:00"), *loop(1, "12:00:01", "12:01:00"), "12:01:10 INFO Ralph loop interrupted."]
    body += [*launch("14:00:00"), *loop(1, "14:00:01", "14:02:00")]
    clocks = ("11:00:00", "12:00:01", "12:00:40", "13:00:00", "14:00:01", "15:00:00")
    files = {"ralph.log": log(*body)} | {output(clock): result(clock) for clock in clocks}
    runs, _ = read(folder(tmp_path, files))
    assert [[i.response for i in run.iterations] for run in runs] == [
        ["11:00:00"], ["12:00:01", "12:00:40"], ["13:00:00"], ["14:00:01", "15:00:00"],
    ]  # fmt: skip


def test_a_clock_that_goes_back_and_lines_of_other_programs_change_nothing(tmp_path: Path) -> None:
    body = [*launch("12:00:00"), "npm warn [LOOP] === Starting Loop #7 ===", *loop(1, "12:00:01", "12:02:00")]
    body += loop(2, "11:30:00", "11:31:00")
    files = {"ralph.log": log(*body), output("12:00:01"): result("a"), output("11:30:00"): result("b")}
    (run,), _ = read(folder(tmp_path, files))
    assert sorted(str(i.response) for i in run.iterations) == ["a", "b"]
    assert [i.exit_status for i in run.iterations] == [0, 0]


def test_what_the_loop_counts_is_the_plan_where_no_call_shows_it(tmp_path: Path) -> None:
    check = "INFO DEBUG: .ralph/@fix_plan.md check - total_items:3, completed_items:"
    body = [*launch("12:00:00"), "12:00:00 LOOP === Starting Loop #1 ===", f"12:00:00 {check}0"]
    body += [
        *loop(1, "12:00:01", "12:02:00")[1:],
        "12:02:05 LOOP === Starting Loop #2 ===",
        f"12:02:05 {check}2",
    ]
    (run,), _ = read(
        folder(tmp_path, {"ralph.log": log(*body), "@fix_plan.md": "- [x] a\n- [x] b\n- [x] c\n"})
    )
    counted = "# {} of 3, as the loop counted\n- [{}] 1\n- [{}] 2\n- [ ] 3\n"
    assert run.begin.plan == counted.format(0, " ", " ")
    assert run.iterations[0].plan == counted.format(2, "x", "x")  # the file was changed after that


MOVED = [{"loop": 2, "from_state": "CLOSED", "to_state": "OPEN", "reason": "r"}]
SIGNALS = {"test_only_loops": [], "done_signals": [1, 2], "completion_indicators": []}
STATUS = {"loop_count": 5, "last_action": "graceful_exit", "status": "completed"}
BREAKER = {"state": "OPEN", "consecutive_no_progress": 3, "reason": "no progress"}
STATES = {
    ".exit_signals": (SIGNALS, None, "done_signals: 2"),
    "status.json": ({**STATUS, "exit_reason": "safety_circuit_breaker"}, "halted", "loop_count: 5"),
    ".circuit_breaker_state": (BREAKER, "halted", "no progress"),
    ".circuit_breaker_history": (MOVED, None, "to_state: OPEN, reason: r; loop: 2"),
    ".response_analysis": (
        {"loop_number": 1, "analysis": {"exit_signal": False}},
        None,
        "exit_signal: False",
    ),
    "progress.json": ({"status": "completed", "timestamp": "t"}, None, "status: completed"),
    ".call_count": (17, None, "call_count: 17"),
}


@pytest.mark.parametrize("name", list(STATES))
def test_a_state_file_alone_is_a_run_that_says_what_stands_in_it(tmp_path: Path, name: str) -> None:
    value, how, why = STATES[name]
    for named in {name, name.removeprefix(".")}:
        path = folder(tmp_path, {named: json.dumps(value, indent=1)}) / named
        (run,), problems = read(path)
        assert (run.reader, run.begin.id, run.iterations, problems) == ("ralph-frankbria", named, (), ())
        assert run.end.how == how and why in run.end.why


def test_texts_beside_a_log_are_known_by_their_names_only_there(tmp_path: Path) -> None:
    texts = {"fix_plan.md": "- [x] a\n- [ ] b\n", "PROMPT.md": "Build it.", "live.log": "words"}
    place, other = folder(tmp_path, {**texts, "ralph.log": "x"}), folder(tmp_path, texts, "other")
    ends = {name: read(place / name)[0][0] for name in texts}
    assert (ends["fix_plan.md"].end.why, ends["fix_plan.md"].begin.plan) == (
        "1 of 2 items done",
        texts["fix_plan.md"],
    )
    assert all(not run.iterations and run.reader == "ralph-frankbria" for run in ends.values())
    assert [reader(other / name) for name in texts] == [None] * 3


def test_a_log_and_a_plain_output_are_read_alone(tmp_path: Path) -> None:
    body = log(*launch("12:00:00"), *loop(1, "12:00:01", "12:01:00"))
    place = folder(tmp_path, {"old.log": body, output("12:00:01"): "All is built.\n"})
    (run,), _ = read(place / "old.log")
    assert (run.begin.id, run.iterations[0].exit_status, run.iterations[0].response) == ("old", 0, None)
    (run,), _ = read(place / output("12:00:01"))
    assert (run.reader, run.iterations[0].response) == ("ralph-frankbria", "All is built.\n")
    assert reader(folder(tmp_path, {"words.log": "All is built.\n"}, "other") / "words.log") is None


BODY = log(*launch("12:00:00"), *loop(1, "12:00:01", "12:02:00"), *loop(2, "12:02:10", "12:03:00")).encode()


def test_cut_at_every_line_what_was_told_before_stays(tmp_path: Path) -> None:
    ends = [at for at in range(len(BODY)) if BODY[at : at + 1] == b"\n"]
    place = folder(tmp_path, {output("12:00:01"): result("a"), output("12:02:10"): result("b")})
    for end in ends[7:]:
        (place / "ralph.log").write_bytes(BODY[:end])
        (run,), _ = read(place)
        assert [i.response for i in run.iterations] == ["a", "b"]
        assert (run.iterations[0].exit_status, run.iterations[0].ended_at) == (0, 1769860920.0)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.one_of(st.binary(max_size=60), st.sampled_from(BODY.splitlines(keepends=True))), max_size=30)
)
def test_any_bytes_are_read(tmp_path_factory: pytest.TempPathFactory, parts: list[bytes]) -> None:
    place = tmp_path_factory.mktemp("any")
    (place / "ralph.log").write_bytes(b"".join(parts))
    (place / output("12:00:01")).write_bytes(b"".join(parts[:3]))
    (place / "circuit_breaker_state").write_bytes(b"".join(parts[-2:]))
    runs, _ = read(place, "ralph-frankbria")
    for run in runs:
        assert [i.index for i in run.iterations] == list(range(1, len(run.iterations) + 1))


def test_launches_that_died_without_a_word_take_linear_time(tmp_path: Path) -> None:
    def lines_run(launches: int) -> int:
        body = [*launch("12:00:00"), *loop(1, "12:00:01", None)] * launches
        place = folder(tmp_path, {f"{launches}/ralph.log": log(*body)})
        count = 0

        def seen(_frame: FrameType, event: str, _arg: object) -> Callable[..., Any]:
            nonlocal count
            count += event == "line"
            return seen

        before = sys.gettrace()
        sys.settrace(seen)
        try:
            runs, _ = read(place / str(launches) / "ralph.log", "ralph-frankbria")
        finally:
            sys.settrace(before)
        assert len(runs) == launches
        return count

    assert lines_run(400) < 2.6 * lines_run(200)
