"""Whatever a runner wrote: no exception, no more than linear work, nothing made up."""

# ruff: noqa: E501 - an event stands on one line, as runners write it
from __future__ import annotations

import json

import pytest
from cases import EVERY, each
from hypothesis import given, settings
from hypothesis import strategies as st
from steps import steps
from streams import INIT, answer, assistant, call, delta, lines, result, starts, text

from exitgate.core.envelopes.plain import FORMATS, Unwrapped, looks_wrapped
from exitgate.core.envelopes.unwrap import NotReadError, unwrap

STREAM = lines(
    INIT, starts("m-1"), delta("Look"), assistant(text("Looking.")), assistant(call("t-1")), answer("t-1", "a b"),
    assistant(text("STATUS: COMPLETE\nEXIT_SIGNAL: true"), id="m-2"), result("Done.", total_cost_usd=1.5),
    {"type": "thread.started", "thread_id": "t"}, {"type": "item.completed", "item": {"type": "agent_message", "text": "x"}},
    {"role": "assistant", "message": {"content": [text("bare")]}}, {"type": "text", "sessionID": "s", "part": {"text": "y"}},
)  # fmt: skip
ONE = json.dumps(
    result("Done.\nEXIT_SIGNAL: true", permission_denials=[{"tool_name": "B", "tool_input": {"c": 1}}])
)
FORMS = st.sampled_from(["auto", "text", "json", "jsonl"])
KINDS = ["system", "assistant", "user", "result", "stream_event", "rate_limit_event", "thread.started", "turn.failed",
         "item.completed", "error", "message", "init", "tool_use", "tool_result", "text", "step_finish",
         "assistant.message", "tool.execution_complete"]  # fmt: skip
NAMES = ["message", "content", "event", "delta", "rate_limit_info", "subtype", "result", "is_error", "session_id",
         "usage", "permission_denials", "num_turns", "total_cost_usd", "item", "part", "data", "error", "role", "id",
         "sessionID", "metadata", "structured_output", "text", "status", "exit_signal", "stats", "response",
         "tool_calls", "state", "errors", "modelUsage", "toolRequests", "changes", "parts"]  # fmt: skip
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=6),
    st.sampled_from(["assistant", "text", "tool_use"]),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from([*NAMES, "type", "tool_use_id", "input"]), inner, max_size=4)
    ),
    max_leaves=10,
)
EVENTS = st.builds(
    lambda kind, rest: {**rest, "type": kind},
    st.sampled_from(KINDS),
    st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=6),
)


def check(body: str, form: str = "auto") -> Unwrapped | None:
    """Unwrap a text and hold what comes out against what is promised of it."""
    for failed in (False, True):
        try:
            found = unwrap(body, form, failed=failed)
        except NotReadError:
            assert form in ("json", "jsonl")
            return None
        assert found.format in FORMATS
        assert isinstance(found.response, str)
        assert isinstance(found.output, str)
        assert found.tool_results is None or isinstance(found.tool_results, str)
        assert found.record["format"] == found.format
        for whole in (found.response, found.output, found.tool_results or "", repr(found.record)):
            whole.encode("utf-8")  # half a character could not be kept
        assert ("tail" in found.record) is failed
        for key in ("tokens", "turns", "tool_calls", "files_changed"):
            assert isinstance(found.record.get(key, 0), int)
        for key in ("session", "subtype", "error", "model", "stop_reason"):
            assert isinstance(found.record.get(key, ""), str)
        assert 0 <= found.record.get("cost", 0) <= 1e15
        assert isinstance(found.record.get("is_error", False), bool)
        assert all({"tool", "input"} == set(one) for one in found.record.get("denials", ()))
        if not looks_wrapped(body):
            assert found.response == body or form in ("json", "jsonl")
    return found


@settings(max_examples=100, deadline=None)
@given(st.lists(EVENTS, max_size=4), FORMS)
def test_events_with_anything_in_them(events, form):
    check(lines(*events), form)
    check(json.dumps(events), form)


