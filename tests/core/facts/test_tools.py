"""Calls of tools as facts."""

from __future__ import annotations

import pytest

from exitgate.core.facts.extractors import tools
from exitgate.core.model.fact import Iteration, Source
from exitgate.core.model.json_object import JsonObject
from exitgate.core.model.value import Unknown


def read(record, reason=""):
    offered = Iteration(1, "r#1", 0.0, {"result": Source("result", record=record, reason=reason)})
    facts = tools.extract("tools", "result", JsonObject(), offered)
    assert [fact.name for fact in facts] == [f"tools.{spec.name}" for spec in tools.specs(JsonObject())]
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
    reasons = [fact.value.reason for fact in tools.extract("t", "result", JsonObject(), offered)]
    assert reasons[1] == "the response does not show single calls"
    offered = Iteration(1, "r#1", 0.0, {"result": Source("result", reason="no response was given")})
    reasons = {fact.value.reason for fact in tools.extract("t", "result", JsonObject(), offered)}
    assert reasons == {"no response was given"}


def listed(calls, record=None):
    offered = {"result": Source("result", record=record or {})}
    if calls is not None:
        offered["tool_calls"] = Source("tool_calls", record={"calls": calls})
    facts = tools.extract("tools", "result", JsonObject(), Iteration(1, "r#1", 0.0, offered))
    found = {fact.name: fact.value for fact in facts}
    return found["tools.commands"], found["tools.denied"]


def test_command_lines_are_listed_in_order_refused_ones_included():
    calls = [
        {"tool": "Bash", "input": {"command": "git push --force"}, "error": True},
        {"tool": "Read", "input": {"file_path": "a"}},
        {"tool": "shell", "input": {"command": ["ls", "-l"]}},
        {"tool": "Bash", "input": {"command": "  "}},
        {"tool": "Bash", "input": {"command": None, "cmd": "x" * 4_000}},
    ]
    assert listed(calls)[0] == ("git push --force", "ls -l", "x" * 4_000)
    assert listed([])[0] == ()


@pytest.mark.parametrize(
    "odd",
    [
        "odd",
        {"tool": "Bash", "input": None},
        {"tool": "Bash"},
        {"tool": "Bash", "input": 3},
        {"tool": "Bash", "input": {"command": {"argv": ["rm"]}}},
        {"tool": "Bash", "input": {"command": "x" * 4_001}},
    ],
)
def test_one_call_that_cannot_be_read_whole_makes_all_unknown(odd):
    call = {"tool": "Bash", "input": {"command": "ls"}}
    assert listed([call])[0] == ("ls",)
    for calls in ([call, odd], [odd, call]):
        assert isinstance(listed(calls)[0], Unknown)


def test_a_part_of_the_command_lines_is_no_list_of_them():
    call = {"tool": "Bash", "input": {"command": "ls"}}
    assert len(listed([call] * 500)[0]) == 500
    assert isinstance(listed([call] * 501)[0], Unknown)
    assert isinstance(listed([{"input": {"command": "y" * 4_000}}] * 9)[0], Unknown)
    assert listed(None)[0] == Unknown(
        "the response does not show single calls, or too many of them to list", "tools.commands"
    )


def test_refused_calls_are_listed_where_the_response_lists_them():
    denials = [{"tool": "Bash", "input": "git push"}, {"tool": "Write"}]
    assert listed(None, {"denials": denials})[1] == ("Bash(git push)", "Write()")
    assert listed(None, {"denials": []})[1] == ()
    for odd in ({"input": "x"}, 3, {"tool": "Bash", "input": "x" * 4_001}):
        assert isinstance(listed(None, {"denials": [*denials, odd]})[1], Unknown)
    assert listed(None, {})[1] == Unknown("the response has no list of refusals", "tools.denied")


def test_files_that_calls_wrote_are_listed_where_the_record_has_them():
    def written(record):
        offered = {"result": Source("result", record={}), "tool_calls": Source("tool_calls", record=record)}
        facts = tools.extract("tools", "result", JsonObject(), Iteration(1, "r#1", 0.0, offered))
        return {fact.name: fact.value for fact in facts}["tools.written"]

    assert written({"calls": [], "written": ["b.md", "a.md"]}) == ("b.md", "a.md")
    assert written({"calls": [], "written": []}) == ()
    for record in ({"calls": []}, {"calls": [], "written": ["f"] * 501}, {"calls": [], "written": "f"}):
        assert isinstance(written(record), Unknown)
