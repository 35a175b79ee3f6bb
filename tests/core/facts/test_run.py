"""Totals of the run as facts."""

from __future__ import annotations

import pytest

from exitgate.core.facts.extractors import run
from exitgate.core.model.fact import Iteration, Source
from exitgate.core.model.json_object import JsonObject
from exitgate.core.model.value import Unknown

NOW = 1_800_000_000.0


def read(record):
    sources = {} if record is None else {"run": Source("run", record=record)}
    facts = run.extract("run", "run", JsonObject(), Iteration(3, "loop#1", NOW, sources))
    assert [fact.name for fact in facts] == [f"run.{spec.name}" for spec in run.specs(JsonObject())]
    return {fact.name.removeprefix("run."): fact.value for fact in facts}


def test_all_totals():
    record = {"iterations": 4, "cost": 1.25, "tokens": 900, "started_at": NOW - 60, "agent_exit": 0,
              "failures_in_row": 2}  # fmt: skip
    assert read(record) == {
        "iterations": 4, "cost": 1.25, "tokens": 900, "elapsed": 60, "agent_exit": 0, "failed": False,
        "failures_in_row": 2, "interrupted": False,
    }  # fmt: skip


def test_what_was_not_reported_is_unknown_and_never_zero():
    found = read(None)
    assert found.pop("iterations") == 3
    assert {name: value.reason for name, value in found.items()} == {
        "cost": "no cost was reported",
        "tokens": "no tokens were reported",
        "elapsed": "the start of the run is not known",
        "agent_exit": "the agent's exit status was not given",
        "failed": "the agent's exit status was not given",
        "failures_in_row": "no exit status of the agent was given",
        "interrupted": "the agent's exit status was not given",
    }


@pytest.mark.parametrize(("status", "failed"), [(0, False), (1, True), (124, True), (-9, True)])
def test_an_exit_status_says_whether_the_agent_failed(status, failed):
    found = read({"agent_exit": status})
    assert (found["agent_exit"], found["failed"]) == (status, failed)


@pytest.mark.parametrize(
    ("status", "interrupted"), [(0, False), (1, False), (130, True), (143, True), (-2, True), (137, False)]
)
def test_an_exit_status_says_whether_the_agent_was_interrupted(status, interrupted):
    assert read({"agent_exit": status})["interrupted"] is interrupted


def test_what_the_record_says_of_failure_counts_more():
    assert read({"agent_exit": 0, "failed": True})["failed"] is True


@pytest.mark.parametrize("odd", ["12", -1, float("nan"), float("inf"), True, [1], 10**400])
def test_odd_totals_are_unknown(odd):
    found = read({"cost": odd, "tokens": odd, "elapsed": odd})
    assert all(isinstance(found[name], Unknown) for name in ("cost", "tokens", "elapsed"))


def test_money_has_a_currency_and_counters_are_not_read_from_the_agent():
    by_name = {spec.name: spec for spec in run.specs(JsonObject())}
    assert str(by_name["cost"].type) == "money in USD"
    assert not any(spec.read for spec in by_name.values())
