"""What is known to go wrong with hosts, each as a test."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hosts_calls import HOSTS, Hooks

from exitgate.core.ledger import read

COPILOT_SAID = "The parser handles nested lists now; the next task is the printer."


def response_of(hooks: Hooks, number: int = -1) -> object:
    """The digest of the response that a decision was made on."""
    sources = hooks.decisions()[number]["sources"]
    assert isinstance(sources, dict)
    return sources["response"]["digest"]


def test_claude_code_the_transcript_lags(hooks: Hooks) -> None:
    """The message of the payload is decided on, not the older one at the transcript's end."""
    hooks.hook("claude-code", last_assistant_message="newest")
    hooks.hook("claude-code", last_assistant_message="An older message, one turn behind.")
    assert response_of(hooks, 0) != response_of(hooks, 1)


def test_claude_code_without_a_message_the_transcript_is_read_and_that_is_said(hooks: Hooks) -> None:
    heard = hooks.hook("claude-code", "stop_without_message")
    assert heard.reason
    assert "taken from the transcript, which may be behind" in heard.note
    hooks.hook("claude-code", last_assistant_message="An older message, one turn behind.")
    assert response_of(hooks, 0) == response_of(hooks, 1)


def test_no_message_anywhere_is_no_decision(hooks: Hooks) -> None:
    heard = hooks.hook("claude-code", "stop_without_message", transcript_path="missing.jsonl")
    assert "EP561" in heard.note
    assert hooks.decisions() == []
    assert hooks.kinds() == ["failed_open"]


def test_a_response_of_another_loop_is_not_taken_for_the_message(hooks: Hooks) -> None:
    (hooks.project / ".ralph").mkdir()
    (hooks.project / ".ralph" / "last-response.md").write_text("of a shell loop")
    assert "EP561" in hooks.hook("claude-code", "stop_without_message", transcript_path=None).note
    hooks.hook("claude-code", last_assistant_message="")
    assert len(hooks.decisions()) == 1


@pytest.mark.parametrize("name", ["stop_background", "stop_cron"])
def test_claude_code_what_runs_in_the_background_is_waited_for(hooks: Hooks, name: str) -> None:
    heard = hooks.hook("claude-code", name)
    assert heard.reason == ""
    assert "no decision yet, the agent waits for" in heard.note
    assert {"stop_background": "Run the slow tests", "stop_cron": "look at the build"}[name] in heard.note
    assert hooks.decisions() == []


def test_claude_code_many_tasks_are_told_in_short(hooks: Hooks) -> None:
    tasks = [{"type": "shell", "description": f"\x1b[31m{n}"} for n in range(9)]
    note = hooks.hook("claude-code", background_tasks=tasks).note
    assert "and 6 more" in note
    assert "\x1b" not in note


def test_claude_code_the_folder_of_the_project_holds_where_the_agent_went_elsewhere(
    hooks: Hooks, monkeypatch: pytest.MonkeyPatch
) -> None:
    below = hooks.project / "src"
    below.mkdir()
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(hooks.project))
    monkeypatch.chdir(below)
    assert hooks.hook("claude-code", cwd=str(below)).reason
    assert len(hooks.decisions()) == 1
    assert not (below / ".ralph").exists()


