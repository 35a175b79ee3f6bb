"""Whether the end of an answer is missing: known to be, known not to be, or not said, in every format."""

from __future__ import annotations

import json

import pytest
from streams import INIT, answer, assistant, call, lines, result, text

from exitgate.core.envelopes.unwrap import unwrap

SAID = "Every route is mapped. 14 passed"


def opencode(kind: str, **part: object) -> dict:
    return {"type": kind, "sessionID": "o-1", "part": {"type": kind.replace("_", "-"), **part}}


def copilot(kind: str, **data: object) -> dict:
    return {"type": kind, "data": data, "id": "e"}


#: Format -> events up to the last words, the end that such a stream has, and an event of a turn that goes on.
FORMATS: dict[str, tuple[list[dict], dict, list[dict]]] = {
    "claude": ([INIT, assistant(text(SAID))], result(SAID), [assistant(call("t"), id="m-9")]),
    "claude without its beginning": ([assistant(text(SAID))], result(SAID), [assistant(call("t"), id="m-9")]),
    "codex": (
        [
            {"type": "thread.started", "thread_id": "c"},
            {"type": "turn.started"},
            {"type": "item.completed", "item": {"id": "1", "type": "agent_message", "text": SAID}},
        ],
        {"type": "turn.completed", "usage": {"input_tokens": 1, "output_tokens": 1}},
        [{"type": "item.started", "item": {"id": "2", "type": "command_execution", "command": "make"}}],
    ),
    "gemini": (
        [
            {"type": "init", "session_id": "g", "model": "m"},
            {"type": "message", "role": "assistant", "content": SAID},
        ],
        {"type": "result", "status": "success", "stats": {}},
        [{"type": "tool_use", "tool_name": "shell", "tool_id": "1", "parameters": {"command": "make"}}],
    ),
    "opencode": (
        [opencode("step_start"), opencode("text", text=SAID)],
        opencode("step_finish", reason="stop"),
        [opencode("step_finish", reason="tool-calls"), opencode("step_start")],
    ),
    "copilot": (
        [copilot("assistant.turn_start"), copilot("assistant.message", content=SAID, messageId="1")],
        copilot("assistant.turn_end"),
        [copilot("assistant.message", content="", toolRequests=[{"toolCallId": "1", "name": "bash"}])],
    ),
    "cursor": (
        [INIT, assistant(text(SAID))],
        result(SAID),
        [{"type": "tool_call", "subtype": "started", "call_id": "1", "tool_call": {}, "session_id": "s-1"}],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FORMATS)
def test_a_stream_without_its_end_is_cut_off(name):
    begun, end, goes_on = FORMATS[name]
    assert unwrap(lines(*begun)).record["truncated"] is True
    assert unwrap(lines(*begun, *goes_on)).record["truncated"] is True
    assert unwrap(lines(*begun, end)).record["truncated"] is False
    assert SAID in unwrap(lines(*begun)).output


#: Format -> events with which another turn begins behind one that has ended.
AGAIN = {
    "claude": [assistant(text("And the index."), id="m-3")],
    "codex": [{"type": "turn.started"}],
    "gemini": [{"type": "message", "role": "assistant", "content": "And the index."}],
    "opencode": [opencode("step_start")],
    "copilot": [copilot("assistant.turn_start")],
    "cursor": [assistant(text("And the index."), id="m-3")],
}


@pytest.mark.parametrize("name", AGAIN)
def test_a_turn_that_begins_behind_the_end_of_another_has_an_end_of_its_own(name):
    begun, end, _ = FORMATS[name]
    assert unwrap(lines(*begun, end, *AGAIN[name])).record["truncated"] is True
    assert unwrap(lines(*begun, end, *AGAIN[name], end)).record["truncated"] is False


#: Format -> the same events with a call that nothing came back of, and an end that tells of a failure.
FAILED = {
    "claude": (assistant(call("t"), id="m-9"), result("Boom.", is_error=True)),
    "codex": (
        {"type": "item.started", "item": {"id": "2", "type": "command_execution", "command": "make"}},
        {"type": "turn.failed", "error": {"message": "stream closed"}},
    ),
    "gemini": (
        {"type": "tool_use", "tool_name": "shell", "tool_id": "1", "parameters": {"command": "make"}},
        {"type": "result", "status": "error", "error": {"message": "stream closed"}, "stats": {}},
    ),
    "opencode": (
        opencode("tool", callID="1", tool="bash", state={"status": "running", "input": {"command": "make"}}),
        {"type": "error", "sessionID": "o-1", "error": {"name": "closed"}},
    ),
    "copilot": (
        copilot("assistant.message", content="", toolRequests=[{"toolCallId": "1", "name": "bash"}]),
        {"type": "result", "sessionId": "s", "exitCode": 1},
    ),
}


@pytest.mark.parametrize("name", FAILED)
def test_a_turn_that_failed_or_ended_with_a_call_under_way_may_have_had_more_to_say(name):
    begun, end, _ = FORMATS[name]
    called, failure = FAILED[name]
    ends = [end] if name != "copilot" else [{"type": "result", "sessionId": "s", "exitCode": 0}]
    assert "truncated" not in unwrap(lines(*begun, *([end] if name == "opencode" else []), failure)).record
    assert "truncated" not in unwrap(lines(*begun, called, *ends)).record
    assert unwrap(lines(*begun, called)).record["truncated"] is True
    if name in ("claude", "codex", "gemini"):  # the others tell where a turn begins
        assert unwrap(lines(*begun, end, called)).record["truncated"] is True


@pytest.mark.parametrize("name", FORMATS)
def test_a_stream_that_breaks_off_within_a_line_is_cut_off(name):
    begun, end, _ = FORMATS[name]
    whole = lines(*begun, end).rstrip()
    last = whole.rindex("\n") + 1
    for at in (len(whole) - 1, last + 12):
        assert unwrap(whole[:at]).record["truncated"] is True, whole[:at]


UNFINISHED = ["tool_use", "tool-calls", "tool_calls", "max_tokens", "MAX_TOKENS", "length", "pause_turn"]


@pytest.mark.parametrize("reason", UNFINISHED)
def test_a_model_that_stopped_for_a_tool_or_for_want_of_room_has_not_ended_its_turn(reason):
    assert unwrap(json.dumps(result(SAID, stop_reason=reason))).record["truncated"] is True
    stream = lines(
        opencode("step_start"), opencode("text", text=SAID), opencode("step_finish", reason=reason)
    )
    assert unwrap(stream).record["truncated"] is True
    message = {"role": "assistant", "content": SAID, "stop_reason": reason}
    assert unwrap(lines(message, message)).record["truncated"] is True


@pytest.mark.parametrize("reason", ["end_turn", "stop", "stop_sequence"])
def test_a_model_that_ended_its_turn_is_not_cut_off(reason):
    assert unwrap(json.dumps(result(SAID, stop_reason=reason))).record["truncated"] is False
    message = {"role": "assistant", "content": SAID, "stop_reason": reason}
    assert unwrap(lines(message, message)).record["truncated"] is False


def test_why_an_earlier_message_stopped_says_nothing_of_the_last():
    before = assistant(text("I look."), call("t"), id="m-1")
    before["message"]["stop_reason"] = "tool_use"
    after = assistant(text(SAID), id="m-2")
    found = unwrap(lines(INIT, before, answer("t", "ok"), after, result(SAID)))
    assert (found.record["truncated"], "stop_reason" in found.record) == (False, False)


def test_a_message_that_calls_a_tool_is_not_the_last_of_its_turn():
    asks = {"role": "assistant", "content": [text("I run it."), call("t")]}
    told = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "ok"}]}
    ends = {"role": "assistant", "content": [text(SAID)]}
    assert unwrap(lines(asks)).record["truncated"] is True
    assert unwrap(lines(asks, told)).record["truncated"] is True
    assert "truncated" not in unwrap(lines(asks, told, ends)).record
    assert unwrap(lines({"role": "assistant", "content": "I run it.", "tool_calls": [{}]})).record[
        "truncated"
    ]


