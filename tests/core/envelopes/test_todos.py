"""The agent's own to-do list, in the forms that agents' programs have for it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streams import INIT, answer, assistant, call, lines, result, text

from exitgate.core.envelopes.todos import record_of
from exitgate.core.envelopes.unwrap import unwrap
from exitgate.core.observe.envelope import _calls

STATES = st.sampled_from(["pending", "in_progress", "completed", "cancelled"])


def left(*calls: dict) -> tuple[object, ...] | None:
    todos = record_of(calls).get("todos")
    return None if todos is None else (todos["open"], todos["waiting"])


def made(input: dict, result: str = "ok", **more: object) -> dict:
    return {"tool": "t", "input": input, "result": result, "error": False, **more}


def listed(states: list[str], form: str) -> dict:
    """Return the input of a call that writes a list of entries with those states."""
    named = [(f"row {n}", state) for n, state in enumerate(states)]
    if form == "plan":
        return {"plan": [{"step": t, "status": s} for t, s in named]}
    if form == "described":
        return {"todos": [{"description": t, "status": s} for t, s in named]}
    if form == "prefixed":
        return {"todos": [{"id": t, "content": t, "status": f"TODO_STATUS_{s.upper()}"} for t, s in named]}
    return {"todos": [{"content": t, "status": s, "activeForm": t, "priority": "low"} for t, s in named]}


@pytest.mark.parametrize("form", ["content", "plan", "described", "prefixed"])
@given(states=st.lists(STATES, min_size=1, max_size=9), before=st.lists(STATES, max_size=9))
def test_the_last_state_of_a_list_counts(form: str, states: list[str], before: list[str]) -> None:
    want = (states.count("pending") + states.count("in_progress"), states.count("pending"))
    assert left(made(listed(before, form)), made({"command": "ls"}), made(listed(states, form))) == want


@given(
    states=st.lists(
        st.sampled_from(["pending", "in_progress", "completed", "deleted"]), min_size=1, max_size=9
    )
)
def test_tasks_that_are_made_and_changed_one_by_one(states: list[str]) -> None:
    calls = [
        made({"subject": f"row {n}", "description": "plant it"}, f"Task #{n} created successfully: row {n}")
        for n in range(1, len(states) + 1)
    ]
    calls += [made({"taskId": str(n), "status": s}) for n, s in enumerate(states, 1) if s != "pending"]
    assert left(*calls) == (states.count("pending") + states.count("in_progress"), states.count("pending"))


@given(done=st.lists(st.booleans(), min_size=1, max_size=9))
def test_of_entries_that_are_done_or_not_the_first_open_one_may_be_under_way(done: list[bool]) -> None:
    items = [{"text": f"row {n}", "completed": flag} for n, flag in enumerate(done)]
    boxes = "\n".join(f"- [{'x' if flag else ' '}] row {n}" for n, flag in enumerate(done))
    want = (done.count(False), max(0, done.count(False) - 1))
    assert left(made({"items": items})) == want
    assert left(made({"task_progress": boxes, "command": "ls"})) == want


def test_entries_are_changed_by_their_ids_where_a_call_says_so() -> None:
    whole = [
        {"id": "a", "content": "dig", "status": "pending"},
        {"id": "b", "content": "plant", "status": "pending"},
    ]
    part = {"todos": [{"id": "b", "status": "completed"}], "merge": True}
    assert left(made({"todos": whole, "merge": False}), made(part)) == (1, 1)
    assert record_of([made({"todos": whole}), made(part)])["todos"]["items"] == ["dig"]


@pytest.mark.parametrize(
    "calls",
    [
        (),
        ({},),
        (made({"command": "ls"}),),
        (made({"items": [{"name": "plum"}]}),),
        (made({"taskId": "PLUM-4", "status": "to do"}),),
        (made(listed(["pending"], "plan"), error=True),),
        (made({"plan": "dig, then plant"}),),
    ],
)
def test_without_a_list_nothing_is_known(calls: tuple) -> None:
    assert left(*calls) is None


def test_an_empty_list_leaves_nothing_open() -> None:
    assert left(made(listed(["pending"], "content")), made({"todos": []})) == (0, 0)


def test_lists_of_sub_agents_are_theirs() -> None:
    own = assistant(call("t-1", "TodoWrite", **listed(["completed"], "content")))
    theirs = assistant(call("t-2", "TodoWrite", **listed(["pending"], "content")), parent="t-0")
    body = lines(INIT, own, answer("t-1", "ok"), theirs, answer("t-2", "ok", parent="t-0"), result())
    record = _calls(unwrap(body), None).record
    assert record is not None
    assert record["todos"] == {"open": 0, "waiting": 0, "items": []}


def test_a_list_that_codex_tells_by_itself_counts_as_it_last_was() -> None:
    def event(kind: str, *done: bool) -> dict:
        items = [{"text": f"row {n}", "completed": flag} for n, flag in enumerate(done)]
        return {"type": kind, "item": {"id": "i-1", "type": "todo_list", "items": items}}

    body = lines(
        {"type": "thread.started", "thread_id": "t"}, {"type": "turn.started"},
        event("item.started", False, False, False), event("item.updated", True, False, False),
        {"type": "item.completed", "item": {"id": "i-2", "type": "agent_message", "text": "Planted."}},
        {"type": "turn.completed", "usage": {"input_tokens": 1, "output_tokens": 1}},
    )  # fmt: skip
    found = unwrap(body)
    record = _calls(found, None).record
    assert record is not None
    assert record["todos"] == {"open": 2, "waiting": 1, "items": ["row 1", "row 2"]}
    assert (found.record["tool_calls"], found.record["truncated"]) == (0, False)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=9),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["todos", "items", "id", "status", "content", "merge", "taskId"]), inner
            )
        ),
        max_leaves=12,
    )
)
def test_inputs_of_any_shape_are_passed_over(input: object) -> None:
    record_of([{"input": input, "result": input}, {"input": {"todos": input, "merge": True}}])
    assert text(json.dumps(input))
