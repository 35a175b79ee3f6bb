"""Lines there and back: what the engine reads is what was decided on."""

from __future__ import annotations

import json
from datetime import datetime, timedelta

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ledger_examples import GO_ON, NOW, POLICY, full

from exitgate.core.ledger.append import Ledger
from exitgate.core.ledger.line import (
    EVIDENCE_LIMIT,
    breaker_for,
    decode_fact,
    encode_fact,
    end_for,
    facts_from_line,
    line_for,
    start_for,
)
from exitgate.core.model.decision import Alternative, Decision, Pending, Step, Warned
from exitgate.core.model.fact import Evidence, Fact
from exitgate.core.model.json_object import JsonObject
from exitgate.core.model.value import Unknown
from exitgate.core.policy.shipped import schema

TRACED = Decision(
    "EXIT", "stuck", "no_progress", "stagnation", "nothing moved", firm=False,
    alternatives=(
        Alternative("done", "EXIT", "complete", "all_done"),
        Alternative("cost", "EXIT", "exhausted", "cost_used_up", assumed=True),
    ),
    warnings=(Warned("stale", None),),
    shadows=("later",), advice="pick another",
    steps=(
        Step("done", Unknown("no plan", "tasks.done"), (Unknown("no plan", "tasks.done"),)),
        Step("stagnation", True, pending=(Pending("tasks.done unchanged for 3 iterations", 2, 3),)),
        Step("last", None),
    ),
)  # fmt: skip

values = st.recursive(
    st.booleans() | st.integers(0, 10**12) | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3).map(tuple),
    max_leaves=5,
)


@pytest.fixture(scope="module")
def validator():
    plain = schema("ledger")
    jsonschema.Draft202012Validator.check_schema(plain)
    return jsonschema.Draft202012Validator(plain)


def test_every_kind_of_line_fits_the_schema(tmp_path, validator):
    made = (
        start_for("loop#1", NOW, POLICY, [Fact("tasks.done", 0)], JsonObject({"head": None, "dirty": {}})),
        full(),
        full(iteration=2, decision=TRACED),
        breaker_for("loop#1", 2, NOW, {"state": "OPEN"}, "no progress"),
        end_for("loop#1", NOW, "reset", "asked for"),
        end_for("loop#1", NOW, "expired", "a day went by"),
    )
    with Ledger(str(tmp_path)) as ledger:
        for line in made:
            validator.validate(ledger.append(line))
    wrong = {**full(), "decision": {}}
    assert not validator.is_valid(wrong)


def test_facts_come_back_with_their_unknowns():
    line = JsonObject(json.loads(json.dumps(full())))
    assert facts_from_line(line) == {
        "tasks.done": 2,
        "tasks.percent": Unknown("no task items in the plan", "tasks.percent"),
        "status.tags": ("a", ("b", "c")),
        "confidence": 72.5,
        "git.changed": True,
    }


@settings(max_examples=150, deadline=None)
@given(value=values | st.builds(Unknown, st.text(), st.text(min_size=1)))
def test_any_value_survives_the_ledger(value):
    line = line_for("loop#1", 1, NOW, POLICY, [Fact("a.b", value)], GO_ON)
    assert facts_from_line(JsonObject(json.loads(json.dumps(line, allow_nan=False)))) == {"a.b": value}


@pytest.mark.parametrize("value", [float("nan"), float("inf"), (1, float("-inf")), object()])
def test_a_value_json_cannot_hold_becomes_unknown(value):
    line = line_for("loop#1", 1, NOW, POLICY, [Fact("a.b", value)], GO_ON)
    found = facts_from_line(JsonObject(json.loads(json.dumps(line, allow_nan=False))))
    assert found == {"a.b": Unknown("the value cannot be recorded", "a.b")}


def test_evidence_is_kept_bounded_and_what_is_left_out_is_counted():
    piece = Evidence("plan", 2, 3, 4, 9, "[ ] x", "open", None)
    fact = Fact("tasks.open", 8, (piece,) * 8, (piece,), "a note")
    plain = JsonObject(json.loads(json.dumps(encode_fact(fact))))
    assert plain["more"] == 3
    assert decode_fact("tasks.open", plain) == Fact(
        "tasks.open", 8, (piece,) * EVIDENCE_LIMIT, (piece,), "a note"
    )


def test_the_trace_is_kept():
    steps = full(decision=TRACED)["decision"]["steps"]
    assert [step["truth"] for step in steps] == ["unknown", True, None]
    assert steps[0]["unknowns"] == [{"origin": "tasks.done", "reason": "no plan"}]
    assert steps[1]["pending"] == [{"form": "tasks.done unchanged for 3 iterations", "have": 2, "need": 3}]


def test_texts_of_sources_are_not_kept():
    sources = full()["sources"]
    assert set(sources["plan"]) == {"path", "digest", "length"}
    assert sources["task"] == {"path": None, "reason": "no task was given"}


@pytest.mark.parametrize("facts", [None, [], {"a": 3}, {"a": {}}, {"a": {"e": []}}])
def test_odd_lines_give_unknowns_not_errors(facts):
    found = facts_from_line(JsonObject({"facts": facts}))
    assert all(isinstance(value, Unknown) for value in found.values())


@pytest.mark.parametrize("instant", [0.0, 1.9996, 951_782_399.9994, 1_800_000_000.123, -86_400.5])
def test_times_are_written_in_utc(instant):
    read = datetime.fromisoformat(full(time=instant)["at"])
    assert read.utcoffset() == timedelta(0)
    assert abs(read.timestamp() - instant) <= 0.0006