@pytest.mark.parametrize(
    "broken", ['{"status": "COMPLETE", "exit_', '{"summary": "all done', '[{"a": 1}, {"b']
)
def test_text_that_begins_or_ends_as_json_without_an_end_is_cut_off(broken):
    assert unwrap(broken).record["truncated"] is True
    if broken[0] == "{":
        assert unwrap(f"{SAID}\n{broken}").record["truncated"] is True


def test_plain_words_do_not_say_whether_they_are_all():
    for said in (SAID, f"{SAID}\n{{not json}}", f'{SAID}\n{{"a": 1}}', '{"a" and so on}'):
        assert "truncated" not in unwrap(said).record


def test_an_error_that_a_whole_step_follows_was_got_over():
    error = {
        "type": "error",
        "sessionID": "o-1",
        "error": {"name": "APIError", "data": {"message": "fetch failed"}},
    }
    step = [opencode("step_start"), opencode("text", text=SAID), opencode("step_finish", reason="stop")]
    got_over = unwrap(lines(opencode("step_start"), error, *step)).record
    assert (got_over["is_error"], "error" in got_over, got_over["truncated"]) == (False, False, False)
    failed = unwrap(lines(*step, opencode("step_start"), error)).record
    assert (failed["is_error"], failed["error"], failed["truncated"]) == (True, "fetch failed", True)


