"""Every rule in every iteration: fired, false, pending, unknown, not asked."""

from __future__ import annotations

from pathlib import Path

from page_runs import POLICY, iteration, plan, played, ticking, written

from exitgate.core.engine.program import Program
from exitgate.recordings.model import RecordedIteration
from exitgate.recordings.page.grid import evaluated_steps, grid
from exitgate.recordings.page.view import Grid


def grid_of(folder: Path, iterations: list[RecordedIteration], text: str = POLICY) -> Grid:
    path = written(folder, text)
    found, policies = played({"r": iterations}, [path])
    (result,) = found.results
    steps = evaluated_steps(result, policies[path])
    return grid(result, policies[path], [row.iteration for row in result.rows], steps, 1)


def states(found: Grid, rule: str) -> list[str]:
    (row,) = (row for row in found.rows if row.rule == rule)
    return [cell.words if cell.state == "pending" else cell.state for cell in row.cells]


def test_history_counts_up_and_rules_behind_the_winner_are_asked(tmp_path: Path) -> None:
    found = grid_of(tmp_path, ticking([2, 2, 2, 2, 9, 9, 9, 9]))
    assert states(found, "still") == [
        "false", "pending 1 of 3", "pending 2 of 3", "decided",
        "false", "pending 1 of 3", "pending 2 of 3", "true",
    ]  # fmt: skip
    assert states(found, "done") == ["false"] * 4 + ["decided"] * 4


def test_rules_that_never_move_are_told_in_a_word(tmp_path: Path) -> None:
    found = grid_of(tmp_path, [iteration(at, plan=None) for at in (1, 2, 3)])
    told = {same.state: [rule for rule, _ in same.rules] for same in found.alike}
    assert told == {"unknown": ["done"], "false": ["still", "many", "some"]}
    reasons = dict(next(same.rules for same in found.alike if same.state == "unknown"))
    assert "plan" in reasons["done"]
    assert found.rows == ()


def test_unknown_once_is_a_row_of_its_own(tmp_path: Path) -> None:
    run = [iteration(1, plan=plan(1, 4)), iteration(2, plan=None), iteration(3, plan=plan(1, 4))]
    assert states(grid_of(tmp_path, run), "done") == ["false", "unknown", "false"]


def test_a_warning_fires_beside_the_decision(tmp_path: Path) -> None:
    run = [
        iteration(1, "Fine.", plan=plan(1, 4)),
        iteration(2, "Error: cannot open the file", plan=plan(2, 4)),
    ]
    found = grid_of(tmp_path, run)
    assert states(found, "some") == ["false", "warns"]
    (row,) = (row for row in found.rows if row.rule == "some")
    assert (row.tone, row.fired) == ("warn", 1)


def test_the_grid_says_what_the_engine_says(tmp_path: Path) -> None:
    runs = {"r": ticking([0, 1, 1, 1, 1, 4, 9, 10])}
    found, policies = played(runs, ["recommended"])
    (result,) = found.results
    policy = policies["recommended"]
    program = Program(policy)
    steps = evaluated_steps(result, policy)
    shown = grid(result, policy, range(1, 9), steps, 1)
    assert {row.rule for row in shown.rows} | {r for same in shown.alike for r, _ in same.rules} == {
        rule.id for rule in policy.rules
    }
    records = [one.record for one in result.decided]
    for at, cells in enumerate(zip(*(row.cells for row in shown.rows), strict=True)):
        truths = {step.rule: step.truth for step in program.trace(records[: at + 1])}
        for row, cell in zip(shown.rows, cells, strict=True):
            if row.rule in truths and cell.state != "not asked":
                assert (truths[row.rule] is True) == (cell.state in ("decided", "true", "warns", "shadow"))
                assert (truths[row.rule] is False) == (cell.state in ("false", "pending"))
    decided = [[row.rule for row in shown.rows if row.cells[at].state == "decided"] for at in range(8)]
    assert decided == [[row.rule] for row in result.rows]
