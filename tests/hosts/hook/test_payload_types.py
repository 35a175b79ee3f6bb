"""
What each host's payload says, by a struct of its fields: the hook reads the same of any JSON.

A hook cannot wait for `msgspec`, so it reads plain objects into a `Turn`. Here the fields of each payload are
declared once more, with their types, and the two are held equal.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET, Struct
from msgspec.structs import fields

from exitgate.core.facts.text.words import encodable
from exitgate.core.system.lenient import read_as
from exitgate.hosts.hook.payload import Payload
from exitgate.hosts.hook.protocol import Turn


class Common(Struct, frozen=True):
    hook_event_name: str | None = None
    session_id: str | None = None
    cwd: str | None = None
    transcript_path: str | None = None
    stop_hook_active: bool | None = None
    last_assistant_message: str | None = None
    agent_id: str | None = None


class ClaudeCode(Common, frozen=True):
    prompt_id: str | None = None
    is_interrupt: bool | None = None
    background_tasks: tuple[dict[str, Any], ...] = ()
    session_crons: tuple[dict[str, Any], ...] = ()
    cursor_version: Any = UNSET

    def turn(self) -> dict[str, Any]:
        aside = "below" if word(self.agent_id) else ""
        aside = "the user interrupted" if self.is_interrupt else aside
        return {
            "session": word(self.session_id), "message": self.last_assistant_message,
            "prompt_id": word(self.prompt_id), "active": self.stop_hook_active,
            "waiting": len(self.background_tasks) + len(self.session_crons),
            "transcript": self.transcript_path,
            "aside": bool(aside) or self.cursor_version is not UNSET or not ends(self, "Stop"),
        }  # fmt: skip


class Codex(Common, frozen=True):
    turn_id: str | None = None

    def turn(self) -> dict[str, Any]:
        return {
            "session": word(self.session_id), "message": self.last_assistant_message,
            "prompt_id": word(self.turn_id), "active": self.stop_hook_active,
            "transcript": self.transcript_path, "aside": bool(word(self.agent_id)) or not ends(self, "Stop"),
        }  # fmt: skip


class Gemini(Common, frozen=True):
    prompt: str | None = None
    prompt_response: str | None = None
    timestamp: str | None = None

    def turn(self) -> dict[str, Any]:
        return {
            "session": word(self.session_id), "message": self.prompt_response, "prompt": self.prompt,
            "stamp": word(self.timestamp), "active": self.stop_hook_active, "gathered": True,
            "transcript": self.transcript_path, "aside": not ends(self, "AfterAgent"),
        }  # fmt: skip


class Copilot(Common, frozen=True):
    stop_reason: str | None = None
    agent_name: str | None = None

    def turn(self) -> dict[str, Any]:
        below = word(self.agent_name if self.agent_name is not None else self.agent_id)
        other = word(self.stop_reason) not in ("", "end_turn")
        return {
            "session": word(self.session_id), "message": self.last_assistant_message,
            "active": self.stop_hook_active, "transcript": self.transcript_path,
            "aside": bool(below) or other or not ends(self, "agentStop", "Stop"),
        }  # fmt: skip


class Cursor(Common, frozen=True):
    conversation_id: str | None = None
    status: str | None = None
    loop_count: int = 0
    subagent_id: str | None = None

    def turn(self) -> dict[str, Any]:
        session = self.session_id if self.conversation_id is None else self.conversation_id
        below = self.agent_id if self.subagent_id is None else self.subagent_id
        aside = word(below) or word(self.status) not in ("", "completed") or not ends(self, "stop")
        return {
            "session": word(session), "message": self.last_assistant_message,
            "held": self.loop_count if 0 <= self.loop_count < 10**9 else 0,
            "transcript": self.transcript_path, "aside": bool(aside),
        }  # fmt: skip


def word(text: str | None) -> str:
    return (text or "").strip()


def ends(payload: Common, *events: str) -> bool:
    return word(payload.hook_event_name) in ("", *events)


KINDS: dict[str, type[Any]] = {
    "claude-code": ClaudeCode, "codex": Codex, "gemini": Gemini, "copilot": Copilot, "cursor": Cursor,
}  # fmt: skip
VALUES = (
    st.none()
    | st.booleans()
    | st.integers(-2, 10**10)
    | st.floats(allow_nan=False)
    | st.sampled_from(["", " ", "x", "Stop", "stop", "completed", "end_turn", "AfterAgent", "\ud800"])
    | st.lists(st.just({"id": "1"}), max_size=2)
    | st.just({"a": 1})
)


@pytest.mark.parametrize("host", KINDS)
@given(data=st.data())
def test_a_hook_reads_what_the_struct_has(host: str, data: st.DataObject) -> None:
    kind = KINDS[host]
    names = [one.encode_name for one in fields(kind)]
    plain = data.draw(st.dictionaries(st.sampled_from(names), VALUES))
    found = import_module(f"exitgate.hosts.agents.{host.replace('-', '_')}").read(Payload(plain), {})
    expected = {**dict.fromkeys(("message", "prompt", "transcript")), **read_as(kind, plain).turn()}
    told = {name: getattr(found, name) for name in expected}
    told["aside"] = bool(found.aside)
    if "waiting" in told:
        told["waiting"] = len(found.waiting)
    assert told == {name: encodable(one) if isinstance(one, str) else one for name, one in expected.items()}
    assert isinstance(found, Turn)
    assert found.root == os.getcwd()
