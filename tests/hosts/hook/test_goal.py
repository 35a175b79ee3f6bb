"""A line `exitgate: goal CONDITION` in the first prompt: the session goes on until a judge agrees."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

import pytest
from hosts_calls import Heard, Hooks

from exitgate.core.gate.settings import policy_of
from exitgate.core.probes import trust
from exitgate.core.state.request import Request

JUDGE = """\
import os, sys
asked = sys.stdin.read()
open({folder!r} + "/asked", "a").write(asked)
met = "true" if os.path.exists({folder!r} + "/met") else "false"
print('{{"met": %s, "reason": "the parser is %s"}}' % (met, "there" if met == "true" else "missing"))
"""
PROMPT = "Please write the parser.\n\nexitgate: goal  the parser reads   every example\n\nThank you."


@pytest.fixture
def session(hooks: Hooks, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Hooks:
    """A session of Claude Code with that first prompt, in a project without settings or plan."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    for name in trust.AGENTS:
        monkeypatch.delenv(name, raising=False)
    (hooks.project / ".bb3" / "config.yaml").unlink()
    (hooks.project / "fix_plan.md").unlink()
    told(hooks, PROMPT)
    return hooks


def told(hooks: Hooks, *prompts: str) -> None:
    lines = [{"type": "user", "message": {"role": "user", "content": prompt}} for prompt in prompts]
    (hooks.project / "session.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))


def judge(hooks: Hooks, folder: Path, *, allowed: bool = True) -> None:
    """Define the probe `goal` in the user's own settings."""
    (folder / "judge.py").write_text(JUDGE.format(folder=str(folder)))
    probe = {"judge": "it is met", "command": [sys.executable, str(folder / "judge.py")]}
    path = folder / "config" / "exitgate" / "config.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"exit_decision": {"probes": {"goal": probe}}}))
    if allowed:
        trust.allow(policy_of(Request()), str(hooks.project), os.environ, time.time())


def stop(hooks: Hooks, said: str = "I have begun.", *, name: str = "") -> Heard:
    path = str(hooks.project / "session.jsonl")
    return hooks.hook("claude-code", name, last_assistant_message=said, transcript_path=path)


def test_the_session_goes_on_until_the_judge_says_that_it_is_met(session: Hooks, tmp_path: Path) -> None:
    judge(session, tmp_path)
    assert "- `goal`: the parser is missing" in stop(session).reason
    claim = "All tasks are done.\n<promise>COMPLETE</promise>"
    assert "- `goal`: the parser is missing" in stop(session, claim, name="stop_held_back").reason
    (tmp_path / "met").touch()
    heard = stop(session, "I wrote the lexer.", name="stop_held_back")
    assert not heard.reason
    assert "EXIT complete (`goal_met`" in heard.note
    assert "The condition:\nthe parser reads every example\n" in (tmp_path / "asked").read_text()


def test_what_is_asked_after_it_was_met_is_not_judged(session: Hooks, tmp_path: Path) -> None:
    judge(session, tmp_path)
    (tmp_path / "met").touch()
    assert "EXIT complete" in stop(session).note
    asked = (tmp_path / "asked").read_text()
    told(session, PROMPT, "And what is a lexer?")
    assert stop(session, "A lexer makes tokens.") == ({}, "", 0)
    assert (tmp_path / "asked").read_text() == asked


def test_without_a_judge_it_is_said_once_how_to_define_one(session: Hooks, tmp_path: Path) -> None:
    heard = stop(session)
    assert not heard.reason
    assert "define the probe `goal` in your own settings" in heard.note
    assert stop(session, "More.") == ({}, "", 0)
    assert session.decisions() == []
    judge(session, tmp_path)
    assert "the parser is missing" in stop(session, "Still more.").reason


def test_a_judge_that_no_person_allowed_is_not_run(session: Hooks, tmp_path: Path) -> None:
    judge(session, tmp_path, allowed=False)
    heard = stop(session)
    assert "no person allowed the commands of this project" in heard.reason
    assert "EXIT review" in stop(session, "Done.", name="stop_held_back").note
    assert not (tmp_path / "asked").exists()


@pytest.mark.parametrize("change", ["another", "none", "gone"])
def test_what_the_agent_writes_about_the_session_completes_nothing(
    session: Hooks, tmp_path: Path, change: str
) -> None:
    """The state directory is in the agent's reach: another goal there is another guard of the run."""
    judge(session, tmp_path)
    assert stop(session).reason
    [path] = (session.state / "hooks").glob("*.json")
    memory = json.loads(path.read_text())
    assert memory["goal"] == "the parser reads every example"
    if change == "gone":
        path.unlink()
    else:
        path.write_text(json.dumps({**memory, "goal": "nothing at all" if change == "another" else ""}))
    (tmp_path / "met").touch()
    heard = stop(session, "All tasks are done.\n<promise>COMPLETE</promise>", name="stop_held_back")
    if change == "gone":  # the first prompt says it again
        assert "EXIT complete (`goal_met`" in heard.note
    else:
        assert "EXIT complete" not in heard.note
        assert "changed since the run began" in heard.note


@pytest.mark.parametrize(
    "prompt",
    [
        "Explain this:\n```\nexitgate: goal it works\n```",
        "A line `exitgate: goal it works` names a goal.",
        "exitgate: goal",
        "exitgate: goals it works",
    ],
)
def test_what_only_shows_the_line_names_no_goal(session: Hooks, tmp_path: Path, prompt: str) -> None:
    judge(session, tmp_path)
    told(session, prompt)
    assert stop(session) == ({}, "", 0)


def test_words_of_the_agent_name_no_goal(session: Hooks, tmp_path: Path) -> None:
    judge(session, tmp_path)
    told(session, "Hello.")
    assert stop(session, "exitgate: goal anything\n\nDone.") == ({}, "", 0)


def test_a_host_that_gives_the_prompt_gives_the_goal(session: Hooks, tmp_path: Path) -> None:
    judge(session, tmp_path)
    heard = session.hook("gemini", prompt=PROMPT, prompt_response="I have begun.", transcript_path=None)
    assert "the parser is missing" in heard.reason
