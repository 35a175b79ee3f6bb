"""Launches, not folders, are runs: logs that are cut, two loops at once, plans of a later time."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from loop_folders import folder, launch, log, loop, output, read, result

from exitgate.recordings.discovery import discover
from exitgate.recordings.formats.ralph.progress import boxes_of, plan_at

FAILED = "Claude Code execution failed, check: .ralph/logs/"


def named(day: str, clock: str) -> str:
    """Return the name of an output of a day of January."""
    return f"logs/claude_output_2026-01-{day}_{clock.replace(':', '-')}.log"


def status_of(number: int) -> str:
    return f"Sorted shelf {number}.\n\n<!-- RALPH_STATUS\nloop: {number}\nstatus: done\n-->"


def counts(root: Path, files: dict[str, str]) -> list[int]:
    runs, _ = read(folder(root, files, ".ralph"))
    return [len(run.iterations) for run in runs]


def test_outputs_that_no_log_tells_of_are_parted_by_hours(tmp_path: Path) -> None:
    outputs = [
        ("05", "22:00:00"),
        ("05", "23:40:00"),
        ("06", "00:10:00"),
        ("06", "04:00:00"),
        ("09", "04:05:00"),
    ]
    files = {named(day, clock): result("Wrote a chapter.") for day, clock in outputs}
    assert counts(tmp_path, files) == [3, 1, 1]


def test_a_loop_that_waits_for_the_next_hour_goes_on(tmp_path: Path) -> None:
    files = {named("05", f"{hour:02}:00:05"): result("One more page.") for hour in range(8, 13)}
    assert counts(tmp_path, files) == [5]


def test_a_loop_that_counts_from_1_again_is_another(tmp_path: Path) -> None:
    files = {
        named("05", f"10:{nth * 5:02}:00"): result(status_of(n)) for nth, n in enumerate((1, 2, 3, 1, 2))
    }
    assert counts(tmp_path, files) == [3, 2]


def test_another_session_after_a_pause_is_another_loop(tmp_path: Path) -> None:
    told = [("10:00", "a"), ("10:05", "a"), ("10:10", "a"), ("10:40", "b"), ("10:45", "b")]
    files = {named("05", f"{clock}:00"): result("Filed it.", session=id) for clock, id in told}
    assert counts(tmp_path, files) == [3, 2]


def test_a_new_session_each_time_is_one_loop(tmp_path: Path) -> None:
    files = {named("05", f"10:{nth * 15:02}:00"): result("Filed it.", session=f"s-{nth}") for nth in range(4)}
    assert counts(tmp_path, files) == [4]


def test_a_session_that_was_reset_ends_a_launch_whatever_zone_the_log_is_in(tmp_path: Path) -> None:
    reset = {"timestamp": "2026-01-31T10:12:00+00:00", "from_state": "active", "to_state": "reset"}
    files = {
        "logs/ralph.log": log(*launch("15:00:00"), *loop(1, "15:00:01", None)),
        "status.json": json.dumps({"timestamp": "2026-01-31T13:00:02+00:00", "status": "running"}),
        ".ralph_session_history": json.dumps([{**reset, "reason": "project_complete"}]),
        **{f"logs/{output(clock)}": result("Potted it.") for clock in ("12:05:00", "12:10:00", "12:14:00")},
    }
    assert counts(tmp_path, files) == [2, 1, 1]


def test_a_log_that_begins_in_the_middle_goes_on_with_the_outputs_before(tmp_path: Path) -> None:
    files = {
        "logs/ralph.log": log(*loop(3, "12:10:00", "12:12:00")),
        **{f"logs/{output(clock)}": result("Baked it.") for clock in ("12:00:00", "12:05:00", "12:10:00")},
    }
    assert counts(tmp_path, files) == [3]


def test_outputs_days_after_a_launch_whose_end_is_not_told_are_another(tmp_path: Path) -> None:
    body = [*launch("12:00:00"), *loop(1, "12:00:01", "12:03:00")]
    later = "logs/claude_output_2026-02-03_09-00-00.log"
    files = {
        "logs/ralph.log": log(*body),
        f"logs/{output('12:00:01')}": result("Oiled it."),
        later: result("Hm."),
    }
    assert counts(tmp_path, files) == [1, 1]


def two_loops() -> list[str]:
    """Return a log into which two loops write: the second begins while the first one works."""
    return [
        *launch("09:00:00"),
        *loop(1, "09:00:00", "09:01:00"),
        *loop(2, "09:01:05", None),
        *launch("09:02:00"),
        *loop(1, "09:02:00", None),
        f"09:02:30 ERROR {FAILED}{output('09:02:00')}",
        f"09:02:40 ERROR {FAILED}{output('09:01:05')}",
        "09:03:00 LOOP === Completed Loop #1 ===",
        *loop(2, "09:03:00", None),
        "09:03:10 LOOP === Completed Loop #2 ===",
        *loop(3, "09:03:10", None),
        f"09:03:20 ERROR {FAILED}{output('09:03:00')}",
        f"09:03:25 ERROR {FAILED}{output('09:03:10')}",
    ]


def test_a_line_that_names_an_output_is_of_the_loop_of_that_output(tmp_path: Path) -> None:
    said = {"09:00:00": "A1", "09:01:05": "A2", "09:02:00": "B1", "09:03:00": "B2", "09:03:10": "A3"}
    files = {"logs/ralph.log": log(*two_loops())}
    files |= {f"logs/{output(clock)}": result(text) for clock, text in said.items()}
    runs, _ = read(folder(tmp_path, files, ".ralph"))
    assert [[one.response for one in run.iterations] for run in runs] == [["A1", "A2", "A3"], ["B1", "B2"]]
    assert [one.number for one in runs[0].iterations] == [1, 2, 3]


def test_processes_that_begin_in_one_second_share_their_output(tmp_path: Path) -> None:
    body = [*launch("09:00:00"), *loop(1, "09:00:00", None), *launch("09:00:00"), *loop(1, "09:00:00", None)]
    files = {"logs/ralph.log": log(*body), f"logs/{output('09:00:00')}": result("Both.")}
    runs, _ = read(folder(tmp_path, files, ".ralph"))
    assert [[one.response for one in run.iterations] for run in runs] == [["Both."], ["Both."]]


def test_an_end_goes_to_the_turn_that_is_completed_first(tmp_path: Path) -> None:
    body = [
        *launch("09:00:00"),
        *loop(1, "09:00:00", None),
        *launch("09:00:10"),
        *loop(1, "09:00:10", None),
        "09:00:30 SUCCESS Claude Code execution completed successfully",
        "09:00:33 ERROR Claude Code execution failed (exit code: 3)",
        "09:00:35 LOOP === Completed Loop #1 ===",
    ]
    (first, second), _ = read(folder(tmp_path, {"logs/ralph.log": log(*body)}, ".ralph"))
    told = sorted((run.iterations[0].exit_status is not None) for run in (first, second))
    assert told == [False, True] and 0 in (first.iterations[0].exit_status, second.iterations[0].exit_status)


def test_state_files_beside_the_folder_of_logs_are_no_runs(tmp_path: Path) -> None:
    body = log(*launch("12:00:00"), *loop(1, "12:00:01", "12:03:00"))
    files = {
        "logs/ralph.log": body,
        f"logs/{output('12:00:01')}": result("Swept it."),
        "ralph.log": f"\x1b[0;32m{body}\x1b[0m",
        "status.json": json.dumps({"loop_count": 1, "last_action": "x", "status": "running"}),
        "PROMPT.md": "Sweep.",
        ".call_count": "1",
        ".last_reset": "2026013112",
        ".exit_signals": json.dumps({"test_only_loops": [], "done_signals": [], "completion_indicators": []}),
    }
    place = folder(tmp_path, files, "yard")
    assert [(one.reader, Path(one.place.path).name) for one in discover([str(place)]) if one.reader] == [
        ("ralph-frankbria", "yard")
    ]
    (run,), _ = read(place)
    assert (len(run.iterations), run.iterations[0].prompt) == (1, "Sweep.")


def test_the_console_is_the_log_where_no_other_is_kept(tmp_path: Path) -> None:
    files = {
        "ralph.log": log(*launch("12:00:00"), *loop(1, "12:00:01", "12:03:00")),
        f"logs/{output('12:00:01')}": result("Swept it."),
    }
    (run,), _ = read(folder(tmp_path, files, "yard"))
    assert (run.iterations[0].exit_status, run.iterations[0].response) == (0, "Swept it.")


def test_the_console_tells_of_launches_that_were_cut_from_the_log(tmp_path: Path) -> None:
    first = [*launch("12:00:00"), *loop(1, "12:00:01", "12:03:00")]
    second = [*launch("13:00:00"), *loop(1, "13:00:01", "13:03:00"), *loop(2, "13:03:05", "13:05:00")]
    files = {"ralph.log": log(*first, *second), "logs/ralph.log": log(*second)}
    files |= {f"logs/{output(clock)}": result("Mown.") for clock in ("12:00:01", "13:00:01", "13:03:05")}
    runs, _ = read(folder(tmp_path, files, "yard"))
    assert [[one.exit_status for one in run.iterations] for run in runs] == [[0], [0, 0]]


SHARES = st.tuples(st.integers(0, 12), st.integers(0, 12)).map(lambda pair: (min(pair), max(pair)))


def boxes(share: tuple[int, int]) -> str:
    done, total = share
    return "# Jobs\n\n" + "".join(f"- [{'x' if n < done else ' '}] job {n}\n" for n in range(total))


def counting(clock: str, share: tuple[int, int]) -> str:
    done, total = share
    text = f"DEBUG: .ralph/fix_plan.md check - total_items:{total}, completed_items:{done}"
    return f"{clock} INFO {text}"


@given(told=st.lists(SHARES, min_size=1, max_size=4), last=SHARES, counted_last=st.booleans())
def test_a_plan_file_never_stands_for_what_the_log_counted_otherwise(
    told: list[tuple[int, int]], last: tuple[int, int], counted_last: bool
) -> None:
    body = launch("12:00:00")
    for nth, share in enumerate(told, 1):
        clock = f"12:{nth * 5:02}"
        body += [counting(f"{clock}:00", share), *loop(nth, f"{clock}:01", f"{clock}:59")]
    if counted_last:
        body.append(counting("12:50:00", told[-1]))
    files = {"logs/ralph.log": log(*body), "fix_plan.md": boxes(last)}
    with tempfile.TemporaryDirectory() as root:
        (run,), _ = read(folder(Path(root), files, ".ralph"))
    after = [*told[1:], told[-1] if counted_last else None]
    for one, share in zip(run.iterations, after, strict=True):
        shown = None if one.plan is None else boxes_of(one.plan)
        assert shown == share or (shown == told[-1] == last and share is None)
        assert (one.plan is not None) or "may be newer" in one.not_known["plan"]


@given(share=st.none() | SHARES, last=st.none() | SHARES, before=st.none() | SHARES)
def test_without_evidence_of_its_moment_a_plan_file_is_unknown(
    share: tuple[int, int] | None, last: tuple[int, int] | None, before: tuple[int, int] | None
) -> None:
    found = plan_at({}, share, None if last is None else boxes(last), before)
    if share is None and (before is None or last != before):
        assert found is None
    elif found is not None:
        assert boxes_of(found) in (share, before)


@pytest.mark.parametrize(("share", "wins"), [((1, 3), True), ((2, 3), False), ((1, 7), False)])
def test_what_the_loop_counts_wins_over_what_the_agent_wrote_before(
    share: tuple[int, int], wins: bool
) -> None:
    written = {"/w/.ralph/fix_plan.md": boxes((2, 3))}
    found = plan_at(written, share, None, None)
    assert found is not None and boxes_of(found) == (share if wins else (2, 3))
