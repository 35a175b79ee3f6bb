"""Any bytes for any host: exit code 0 and exactly one JSON object."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hosts_calls import HOSTS, Heard, Hooks, call
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from exitgate.hosts.hook import payload

FIELDS = (
    "session_id", "sessionId", "conversation_id", "cwd", "workspace_roots", "transcript_path",
    "transcriptPath", "prompt", "prompt_id", "turn_id", "timestamp", "hook_event_name", "stop_hook_active",
    "last_assistant_message", "prompt_response", "text", "status", "loop_count", "background_tasks",
    "session_crons", "stopReason", "agent_id",
)  # fmt: skip
PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(["s", ""]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
OBJECTS = st.dictionaries(st.sampled_from(FIELDS), PLAIN, max_size=8).map(
    lambda one: json.dumps(one).encode()
)
ONCE = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def answered(heard: Heard) -> None:
    assert heard.code == 0
    assert not heard.reason or heard.reason.strip()


@ONCE
@given(host=st.sampled_from(HOSTS), raw=st.binary(max_size=200) | OBJECTS)
def test_any_bytes_for_any_host(hooks: Hooks, host: str, raw: bytes) -> None:
    answered(hooks.send(host, raw))


@ONCE
@given(host=st.sampled_from(HOSTS), changed=st.dictionaries(st.sampled_from(FIELDS), PLAIN, max_size=3))
def test_any_fields_in_a_recorded_shape(hooks: Hooks, host: str, changed: dict[str, object]) -> None:
    answered(hooks.send(host, {**hooks.payload(host), **changed}))


@ONCE
@given(
    words=st.lists(
        st.sampled_from([*HOSTS, "--policy", "--max-blocks", "3", "-", "--", "--x=", ""]), max_size=4
    )
)
def test_any_command_line(hooks: Hooks, words: list[str]) -> None:
    answered(call(["hook", *words], json.dumps(hooks.payload("codex")).encode()))


@pytest.mark.parametrize(
    "raw", [b"\0" * 64, b'{"session_id": "' + b"\xf0\x9f" + b'"}', b'{"a":' * 5000 + b"1" + b"}" * 5000]
)
def test_bytes_that_broke_readers(hooks: Hooks, raw: bytes) -> None:
    answered(hooks.send("claude-code", raw))


def test_a_payload_that_is_too_large(hooks: Hooks, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(payload, "SIZE_LIMIT", 1 << 20)
    heard = hooks.hook("claude-code", last_assistant_message="x" * (1 << 21))
    assert "larger than 1 MB" in heard.note


def test_a_stream_that_the_host_leaves_open() -> None:
    """Some hosts do not close what they write to: reading ends with the object."""
    read, write = os.pipe()
    try:
        os.write(write, b'{"a": {"b": "}"}}\n')
        assert payload.read_payload(read) == {"a": {"b": "}"}}
    finally:
        os.close(read)
        os.close(write)


def test_a_payload_in_pieces() -> None:
    read, write = os.pipe()
    whole = json.dumps({"message": "}" * 70_000}).encode()
    if os.fork() == 0:  # pragma: no cover - the child
        for at in range(0, len(whole), 4096):
            os.write(write, whole[at : at + 4096])
        os._exit(0)
    os.close(write)
    try:
        assert payload.read_payload(read) == json.loads(whole)
    finally:
        os.close(read)
        os.wait()


def test_a_terminal_is_no_host() -> None:
    from exitgate.core.model.diagnostic import ExitgateError

    primary, secondary = os.openpty()
    try:
        with pytest.raises(ExitgateError) as raised:
            payload.read_payload(secondary)
        assert "is a terminal" in raised.value.diagnostics[0].message
    finally:
        os.close(primary)
        os.close(secondary)


def test_nothing_is_written_outside_the_project(hooks: Hooks, tmp_path: Path) -> None:
    before = {path for path in tmp_path.rglob("*") if hooks.project not in (path, *path.parents)}
    for host in HOSTS:
        hooks.hook(host)
    after = {path for path in tmp_path.rglob("*") if hooks.project not in (path, *path.parents)}
    # What is compiled, and the heads of ledgers (`exitgate.core.ledger.head`).
    users = {("home", ".cache"), ("home", ".local")}
    assert {path.relative_to(tmp_path).parts[:2] for path in after - before} <= users
