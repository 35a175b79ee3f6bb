"""What a program reports of work in the background reaches the calls, in a check as in a dry run."""

from __future__ import annotations

import pytest
from streams import INIT, answer, assistant, call, lines, result, text

from exitgate.core.envelopes.unwrap import unwrap
from exitgate.core.policy.compile import load_policy
from exitgate.recordings.discovery import parts_of, readable
from exitgate.recordings.model import collect
from exitgate.recordings.recorded_input import sources_of
from exitgate.recordings.unread import Unread

OVER = {"type": "system", "subtype": "task_notification", "task_id": "k3", "status": "completed"}


@pytest.mark.parametrize(
    ("events", "ended"),
    [
        ([], False),
        ([{**OVER, "tool_use_id": "t-1"}], True),
        ([{**OVER, "tool_use_id": "t-2"}], False),
        ([OVER], False),
        ([{**OVER, "subtype": "task_progress", "tool_use_id": "t-1"}], False),
    ],
)
def test_the_end_of_what_a_call_began_is_told_with_the_call(events, ended, tmp_path):
    begun = assistant(call("t-1", command="make serve", run_in_background=True), id="m-1")
    told = answer("t-1", "Command running in background with ID: k3")
    written = lines(INIT, begun, told, *events, assistant(text("Served."), id="m-2"), result("Served."))
    (checked,) = unwrap(written).calls
    (tmp_path / "a.jsonl").write_text(written)
    (one,) = readable([str(tmp_path / "a.jsonl")], None, Unread())
    ((run,), _) = collect(parts_of(one, Unread()), str(one.reader))
    (recorded,) = sources_of(run.iterations[0], load_policy("recommended"))["tool_calls"].record["calls"]
    assert (checked.get("ended", False), recorded.get("ended", False)) == (ended, ended)


STARTED = {"type": "system", "subtype": "task_started", "task_id": "k3", "task_type": "local_bash"}


def both(written, tmp_path):
    """Return the calls as a check sees them, and as a dry run does."""
    checked = unwrap(written).calls
    (tmp_path / "a.jsonl").write_text(written)
    (one,) = readable([str(tmp_path / "a.jsonl")], None, Unread())
    ((run,), _) = collect(parts_of(one, Unread()), str(one.reader))
    recorded = sources_of(run.iterations[0], load_policy("recommended"))["tool_calls"].record["calls"]
    return tuple([one.get("background", False) for one in calls] for calls in (checked, recorded))


@pytest.mark.parametrize(
    ("before", "behind", "background"),
    [
        ([], [], False),
        ([{**STARTED, "tool_use_id": "t-1"}], [], True),
        ([{**STARTED, "tool_use_id": "t-2"}], [], False),
        ([STARTED, {**STARTED, "tool_use_id": None}], [], False),
        # an agent that is waited for has ended before the call gives something back
        ([{**STARTED, "tool_use_id": "t-1"}, {**OVER, "tool_use_id": "t-1"}], [], False),
        ([{**STARTED, "tool_use_id": "t-1"}], [{**OVER, "tool_use_id": "t-2"}], True),
    ],
)
def test_a_task_that_outlives_its_call_is_background_work(before, behind, background, tmp_path):
    begun = assistant(call("t-1", command="make serve"), id="m-1")
    told = answer("t-1", "moved")
    written = lines(
        INIT, begun, *before, told, *behind, assistant(text("Served."), id="m-2"), result("Served.")
    )
    assert both(written, tmp_path) == ([background], [background])


ITEM = {"id": "i-1", "type": "command_execution", "command": "make serve"}
THREAD = {"type": "thread.started", "thread_id": "h-1"}


@pytest.mark.parametrize(
    ("behind", "background"),
    [
        ([{"type": "turn.completed"}], True),
        ([{"type": "item.completed", "item": {**ITEM, "exit_code": 0}}, {"type": "turn.completed"}], False),
        ([{"type": "turn.completed"}, {"type": "item.completed", "item": {**ITEM, "exit_code": 0}}], False),
        ([{"type": "turn.failed", "error": {"message": "no"}}], False),
        ([], False),
    ],
)
def test_a_command_of_codex_that_outlives_its_turn_is_background_work(behind, background, tmp_path):
    written = lines(THREAD, {"type": "turn.started"}, {"type": "item.started", "item": ITEM}, *behind)
    assert [sum(calls) for calls in both(written, tmp_path)] == [background, background]
