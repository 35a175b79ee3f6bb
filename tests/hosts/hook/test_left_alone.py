"""Sessions that are no loop, and events that are no end of a turn: `{}`, and nothing is written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hosts_calls import HOSTS, PAYLOADS, TRANSCRIPTS, Hooks

ASIDE = (
    ("claude-code", "subagent_stop"),
    ("codex", "subagent_stop"),
    ("gemini", "before_tool"),
    ("copilot", "subagent_stop"),
    ("copilot", "agent_stop_interrupted"),
    ("cursor", "subagent_stop"),
    ("cursor", "stop_aborted"),
    ("cursor", "stop_error"),
)


def nothing_was_written(hooks: Hooks) -> bool:
    return not (hooks.project / ".ralph").exists()


@pytest.mark.parametrize("host", HOSTS)
def test_a_session_is_no_loop_unless_somebody_says_so(hooks: Hooks, host: str) -> None:
    hooks.settings()
    payload = hooks.payload(host)
    for name in TRANSCRIPTS.values():
        (hooks.project / name).unlink(missing_ok=True)
    assert hooks.send(host, payload) == ({}, "", 0)
    assert nothing_was_written(hooks)


@pytest.mark.parametrize(("host", "name"), ASIDE)
def test_what_is_no_end_of_a_turn_is_no_iteration(hooks: Hooks, host: str, name: str) -> None:
    assert hooks.hook(host, name).out == {}
    assert nothing_was_written(hooks)


def test_an_interrupt_of_the_user_is_left_alone(hooks: Hooks) -> None:
    assert hooks.hook("claude-code", is_interrupt=True).out == {}
    assert nothing_was_written(hooks)


def test_an_agent_of_the_main_session_is_no_sub_agent(hooks: Hooks) -> None:
    """Claude Code names the agent a session was started with, without an id."""
    assert hooks.hook("claude-code", agent_type="reviewer").reason


def test_the_environment_makes_a_loop(hooks: Hooks, monkeypatch: pytest.MonkeyPatch) -> None:
    hooks.settings()
    monkeypatch.setenv("EXITGATE_LOOP", "1")
    assert hooks.hook("codex").reason


def test_the_environment_leaves_alone_whatever_else_says(
    hooks: Hooks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EXITGATE_LOOP", "0")
    assert hooks.hook("claude-code") == ({}, "", 0)
    assert hooks.send("claude-code", b"no payload") == ({}, "", 0)
    assert nothing_was_written(hooks)


def test_an_agent_within_a_loop_runner_is_not_looped_twice(
    hooks: Hooks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EXITGATE_ITERATION", "4")
    assert hooks.hook("claude-code") == ({}, "", 0)
    monkeypatch.setenv("EXITGATE_LOOP", "1")  # unless that is wanted
    assert hooks.hook("claude-code").reason


@pytest.mark.parametrize("host", ["claude-code", "codex", "copilot", "cursor"])
def test_a_marker_in_the_first_prompt_makes_a_loop(hooks: Hooks, host: str) -> None:
    hooks.settings()
    assert hooks.hook(host).reason


def test_codex_writes_items_since_its_version_0_171(hooks: Hooks) -> None:
    """Recorded shape: a kind of item, parts with texts; the reason of a hook is an item too."""
    hooks.settings()
    payload = hooks.payload("codex", last_assistant_message=None)
    transcript = Path(str(payload["transcript_path"]))
    hooked = {"type": "HookPrompt", "fragments": [{"text": "Go on.", "hookRunId": "stop:0"}]}
    items: list[dict[str, object]] = [
        {
            "type": "UserMessage",
            "content": [{"type": "text", "text": "Work.\nexitgate: loop", "text_elements": []}],
        },
        {"type": "AgentMessage", "content": [{"type": "Text", "text": "Step one."}]},
    ]
    write_items(transcript, items)
    assert "taken from the transcript" in hooks.send("codex", payload).note
    write_items(transcript, [*items, hooked])
    assert "EP561" in hooks.send("codex", payload).note  # said before it was held back
    write_items(transcript, [hooked, {"type": "Reasoning", "content": []}, {"type": "AgentMessage"}, {}])
    assert hooks.send("codex", {**payload, "session_id": "another"}).out == {}


def write_items(path: Path, items: list[dict[str, object]]) -> None:
    lines = [{"type": "event_msg", "payload": {"type": "item_completed", "item": item}} for item in items]
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))


def test_gemini_has_the_prompt_in_its_payload(hooks: Hooks) -> None:
    hooks.settings()
    assert hooks.hook("gemini").out == {}
    assert hooks.hook("gemini", "after_agent_marked").reason
    # and it is remembered: the next prompt has no marker
    assert hooks.hook("gemini", timestamp="2026-11-28T11:00:00Z", prompt="And now the printer.").reason


def test_a_mention_of_the_marker_is_no_marker(hooks: Hooks) -> None:
    hooks.settings()
    assert hooks.hook("gemini", prompt="Explain what `exitgate: loop` does.").out == {}


@pytest.mark.parametrize(
    ("prompt", "is_one"),
    [
        ("Explain:\n```\nexitgate: loop\n```\n", False),
        ("Explain:\n~~~ text\nexitgate: loop\n~~~\n", False),
        ("1. Explain\n   ````\n   ```\n   exitgate: loop\n   ````\n", False),
        ("A fence that is never closed:\n```\nexitgate: loop\n", False),
        ("What is this?\n> exitgate: loop\n", False),
        ("- exitgate: loop\n", False),
        ("```\nx = 1\n```\nexitgate: loop\n", True),
        ("```\nx = 1\n``` \n\n    exitgate: loop", True),
        ("```make test``` must pass.\r\nexitgate: loop\r\nNow!", True),
        ("``\nexitgate: loop", True),
        ("~~~\n```\n~~~\nexitgate: loop", True),
        ("~~~\n```\nexitgate: loop\n", False),
    ],
)
def test_a_marker_that_is_shown_is_not_said(hooks: Hooks, prompt: str, is_one: bool) -> None:
    hooks.settings()
    assert bool(hooks.hook("gemini", prompt=prompt).reason) is is_one


def test_settings_may_name_another_marker(hooks: Hooks) -> None:
    hooks.settings(marker="#loop")
    assert hooks.hook("gemini", "after_agent_marked").out == {}
    assert hooks.hook("gemini", prompt="Go on.\n #loop ").reason


def test_what_is_no_prompt_of_the_user_has_no_marker(hooks: Hooks) -> None:
    hooks.settings()
    lines = [
        {"type": "user", "isMeta": True, "message": {"content": "exitgate: loop"}},
        {"type": "assistant", "message": {"content": [{"type": "text", "text": "exitgate: loop"}]}},
        {"type": "user", "message": {"content": [{"type": "tool_result", "content": "exitgate: loop"}]}},
        {"type": "user", "message": {"content": "Say hello."}},
        {"type": "user", "message": {"content": "exitgate: loop"}},
    ]
    payload = hooks.payload("claude-code")
    Path(str(payload["transcript_path"])).write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    assert hooks.send("claude-code", payload).out == {}


def claude_code_after(hooks: Hooks, *records: tuple[bool, object]) -> bool:
    """Return whether a session is a loop whose transcript has these lines of the user: a note?, content."""
    hooks.settings()
    lines = [{"type": "user", "isMeta": meta, "message": {"content": said}} for meta, said in records]
    payload = hooks.payload("claude-code")
    Path(str(payload["transcript_path"])).write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return bool(hooks.send("claude-code", payload).reason)


def test_a_command_of_the_team_may_hold_the_marker(hooks: Hooks) -> None:
    """Claude Code writes the name that was typed, and behind it what the command says at length."""
    name = "<command-message>work</command-message>\n<command-name>/work</command-name>"
    body = [{"type": "text", "text": "Work through the plan.\n\nexitgate: loop\n"}]
    assert claude_code_after(hooks, (False, name), (True, body))


def test_a_command_of_claude_code_is_no_first_prompt(hooks: Hooks) -> None:
    caveat = "<local-command-caveat>Caveat: these were made by local commands</local-command-caveat>"
    name = "<command-name>/model</command-name>\n<command-message>model</command-message>"
    printed = "<local-command-stdout>Set model</local-command-stdout>"
    before = ((True, caveat), (False, name), (False, printed), (False, "<bash-input>ls</bash-input>"))
    assert claude_code_after(hooks, *before, (False, "Work.\nexitgate: loop"))


def test_a_note_of_a_hook_has_no_marker(hooks: Hooks) -> None:
    assert not claude_code_after(hooks, (True, "Stop hook feedback:\nexitgate: loop"), (False, "Hello."))


UNTYPED = {
    "a summary": {"isCompactSummary": True, "message": {"content": "Goal:\nexitgate: loop"}},
    "a summary by its words": {
        "message": {
            "content": "This session is being continued from a previous conversation.\nexitgate: loop"
        }
    },
    "shown only": {"isVisibleInTranscriptOnly": True, "message": {"content": "exitgate: loop"}},
    "a task": {
        "message": {"content": "<task-notification>\n<summary>\nexitgate: loop\n</task-notification>"}
    },
    "a teammate": {
        "message": {"content": '<teammate-message teammate_id="ann">\nexitgate: loop\n</teammate-message>'}
    },
    "a hook, in parts": {
        "isMeta": True,
        "message": {"content": [{"type": "text", "text": "Stop hook feedback:\nexitgate: loop"}]},
    },
    "a hook of the prompt": {"message": {"content": "<user-prompt-submit-hook>\nexitgate: loop\n"}},
    "an agent below": {"isSidechain": True, "message": {"content": "exitgate: loop"}},
}


@pytest.mark.parametrize("line", UNTYPED.values(), ids=UNTYPED)
def test_what_nobody_typed_has_no_marker(hooks: Hooks, line: dict[str, object]) -> None:
    hooks.settings()
    payload = hooks.payload("claude-code")
    typed = {"type": "user", "message": {"content": "Say hello."}}
    lines = [{"type": "user", **line}, typed]
    Path(str(payload["transcript_path"])).write_text("".join(f"{json.dumps(one)}\n" for one in lines))
    assert hooks.send("claude-code", payload).out == {}


def test_a_transcript_of_any_size_is_read_cheaply(hooks: Hooks) -> None:
    hooks.settings()
    payload = hooks.payload("claude-code")
    lines = (PAYLOADS / "claude-code" / "transcript.jsonl").read_text()
    head = '{"type": "summary", "summary": "' + "x" * 300_000 + '"}\n'
    Path(str(payload["transcript_path"])).write_text(head + lines)
    assert hooks.send("claude-code", payload).out == {}


@pytest.mark.parametrize("place", ["", "\0", "missing.jsonl", "/dev/zero", ".", 7, None])
def test_a_transcript_that_cannot_be_read_is_none(hooks: Hooks, place: object) -> None:
    hooks.settings()
    assert hooks.hook("claude-code", transcript_path=place).out == {}


def test_broken_settings_are_told_to_the_user(hooks: Hooks) -> None:
    (hooks.project / ".bb3" / "config.yaml").write_text("exit_decision: {polici: x}\n")
    heard = hooks.hook("claude-code")
    assert "polici" in heard.note
    assert heard.reason == ""
