"""How often in a row an agent is held back: our own count, whatever the host's flag says."""

from __future__ import annotations

import os

import pytest
from hosts_calls import DONE, OPEN, Hooks

CAPPED = "blocked {} times in a row and may stop now: the run continues with your next prompt"


def stops(hooks: Hooks, count: int, host: str = "claude-code", **fields: object) -> list[bool]:
    """Return for each of `count` stops, each with another message, whether the agent was held back."""
    name = {"claude-code": "last_assistant_message", "codex": "last_assistant_message"}.get(host, "note")
    return [
        bool(hooks.hook(host, **{name: f"step {n}", "timestamp": n, **fields}).reason) for n in range(count)
    ]


def test_a_flag_that_is_false_on_every_fire_does_not_hold_for_ever(hooks: Hooks) -> None:
    assert stops(hooks, 9, stop_hook_active=False) == [True] * 7 + [False, True]


def test_a_flag_that_is_false_once_in_between_does_not_lose_the_count(hooks: Hooks) -> None:
    hooks.hook("claude-code")
    for flag in (True, False, True, True, True, True):
        assert hooks.hook("claude-code", stop_hook_active=flag, last_assistant_message=f"{flag}").reason
    heard = hooks.hook("claude-code", stop_hook_active=True, last_assistant_message="once more")
    assert CAPPED.format(7) in heard.note


def test_a_flag_without_memory_counts_as_one_block(hooks: Hooks) -> None:
    """Another hook held the agent back, or the memory is gone."""
    assert "blocked 2 of 7" in hooks.hook("claude-code", stop_hook_active=True).reason


def test_at_the_cap_the_decision_stays_and_the_run_goes_on(hooks: Hooks) -> None:
    hooks.settings(enabled=True, max_blocks=2)
    stops(hooks, 2)
    heard = hooks.hook("claude-code", stop_hook_active=True)
    assert heard.reason == ""
    assert heard.note.startswith("exitgate: CONTINUE (`tasks_open`")
    assert CAPPED.format(2) in heard.note
    assert hooks.kinds() == ["capped"]
    assert hooks.hook("claude-code", last_assistant_message="the next prompt's turn").reason
    lines = hooks.decisions()
    assert [line["iteration"] for line in lines] == [1, 2, 3, 4]
    assert len({str(line["run"]) for line in lines}) == 1


def test_an_exit_begins_the_count_again(hooks: Hooks) -> None:
    hooks.settings(enabled=True, max_blocks=2)
    stops(hooks, 2)
    hooks.plan(DONE)
    assert "EXIT complete" in hooks.hook("claude-code").note
    hooks.plan(OPEN)
    assert stops(hooks, 3) == [True, True, False]


def test_a_new_prompt_begins_the_count_again_where_flag_and_id_say_so(hooks: Hooks) -> None:
    """The user interrupted an agent that was held back, and asked something else: no hook tells of it."""
    hooks.settings(enabled=True, max_blocks=2)
    assert stops(hooks, 2, prompt_id="one") == [True, True]
    assert stops(hooks, 3, prompt_id="two", stop_hook_active=False) == [True, True, False]


def test_an_id_alone_is_no_new_prompt(hooks: Hooks) -> None:
    hooks.settings(enabled=True, max_blocks=2)
    assert stops(hooks, 2, prompt_id="one") == [True, True]
    assert stops(hooks, 1, prompt_id="two", stop_hook_active=True) == [False]


def test_an_id_that_changes_on_every_fire_does_not_hold_for_ever(hooks: Hooks) -> None:
    hooks.settings(enabled=True, max_blocks=1)
    held = [
        bool(
            hooks.hook("codex", turn_id=f"{n}", last_assistant_message=f"{n}", stop_hook_active=False).reason
        )
        for n in range(5)
    ]
    assert held == [True] * 4 + [False]


@pytest.mark.parametrize(
    ("host", "settings", "environment", "words", "limit"),
    [
        ("claude-code", None, {}, [], 7),
        ("claude-code", 3, {}, [], 3),
        ("claude-code", 3, {"EXITGATE_MAX_BLOCKS": "2"}, [], 2),
        ("claude-code", 3, {"EXITGATE_MAX_BLOCKS": "2"}, ["--max-blocks", "4"], 4),
        ("claude-code", 100, {}, [], 100),
        ("claude-code", None, {"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": "30"}, [], 29),
        ("claude-code", None, {"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": "4"}, [], 3),
        ("claude-code", None, {"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": "1"}, [], 1),
        ("claude-code", None, {"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": "0"}, [], 7),
        ("claude-code", None, {"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": "many"}, [], 7),
        ("codex", None, {}, [], 7),
        ("codex", 30, {}, [], 30),
        ("gemini", None, {}, [], 7),
        ("copilot", None, {}, [], 7),
        ("copilot", 30, {}, [], 30),
        ("cursor", None, {}, [], 4),
        ("cursor", None, {}, ["--max-blocks=9"], 9),
    ],
)
def test_the_limit_is_the_nearest_that_somebody_says(
    hooks: Hooks,
    monkeypatch: pytest.MonkeyPatch,
    host: str,
    settings: int | None,
    environment: dict[str, str],
    words: list[str],
    limit: int,
) -> None:
    hooks.settings(enabled=True, **({} if settings is None else {"max_blocks": settings}))
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert f"blocked 1 of {limit} time{'' if limit == 1 else 's'}" in hooks.hook(host, "", *words).reason


@pytest.mark.parametrize("value", ["0", "-1", "1001", "many", "\uff11"])
def test_a_limit_that_is_none_lets_the_agent_stop(
    hooks: Hooks, monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv("EXITGATE_MAX_BLOCKS", value)
    heard = hooks.hook("claude-code")
    assert heard.reason == ""
    assert "EP562" in heard.note
    assert hooks.decisions() == []


def test_a_loop_count_of_the_host_counts(hooks: Hooks) -> None:
    assert "blocked 4 of 4" in hooks.hook("cursor", loop_count=3).reason
    assert CAPPED.format(4) in hooks.hook("cursor", loop_count=4).note


def test_sessions_are_counted_apart(hooks: Hooks) -> None:
    hooks.settings(enabled=True, max_blocks=1)
    for session in ("one", "two"):
        assert "blocked 1 of 1" in hooks.hook("claude-code", session_id=session).reason
    assert {str(line["run"]) for line in hooks.decisions()} == {"one#1", "two#1"}


def test_sessions_of_long_ago_are_forgotten(hooks: Hooks) -> None:
    folder = hooks.state / "hooks"
    for session in ("old", "young"):
        hooks.hook("claude-code", session_id=session)
    long_ago = (folder / "old.json").stat().st_mtime - 31 * 24 * 3600
    os.utime(folder / "old.json", (long_ago, long_ago))
    hooks.hook("claude-code", session_id="new")
    assert sorted(path.name for path in folder.iterdir()) == ["new.json", "young.json"]
