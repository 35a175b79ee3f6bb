"""Sums of a day as facts."""

from __future__ import annotations

import pytest

from exitgate.core.facts.extractors import day
from exitgate.core.model.fact import Iteration, Source
from exitgate.core.model.json_object import JsonObject
from exitgate.core.model.value import Unknown

SUMS = {"cost": 12.5, "tokens": 900, "iterations": 4, "runs": 2, "elapsed": 61.5}


def read(record, options=None, reason=""):
    source = Source("day", record=record, reason=reason)
    facts = day.extract("day", "day", JsonObject(options or {}), Iteration(3, "loop#1", 0.0, {"day": source}))
    assert [fact.name for fact in facts] == [f"day.{spec.name}" for spec in day.specs(JsonObject())]
    return {fact.name.removeprefix("day."): fact.value for fact in facts}


def test_the_sums_are_those_of_the_zone_asked_for():
    days = {"": SUMS, "Asia/Tokyo": {"runs": 1, "iterations": 1, "elapsed": 0}}
    assert read({"days": days}) == SUMS
    tokyo = read({"days": days}, {"zone": "Asia/Tokyo"})
    assert (tokyo["runs"], tokyo["elapsed"]) == (1, 0)
    assert tokyo["cost"] == Unknown("no cost was reported today", "day.cost")


def test_what_is_not_known_has_the_reason():
    assert set(read({"days": {"": {"reason": "why"}}}).values()) == {
        Unknown("why", f"day.{name}") for name in SUMS
    }
    assert read(None, reason="alone")["cost"] == Unknown("alone", "day.cost")


@pytest.mark.parametrize("odd", [None, "x", -1, True, float("nan"), [], {}])
def test_odd_sums_are_unknown(odd):
    assert all(
        isinstance(value, Unknown) for value in read({"days": {"": dict.fromkeys(SUMS, odd)}}).values()
    )
    assert all(isinstance(value, Unknown) for value in read({"days": odd}).values())


def test_a_budget_is_not_read_from_the_agent():
    assert not any(spec.read for spec in day.specs(JsonObject()))
