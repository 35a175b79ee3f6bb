"""Calls of tools in the stream of Cursor's agent."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streams import INIT, assistant, lines, result, text

from exitgate.core.envelopes import claude
from exitgate.core.envelopes.unwrap import unwrap
from exitgate.recordings.replay.dry_run import dry_run


def tool(name: str, args: object, outcome: object = None, id: str = "k-1") -> dict:
    """Return the event of a call: begun, or ended with an outcome."""
    told = {"args": args} if outcome is None else {"args": args, "result": outcome}
    subtype = "started" if outcome is None else "completed"
    return {
        "type": "tool_call",
        "subtype": subtype,
        "call_id": id,
        "tool_call": {name: told},
        "session_id": "s-1",
    }


def shell(command: str, outcome: object = None, id: str = "k-1") -> dict:
    return tool("shellToolCall", {"command": command}, outcome, id)


def stream(*events: dict, said: str = "Done.") -> str:
    return lines(INIT, *events, assistant(text(said)), result(said))


def test_a_command_is_a_call_with_what_it_printed_and_its_status() -> None:
    good = {"success": {"exitCode": 0, "stdout": "4 planted\n", "stderr": "dry soil"}}
    bad = {"failure": {"exitCode": 3, "stdout": "", "stderr": "no plums"}}
    found = unwrap(stream(shell("./plant"), shell("./plant", good), shell("./pick", bad, "k-2")))
    assert [(c["tool"], c["input"], c["result"], c["error"]) for c in found.calls or ()] == [
        ("shell", {"command": "./plant"}, "4 planted\n\ndry soil", False),
        ("shell", {"command": "./pick"}, "Exit code 3\nno plums", True),
    ]
    assert (found.response, found.record["tool_calls"], found.record["truncated"]) == ("Done.", 2, False)


@pytest.mark.parametrize("outcome", ["rejected", "permissionDenied"])
def test_a_call_that_was_not_allowed_is_a_denial(outcome: str) -> None:
    found = unwrap(
        stream(shell("rm -rf plums", {outcome: {"command": "rm -rf plums", "reason": "not here"}}))
    )
    assert found.record["denials"] == [{"tool": "shell", "input": "rm -rf plums"}]
    assert "denials" not in unwrap(stream(shell("ls", {"success": {"stdout": "plums"}}))).record


def test_a_call_that_nothing_came_back_of_is_open() -> None:
    assert unwrap(lines(INIT, shell("./plant"))).record["truncated"] is True


def test_any_tool_has_its_name_and_arguments() -> None:
    member = {
        "function": {"name": "mcp_plums", "arguments": '{"row": 4}', "result": {"success": {"content": "ok"}}}
    }
    event = {
        "type": "tool_call",
        "subtype": "completed",
        "call_id": "k",
        "tool_call": member,
        "session_id": "s",
    }
    (call,) = unwrap(stream(event)).calls or ()
    assert (call["tool"], call["input"], call["result"]) == ("mcp_plums", {"row": 4}, "ok")


def test_files_that_it_writes_are_known() -> None:
    wrote = tool(
        "writeToolCall", {"path": "a/plum.py", "fileText": "x = 4\n"}, {"success": {"linesCreated": 1}}
    )
    assert unwrap(stream(wrote)).record["files_changed"] == 1


def test_a_recorded_stream_decides_as_a_check_does(tmp_path: Path) -> None:
    red = {"failure": {"exitCode": 1, "stdout": "Tests:  1 failed, 7 passed, 8 total\n", "stderr": ""}}
    said = "Planted.\n\n<promise>COMPLETE</promise>"
    path = tmp_path / "out.jsonl"
    path.write_text(stream(shell("npx jest", red), said=said))
    (played,) = dry_run([str(path)], ["recommended"]).results
    assert [row.verdict for row in played.rows] == ["CONTINUE"]


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=9),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner, max_size=3),
        max_leaves=12,
    )
)
def test_whatever_a_call_holds_is_passed_over(told: object) -> None:
    for event in (
        {"tool_call": told, "call_id": "k", "subtype": "completed"},
        shell("ls", told),
        tool("x", told, told),
    ):
        claude.as_events(event)
        claude.refused(event)
        unwrap(stream({"type": "tool_call", **event}))
    assert json.dumps(told)
