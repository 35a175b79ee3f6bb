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
