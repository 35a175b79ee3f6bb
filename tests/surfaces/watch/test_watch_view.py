"""The view as people see it: ledgers of real checks by shipped policies, golden at 80 columns."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from watched_loops import START, Loop, shown

from exitgate.report.terminal import Style, columns
from exitgate.surfaces.watch.render import screen
from exitgate.surfaces.watch.watcher import Watcher


def same(name: str, text: str) -> None:
    """Hold `text` against a golden file of this folder; rewritten with EXITGATE_GOLDEN=write."""
    path = Path(__file__).parent / "golden" / name
    if os.environ.get("EXITGATE_GOLDEN") == "write":
        path.write_text(text, encoding="utf-8", newline="")
    assert text == path.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def working(tmp_path_factory: pytest.TempPathFactory) -> Loop:
    """A loop that works, hesitates, and claims what nothing bears out."""
    loop = Loop(tmp_path_factory.mktemp("working"))
    said = (
        ("Wrote the reader. Next is the writer.", 1),
        ("Wrote the writer and its tests.", 2),
        ("The writer should maybe handle empty files; I am not sure.", 2),
        ("Everything is done, all tasks are complete.", 2),
    )
    for number, (response, done) in enumerate(said, 1):
        loop.step(response, done, cost=1.5 * number, tokens=20_000)
    return loop


def test_a_loop_at_work(working: Loop) -> None:
    same("at-work.txt", shown(working.state, working.time + 12))


def test_a_loop_in_a_low_and_a_narrow_window(working: Loop) -> None:
    same("low.txt", shown(working.state, working.time + 12, height=16))
    same("narrow.txt", shown(working.state, working.time + 12, width=40))


def test_a_stuck_loop(tmp_path: Path) -> None:
    loop = Loop(tmp_path)
    for _ in range(3):
        loop.step("Error: cannot open the file. Trying the same fix again.", 1)
    same("stuck.txt", shown(loop.state, loop.time + 3600))


@pytest.mark.parametrize("policy", ["bb3", "ralph", "guardrails", "loop-detection", "doyaken"])
def test_shipped_policies(policy: str, tmp_path: Path) -> None:
    loop = Loop(tmp_path, policy)
    for number in range(1, 4):
        loop.step(f"Task {number} is done. I am fairly confident.", number, cost=0.5)
    same(f"{policy}.txt", shown(loop.state, loop.time + 5))


def test_no_line_is_wider_and_no_view_higher_than_the_window(tmp_path: Path) -> None:
    loop = Loop(tmp_path, "bb3", "x" * 60)
    for number in range(3):
        loop.step("日本語の返事 " * 30 + "\x1b[31mred\x1b[0m\u202e", number)
    watcher = Watcher(loop.state, None)
    watcher.look()
    view = watcher.view(loop.time)
    for width in (20, 40, 80, 133, 200):
        for height in (1, 5, 12, 24, 60):
            lines = screen(view, Style(False, width), height)
            assert len(lines) <= height
            assert all(columns(line) <= width for line in lines)
            assert not any(set(line) & {"\x1b", "\u202e", "\r"} for line in lines)


def test_budgets_stay_when_the_window_is_low(working: Loop) -> None:
    text = shown(working.state, working.time, height=20)
    assert "run.cost" in text
    assert "15 USD of 250 USD" in text


def test_time_goes_on_between_lines_and_stops_with_the_run(tmp_path: Path) -> None:
    loop = Loop(tmp_path)
    loop.step("Wrote the reader.", 1)
    loop.step("Wrote the writer.", 2)
    assert "run.elapsed     █░░░░░░░░░░░░░░░░░░░  1m of 8h" in shown(loop.state, loop.time)
    assert "6m of 8h" in shown(loop.state, loop.time + 300)
    loop.step("<promise>COMPLETE</promise>", 6)
    assert "2m of 8h" in shown(loop.state, loop.time + 7200)


def test_a_budget_that_is_used_up_is_a_full_bar(tmp_path: Path) -> None:
    loop = Loop(tmp_path)
    loop.step("Wrote a part.", 1, cost=249.0)
    assert "███████████████████░  249 USD of 250 USD" in shown(loop.state, loop.time)
    loop.step("Wrote another part.", 2, cost=2.0)
    text = shown(loop.state, loop.time)
    assert "EXIT exhausted" in text
    assert "████████████████████  251 USD of 250 USD ($max_cost)" in text


def test_only_what_moved_is_told_first_what_rules_read(tmp_path: Path) -> None:
    loop = Loop(tmp_path, "bb3")
    loop.step("Wrote the reader.", 1)
    loop.step("Wrote the writer as well, which took longer.", 2)
    lines = shown(loop.state, loop.time).splitlines()
    at = next(n for n, line in enumerate(lines) if line.startswith("moved"))
    assert "tasks.done" in "".join(lines[at : at + 4])
    text = "\n".join(lines)
    assert "1 → 2" in text
    assert "run.iterations  2" not in text
    assert "unknown → unknown" not in text


def test_whether_the_loop_is_gone(tmp_path: Path) -> None:
    loop = Loop(tmp_path, "bb3")
    loop.step("Wrote the reader.", 1)
    assert "59m since the last line" in shown(loop.state, loop.time + 59 * 60)
    assert "the loop seems to have stopped" in shown(loop.state, loop.time + 61 * 60)
    loop.step("Wrote the writer.", 2)
    loop.step("Wrote the tests.", 3)
    assert "9m 59s since the last line" in shown(loop.state, loop.time + 599)
    assert "the loop seems to have stopped" in shown(loop.state, loop.time + 601)
    loop.time += 900
    loop.step("Wrote the docs.", 4)
    assert "45m since the last line" in shown(loop.state, loop.time + 45 * 60)
    assert "the loop seems to have stopped" in shown(loop.state, loop.time + 50 * 60)
    loop.step("All is done.", 6)
    assert "seems to have stopped" not in shown(loop.state, loop.time + 1e6)


def test_nothing_yet(tmp_path: Path) -> None:
    text = shown(str(tmp_path / "none"), START, run="nightly")
    assert text.startswith("waiting for a run of `nightly` to begin\n")
    assert "there is no ledger" in text


def test_in_a_very_low_window_the_message_and_the_first_budget_stay(working: Loop) -> None:
    low = shown(working.state, working.time, height=7).splitlines()
    assert [line.partition(" ")[0] for line in low[4:]] == ["says", "used", ""]
    assert "and 3 more" in low[-1]
    assert "says\n  Continuing" in shown(working.state, working.time, width=40, height=9)
