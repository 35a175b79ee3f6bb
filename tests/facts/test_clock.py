"""Time gone by as facts."""

from __future__ import annotations

from exitgate.facts.extractors import clock
from exitgate.model.iteration import Iteration, Source
from exitgate.model.value import Unknown

NOW = 1_800_000_000.0


def read(record):
    sources = {} if record is None else {"clock": Source("clock", record=record)}
    facts = clock.extract("clock", "clock", {}, Iteration(3, "loop#1", NOW, sources))
    return {fact.name: fact.value for fact in facts}


def test_time_since_the_start_and_the_last_decision():
    found = read({"started_at": NOW - 7200, "last_at": NOW - 30})
    assert found == {"clock.elapsed": 7200, "clock.since_last": 30}


def test_the_first_decision_has_none_before_it():
    found = read({"started_at": NOW, "last_at": None})
    assert found["clock.elapsed"] == 0
    assert found["clock.since_last"] == Unknown("this is the run's first decision", "clock.since_last")


def test_a_clock_that_was_set_back_is_unknown_and_never_negative():
    found = read({"started_at": NOW + 1, "last_at": NOW + 1})
    assert set(found.values()) == {Unknown("the clock was set back", name) for name in found}


def test_odd_records_and_no_record_are_unknown():
    for record in (None, {}, {"started_at": "noon", "last_at": True}, {"started_at": float("nan")}):
        assert all(isinstance(value, Unknown) for value in read(record).values())


def test_clocks_are_not_read_from_the_agent():
    assert not any(spec.read for spec in clock.specs({}))
