"""What an envelope says of how the turn ended, as facts."""

from __future__ import annotations

from cases import each
from hypothesis import given, settings
from hypothesis import strategies as st

from exitgate.core.envelopes.plain import FORMATS
from exitgate.core.facts import registry
from exitgate.core.facts.extractors import result
from exitgate.core.model.fact import Iteration, Source
from exitgate.core.model.json_object import JsonObject
from exitgate.core.model.value import Unknown

ANYTHING = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
NAMES = [spec.name for spec in result.specs(JsonObject())]
SAID = {
    "format": "JSON", "is_error": True, "subtype": "success", "session": "s", "turns": 3, "cost": 0.5,
    "tokens": 900, "files_changed": 2, "stop_reason": "end_turn", "truncated": False,
}  # fmt: skip


def read(record, reason=""):
    offered = Iteration(1, "r#1", 0.0, {"result": Source("result", record=record, reason=reason)})
    facts = result.extract("result", "result", JsonObject(), offered)
    assert [fact.name for fact in facts] == [f"result.{name}" for name in NAMES]
    return {fact.name.removeprefix("result."): fact.value for fact in facts}


def test_it_is_always_there():
    assert registry.BUILT_IN["result"] == "result"


def test_everything_said():
    assert read(SAID) == SAID


@each("name", NAMES)
def test_what_is_not_said_is_unknown_and_never_zero_or_false(name):
    found = read({key: value for key, value in SAID.items() if key != name})
    assert found[name] == Unknown(f"the response does not say `{name}`", f"result.{name}")
    assert sum(isinstance(value, Unknown) for value in found.values()) == 1


def test_without_a_record_the_reason_is_the_sources():
    assert {value.reason for value in read(None, "no response at `x`").values()} == {"no response at `x`"}


def test_formats_are_those_of_the_readers():
    assert result.specs(JsonObject())[0].type.members == FORMATS


@settings(max_examples=80, deadline=None)
@given(st.dictionaries(st.sampled_from(NAMES), ANYTHING))
def test_values_are_of_their_types(record):
    found = read(record)
    for spec in result.specs(JsonObject()):
        value = found[spec.name]
        if isinstance(value, Unknown):
            continue
        said = record[spec.name]
        assert value == (round(said, 6) if spec.type.kind == "money" else said)
        kinds = {"bool": bool, "count": int, "money": (int, float), "text": str, "enum": str}
        assert isinstance(value, kinds[spec.type.kind])
        assert isinstance(value, bool) is (spec.type.kind == "bool")
        assert spec.low is None or value >= spec.low
