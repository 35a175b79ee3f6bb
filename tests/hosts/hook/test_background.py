"""What runs in the background is waited for, but not for ever."""

from __future__ import annotations

import json

import pytest
from hosts_calls import Hooks
from hosts_children import Child, started

from exitgate.core.model.json_object import JsonObject
from exitgate.core.settings.files import SettingsRequest
from exitgate.core.settings.load import load_settled
from exitgate.hosts.hook import session
from exitgate.hosts.hook.protocol import MOST_TASKS, Task, waited_for


def task(id: str, command: str = "sleep 60", description: str = "") -> dict[str, str]:
    return {
        "id": id, "type": "shell", "status": "running", "description": description, "command": command
    }  # fmt: skip


def stops(hooks: Hooks, *each: list[dict[str, str]]) -> list[bool]:
    """Return for each stop, with what runs then, whether it was decided on."""
    found = []
    for number, tasks in enumerate(each):
        before = len(hooks.decisions())
        hooks.hook("claude-code", last_assistant_message=f"step {number}", background_tasks=tasks)
        found.append(len(hooks.decisions()) > before)
    return found


def test_a_server_is_waited_for_at_two_stops_only(hooks: Hooks) -> None:
    server = task("s", "npm run dev")
    assert stops(hooks, *([server],) * 5) == [False, False, True, True, True]
    heard = hooks.hook("claude-code", background_tasks=[server], stop_hook_active=True)
    assert "blocked 4 of 7" in heard.reason


def test_what_was_begun_beside_a_server_is_waited_for_still(hooks: Hooks) -> None:
    server = task("s")
    each = [[server], [server], [server, task("a")], [server], [server, task("b")], [server, task("b")]]
    assert stops(hooks, *each) == [False, False, False, True, False, False]


def test_one_test_run_after_another_is_waited_for(hooks: Hooks) -> None:
    assert stops(hooks, *([task(f"{n}")] for n in range(6))) == [False] * 6


def test_settings_name_servers(hooks: Hooks) -> None:
    hooks.settings(enabled=True, servers=["npm run dev", "the dev server"])
    assert stops(hooks, [task("1", "cd web && npm run dev -- --port 3000")]) == [True]
    assert stops(hooks, [task("2", "vite", "Start the dev server")]) == [True]
    assert stops(hooks, [task("1", "npm run dev"), task("3", "npm run test")]) == [False]


def test_a_project_names_its_servers_over_those_of_the_user(hooks: Hooks) -> None:
    hooks.settings(servers=["one of ours", "two of ours"])
    settled = load_settled(SettingsRequest("recommended"))
    assert settled.policy.layers["hooks"] == {"servers": ("one of ours", "two of ours")}


@pytest.mark.parametrize("servers", [[], ["no"], "npm run dev", [7], ["x" * 201]])
def test_names_of_servers_that_are_none_are_told(hooks: Hooks, servers: object) -> None:
    hooks.settings(enabled=True, servers=servers)
    heard = hooks.hook("claude-code")
    assert ".bb3/config.yaml:1:" in heard.note
    assert heard.reason == ""


def test_what_is_to_be_done_about_a_server_is_told(hooks: Hooks) -> None:
    note = hooks.hook("claude-code", background_tasks=[task("s", "vite")]).note
    assert "`hooks: {servers: [COMMAND]}`" in note


def test_two_hooks_of_one_stop_count_once(hooks: Hooks) -> None:
    payload = hooks.payload("claude-code", background_tasks=[task("s")])

    def late(child: Child) -> None:
        """The second stands before it takes its turn; both began before the first was answered."""
        seen = session.Session._path

        def path(self: session.Session) -> str:
            child.reached_once()
            return seen(self)

        session.Session._path = path  # type: ignore[method-assign]

    with started([Child("claude-code", payload, late)]) as [second]:
        second.wait_until_reached()
        hooks.send("claude-code", payload)
        second.go_on()
        assert "no decision yet" in str(second.reply())
    assert stops(hooks, [task("s")], [task("s")]) == [False, True]


def test_a_session_marked_by_its_prompt_stays_one_where_nothing_is_decided(hooks: Hooks) -> None:
    hooks.settings()
    hooks.hook("claude-code", "stop_background")
    assert hooks.hook("claude-code", transcript_path=None).reason


def test_what_nothing_can_be_remembered_of_lets_the_agent_stop(hooks: Hooks) -> None:
    hooks.state.parent.mkdir()
    hooks.state.write_text("in the way")
    heard = hooks.hook("claude-code", "stop_background")
    assert heard.reason == ""
    assert "EP564" in heard.note


@pytest.mark.parametrize("before", ["", "x", "a:b c:-1 :", ":" * 40, "é:²"])
def test_whatever_was_remembered(before: str) -> None:
    tasks = [Task(f"{n}", "named") for n in range(MOST_TASKS + 5)]
    waited, remembered = waited_for(tasks, JsonObject(), before)
    assert len(waited) == MOST_TASKS
    for _ in range(2):
        waited, remembered = waited_for(tasks, JsonObject(), remembered)
    assert waited == ()
    assert len(json.dumps(remembered)) < 500
