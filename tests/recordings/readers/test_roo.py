"""Tasks and logs of Roo Code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from cline_samples import HISTORY, PLAN, SHOWN, T0, agent, asks, requested, said, tool, user
from hypothesis import given, settings
from hypothesis import strategies as st
from reading_steps import any_bytes, cut_anywhere, lines, one_run, runs_of, sniffed, written

from exitgate.recordings.discovery import discover
from exitgate.recordings.model import USAGE_LIMIT, FileChange
from exitgate.recordings.readers.cline.history import taken_apart
from exitgate.recordings.replay.dry_run import dry_run

UI, API = "ui_messages.json", "api_conversation_history.json"


def task(root: Path, shown: Any = SHOWN, history: Any = HISTORY) -> Path:
    folder = root / "task-1"
    for name, value in ((UI, shown), (API, history)):
        if value is not None:
            written(folder, name, value)
    written(folder, "task_metadata.json", {"files_in_context": []})
    return folder


def check(run: Any) -> None:
    assert (run.begin.id, run.begin.granularity, run.begin.started_at) == ("task-1", "turn", 1769940000.0)
    assert (run.end.how, run.end.why, run.end.ended_at) == ("interrupted", "resume_task", 1769940063.0)
    one, two = run.iterations
    assert (one.prompt, one.response, one.output) == ("Begin.", "One is built.", "I write.\n\nOne is built.")
    assert (one.cost, one.record["tokens"], one.record["turns"]) == (1.375, 660, 4)
    assert "session" not in one.record
    assert (one.started_at, one.ended_at) == (1769940000.0, 1769940013.0)
    assert (one.plan, one.files_changed) == (PLAN, (FileChange("fix_plan.md"),))
    assert one.tool_results == "written\n1 | text of b\nexit 0: built"
    assert one.provenance.file.endswith(UI)
    # A claim that was refused is followed by what the user says to it.
    assert (two.prompt, two.response, two.cost) == ("Two is not.", "", 0.5)
    assert two.record["tokens"] == 110  # what came from the cache is among the input here
    assert two.files_changed == ()  # the edit was never made


def test_a_folder_is_one_run(tmp_path: Path) -> None:
    folder = task(tmp_path)
    assert sniffed(folder) == "roo"
    found = list(discover([str(tmp_path)]))
    assert [(one.reader, one.place.name) for one in found] == [("roo", "task-1")]
    run = one_run("roo", folder)
    check(run)
    calls = run.iterations[0].tool_calls
    assert calls is not None
    assert [(c.name, c.result) for c in calls] == [
        ("write_to_file", "written"),
        ("read_file", "1 | text of b"),
        ("execute_command", "exit 0: built"),
    ]


def test_what_was_shown_is_enough(tmp_path: Path) -> None:
    path = task(tmp_path, history=None) / UI
    assert sniffed(path) == "roo"
    run = one_run("roo", path)
    check(run)
    calls = run.iterations[0].tool_calls
    assert calls is not None
    assert [c.name for c in calls] == ["newFileCreated", "readFile", "execute_command"]
    check(one_run("roo", path.parent))


def test_the_history_is_enough(tmp_path: Path) -> None:
    path = task(tmp_path, shown=None) / API
    assert sniffed(path) == "roo"
    for place in (path, path.parent):
        run = one_run("roo", place)
        one, two = run.iterations
        assert (one.prompt, one.response, one.output) == (
            "Begin.",
            "One is built.",
            "I write.\n\nOne is built.",
        )
        assert (one.plan, one.cost, one.record["turns"]) == (PLAN, None, 4)
        assert (two.prompt, two.response, run.end.how) == ("Two is not.", None, None)


def test_turns_whose_history_was_condensed_keep_the_calls_that_were_shown(tmp_path: Path) -> None:
    summary = {**agent(12, "all tests pass, everything is done"), "isSummary": True}
    run = one_run("roo", task(tmp_path, history=[summary, HISTORY[-1]]))
    check(run)
    assert "everything is done" not in (run.iterations[0].output or "")
    alone = one_run("roo", task(tmp_path / "b", None, [HISTORY[0], summary, agent(13, "I go on.")]))
    assert alone.iterations[0].output == "I go on."


@pytest.mark.parametrize(
    ("last", "how"),
    [
        (asks(99, "mistake_limit_reached"), "halted"),
        (asks(99, "api_req_failed", "429 no more today"), "failed"),
        (asks(99, "auto_approval_max_req_reached"), "exhausted"),
        (asks(99, "completion_result"), None),
        (said(99, "completion_result", "All is done."), None),
    ],
)
def test_a_run_ends_by_the_last_question_and_never_by_a_claim(
    tmp_path: Path, last: Any, how: str | None
) -> None:
    run = one_run("roo", written(tmp_path, UI, [*SHOWN, last]))
    assert run.end.how == how
    if how == "failed":
        assert (run.iterations[1].error_kind, run.iterations[1].record["is_error"]) == (USAGE_LIMIT, True)


def test_lists_of_tasks_are_the_plan(tmp_path: Path) -> None:
    todos = [
        {"id": "a", "content": "one", "status": "completed"},
        {"id": "b", "content": "two", "status": "pending"},
    ]
    shown = [SHOWN[0], requested(1, "x", 0.1), tool(2, "updateTodoList", todos=todos)]
    (one,) = one_run("roo", written(tmp_path, UI, shown)).iterations
    assert [line for line in (one.plan or "").split("\n") if line] == ["- [x] one", "- [ ] two"]
    listed = "<update_todo_list>\n<todos>\n[x] one\n[-] two\n</todos>\n</update_todo_list>"
    (one,) = one_run("roo", written(tmp_path, API, [HISTORY[0], agent(3, listed)])).iterations
    assert [line for line in (one.plan or "").split("\n") if line] == ["- [x] one", "- [ ] two"]


def test_failed_cancelled_and_refused_calls(tmp_path: Path) -> None:
    shown = [
        SHOWN[0],
        requested(1, "x", 0.1, cancelReason="user_cancelled"),
        tool(2, "readFile", path="b.py"),
        said(3, "error", "there is no such file"),
    ]
    (one,) = one_run("roo", written(tmp_path, UI, shown)).iterations
    assert one.tool_calls is not None
    assert (one.tool_calls[0].is_error, one.tool_calls[0].result) == (True, "there is no such file")
    assert (one.record["truncated"], one.record["stop_reason"]) == (True, "user_cancelled")
    asked = {"type": "tool_use", "id": "t", "name": "execute_command", "input": {"command": "git push"}}
    refused = {"type": "tool_result", "tool_use_id": "t", "content": json.dumps({"status": "denied"})}
    history = [HISTORY[0], {**agent(2, ""), "content": [asked]}, {**user(3), "content": [refused]}]
    (one,) = one_run("roo", written(tmp_path, API, history)).iterations
    assert one.record["denials"] == [{"tool": "execute_command", "input": "git push"}]


def test_tags_are_taken_out_of_words() -> None:
    made = "<write_to_file>\n<path>a</path>\n<content>\n<path>x</path>\n</content>\n</write_to_file>"
    text = f"Words with <b_c> in a line.\n{made}\nMore."
    words, calls = taken_apart(text)
    assert words == "Words with <b_c> in a line.\n\nMore."
    assert calls == (("write_to_file", {"path": "a", "content": "<path>x</path>"}),)
    assert taken_apart("Before.\n<read_file>\n<path>cut o") == ("Before.", ())
    assert taken_apart("<ask_followup_question>\n<question>Which?</question>\n</ask_followup_question>") == (
        "Which?",
        (),
    )


@given(st.text(alphabet="<>/_ab\n ", max_size=60))
@settings(max_examples=50, deadline=None)
def test_any_tags(text: str) -> None:
    words, _ = taken_apart(text)
    assert len(words) <= len(text) + 2 * text.count("<")


def test_many_open_tags_take_linear_time() -> None:
    words, calls = taken_apart("x\n" + "<a_b>\n" * 200_000)
    assert (words, calls) == ("x", ())


LOG = [
    {"type": "user_message", "mode": "code", "content": "Begin."},
    {
        "type": "tool_call",
        "tool_name": "execute_command",
        "parameters": {"command": "make"},
        "result": "recorded",
    },
    {
        "type": "ai_response",
        "content": "I make.\n<execute_command>\n<command>make</command>\n</execute_command>",
        "tool_calls": [{"name": "execute_command"}],
    },
    {
        "type": "ai_response",
        "content": "<attempt_completion>\n<result>\nOne is built.\n</result>\n</attempt_completion>",
    },
    {"type": "user_message", "content": "Go on."},
]


def logged(session: str = "s-1") -> list[dict[str, Any]]:
    return [
        {"timestamp": f"2026-02-01T10:00:{at:02}Z", "session_id": session, **event}
        for at, event in enumerate(LOG)
    ]


def test_a_log_has_a_run_for_each_session(tmp_path: Path) -> None:
    path = written(tmp_path, "log.jsonl", lines([*logged(), {"x": {}}, *logged("s-2")]))
    assert sniffed(written(tmp_path, "a.jsonl", lines(logged()))) == "roo"
    runs, problems = runs_of(
        "roo", written(tmp_path, "b.jsonl", lines(logged()) + "bad\n" + lines(logged("s-2")))
    )
    assert [(run.begin.id, len(run.iterations)) for run in runs] == [("s-1", 2), ("s-2", 2)]
    assert [problem.line for problem in problems] == [6]
    one = runs[0].iterations[0]
    assert (one.prompt, one.response, one.output) == ("Begin.", "One is built.", "I make.\n\nOne is built.")
    assert (one.record["tool_calls"], one.tool_results, one.provenance.first, one.provenance.last) == (
        1,
        None,
        1,
        4,
    )  # that a call was logged is not what it gave back
    assert sniffed(path) == "roo"  # another object among the first lines
    assert sniffed(written(tmp_path, "c.jsonl", lines([{"x": {}}] * 9 + logged()))) is None


def test_it_can_be_cut_anywhere() -> None:
    cut_anywhere("roo", UI, json.dumps(SHOWN[:15]).encode(), 41)
    cut_anywhere("roo", API, json.dumps(HISTORY[:8]).encode(), 41)
    cut_anywhere("roo", "log.jsonl", lines(logged()).encode(), 11)


@given(st.binary(max_size=200))
@settings(max_examples=30, deadline=None)
def test_any_bytes(content: bytes) -> None:
    any_bytes("roo", UI, content)
    any_bytes("roo", "log.jsonl", lines(logged()[:1]).encode() + content)


@given(
    st.recursive(
        st.none() | st.integers(-3, 3) | st.text(max_size=4),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    ["ts", "type", "say", "ask", "text", "role", "content", "messages", "partial", "id"]
                ),
                inner,
                max_size=4,
            )
        ),
        max_leaves=12,
    )
)
@settings(max_examples=50, deadline=None)
def test_any_value(value: Any) -> None:
    any_bytes(
        "roo",
        UI,
        json.dumps([value, {"ts": T0, "type": "say", "say": "tool", "text": json.dumps(value)}]).encode(),
    )
    any_bytes("cline", "x.messages.json", json.dumps({"sessionId": "x", "messages": [value]}).encode())


def test_a_dry_run_reads_it(tmp_path: Path) -> None:
    (found,) = dry_run([str(task(tmp_path))], ["recommended"]).results
    assert (found.run.reader, found.run.iterations, found.run.cost, found.run.how) == (
        "roo",
        2,
        1.875,
        "interrupted",
    )
