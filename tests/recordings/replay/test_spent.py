"""What a run cost, by what its sessions told."""

from __future__ import annotations

import json

import pytest

from exitgate.core.policy.compile import load_policy
from exitgate.recordings.discovery import discover
from exitgate.recordings.model import PROCESS, Begin, End, Provenance, RecordedIteration
from exitgate.recordings.replay.dry_run import dry_run
from exitgate.recordings.replay.extraction import Extracted
from exitgate.recordings.replay.listing import listed
from exitgate.recordings.replay.replay import Extraction
from exitgate.recordings.replay.replay_pool import Spent
from exitgate.recordings.unread import Unread

BEGIN = Begin("run", PROCESS, "loop")


def spent(told: list[tuple[str | None, float | None]]) -> Spent:
    extraction, found = Extraction(load_policy("guardrails"), BEGIN), Spent()
    for index, (session, cost) in enumerate(told, 1):
        record = {"session": session, "cost": cost}
        known = {name: value for name, value in record.items() if value is not None}
        found.add(extraction.step(RecordedIteration(index, Provenance("loop"), response="x", record=known)))
    return found


@pytest.mark.parametrize(
    ("told", "costs"),
    [
        ([("a", 1.0), ("a", 3.0), ("a", 4.5)], (1.0, 2.0, 1.5)),  # what the session has cost so far
        ([("a", 1.0), ("a", 3.0), ("a", 2.0)], (1.0, 3.0, 2.0)),  # it fell, so each stands for itself
        ([("a", 1.0), ("b", 5.0), ("a", 3.0)], (1.0, 5.0, 3.0)),  # another session came between
        ([("a", 1.0), ("a", None), ("a", 3.0)], (1.0, None, 2.0)),
        ([(None, 1.0), (None, 1.0)], (1.0, 1.0)),
        ([("a", None)], (None,)),
        ([], ()),
    ],
)
def test_costs_of_sessions(told, costs):
    found = spent(told)
    assert found.costs == costs
    known = [cost for cost in costs if cost is not None]
    assert found.run(BEGIN, End(), "r").cost == (sum(known) if known else None)


def test_totals_that_only_the_end_tells():
    run = spent([("a", None)]).run(BEGIN, End(cost=7.5, tokens=900), "r")
    assert (run.cost, run.tokens) == (7.5, 900)
    assert spent([("a", 2.0)]).run(BEGIN, End(cost=7.5), "r").cost == 2.0


def test_an_iteration_without_reports_costs_nothing_known():
    found = Spent()
    extraction = Extraction(load_policy("guardrails"), BEGIN)
    one = extraction.step(RecordedIteration(1, Provenance("loop")))
    assert isinstance(one, Extracted)
    found.add(one)
    assert found.costs == (None,)


def test_the_list_of_transcripts_counts_the_same(tmp_path):
    for number, cost in enumerate((1.0, 3.0, 2.0)):
        told = {"type": "result", "subtype": "success", "is_error": False, "session_id": "a", "result": "x",
                "total_cost_usd": cost, "num_turns": 2}  # fmt: skip
        path = tmp_path / f"claude_output_2031-01-01_10-0{number + 1}-00.log"
        path.write_text(json.dumps(told), encoding="utf-8")
    (found,) = discover([str(tmp_path)])
    (run,) = listed(found, Unread())
    (result,) = dry_run([str(tmp_path)], ["guardrails"]).results
    assert (run.cost_usd, result.run.cost) == (6.0, 6.0)
