"""What results report of cost, tokens and failure, in the totals of a run."""

import json

import pytest

from exitgate.core.gate.check import check
from exitgate.core.model.fact import Source
from exitgate.core.model.json_object import JsonObject
from exitgate.core.state.history import Reported, reported
from exitgate.core.state.request import Request

POLICY = """
policy: budget
format: 1
version: 1.0.0
facts: {}
rules:
  - {id: row, when: run.failures_in_row >= 3, exit: failed, stage: after_failure, because: three}
  - {id: spent, when: run.cost > 100 USD or run.tokens > 100000, exit: exhausted, because: spent}
  - {id: dear, when: result.cost > 50 USD, warn: true, because: dear}
otherwise: continue
"""


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("EXITGATE_RUN", raising=False)
    (tmp_path / "budget.yaml").write_text(POLICY)
    return tmp_path


def ask(place, reports, session="s", used=10, is_error=False, **more):
    usage = {"input_tokens": used}
    told = {"type": "result", "is_error": is_error, "result": "x", "session_id": session, "usage": usage}
    told |= {"total_cost_usd": reports, "uuid": str(ask.number)}
    ask.number += 1
    (place / "r.json").write_text(json.dumps(told))
    return check(Request(response="r.json", policy="budget.yaml", **more))


ask.number = 0


def of_run(checked):
    return {
        name: checked.facts[f"run.{name}"].value for name in ("cost", "tokens", "failed", "failures_in_row")
    }


def test_costs_of_sessions_add_up(place):
    ask(place, 1.0, "a")
    checked = ask(place, 2.0, "b")
    assert of_run(checked) == {"cost": 3.0, "tokens": 20, "failed": False, "failures_in_row": 0}
    assert checked.facts["result.cost"].value == 2.0


def test_the_cost_of_a_session_that_grows_is_counted_once(place):
    assert of_run(ask(place, 1.0))["cost"] == 1.0
    checked = ask(place, 2.5)
    assert of_run(checked)["cost"] == 2.5
    assert checked.facts["result.cost"].value == 1.5
    assert of_run(ask(place, 4.0))["cost"] == 4.0
    assert of_run(ask(place, 1.0, "other"))["cost"] == 5.0


def test_a_session_whose_cost_once_fell_reports_each_call_for_itself(place):
    assert of_run(ask(place, 3.0))["cost"] == 3.0
    assert of_run(ask(place, 2.0))["cost"] == 5.0
    assert of_run(ask(place, 2.5))["cost"] == 7.5  # larger than the one before, and no sum
    assert of_run(ask(place, 1.0, "other"))["cost"] == 8.5
    assert of_run(ask(place, 1.5, "other"))["cost"] == 9.0  # another session begins anew


def test_a_session_that_goes_on_in_the_next_run(place):
    assert ask(place, 101.0).decision.outcome == "spent"
    checked = ask(place, 103.0)
    assert checked.iteration.run == "default#2"
    assert of_run(checked)["cost"] == 2.0


def test_a_response_that_nobody_wrote_anew_costs_nothing(place):
    ask(place, 1.0)
    again = check(Request(response="r.json", policy="budget.yaml"))
    assert (of_run(again)["cost"], of_run(again)["tokens"]) == (1.0, 10)


def test_what_the_caller_says_counts(place):
    checked = ask(place, 1.0, cost=7.0, tokens=3)
    found = of_run(ask(place, 2.0, used=4))
    assert of_run(checked)["cost"] == 7.0
    assert (found["cost"], found["tokens"]) == (8.0, 7)


def test_errors_are_failures_in_a_row(place):
    for number in (1, 2):
        found = of_run(ask(place, 0, is_error=True))
        assert (found["failed"], found["failures_in_row"]) == (True, number)
    assert of_run(ask(place, 0))["failures_in_row"] == 0
    assert of_run(ask(place, 0, agent_exit=1))["failures_in_row"] == 1
    assert of_run(ask(place, 0, is_error=True, agent_exit=130))["failures_in_row"] == 1  # interrupted
    ask(place, 0, is_error=True, agent_exit=0)
    assert ask(place, 0, is_error=True).decision.outcome == "row"


def test_a_fact_given_by_hand_counts_more(place):
    ask(place, 1.0)
    assert of_run(ask(place, 2.0, facts={"run.cost": "9 USD"}))["cost"] == 9
    assert of_run(ask(place, 3.0))["cost"] == 10


def test_odd_records_report_nothing():
    for record in ({}, {"cost": "1"}, {"cost": True, "tokens": 1.5}, {"session": 4, "is_error": "yes"}):
        sources = {"result": Source("result", record=record)}
        assert reported(sources, JsonObject(), False) == (sources, Reported())
    assert reported({}, JsonObject({"session": 3}), True) == ({}, Reported())
    kept = {"result": Source("result", record={"session": "s", "cost": 2})}
    assert reported(kept, JsonObject({"session": "damaged"}), False)[1] == Reported(
        2, None, None, JsonObject({"id": "s", "cost": 2})
    )
