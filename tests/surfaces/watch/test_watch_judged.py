"""What the policy says beside a decision: the same as `explain`, once for each line, bounded in time."""

from __future__ import annotations

from copy import copy
from pathlib import Path

import pytest
from watched_loops import Loop

from exitgate.analysis.counterfactuals.outlook import outlook
from exitgate.analysis.counterfactuals.search import Limits
from exitgate.core.engine.program import Program
from exitgate.recordings.ledger.recall import recall
from exitgate.surfaces.watch import assessment
from exitgate.surfaces.watch.assessment import Assessor
from exitgate.surfaces.watch.run_state import RunState
from exitgate.surfaces.watch.view import view
from exitgate.surfaces.watch.watcher import Watcher

SAID = ("Wrote one.", "Wrote two. Perhaps it works.", "I am stuck, maybe.", "I am still stuck, maybe.")


@pytest.fixture(scope="module")
def loop(tmp_path_factory: pytest.TempPathFactory) -> Loop:
    loop = Loop(tmp_path_factory.mktemp("judged"), "recommended")
    for n, response in enumerate(SAID):
        loop.step(response, min(n, 2), cost=1.0)
    return loop


def sight_of(loop: Loop) -> RunState:
    watcher = Watcher(loop.state, None)
    watcher.look()
    return watcher.sight


def test_thresholds_are_those_of_explain(loop: Loop) -> None:
    found = Assessor(loop.state).of(sight_of(loop))
    past = recall(loop.state)
    no_search = Limits(changes=0)
    explained = outlook(Program(past.policy), past.records, past.decision, limits=no_search)
    here = {(one.text, one.wants, one.gap) for one in found.distances}
    there = {(one.text, one.wants, one.gap) for one in explained.distances}
    assert here
    assert here <= there
    assert explained.ahead is not None
    same = explained.ahead.same
    assert found.next.startswith(f"{same.verdict} {same.exit_class or ''}".rstrip())
    assert [one.fact for one in found.budgets] == ["run.iterations", "run.elapsed", "run.cost"]
    assert found.left_out == ""


def test_a_line_is_judged_once(loop: Loop, monkeypatch: pytest.MonkeyPatch) -> None:
    judge, sight = Assessor(loop.state), sight_of(loop)
    first = judge.of(sight)
    monkeypatch.setattr(assessment, "distances", None)
    assert judge.of(sight) is first


def test_what_took_too_long_is_left_out_from_then_on(loop: Loop) -> None:
    ticks = iter(range(0, 1000, 2))
    judge = Assessor(loop.state, 1.0, lambda: float(next(ticks)))
    sight = sight_of(loop)
    slow = judge.of(sight)
    assert slow.distances, "what was found is shown"
    assert slow.next == "", "what would have taken longer still is not begun"
    again = sight.but(now=copy(sight.now))
    left = judge.of(again)
    assert (left.distances, left.budgets) == ((), ())
    assert left.left_out.startswith("it took 4.0 s for the decision before")
    rows = {section.label: section.rows for section in view(again, left, loop.time).sections}
    assert [row.text for row in rows["distance"]] == [f"left out: {left.left_out}"]


def test_without_its_policy_the_rest_is_shown(loop: Loop, tmp_path: Path) -> None:
    found = Assessor(str(tmp_path)).of(sight_of(loop))
    assert (found.policy, found.distances) == (None, ())
    assert found.left_out == "the policy of this decision is no longer kept"
    labels = [section.label for section in view(sight_of(loop), found, loop.time).sections]
    assert "moved" in labels
    assert "pending" in labels


def test_too_few_lines_for_the_rules_are_told(loop: Loop) -> None:
    sight = sight_of(loop)
    short = sight.but(earlier=sight.earlier[-1:])
    found = Assessor(loop.state).of(short)
    assert found.distances == ()
    assert found.left_out == "the rules look back further than lines are kept here"
