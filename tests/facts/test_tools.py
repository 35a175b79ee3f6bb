"""Calls of tools as facts."""

from __future__ import annotations

import pytest

from exitgate.facts.extractors import tools
from exitgate.model.iteration import Iteration, Source
from exitgate.model.value import Unknown


def read(record, reason=""):
    offered = Iteration(1, "r#1", 0.0, {"result": Source("result", record=record, reason=reason)})
    facts = tools.extract("tools", "result", {}, offered)
    assert [fact.name for fact in facts] == [f"tools.{spec.name}" for spec in tools.specs({})]
    values = {fact.name: None if isinstance(fact.value, Unknown) else fact.value for fact in facts}
    return tuple(values[f"tools.{name}"] for name in ("turns", "calls", "none"))


@pytest.mark.parametrize(
    ("record", "turns", "calls", "none"),
    [
        ({"turns": 4, "tool_calls": 3}, 4, 3, False),
        ({"tool_calls": 0}, None, 0, True),
        ({"turns": 1}, 1, None, True),  # a further turn would answer a tool
        ({"turns": 2}, 2, None, False),
        ({"turns": 1, "denials": [{"tool": "B", "input": ""}]}, 1, None, False),
        ({"turns": 1, "tool_calls": 2}, 1, 2, False),
        ({"format": "TEXT"}, None, None, None),
        ({"turns": True, "tool_calls": -1}, None, None, None),
        (None, None, None, None),
    ],
)
def test_turns_and_calls(record, turns, calls, none):
    assert read(record) == (turns, calls, none)


def test_what_is_not_told_has_a_reason():
    offered = Iteration(1, "r#1", 0.0, {"result": Source("result", record={})})
    reasons = [fact.value.reason for fact in tools.extract("t", "result", {}, offered)]
    assert reasons[1] == "the response does not show single calls"
    offered = Iteration(1, "r#1", 0.0, {"result": Source("result", reason="no response was given")})
    reasons = {fact.value.reason for fact in tools.extract("t", "result", {}, offered)}
    assert reasons == {"no response was given"}
