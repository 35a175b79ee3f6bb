"""An external breaker's record as facts."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exitgate.core.facts.extractors import circuit
from exitgate.core.model.fact import Iteration, Source
from exitgate.core.model.json_object import JsonObject
from exitgate.core.model.value import Unknown

NOW = 1_800_000_000.0


def read(record, options=None, path="state.json", reason=""):
    source = Source("circuit", record=record, path=path, reason=reason)
    given = Iteration(3, "loop#1", NOW, {"circuit": source})
    facts = circuit.extract("circuit", "circuit", JsonObject(options or {}), given)
    assert [fact.name for fact in facts] == [f"circuit.{spec.name}" for spec in circuit.specs(JsonObject())]
    return {fact.name.removeprefix("circuit."): fact.value for fact in facts}


@pytest.mark.parametrize(
    ("record", "want"),
    [
        ({"state": "OPEN"}, "OPEN"),
        ({"status": "closed"}, "CLOSED"),
        ({"circuit_status": "half-open"}, "HALF_OPEN"),
        ({"state": "Half Open"}, "HALF_OPEN"),
        ({"state": "HalfOpen"}, "HALF_OPEN"),
        ({"state": None, "status": "OPEN"}, "OPEN"),
        ({"circuit_breaker": {"state": "OPEN"}}, "OPEN"),
    ],
)
def test_spellings_of_the_state(record, want):
    assert read(record)["state"] == want


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        ({"state": "TRIPPED"}, "`TRIPPED` in field `state` is not a state of a breaker in state.json"),
        ({"state": True, "status": "OPEN"}, "field `state` holds no text in state.json"),
        ({"state": 10**5000}, "field `state` holds no text in state.json"),
        ({}, "no field `state` or `status` or"),
    ],
)
def test_what_is_no_state_is_unknown_and_never_closed(record, reason):
    value = read(record)["state"]
    assert isinstance(value, Unknown)
    assert value.reason.startswith(reason)


def test_a_missing_record_is_unknown_for_its_reason():
    assert set(read(None, reason="no circuit at `x`").values()) == {
        Unknown("no circuit at `x`", f"circuit.{spec.name}") for spec in circuit.specs(JsonObject())
    }


def test_the_breakers_own_reason_is_passed_on():
    assert read({"state": "OPEN", "trigger_reason": " five equal errors "})["reason"] == "five equal errors"
    assert read({"state": "OPEN", "reason": ""})["reason"] == Unknown(
        "no reason in state.json", "circuit.reason"
    )


@pytest.mark.parametrize(
    ("opened", "want"),
    [
        (NOW - 90, 90),
        (str(int(NOW - 90)), 90),
        ((NOW - 90) * 1000, 90),
        ("2027-01-15T07:58:30Z", 90),
        ("2027-01-15T07:58:30+00:00", 90),
        ("2027-01-15 09:58:30+02:00", 90),
        ("2027-01-15T07:58:30", 90),
    ],
)
def test_how_long_it_has_been_open(opened, want):
    assert read({"state": "OPEN", "opened_at": opened})["opened_for"] == want


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        ({"state": "OPEN", "opened_at": "soon"}, "`soon` in state.json is not a time"),
        ({"state": "OPEN", "opened_at": NOW + 5}, "the time of opening in state.json is in the future"),
        ({"state": "OPEN", "opened_at": "nan"}, "`nan` in state.json is not a time"),
        ({"state": "OPEN"}, "no time of opening in state.json"),
        ({"state": "CLOSED", "opened_at": NOW - 5}, "the breaker is not open"),
    ],
)
def test_an_unusable_time_is_unknown(record, reason):
    assert read(record)["opened_for"] == Unknown(reason, "circuit.opened_for")


def test_fields_are_options():
    options = {"state_fields": ["cb.mode"], "reason_fields": ["cb.why"], "opened_fields": ["cb.since"]}
    record = {"state": "CLOSED", "cb": {"mode": "open", "why": "x", "since": NOW - 1}}
    found = read(record, options)
    assert (found["state"], found["reason"], found["opened_for"]) == ("OPEN", "x", 1)
    assert read({"cb.mode": "open", "cb": {"mode": "closed"}}, options)["state"] == "OPEN"


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(), inner, max_size=2),
    max_leaves=4,
)


@settings(max_examples=200, deadline=None)
@given(
    record=st.dictionaries(st.sampled_from(["state", "reason", "opened_at", "circuit_breaker"]), json_values)
)
def test_any_record_gives_facts(record):
    found = read(record)
    assert isinstance(found["state"], Unknown) or found["state"] in circuit.STATES
    assert isinstance(found["opened_for"], Unknown) or found["opened_for"] >= 0


def test_a_policy_says_what_no_record_at_all_means():
    gone = Source("circuit", path="state.json", reason="no circuit at `state.json`", absent=True)
    iteration = Iteration(3, "loop#1", NOW, {"circuit": gone})
    by_name = {
        f.name: f for f in circuit.extract("circuit", "circuit", JsonObject({"absent": "CLOSED"}), iteration)
    }
    assert by_name["circuit.state"].value == "CLOSED"
    assert by_name["circuit.state"].note == "no circuit at `state.json`"
    assert isinstance(by_name["circuit.reason"].value, Unknown)
    assert isinstance(circuit.extract("circuit", "circuit", JsonObject(), iteration)[0].value, Unknown)


def test_a_record_that_cannot_be_read_is_never_absent():
    assert isinstance(read(None, {"absent": "CLOSED"}, reason="it is not JSON")["state"], Unknown)