PAGES = "The atlas has nine pages.\n\n---RALPH_STATUS---\nSTATUS: COMPLETE\n---END_RALPH_STATUS---\n"


@pytest.mark.parametrize(
    "events",
    [
        [INIT, result(PAGES)],
        [INIT, assistant(text(PAGES)), result(None)],
        [
            {"type": "thread.started", "thread_id": "c"},
            {"type": "item.completed", "item": {"id": "1", "type": "agent_message", "text": PAGES}},
            {"type": "turn.completed", "usage": {}},
        ],
        [
            {"type": "init", "session_id": "g"},
            {"type": "message", "role": "assistant", "content": PAGES},
            {"type": "result", "status": "success"},
        ],
        [opencode("step_start"), opencode("text", text=PAGES), opencode("step_finish", reason="stop")],
        [copilot("assistant.message", content=PAGES, messageId="1"), copilot("assistant.turn_end")],
        [{"role": "user", "content": "go"}, {"role": "assistant", "content": PAGES}],
    ],
)
def test_bare_line_ends_within_strings_are_read_in_every_format(events, tmp_path):
    written = lines(*events)
    bare = written.replace("\\n", "\n")
    assert (bare.count("\n"), unwrap(bare).response) == (written.count("\n") + 5, PAGES)
    assert not unwrap(bare).warnings


def test_a_broken_line_before_a_result_is_left_out():
    found = unwrap('{"type":"sys\n' + json.dumps(result(SAID)) + "\n")
    assert (found.response, found.warnings) == (SAID, ("line 1 was not JSON and skipped",))


@pytest.mark.parametrize("empty", ["", "  \n"])
def test_an_empty_result_beside_messages_leaves_the_messages(empty):
    found = unwrap(lines(INIT, assistant(text(SAID)), result(empty)))
    assert (found.response, found.output) == (SAID, SAID)
    assert unwrap(lines(INIT, result(empty))).response == empty


def test_the_error_that_the_program_said_in_the_agents_place_stays_beside_an_empty_result():
    said = assistant(text("Rate limit reached"), error="rate_limit")
    end = result("", is_error=True, api_error_status=429, terminal_reason="api_error")
    record = unwrap(lines(INIT, said, end)).record
    assert (record["is_error"], record["error"]) == (True, "Rate limit reached (status 429)")


@pytest.mark.parametrize(
    ("told", "error"),
    [
        ({"api_error_status": 529}, "Atlas drawn. (status 529)"),
        ({"terminal_reason": "prompt_too_long", "result": ""}, "prompt_too_long"),
        ({"terminal_reason": "completed", "api_error_status": None}, None),
        ({"terminal_reason": "max_turns"}, None),
    ],
)
def test_a_result_that_calls_itself_a_success_and_names_an_error_is_one(told, error):
    record = unwrap(json.dumps(result("Atlas drawn.") | told)).record
    assert (record["is_error"], record.get("error")) == (error is not None, error)


@pytest.mark.parametrize(
    "told",
    [
        {"subtype": "error_max_turns", "is_error": False},
        {"subtype": "error_max_budget_usd", "is_error": False},
        {"terminal_reason": "max_turns"},
        {"terminal_reason": "aborted_streaming"},
        {"stop_reason": "refusal"},
    ],
)
def test_a_turn_that_a_limit_or_a_refusal_ended_is_cut_off(told: dict[str, object]) -> None:
    ended = {**result(SAID), **told}
    found = unwrap(lines(INIT, assistant(text(SAID)), ended))
    assert found.record["truncated"] is True


def test_a_command_of_opencode_tells_how_it_ended() -> None:
    state = {"status": "completed", "input": {"command": "make"}, "output": "no", "metadata": {"exit": 2}}
    found = unwrap(lines(opencode("tool_use", tool="bash", state=state), opencode("text", text=SAID)))
    assert [(one["result"], one["exit_status"]) for one in found.calls] == [("no", 2)]