def test_paths_of_the_command_line_are_from_the_project(
    hooks: Hooks, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The agent goes into a folder, and Claude Code starts the next hook there."""
    (hooks.project / ".bb3" / "config.yaml").write_text("exit_decision: {hooks: {enabled: true}}\n")
    below = hooks.project / "src"
    below.mkdir()
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(hooks.project))
    for folder in (hooks.project, below):
        monkeypatch.chdir(folder)
        words = ("--policy", "./policy.yaml", "--state-dir", "state")
        assert "of plan-only 1.0.0" in hooks.hook("claude-code", "", *words, cwd=str(folder)).reason
    assert len(list(read.lines(str(hooks.project / "state")))) == 3


def test_a_project_that_may_not_be_entered(hooks: Hooks, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(_path: str) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("exitgate.hosts.hook.answer.os.chdir", refused)
    heard = hooks.hook("claude-code")
    assert "Permission denied" in heard.note
    assert heard.reason == ""


def test_a_hook_may_be_started_anywhere(
    hooks: Hooks, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path / "home")
    for host in HOSTS:
        assert hooks.hook(host).reason
    assert len(hooks.decisions()) == len(HOSTS)
    assert not (tmp_path / "home" / ".ralph").exists()


def test_claude_code_settings_that_cursor_reads(hooks: Hooks) -> None:
    heard = hooks.send("claude-code", hooks.payload("cursor", "stop"))
    assert heard.out == {}
    assert hooks.kinds() == []
    assert hooks.decisions() == []


def test_codex_a_null_transcript(hooks: Hooks) -> None:
    assert hooks.hook("codex", "stop_null_transcript").reason


def test_codex_a_null_message_is_taken_from_the_transcript(hooks: Hooks) -> None:
    assert "taken from the transcript" in hooks.hook("codex", "stop_null_message").note
    hooks.hook("codex", last_assistant_message="The first task is done.")
    assert response_of(hooks, 0) == response_of(hooks, 1)


def test_codex_every_stop_of_a_turn_has_the_same_turn_id(hooks: Hooks) -> None:
    """Taken for the id of a stop, the second stop would get the first one's decision for ever."""
    for number in range(3):
        hooks.hook("codex", stop_hook_active=number > 0)
    assert [line["iteration"] for line in hooks.decisions()] == [1, 2, 3]


def test_codex_is_answered_in_the_shape_of_its_schema(hooks: Hooks) -> None:
    allowed = {"continue", "decision", "reason", "stopReason", "suppressOutput", "systemMessage"}
    for payload in (hooks.payload("codex"), b"no payload", hooks.payload("codex", "subagent_stop")):
        out = hooks.send("codex", payload).out
        assert set(out) <= allowed
        assert out.get("decision") in (None, "block")


@pytest.mark.parametrize("host", HOSTS)
def test_nothing_to_say_is_an_empty_object(hooks: Hooks, host: str) -> None:
    hooks.settings()
    payload = {k: v for k, v in hooks.payload(host).items() if "ranscript" not in k}
    assert hooks.send(host, payload).out == {}


def test_gemini_holding_back_is_a_denial(hooks: Hooks) -> None:
    assert hooks.hook("gemini").out["decision"] == "deny"


def test_gemini_what_only_repeats_the_prompt_is_no_signal(hooks: Hooks) -> None:
    """The prompt stands in the payload, so an echo of it is known as one."""
    (hooks.project / "policy.yaml").write_text(
        "policy: worded\nformat: 1\nversion: 1.0.0\ntitle: Ends on a phrase\n"
        "facts:\n  shipped: {extract: phrases, from: response, phrases: [all is shipped], guards: [echoed]}\n"
        "rules:\n"
        "  - {id: shipped, when: shipped.found, exit: complete, because: shipped}\n"
        "  - {id: more, when: not shipped.found, continue: true, because: not shipped}\n"
    )
    said = "Go on until all is shipped."
    assert hooks.hook("gemini", prompt=f"Work. {said}", prompt_response=said, timestamp="1").reason
    assert "EXIT complete" in hooks.hook("gemini", prompt="Work.", prompt_response=said, timestamp="2").note


def test_gemini_says_in_words_of_its_own_that_nothing_was_said(hooks: Hooks) -> None:
    hooks.hook("gemini", prompt_response="[no response text]", timestamp="1")
    hooks.hook("gemini", prompt_response="", timestamp="2")
    assert response_of(hooks, 0) == response_of(hooks, 1)


def test_copilot_exit_2_would_only_warn(hooks: Hooks) -> None:
    heard = hooks.hook("copilot")
    assert (heard.code, heard.out["decision"]) == (0, "block")


def test_copilot_speaks_two_spellings(hooks: Hooks) -> None:
    assert "blocked 1 of 7" in hooks.hook("copilot").reason
    assert "blocked 2 of 7" in hooks.hook("copilot", "stop_underscores").reason
    assert len({str(line["run"]) for line in hooks.decisions()}) == 1


def test_copilot_has_the_message_in_its_transcript_only(hooks: Hooks) -> None:
    heard = hooks.hook("copilot")
    assert set(heard.out) == {"decision", "reason"}
    assert heard.err == ""
    hooks.hook("copilot", timestamp=1795860001000, lastAssistantMessage=COPILOT_SAID)
    assert response_of(hooks, 0) == response_of(hooks, 1)


def test_a_message_from_before_the_last_prompt_is_not_the_last(hooks: Hooks) -> None:
    payload = hooks.payload("cursor")
    with Path(str(payload["transcript_path"])).open("a") as file:
        file.write(json.dumps({"role": "user", "message": {"content": "And now?"}}) + "\n")
    assert "EP561" in hooks.send("cursor", payload).note


def test_cursor_has_no_flag(hooks: Hooks) -> None:
    held = []
    for number in range(5):
        payload = hooks.payload("cursor")
        line = {"role": "assistant", "message": {"content": [{"type": "text", "text": f"step {number}"}]}}
        with Path(str(payload["transcript_path"])).open("a") as file:
            file.write(json.dumps(line) + "\n")
        held.append(bool(hooks.send("cursor", payload).reason))
    assert held == [True] * 4 + [False]


def test_the_same_words_at_a_later_stop_are_another_iteration(hooks: Hooks) -> None:
    """An agent that says the same again and again is what policies look for."""
    for _ in range(3):
        hooks.hook("claude-code", "stop_held_back")
    assert [line["iteration"] for line in hooks.decisions()] == [1, 2, 3]


@pytest.mark.parametrize("host", ["gemini", "copilot"])
def test_an_event_with_its_own_time_is_decided_on_once(hooks: Hooks, host: str) -> None:
    """Two settings files that both name the hook tell every stop twice."""
    first, second = hooks.hook(host), hooks.hook(host)
    assert first.reason == second.reason
    assert len(hooks.decisions()) == 1


@pytest.mark.parametrize(
    "session", ["(breaker)", "a/../../b", "../x", "é" * 300, "two\nlines", "one#2", ".", "x" * 5000, "\ud800"]
)
def test_an_odd_id_of_a_session_is_made_a_name(hooks: Hooks, session: str) -> None:
    for number in (1, 2):
        assert f"blocked {number} of" in hooks.hook("claude-code", session_id=session).reason
    assert len({str(line["run"]) for line in hooks.decisions()}) == 1
    inside = {path for path in hooks.project.rglob("*.json") if path.parent.name == "hooks"}
    assert len(inside) == 1
    assert list(hooks.project.parent.glob("*.json")) == []


def test_an_environment_that_names_a_run_does_not_rename_the_session(
    hooks: Hooks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EXITGATE_RUN", "shell")
    hooks.hook("claude-code", session_id="mine")
    assert [line["run"] for line in read.lines(str(hooks.state))] == ["mine#1"] * 2


@pytest.mark.parametrize("folder", ["/nowhere/at/all", "relative", "", 7, "\0"])
def test_a_folder_that_is_none_is_the_current_one(hooks: Hooks, folder: object) -> None:
    assert hooks.hook("claude-code", cwd=folder).reason
    assert len(hooks.decisions()) == 1
