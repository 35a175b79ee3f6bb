"""Policies held against each other: agreement by hand, where they part, what lies between."""

from __future__ import annotations

from pathlib import Path

import pytest
from judged_loops import loop, policy

from exitgate.core.policy.compile import load_policy
from exitgate.recordings.scoring import comparison as kinds
from exitgate.recordings.scoring.comparison import Comparison, compare


def compared(folder: Path, *settings: dict[str, str]) -> Comparison:
    path = policy(folder)
    return compare([str(folder)], {f"p{n}": load_policy(path, settings=s) for n, s in enumerate(settings)})


STRICT: dict[str, str] = {}
EASY = {"enough": "50"}
PATIENT = {"patience": "3"}


def test_agreement_by_hand(tmp_path: Path) -> None:
    loop(tmp_path, "same", ["certain"])
    loop(tmp_path, "none", ["unsure", "unsure"])
    loop(tmp_path, "later", ["likely", "unsure", "certain"])
    loop(tmp_path, "only", ["likely", "unsure"])
    (found,) = compared(tmp_path, STRICT, EASY).agreements
    assert {kind: count for kind, count in found.counts.items() if count} == {
        kinds.SAME: 1, kinds.BOTH_CONTINUE: 1, kinds.LATER: 1, kinds.ONLY_OTHER: 1,
    }  # fmt: skip
    assert (found.one, found.other, found.agreeing, found.runs) == ("p0", "p1", 2, 4)
    (turned,) = compared(tmp_path, EASY, STRICT).agreements
    assert (turned.counts[kinds.EARLIER], turned.counts[kinds.ONLY_ONE]) == (1, 1)


def test_the_first_iteration_where_they_decide_differently(tmp_path: Path) -> None:
    loop(tmp_path, "one", ["unsure", "likely", "unsure", "certain", "certain"], cost=2.0)
    found = compared(tmp_path, STRICT, EASY)
    (parted,) = found.divergences
    assert (parted.run, parted.iteration, parted.iterations, parted.cost) == ("one", 2, 2, 4.0)
    strict, easy = parted.one, parted.other
    assert (easy.verdict, easy.rule, easy.message) == ("EXIT", "sure", "Sure: 60%")
    assert (
        easy.reasons[0].written
        == "(confidence (60%) >= $enough (50%)) for $patience (1) consecutive iterations"
    )
    assert (strict.verdict, strict.rule) == ("CONTINUE", None)
    assert strict.stop is not None and strict.stop.iteration == 4
    (reason,) = [one for one in strict.reasons if one.rule == "sure"]
    assert (reason.state, reason.written.startswith("(confidence (60%) >= $enough (80%))")) == ("false", True)


def test_a_rule_under_way_is_shown_with_how_far_it_is(tmp_path: Path) -> None:
    loop(tmp_path, "one", ["unsure", "certain", "certain", "certain"])
    (parted,) = compared(tmp_path, STRICT, PATIENT).divergences
    assert (parted.iteration, parted.iterations) == (2, 2)
    assert ("sure", "pending 1 of 3") in [(one.rule, one.state) for one in parted.other.reasons]


def test_the_same_iteration_with_another_class(tmp_path: Path) -> None:
    loop(tmp_path, "one", ["I am certain.\n<promise>FINISHED</promise>", "more"])
    found = compared(tmp_path, STRICT, {"word": "OTHER"})
    (parted,) = found.divergences
    assert {parted.one.exit_class, parted.other.exit_class} == {"idle", "complete"}
    assert (parted.iterations, parted.cost) == (0, 0.0)
    assert found.agreements[0].counts[kinds.OTHER_CLASS] == 1


def test_the_most_costly_comes_first_and_costs_that_are_not_told_come_by_length(tmp_path: Path) -> None:
    loop(tmp_path, "cheap", ["likely", "x", "x", "x"], cost=0.1)
    loop(tmp_path, "dear", ["likely", "x"], cost=9.0)
    loop(tmp_path, "untold", ["likely", "x", "x"], cost=None)
    loop(tmp_path, "untold-long", ["likely", *"xxxxx"], cost=None)
    found = compared(tmp_path, STRICT, EASY)
    assert [(one.run, one.cost) for one in found.divergences] == [
        ("dear", 9.0), ("cheap", pytest.approx(0.3)), ("untold-long", None), ("untold", None),
    ]  # fmt: skip


def test_each_pair_of_three_parts_once_in_a_run(tmp_path: Path) -> None:
    loop(tmp_path, "one", ["likely", "certain", "certain", "certain"])
    found = compared(tmp_path, STRICT, EASY, PATIENT)
    assert [(one.one.policy, one.other.policy, one.iteration) for one in found.divergences] == [
        ("p1", "p2", 1), ("p0", "p2", 2), ("p0", "p1", 1),
    ]  # fmt: skip
    assert len(found.agreements) == 3


def test_a_policy_agrees_with_itself(tmp_path: Path) -> None:
    loop(tmp_path, "one", ["likely", "certain"])
    loop(tmp_path, "two", ["unsure"])
    found = compared(tmp_path, STRICT, STRICT)
    assert found.divergences == ()
    assert found.agreements[0].agreeing == 2


def test_usd_between_stops_is_unknown_where_none_of_it_is_told(tmp_path: Path) -> None:
    place = loop(tmp_path, "one", ["likely", "x", "x"])
    for number in (2, 3):
        file = place / f"claude_output_2026-01-01_10-{number:02}-00.log"
        file.write_text(file.read_text(encoding="utf-8").replace("total_cost_usd", "other"), encoding="utf-8")
    (parted,) = compared(tmp_path, STRICT, EASY).divergences
    assert (parted.iterations, parted.cost) == (2, None)
