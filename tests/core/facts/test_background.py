"""`tools.background`: what the agent left running, by what its calls asked for and gave back."""

from __future__ import annotations

import pytest
from fact_reading import resolved
from hypothesis import given
from hypothesis import strategies as st

from exitgate.core.facts.extractors import tools
from exitgate.core.model.fact import Iteration, Source
from exitgate.core.model.json_object import JsonObject
from exitgate.core.model.value import Unknown

OPTIONS = JsonObject(lexicon=resolved("background"))
BEGUN = "Command running in background with ID: k3"
MOVED = "Command did not complete within 120s and was moved to the background (ID: k3)."
AGENT = "Async agent launched successfully.\nagentId: k3 (internal ID)\nYou will be notified."
MONITOR = "Monitor started (task k3, timeout 60000ms)."
STARTS = [BEGUN, MOVED, AGENT, MONITOR]
ENDS = [
    ({"shell_id": "k3"}, '{"success":true,"message":"Successfully killed shell: k3 (make serve)"}'),
    ({"task_id": "k3"}, "Successfully stopped task: k3 (make serve)"),
    ({"bash_id": "k3"}, "<status>completed</status>\n\n<exit_code>0</exit_code>"),
    (
        {"task_id": "k3", "block": True},
        "<retrieval_status>success</retrieval_status>\n<status>failed</status>",
    ),
    ({"task_id": "k3"}, '{"task_id": "k3", "status": "killed"}'),
]
GOES_ON = [
    ({"bash_id": "k3"}, "<status>running</status>"),
    ({"bash_id": "k4"}, "<status>completed</status>"),
    ({"command": "grep -r status docs"}, "docs/a.md: <status>completed</status>"),
    ({"command": "k3"}, "the crane turns"),
]


def one(input: object, result: str | None = None, **more: object) -> dict[str, object]:
    return {
        "tool": "T",
        "input": input,
        **({} if result is None else {"result": result, "error": False}),
        **more,
    }


def left(*calls: dict[str, object], options: dict[str, object] = OPTIONS) -> object:
    given = {
        "tool_calls": Source("tool_calls", record={"calls": calls}),
        "result": Source("result", record={}),
    }
    found = tools.extract("tools", "result", JsonObject(options), Iteration(1, "b#1", 0.0, given))
    (fact,) = (fact for fact in found if fact.name == "tools.background")
    assert fact.value == 0 or fact.evidence[0].source == "tool_calls"
    return fact.value


@pytest.mark.parametrize("start", STARTS)
def test_what_begins_in_the_background_runs_until_something_says_that_it_ended(start):
    begun = one({"command": "make serve"}, start)
    assert left(begun) == 1
    assert left(begun, one({"command": "ls"}, "a.py")) == 1
    for input, told in ENDS:
        assert left(begun, one(input, told)) == 0, told
        assert left(one(input, told), begun) == 1, told
        assert left(begun, one(input, told), begun) == 1, told
    for input, told in GOES_ON:
        assert left(begun, one(input, told)) == 1, told


def test_a_call_that_asks_for_the_background_begins_there_whatever_it_gave_back():
    asked = {"command": "make serve", "run_in_background": True}
    assert left(one(asked)) == left(one(asked, "k7"), options={}) == 1
    assert left(one(asked, BEGUN), one(asked, BEGUN.replace("k3", "k4")), one(*ENDS[0])) == 1
    assert left(one(asked, "no such tool", error=True)) == 0
    assert left(one(asked, BEGUN, ended=True)) == 0
    assert left(one({"command": "make", "run_in_background": False}, "made")) == 0


@pytest.mark.parametrize(
    "told",
    [
        "notes.md:12: Command running in background with ID: k3",
        "ok\nok\nok\n" + BEGUN,
        "agentId: k3",
        "The job was moved to the background (ID: k3) by hand.",
        "Monitor started yesterday",
        "",
    ],
)
def test_other_results_begin_nothing(told):
    assert left(one({"command": "cat notes.md"}, told)) == 0


def test_without_single_calls_nothing_is_known():
    given = {"result": Source("result", record={"turns": 3})}
    found = tools.extract("tools", "result", OPTIONS, Iteration(1, "b#1", 0.0, given))
    (fact,) = (fact for fact in found if fact.name == "tools.background")
    assert isinstance(fact.value, Unknown)
    assert left() == 0


@given(
    st.lists(
        st.fixed_dictionaries(
            {},
            optional={
                "input": st.none() | st.text() | st.dictionaries(st.text(), st.text() | st.booleans()),
                "result": st.text() | st.integers() | st.sampled_from(STARTS),
                "error": st.booleans(),
            },
        ),
        max_size=8,
    )
)
def test_no_call_is_too_odd_and_none_counts_twice(calls):
    count = left(*calls)
    assert isinstance(count, int)
    assert 0 <= count <= len(calls)


def test_what_the_program_reports_needs_no_words():
    begun = one({"command": "make serve"}, "moved to k3", background=True)
    assert left(begun, options={}) == left(begun) == 1
    assert left({**begun, "ended": True}, options={}) == 0
    assert left(one({"command": "make serve"}, background=True), options={}) == 1
    assert left(one({"command": "make"}, "failed", background=True) | {"error": True}, options={}) == 0


@pytest.mark.parametrize("tool", ["KillShell", "KillBash", "TaskStop"])
def test_a_call_that_stops_work_ends_it_whatever_it_gave_back(tool):
    begun = one({"command": "make serve"}, "moved to k3", background=True)
    stop = one({"shell_id": "k3"}, "ok") | {"tool": tool}
    assert left(begun, stop, options={}) == 0
    assert left(begun, stop | {"error": True}, options={}) == 1
    assert left(begun, stop | {"input": {"shell_id": "k4"}}, options={}) == 1
    assert left(begun, stop | {"tool": "Bash"}, options={}) == 1
