"""Policies side by side: what a stop saves, what it cuts short, how a label sees it."""

from __future__ import annotations

from pathlib import Path

import pytest
from page_runs import POLICY, iteration, plan, played, ticking, written

from exitgate.core.facts.text.secrets import Mask
from exitgate.recordings.page.run import compared, divergences
from exitgate.recordings.page.view import Compared
from exitgate.recordings.scoring.labels import Label

NOTHING = Mask(())
#: Stops with `still` at iteration 4; two more tasks are ticked after it.
RUN = ticking([1, 1, 1, 1, 2, 3, 3, 3])


def one(folder: Path, label: Label | None = None, done: list[int] | None = None) -> Compared:
    path = written(folder)
    found, policies = played({"r": RUN if done is None else ticking(done)}, [path])
    return compared(found.results[0], policies[path], label, NOTHING)


def test_without_a_label_it_is_told_what_came_after(tmp_path: Path) -> None:
    found = one(tmp_path)
    assert (found.stop, found.rule, found.message) == (4, "still", "nothing ticked")
    assert (found.after, found.spent, found.grade) == ("4 iterations", "2.00 USD", "")
    assert found.meant == "saves 4 iterations and 2.00 USD; cuts short 2 ticked tasks"
    assert one(tmp_path, done=[1] * 6).meant == "saves 2 iterations and 1.00 USD; no task was ticked after it"


def test_no_stop_and_a_stop_at_the_end(tmp_path: Path) -> None:
    none = one(tmp_path, done=[1, 2, 3])
    assert (none.stop, none.verdict, none.meant) == (0, None, "nothing saved and nothing cut short")
    last = one(tmp_path, done=[1, 2, 9])
    assert (last.stop, last.after, last.meant) == (3, "0 iterations", "nothing saved and nothing cut short")


@pytest.mark.parametrize(
    ("label", "grade", "meant"),
    [
        (Label("r", 4, 4), "right", "saves 4 iterations"),
        (Label("r", 2, 5, classes=("stuck",)), "right", "saves 4 iterations"),
        (
            Label("r", 4, 4, classes=("complete",)),
            "right",
            "the right iteration, but as stuck; the label says complete",
        ),
        (Label("r", 6, 8), "premature", "cuts off 2 iterations before the right stop"),
        (Label("r", 2, 2), "late", "2 iterations and 1.00 USD wasted"),
        (
            Label("r", None, None, never=True),
            "premature",
            "cuts off 4 iterations of a run that should continue",
        ),
    ],
)  # fmt: skip
def test_a_label_grades_the_stop(tmp_path: Path, label: Label, grade: str, meant: str) -> None:
    found = one(tmp_path, label)
    assert (found.grade, found.meant) == (grade, meant)


def test_a_run_that_should_go_on_or_should_have_stopped(tmp_path: Path) -> None:
    goes = one(tmp_path, Label("r", None, None, never=True), [1, 2, 3])
    assert (goes.grade, goes.meant) == ("right", "continues, as labelled")
    missed = one(tmp_path, Label("r", 1, 1), [1, 2, 3])
    assert (missed.grade, missed.meant) == ("missed", "2 iterations and 1.00 USD wasted")


def test_policies_part_at_the_first_difference(tmp_path: Path) -> None:
    four = written(tmp_path)
    strict = written(tmp_path, POLICY.replace("for 3 iterations", "for 5 iterations"), "slow.yaml")
    (parting,) = divergences(played({"r": RUN}, [four, strict])[0].results, NOTHING)
    assert parting.iteration == 4
    assert [(name, verdict.words, message) for name, verdict, message in parting.sides] == [
        (four, "EXIT stuck", "nothing ticked"),
        (strict, "CONTINUE", ""),
    ]


def test_behind_a_common_stop_nothing_counts(tmp_path: Path) -> None:
    run = [iteration(at, plan=plan(9 if at < 3 else 0, 10)) for at in range(1, 9)]
    four = written(tmp_path)
    slow = written(tmp_path, POLICY.replace("for 3 iterations", "for 4 iterations"), "slow.yaml")
    assert divergences(played({"r": run}, [four, slow])[0].results, NOTHING) == ()
