"""Asked again about the same iteration, a gate gives the decision it made."""

from __future__ import annotations

from pathlib import Path

import pytest

from exitgate import Gate, Iteration
from exitgate.core.ledger import read

OPEN = "- [x] a\n- [ ] b\n"


def iterations(place: Path) -> list[object]:
    found = read.lines(str(place / ".ralph/exitgate"))
    return [line["iteration"] for line in found if line["kind"] == "decision"]


@pytest.mark.parametrize("key", ["number", "turn"])
def test_a_turn_that_is_named_counts_once(place: Path, key: str) -> None:
    gate = Gate("small.yaml")
    for n in (1, 2, 3, 4):
        name = {"number": n, "turn": f"message-{n}"}[key]
        turn = Iteration(f"step {n}", plan=OPEN, **{key: name})
        decisions = [gate.check(turn) for _ in range(3)] + [Gate("small.yaml").check(turn)]
        assert len({one.outcome for one in decisions}) == 1
    assert decisions[0].outcome == "same"
    assert iterations(place) == [1, 2, 3, 4]


def test_a_numbered_exit_stays_the_same_exit(place: Path) -> None:
    turn = Iteration("over", plan="- [x] a\n", number=7)
    assert [Gate("small.yaml").check(turn).outcome for _ in range(3)] == ["done"] * 3
    assert iterations(place) == [7]


def test_counting_from_the_start_again_is_another_run(place: Path) -> None:
    gate = Gate("small.yaml")
    for n in (1, 2, 1):
        gate.check(Iteration(f"step {n} of {len(iterations(place)) if n > 1 else 'some'} {n}", number=n))
    gate.check(Iteration("quite another first step", number=1, plan=OPEN))
    runs = {str(line["run"]) for line in read.lines(str(place / ".ralph/exitgate"))}
    assert runs == {"default#1", "default#2"}


def test_an_explanation_of_a_decision_given_again_is_that_of_the_ledger(place: Path) -> None:
    turn = Iteration("going on", plan=OPEN, turn="t")
    gate = Gate("small.yaml")
    gate.check(turn)
    fresh = gate.explain()
    gate.check(Iteration("later", turn="u"))
    gate.check(turn)
    assert gate.explain().splitlines()[:3] == fresh.splitlines()[:3]
    assert "iteration 1" in gate.explain()
