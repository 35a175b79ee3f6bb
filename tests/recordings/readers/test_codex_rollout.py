"""Session files of Codex, of both eras."""

# ruff: noqa: E501 - a record stands on one line, as the program writes it
from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reading_steps import any_bytes, cut_anywhere, lines, one_run, runs_of, sniffed, written

from exitgate.recordings.model import AUTH, MODEL, USAGE_LIMIT, FileChange
from exitgate.recordings.replay.dry_run import dry_run

ID = "codex-rollout"
PATCH = "*** Begin Patch\n*** Update File: fix_plan.md\n@@\n-- [ ] a\n+- [x] a\n*** End Patch"


def at(second: int) -> float:
    return datetime(2026, 2, 1, 10, 0, second, tzinfo=UTC).timestamp()


def numbered(*records: tuple[str, dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {"timestamp": f"2026-02-01T10:00:{second:02}.000Z", "type": kind, "payload": payload}
        for second, (kind, payload) in enumerate(records)
    ]


def event(kind: str, **more: Any) -> tuple[str, dict[str, Any]]:
    return "event_msg", {"type": kind, **more}


def item(kind: str, **more: Any) -> tuple[str, dict[str, Any]]:
    return "response_item", {"type": kind, **more}


def user(text: str) -> tuple[str, dict[str, Any]]:
    return item("message", role="user", content=[{"type": "input_text", "text": text}])


def says(text: str, phase: str | None = None) -> list[tuple[str, dict[str, Any]]]:
    content = [{"type": "output_text", "text": text}]
    return [
        event("agent_message", message=text),
        item("message", role="assistant", content=content, phase=phase),
    ]


def calls(id: str, name: str, **arguments: Any) -> tuple[str, dict[str, Any]]:
    return item("function_call", name=name, arguments=json.dumps(arguments), call_id=id)


def gave(id: str, output: Any) -> tuple[str, dict[str, Any]]:
    return item("function_call_output", call_id=id, output=output)


def used(total: int, last: int) -> tuple[str, dict[str, Any]]:
    told = {"total_token_usage": {"total_tokens": total}, "last_token_usage": {"total_tokens": last}}
    return event("token_count", info=told)


META = ("session_meta", {"id": "r-1", "timestamp": "2026-02-01T09:59:59Z", "cwd": "/w", "source": "cli"})
CONTEXT = ("turn_context", {"cwd": "/w", "model": "mod-1"})
NEW = numbered(
    META,
    event("task_started", turn_id="t1"),
    user("# AGENTS.md instructions\n\nbe quick"),
    CONTEXT,
    user("Tick a"),
    event("user_message", message="Tick a"),
    *says("I look at the plan.", "commentary"),
    calls("c1", "exec_command", cmd="cat fix_plan.md"),
    gave(
        "c1", "Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 0\nOutput:\n- [ ] a\n- [ ] b\n"
    ),
    used(100, 100),
    item("custom_tool_call", name="apply_patch", input=PATCH, call_id="c2"),
    event("patch_apply_end", call_id="c2", success=True, changes={"fix_plan.md": {}}),
    item("custom_tool_call_output", call_id="c2", output='{"output":"Success.","metadata":{"exit_code":0}}'),
    event("user_message", message="and be nice"),
    *says("a is ticked.", "final_answer"),
    used(250, 150),
    used(250, 150),
    event("task_complete", turn_id="t1", last_agent_message="a is ticked."),
    event("task_started", turn_id="t2"),
    user("Now b"),
    event("user_message", message="Now b"),
    calls("c3", "exec_command", cmd="make"),
    gave("c3", "Chunk ID: 2\nProcess exited with code 2\nOutput:\nmake: error"),
    used(300, 50),
    event("turn_aborted", turn_id="t2", reason="interrupted"),
)
OLD = numbered(
    META,
    user("<environment_context>\n<cwd>/w</cwd>\n</environment_context>"),
    user("Plan it"),
    event("user_message", message="Plan it"),
    CONTEXT,
    calls("c1", "shell", command=["bash", "-lc", "ls"]),
    gave("c1", json.dumps({"output": "a.py\n", "metadata": {"exit_code": 0, "duration_seconds": 0.1}})),
    calls(
        "c2", "update_plan", plan=[{"step": "a", "status": "completed"}, {"step": "b", "status": "pending"}]
    ),
    gave("c2", "Plan updated"),
    used(10, 10),
    *says("Planned."),
    event("user_message", message="Do it"),
    *says("Done it."),
    used(30, 20),
)


def test_tasks(tmp_path):
    path = written(tmp_path, "rollout-1.jsonl", lines(NEW))
    assert sniffed(path) == ID
    run = one_run(ID, path)
    assert (run.begin.id, run.begin.granularity, run.begin.started_at) == ("r-1", "turn", at(1))
    assert (run.end.how, run.end.why, run.end.ended_at) == ("interrupted", "interrupted", at(26))
    first, second = run.iterations
    assert (first.prompt, first.response) == ("Tick a", "a is ticked.")
    assert first.output == "I look at the plan.\n\na is ticked."
    assert first.tool_results == "- [ ] a\n- [ ] b\n\nSuccess."
    assert first.plan == "- [x] a\n- [ ] b\n"
    assert first.files_changed == (FileChange("fix_plan.md"),)
    assert first.record == {
        "format": "JSON_LINES", "session": "r-1", "model": "mod-1", "tokens": 250, "turns": 2, "tool_calls": 2,
        "is_error": False, "files_changed": 1, "truncated": False,
    }  # fmt: skip
    assert (first.started_at, first.ended_at) == (at(1), at(19))
    assert (first.provenance.first, first.provenance.last) == (2, 20)
    assert (second.prompt, second.response, second.record["tokens"]) == ("Now b", "", 50)
    assert (second.record["truncated"], second.record["stop_reason"]) == (True, "interrupted")
    assert [(c.name, c.input, c.exit_status, c.is_error) for c in second.tool_calls or ()] == [
        ("exec_command", {"cmd": "make"}, 2, True)
    ]


def test_messages_where_no_task_is_told(tmp_path):
    path = written(tmp_path, "rollout-0.jsonl", lines(OLD))
    assert sniffed(path) == ID
    first, second = one_run(ID, path).iterations
    assert (first.prompt, first.response, first.output) == ("Plan it", "Planned.", "Planned.")
    assert (first.tool_results, first.plan) == ("a.py\n\nPlan updated", "- [x] a\n- [ ] b\n")
    assert next(c.input for c in first.tool_calls or ()) == {"command": ["bash", "-lc", "ls"]}
    assert (first.record["tokens"], second.record["tokens"]) == (10, 20)
    assert (second.prompt, second.response) == ("Do it", "Done it.")
    assert "is_error" not in second.record


def test_messages_of_which_no_event_tells(tmp_path):
    records = numbered(META, user("One"), says("First.")[1], user("Two"), says("Second.")[1], user("Three"))
    run = one_run(ID, written(tmp_path, "a.jsonl", lines(records)))
    assert [(one.prompt, one.response) for one in run.iterations] == [("One", "First."), ("Two", "Second.")]


@pytest.mark.parametrize(
    ("message", "name", "kind", "how"),
    [
        ("You've hit it", "usage_limit_exceeded", USAGE_LIMIT, "wait"),
        ("Log in again", "unauthorized", AUTH, "failed"),
        ("unexpected status 403 Forbidden", None, AUTH, "failed"),
        ("stream closed", {"http_connection_failed": {"http_status_code": 500}}, MODEL, "failed"),
    ],
)
def test_errors(tmp_path, message, name, kind, how):
    broken = event("error", message=message, codex_error_info=name)
    records = numbered(META, event("task_started"), event("user_message", message="Go"), broken)
    run = one_run(ID, written(tmp_path, "a.jsonl", lines(records)))
    (one,) = run.iterations
    assert (one.error_kind, one.record["error"], one.record["is_error"]) == (kind, message, True)
    assert (one.response, run.end.how, run.end.why) == (None, how, message)


def test_an_error_that_was_got_over_is_none(tmp_path):
    records = numbered(META, event("task_started"), event("error", message="x"), *says("Fine."))
    one = one_run(ID, written(tmp_path, "a.jsonl", lines(records))).iterations[0]
    assert (one.error_kind, "error" in one.record, one.record["truncated"]) == (None, False, True)


def test_a_patch_that_failed_changed_nothing(tmp_path):
    done = [dict(record) for record in NEW]
    for record in done:
        if record["payload"].get("type") == "custom_tool_call_output":
            record["payload"] = {**record["payload"], "output": '{"output":"no","metadata":{"exit_code":1}}'}
    first = one_run(ID, written(tmp_path, "a.jsonl", lines(done))).iterations[0]
    assert first.files_changed is None  # commands were run, which may have changed some
    assert first.plan == "- [ ] a\n- [ ] b\n"


def test_totals_that_begin_anew_and_sessions_that_go_on(tmp_path):
    records = numbered(
        META,
        event("user_message", message="a"),
        used(1000, 10),
        event("user_message", message="b"),
        used(5, 5),
    )
    first, second = one_run(ID, written(tmp_path, "a.jsonl", lines(records))).iterations
    assert (first.record["tokens"], second.record["tokens"]) == (10, 5)


def test_the_last_report_of_limits_in_a_turn_is_kept(tmp_path):
    def limits(**windows: Any) -> tuple[str, dict[str, Any]]:
        return event("token_count", info=None, rate_limits=windows)

    window = {"used_percent": 80.0, "window_minutes": 299}
    records = [
        limits(primary={**window, "resets_at": 1}),
        event("task_started"), limits(primary={"used_percent": 3.0, "resets_at": 9}),
        limits(primary={**window, "resets_in_seconds": 60}, secondary=None), event("token_count", info=None, rate_limits=None),
        *says("Parsed."), event("task_complete", last_agent_message="Parsed."),
        event("task_started"), *says("Read."), event("task_complete", last_agent_message="Read."),
    ]  # fmt: skip
    first, second = one_run(ID, written(tmp_path, "a.jsonl", lines(numbered(*records)))).iterations
    assert first.record["limits"] == [
        {"windows": [{"window": "primary", "used": 80, "resets_at": at(3) + 60}]}
    ]
    assert "limits" not in second.record


def test_a_sub_agent_and_a_forked_session(tmp_path):
    spawned = {"subagent": {"thread_spawn": {"parent_thread_id": "r-0", "depth": 1}}}
    records = numbered(("session_meta", {**META[1], "source": spawned}), event("user_message", message="a"))
    assert one_run(ID, written(tmp_path, "a.jsonl", lines(records))).begin.parent == "r-0"
    forked = numbered(META, ("session_meta", {**META[1], "id": "r-0"}), event("user_message", message="a"))
    begin = one_run(ID, written(tmp_path, "b.jsonl", lines(forked))).begin
    assert (begin.id, begin.resumed, begin.parent) == ("r-1", True, None)


def test_refused_calls_are_denials(tmp_path):
    records = numbered(
        META,
        event("task_started"),
        calls("c", "exec_command", cmd="rm x"),
        gave("c", "exec command rejected by user"),
    )
    one = one_run(ID, written(tmp_path, "a.jsonl", lines(records))).iterations[0]
    assert one.record["denials"] == [{"tool": "exec_command", "input": "rm x"}]


def test_polling_is_told_call_by_call(tmp_path):
    polls = [
        part
        for n in range(5)
        for part in (
            calls(f"c{n}", "write_stdin", session_id=1, chars=""),
            gave(f"c{n}", "Wall time: 1\nOutput:\n"),
        )
    ]
    one = one_run(
        ID, written(tmp_path, "a.jsonl", lines(numbered(META, event("task_started"), *polls)))
    ).iterations[0]
    assert [(call.name, call.result, call.is_error) for call in one.tool_calls or ()] == [
        ("write_stdin", "", None)
    ] * 5


GOES_ON = "Chunk ID: 1a\nWall time: 30.0 seconds\nProcess running with session ID 77\nOutput:\nserving"
EXITED = "Chunk ID: 1b\nWall time: 1.0 seconds\nProcess exited with code 0\nOutput:\nserved"


@pytest.mark.parametrize(
    ("later", "left"),
    [
        ([], [(True, False)]),
        (
            [calls("c2", "write_stdin", session_id=77, chars=""), gave("c2", GOES_ON)],
            [(True, False), (False, False)],
        ),
        (
            [calls("c2", "write_stdin", session_id=77, chars="q"), gave("c2", EXITED)],
            [(True, True), (False, False)],
        ),
        (
            [calls("c2", "write_stdin", session_id=78, chars=""), gave("c2", EXITED)],
            [(True, False), (False, False)],
        ),
        (
            [calls("c2", "exec_command", cmd="cat log"), gave("c2", EXITED + GOES_ON)],
            [(True, False), (False, False)],
        ),
    ],
)
def test_a_command_that_goes_on_as_a_session_is_background_work(tmp_path, later, left):
    records = [
        event("task_started"),
        calls("c1", "exec_command", cmd="make serve"),
        gave("c1", GOES_ON),
        *later,
    ]
    records += [*says("Served."), event("task_complete", last_agent_message="Served.")]
    (one,) = one_run(ID, written(tmp_path, "a.jsonl", lines(numbered(*records)))).iterations
    assert [(call.background, call.ended) for call in one.tool_calls or ()] == left


def test_an_empty_session_is_a_run_of_nothing(tmp_path):
    run = one_run(ID, written(tmp_path, "a.jsonl", lines(numbered(META))))
    assert (run.iterations, run.begin.id) == ((), "r-1")


def test_a_bad_line_is_told(tmp_path):
    text = lines(NEW[:8]) + '{"timestamp": "2026\n' + lines(NEW[8:])
    runs, problems = runs_of(ID, written(tmp_path, "a.jsonl", text))
    assert [problem.line for problem in problems] == [9]
    assert len(runs[0].iterations) == 2


@settings(max_examples=50, deadline=None)
@given(st.binary(max_size=300))
def test_any_bytes(content):
    any_bytes(ID, "a.jsonl", content)
    any_bytes(ID, "a.jsonl", lines(NEW).encode()[:900] + content)


@pytest.mark.parametrize("records", [NEW, OLD])
def test_cut_anywhere(records):
    cut_anywhere(ID, "a.jsonl", lines(records).encode(), 61)


def test_a_dry_run(tmp_path):
    path = written(tmp_path, "a.jsonl", lines(NEW))
    found = dry_run([str(path)], ["recommended"], to_the_end=True)
    assert [(run.reader, run.iterations, run.tokens) for run in found.runs] == [(ID, 2, 300)]


def held(*reasons: str) -> tuple[str, dict[str, Any]]:
    texts = [
        f'<hook_prompt hook_run_id="stop:{n}:/w/hooks.json">{why}</hook_prompt>'
        for n, why in enumerate(reasons)
    ]
    return item("message", role="user", content=[{"type": "input_text", "text": text} for text in texts])


@pytest.mark.parametrize("marked", [True, False])
def test_a_stop_hook_begins_the_next_iteration(tmp_path, marked):
    records = numbered(
        META,
        *([event("task_started")] if marked else []),
        event("user_message", message="Sort the seeds"),
        *says("Half of the seeds are sorted."),
        held("The beans &amp; peas are still mixed"),
        *says("Beans are sorted."),
        *([event("user_message", message="hurry up")] if marked else []),
        held("Peas, too", "and label them"),
        *says("All seeds are sorted."),
        *([event("task_complete", last_agent_message="All seeds are sorted.")] if marked else []),
    )
    run = one_run(ID, written(tmp_path, "a.jsonl", lines(records)))
    assert [(one.prompt, one.response, one.record.get("truncated")) for one in run.iterations] == [
        ("Sort the seeds", "Half of the seeds are sorted.", False),
        ("The beans & peas are still mixed", "Beans are sorted.", False),
        ("Peas, too\n\nand label them", "All seeds are sorted.", False if marked else None),
    ]


def test_what_a_hook_says_counts_once(tmp_path):
    again = event(
        "user_message", message='<hook_prompt hook_run_id="stop:0:/w/hooks.json">Go on</hook_prompt>'
    )
    records = numbered(
        META, event("task_started"), user("Sow"), *says("Sown."), held("Go on"), again, *says("Watered.")
    )
    run = one_run(ID, written(tmp_path, "a.jsonl", lines(records)))
    assert [one.response for one in run.iterations] == ["Sown.", "Watered."]


def test_a_prompt_that_speaks_of_a_hook_is_none(tmp_path):
    told = user('What does <hook_prompt hook_run_id="x"> mean?')
    records = numbered(META, event("task_started"), user("Sow"), *says("Sown."), told, *says("It is a tag."))
    run = one_run(ID, written(tmp_path, "a.jsonl", lines(records)))
    assert len(run.iterations) == 1
