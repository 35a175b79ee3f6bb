"""Copilot CLI writes its transcript behind the hook: the line on the very stop is waited for."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest
from hosts_calls import Hooks

from exitgate.core.model.json_object import JsonObject
from exitgate.hosts.agents.copilot import read, said, stop_time
from exitgate.hosts.hook import transcript
from exitgate.hosts.hook.payload import Payload

POLICY = """\
policy: worded
format: 1
version: 1.0.0
title: Ends on a phrase
facts:
  shipped: {extract: phrases, from: response, phrases: [all is shipped]}
rules:
  - {id: shipped, when: shipped.found, exit: complete, because: shipped}
  - {id: more, when: not shipped.found, continue: true, because: not shipped}
"""
STAMP = 1795860000000


@pytest.fixture
def worded(hooks: Hooks) -> Hooks:
    (hooks.project / "policy.yaml").write_text(POLICY)
    return hooks


def message(text: str, **more: object) -> dict[str, object]:
    return {"type": "assistant.message", "data": {"content": text, "toolRequests": [], **more}}


def stop(stamp: object, kind: str = "agentStop") -> dict[str, object]:
    return {"type": "hook.start", "data": {"hookType": kind, "input": {"timestamp": stamp}}}


def write(path: Path, *records: object) -> None:
    with path.open("a") as file:
        file.write("".join(f"{json.dumps(record)}\n" for record in records))


def lagging(hooks: Hooks) -> tuple[dict[str, object], Path]:
    """A stop of which the transcript does not tell yet: the message at its end is of an earlier one."""
    payload = hooks.payload("copilot")
    path = Path(str(payload["transcriptPath"]))
    path.write_text("")
    write(path, {"type": "user.message", "data": {"content": "Work."}}, message("I read the plan."))
    return payload, path


def test_a_message_that_is_written_while_the_hook_waits(
    worded: Hooks, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process writes, in pieces, what the host does: the message, half a line, the stop."""
    monkeypatch.setattr(transcript, "WAIT_FOR_STOP", 60.0)
    payload, path = lagging(worded)
    raw = "".join(f"{json.dumps(one)}\n" for one in (message("all is shipped"), stop(STAMP))).encode()
    go, went = os.pipe()
    writer = os.fork()
    if writer == 0:  # pragma: no cover - the child
        os.read(go, 1)
        for piece in (raw[:20], raw[20:-30], raw[-30:]):
            with path.open("ab") as file:
                file.write(piece)
            time.sleep(0.03)
        os._exit(0)
    read = transcript._read

    def begun(*given: object) -> bytes:
        found = read(*given)  # type: ignore[arg-type]
        os.write(went, b"x")  # only now the writer may begin
        return found

    monkeypatch.setattr(transcript, "_read", begun)
    heard = worded.send("copilot", payload)
    assert os.waitpid(writer, 0)[1] == 0
    assert "EXIT complete" in heard.err
    assert "may be behind" not in heard.err
    os.close(go)
    os.close(went)


def test_a_transcript_that_is_not_there_yet(worded: Hooks, monkeypatch: pytest.MonkeyPatch) -> None:
    """At the first stop Copilot may not have made the file; the prompt in it makes the session a loop."""
    monkeypatch.setattr(transcript, "WAIT_FOR_STOP", 60.0)
    worded.settings()
    payload, path = lagging(worded)
    path.unlink()
    prompt = {"type": "user.message", "data": {"content": "Work.\nexitgate: loop"}}
    pieces = [(prompt,), (message("all is shipped"), stop(STAMP))]
    read = transcript._read

    def late(*given: object) -> bytes:
        """Each reading finds what the host wrote since the one before."""
        found = read(*given)  # type: ignore[arg-type]
        if pieces:
            write(path, *pieces.pop(0))
        return found

    monkeypatch.setattr(transcript, "_read", late)
    assert "EXIT complete" in worded.send("copilot", payload).err
    assert pieces == []


def test_without_word_of_the_stop_that_is_said(worded: Hooks) -> None:
    """Versions that write no such line: the last message counts, and the user knows."""
    payload, path = lagging(worded)
    write(path, message("all is shipped"), stop(STAMP, "preToolUse"))
    heard = worded.send("copilot", payload)
    assert "EXIT complete" in heard.err
    assert "taken from the transcript, which may be behind" in heard.err


def test_a_message_from_before_an_earlier_stop_is_never_taken(worded: Hooks) -> None:
    payload, path = lagging(worded)
    write(path, stop(STAMP - 1000))
    heard = worded.send("copilot", payload)
    assert "EP561" in heard.err
    assert worded.decisions() == []
    assert worded.kinds() == ["failed_open"]


@pytest.mark.parametrize(
    ("told", "stamp"),
    [
        (STAMP, STAMP),
        (1795875090714, "2026-11-28T14:11:30.714Z"),  # recorded: payload in underscores, its line not
        ("2026-11-28T14:11:30.714Z", "2026-11-28T14:11:30.714Z"),
        (0.5, 0.5),
        (-1, -1),
        (10**30, 10**30),
    ],
)
def test_what_is_said_behind_the_stop_is_another_turn(tmp_path: Path, told: object, stamp: object) -> None:
    path = tmp_path / "events.jsonl"
    write(path, message("this"), stop(told), message("another"))
    turn = read(Payload({"timestamp": stamp}), {})
    assert transcript.last_message(str(path), said, stop_time, turn.stamp) == ("this", True)


def test_an_agent_below_the_agent_says_nothing_here(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    write(path, message("this"), message("below", parentToolCallId="call_1"), stop(STAMP))
    turn = read(Payload({"timestamp": STAMP}), {})
    assert transcript.last_message(str(path), said, stop_time, turn.stamp) == ("this", True)


@pytest.mark.parametrize(
    "record",
    [{}, {"type": "hook.start"}, {"type": "hook.start", "data": {"hookType": "agentStop"}},
     {"type": "hook.start", "data": {"hookType": ["agentStop"], "input": {"timestamp": 1}}},
     {"type": "hook.end", "data": {"hookType": "agentStop", "input": {"timestamp": 1}}}],
)  # fmt: skip
def test_other_lines_tell_of_no_stop(record: dict[str, object]) -> None:
    assert stop_time(JsonObject(record)) is None