@settings(max_examples=100, deadline=None)
@given(st.sampled_from([STREAM, ONE]), st.integers(0, 4000), st.integers(0, 60), st.text(max_size=8), FORMS)
def test_envelopes_with_a_piece_gone_or_put_in(body, at, length, put, form):
    at = min(at, len(body))
    check(body[:at] + put + body[at + length :], form)


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet='{}[]",:\\nu01 \n\tab"`\'\x00\x1b\ufeff-#', max_size=60), FORMS)
def test_marks_of_json_in_any_order(body, form):
    check(body, form)


def test_half_a_character_is_replaced():
    body = r'{"type":"result","result":"a \ud83d b \ud83d\ude00","session_id":"\udc00","is_error":false}'
    found = check(body)
    assert (found.response, found.record["session"]) == ("a \ufffd b \U0001f600", "\ufffd")


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=80), FORMS)
def test_any_bytes(raw, form):
    check(raw.decode("utf-8", "replace"), form)
    check(raw.decode("latin-1"), form)


@each("end", range(1, len(ONE), 7))
def test_a_result_cut_off_anywhere_makes_nothing_up(end):
    found = check(ONE[:end])
    assert found is not None
    assert found.format == "TEXT" or "Done.\nEXIT_SIGNAL: true".startswith(found.response)


#: How often a piece stands in a text.
MANY = 100_000 if EVERY else 30_000
HALF, FEW = MANY // 2, MANY // 5


@each(
    "body",
    [
        "[" * 2 * MANY,
        '{"type":"result","result":' * FEW,
        '{"type":"result","result":"x","usage":' + "[" * MANY + "]" * MANY + "}",
        '{"type":"result","result":"x","num_turns":' + "9" * MANY + "}",
        '{"type":"result","result":"' + "\\" * (MANY + 1),
        '{"type":"result","result":"' + '\\"' * MANY,
        '"' + "\\n" * MANY,
        "{\n" * HALF,
        '{"' * HALF,
        "\x1b[" * HALF + ONE,
        "\\n-" * HALF,
        " '\\n-" * HALF,
        "`\\n-" * HALF,
        '{"type":"assistant","message":1}\n' * FEW,
        '{"type":\n' * FEW,
    ],
    ids=lambda body: body[:12],
)
def test_texts_made_to_be_slow(body):
    check(body)
    check(body, "jsonl")
    check(body, "json")


GROWING = {
    "stream": lambda n: STREAM * n,
    "pieces of one message": lambda n: lines(INIT, starts("m"), *[delta("word ") for _ in range(n)]),
    "one message in many lines": lambda n: lines(INIT, *[assistant(text(f"word {i}")) for i in range(n)]),
    "broken lines": lambda n: lines(INIT, *['{"type": broken}'] * n, result("x")),
    "openings": lambda n: lines(INIT, *["{"] * n, result("x")),
    "objects side by side": lambda n: '{"type":"result","result":"x"}' * n,
    "wrong backslashes": lambda n: '{"type":"result","result":"' + "\\x" * n + '"}',
    "escaped": lambda n: "Done.\\n- one `a` \"b\" 'c'" * n,
    "members cut off": lambda n: '{"type":"result","a":[' + '{"b":1},' * n,
}


@pytest.mark.parametrize("grow", GROWING.values(), ids=GROWING)
def test_twice_the_text_is_twice_the_work(grow):
    small, large = grow(300), grow(600)
    unwrap(small)  # imports and caches are made before counting
    assert steps(lambda: unwrap(large)) <= 2.2 * steps(lambda: unwrap(small)) + 200


@pytest.mark.parametrize("rest", ['{"type":"res', '{"type":"assistant","message":{"con', "{"])
def test_a_last_line_without_its_end_is_a_stream_cut_off(rest: str) -> None:
    found = unwrap(lines(assistant(text("Looking."))) + "\n" + rest)
    assert (found.response, found.record["truncated"]) == ("Looking.", True)
