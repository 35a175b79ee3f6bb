"""A question beside the loop: the end of its turn is not an iteration."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hosts_calls import Hooks

ASKED = "Why did you stop?\nexitgate: question"
#: Host -> the line that tells of a prompt.
PROMPTS = {
    "claude-code": lambda said: {"type": "user", "message": {"content": said}},
    "codex": lambda said: {"type": "event_msg", "payload": {"type": "user_message", "message": said}},
    "copilot": lambda said: {"type": "user.message", "data": {"content": said}},
    "cursor": lambda said: {"role": "user", "message": {"content": said}},
}
ANSWERS = {
    "copilot": {"type": "assistant.message", "data": {"content": "Nothing moved."}},
    "cursor": {"role": "assistant", "message": {"content": "Nothing moved."}},
}


def asked(hooks: Hooks, host: str, prompt: str, **fields: object) -> str:
    """Return what the agent reads at the end of the turn of a prompt."""
    payload = hooks.payload(host, **fields)
    name = next(key for key in ("transcript_path", "transcriptPath") if key in payload)
    with Path(str(payload[name])).open("a") as file:
        file.write(f"{json.dumps(PROMPTS[host](prompt))}\n")
        if host in ANSWERS:
            file.write(f"{json.dumps(ANSWERS[host])}\n")
    if host == "copilot":
        payload["timestamp"] = 1795860002000
        hooks.tell(payload)
    return hooks.send(host, payload).reason


@pytest.mark.parametrize("host", PROMPTS)
def test_the_end_of_a_question_is_no_iteration(hooks: Hooks, host: str) -> None:
    assert asked(hooks, host, ASKED) == ""
    assert hooks.decisions() == []
    assert hooks.kinds() == []
    assert asked(hooks, host, "Go on.") != ""
    assert len(hooks.decisions()) == 1


def test_gemini_has_the_prompt_in_its_payload(hooks: Hooks) -> None:
    assert hooks.hook("gemini", prompt=ASKED) == ({}, "", 0)
    assert hooks.hook("gemini", prompt="Say what `exitgate: question` does.").reason


def test_only_the_last_prompt_counts(hooks: Hooks) -> None:
    payload = hooks.payload("claude-code")
    with Path(str(payload["transcript_path"])).open("a") as file:
        for prompt in (ASKED, "Go on."):
            file.write(f"{json.dumps(PROMPTS['claude-code'](prompt))}\n")
    assert hooks.send("claude-code", payload).reason


@pytest.mark.parametrize("shown", ["```\nexitgate: question\n```", "Is `exitgate: question` right?"])
def test_what_is_shown_is_not_said(hooks: Hooks, shown: str) -> None:
    assert asked(hooks, "claude-code", shown)


def test_an_agent_that_was_held_back_is_in_the_loop(hooks: Hooks) -> None:
    assert asked(hooks, "claude-code", ASKED, stop_hook_active=True)
    assert asked(hooks, "cursor", ASKED, loop_count=1)


def test_the_command_of_the_plugin_is_a_question(hooks: Hooks) -> None:
    """Asked why the run ended, the agent is not to begin another."""
    command = Path(__file__).parents[3] / "plugins" / "claude-code" / "commands" / "why.md"
    body = command.read_text(encoding="utf-8").split("---\n", 2)[2]
    payload = hooks.payload("claude-code")
    name = "<command-message>exitgate:why</command-message>\n<command-name>/exitgate:why</command-name>"
    lines = [
        {"type": "user", "message": {"content": name}},
        {"type": "user", "isMeta": True, "message": {"content": [{"type": "text", "text": body}]}},
    ]
    with Path(str(payload["transcript_path"])).open("a") as file:
        file.write("".join(f"{json.dumps(line)}\n" for line in lines))
    assert hooks.send("claude-code", payload).out == {}
    assert hooks.decisions() == []
