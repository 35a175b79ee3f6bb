"""What `doctor` says of hosts and incidents, and `config` of hooks."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from install_texts import HOST_IDS, theirs

from exitgate.cli.commands.doctor import DAY, DAYS, HELP, grouped, host_findings, incident_findings
from exitgate.core.state.incidents import KINDS, note
from exitgate.core.state.request import Request
from exitgate.hosts.install.inspect import HOSTS
from exitgate.report.doctor import ABSENT, FOUND, WARNING, Finding

if TYPE_CHECKING:
    from install_place import Place

NOW = 1_800_000_000.0


def found(_: Place, subject: str) -> list[Finding]:
    request = Request()
    return [one for one in (*host_findings(request), *incident_findings(request)) if one.subject == subject]


def test_a_machine_without_hosts(place: Place) -> None:
    assert all(found(place, name) == [] for name in (*HOST_IDS, "loops"))
    (none,) = found(place, "incidents")
    assert (none.state, none.text) == (ABSENT, "none in the last 7 days")


@pytest.mark.parametrize("name", HOST_IDS)
def test_from_a_program_to_a_loop(name: str, place: Place) -> None:
    host = HOSTS[name]
    program = place.program(host.programs[0])
    (one,) = found(place, name)
    assert (one.state, one.text, one.origin) == (ABSENT, "no hook", str(program))
    assert one.help == f"`exitgate install {name}` shows what it would write"
    assert found(place, "loops") == []

    place("install", name, "--yes")
    (one,) = found(place, name)
    assert (one.state, one.origin) == (FOUND, host.project)
    assert one.text == f"hook on {' and '.join(host.events)}: exitgate hook {name}"
    (loops,) = found(place, "loops")
    assert loops.state == ABSENT
    assert "`exitgate: loop` in its first prompt, or with EXITGATE_LOOP=1" in loops.text

    place("install", name, "--enable", "--max-blocks", "3", "--yes")
    (loops,) = found(place, "loops")
    assert loops.text == "every session here is a loop, blocked at most 3 times in a row"
    assert loops.origin == "project, .bb3/config.yaml:6:14"


@pytest.mark.parametrize("switches", ["", " -u", " -E -s", " -P", " -I", " -sP", "PYTHONSAFEPATH=1"])
def test_a_hook_whose_python_imports_from_the_folder_is_renewed(switches: str, place: Place) -> None:
    place("install", "claude-code", "--yes")
    place.program("python3")
    path = place.settings("claude-code")
    text = path.read_text(encoding="utf-8")
    command = f"{switches} python3 -m" if "=" in switches else f"python3{switches} -m"
    path.write_text(text.replace("exitgate hook", f"{command.strip()} exitgate hook"), encoding="utf-8")
    is_safe = "P" in switches or "I" in switches
    (one,) = found(place, "claude-code")
    assert (one.state == FOUND) is is_safe
    assert ("runs modules of the folder" in one.text) is not is_safe
    place("install", "claude-code", "--yes")
    assert (path.read_text(encoding="utf-8") == text) is not is_safe


@pytest.mark.parametrize("name", HOST_IDS)
def test_what_is_wrong_with_a_hook(name: str, place: Place) -> None:
    host = HOSTS[name]
    place("install", name, "--yes")
    path = place.settings(name)
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("exitgate hook", "/gone/exitgate hook"), encoding="utf-8")
    (one,) = found(place, name)
    assert one.state == WARNING
    assert one.text == f"the hook cannot run: no such program: /gone/exitgate hook {name}"
    assert one.help == f"`exitgate install {name}` fixes it"

    path.write_text(text, encoding="utf-8")
    place("install", name, "--user", "--yes")
    *_, twice = found(place, name)
    assert (twice.state, twice.text) == (WARNING, "the hook is installed more than once")
    place("uninstall", name, "--user", "--yes")

    plain = json.loads(text)
    plain["hooks"][host.events[0]].append(theirs(host))
    path.write_text(json.dumps(plain), encoding="utf-8")
    ours, others = found(place, name)
    assert ours.state == others.state == FOUND
    assert "other hooks" in others.text
    assert "`lint --all`" in others.text

    path.write_text("{", encoding="utf-8")
    broken, absent = found(place, name)
    assert (broken.state, absent.state) == (WARNING, ABSENT)
    assert broken.origin == f"{host.project}:1:2"


@pytest.mark.parametrize("name", HOST_IDS)
def test_a_host_that_is_started_below_the_root(
    name: str, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tried with four hosts: Codex reads the file at the root, others that of their own folder alone."""
    below = place.project / "packages" / "one"
    below.mkdir(parents=True)
    monkeypatch.chdir(below)
    told = f"{HOSTS[name].title} reads it only if it is started in `../..`, not below"
    ran = place("install", name, "--yes")
    (one,) = found(place, name)
    assert (told in ran.err, one.help) == ((False, "") if name == "codex" else (True, told))
    place("uninstall", name, "--yes")
    assert told not in place("install", name, "--user", "--yes").err
    monkeypatch.chdir(place.project)
    assert "reads it only" not in place("install", name, "--yes").err


@pytest.mark.parametrize("name", ["claude-code", "copilot"])
@pytest.mark.parametrize("scope", ["project", "user"])
def test_a_switch_that_turns_hooks_off(name: str, scope: str, place: Place) -> None:
    """Tried with both hosts: they run none, and say nothing of it."""
    place.write(name, b'{"disableAllHooks": true}\n', scope)
    title = HOSTS[name].title
    ran = place("install", name, "--yes")
    assert f"{title} does not run hooks while `disableAllHooks` is true in its settings" in ran.out + ran.err
    off = [one for one in found(place, name) if one.state == WARNING]
    assert [one.text for one in off] == [f"{title} does not run hooks: `disableAllHooks` is true"]
    path = place.settings(name, scope)
    path.write_bytes(path.read_bytes().replace(b"true", b"false"))
    assert [one for one in found(place, name) if one.state == WARNING] == []
    ran = place("install", name, "--yes", "--timeout", "9")
    assert "disableAllHooks" not in ran.err


def test_one_event_of_two(place: Place) -> None:
    place("install", "claude-code", "--yes")
    plain = json.loads(place.settings("claude-code").read_bytes())
    del plain["hooks"]["SubagentStop"]
    place.write("claude-code", json.dumps(plain).encode())
    (one,) = found(place, "claude-code")
    assert (one.state, one.text) == (WARNING, "no hook on SubagentStop")
    place("install", "claude-code", "--yes")
    (one,) = found(place, "claude-code")
    assert one.state == FOUND


REFUSED = {
    "claude-code": "comments",
    "codex": "comments and a byte-order mark",
    "gemini": "a byte-order mark",
    "copilot": "comments and a byte-order mark",
}


@pytest.mark.parametrize("name", HOST_IDS)
def test_what_makes_a_host_read_nothing(name: str, place: Place) -> None:
    """As tried with the hosts themselves; Cursor was not."""
    place.write(name, b'\xef\xbb\xbf{\n  "model": "x" // the best\n}\n')
    ran = place("install", name, "--yes")
    refused = REFUSED.get(name, "")
    said = f"ignores a file with {refused}: remove it from {HOSTS[name].project}\n"
    assert (said in ran.err) == bool(refused)
    (one,) = found(place, name)
    assert one.state == (WARNING if refused else FOUND)
    assert one.help == (f"remove {refused}" if refused else "")
    place.write(name, b'{\n  "model": "x", "y": "// none"\n}\n')
    assert "ignores a file" not in place("install", name, "--yes").err
    assert found(place, name)[0].state == FOUND


def test_the_plugin_brings_the_hook_as_well(place: Place) -> None:
    enabled = b'{"enabledPlugins": {"exitgate@exitgate": true, "other@x": true}}\n'
    place.write("claude-code", enabled, "user")
    (one,) = found(place, "claude-code")
    assert (one.state, one.text) == (FOUND, "hook of the plugin exitgate@exitgate")
    ran = place("install", "claude-code", "--enable", "--yes")
    assert (
        "the plugin exitgate@exitgate, enabled in ~/.claude/settings.json, has the hook already\n" in ran.err
    )
    assert not place.settings("claude-code").exists()
    assert found(place, "loops")[0].state == FOUND
    place.write("claude-code", enabled.replace(b'e@exitgate": true', b'e@exitgate": false'), "user")
    place("install", "claude-code", "--yes")
    assert place.settings("claude-code").is_file()


def test_the_users_local_settings_are_read(place: Place) -> None:
    place("install", "claude-code", "--yes")
    local = place.project / ".claude" / "settings.local.json"
    place.settings("claude-code").rename(local)
    (one,) = found(place, "claude-code")
    assert (one.state, one.origin) == (FOUND, ".claude/settings.local.json")
    assert "remove it by hand" in place("uninstall", "claude-code", "--yes").err


def test_every_kind_of_incident_says_what_to_do() -> None:
    assert set(HELP) == set(KINDS)


def test_incidents_are_grouped(place: Place) -> None:
    kept = [
        {"time": NOW - 8 * DAY, "kind": "killed", "message": "long ago"},
        {"time": NOW - 2 * DAY, "kind": "capped", "message": "first", "host": "codex"},
        {"time": NOW - DAY, "kind": "killed", "message": "once"},
        {
            "time": NOW - 60,
            "kind": "capped",
            "message": "again",
            "host": "codex",
            "session": "s",
            "empty": None,
        },
        {"time": "never", "kind": "capped", "message": "no time"},
        {"time": 1e300, "kind": "odd\x1b[2J", "message": "from the end of time"},
    ]
    odd, capped, killed = grouped(kept, NOW)
    assert "of unknown kind" in odd.text
    assert capped.text == f"2 times: {KINDS['capped']}"
    assert capped.origin.endswith("local time: again (host codex, session s)")
    assert killed.text == f"once: {KINDS['killed']}"
    assert {one.state for one in (odd, capped, killed)} == {WARNING}
    assert grouped(kept[:1], NOW)[0].text == f"none in the last {DAYS} days"

    for message in ("a", "b"):
        assert note(str(place.project / ".ralph" / "exitgate"), "failed_open", message, host="gemini")
    (one,) = found(place, "incidents")
    assert one.text == f"2 times: {KINDS['failed_open']}"
    assert one.origin.endswith("b (host gemini)")
    place("install", "gemini", "--yes")
    text = place("doctor").out
    assert "! incidents" in text
    assert "● gemini" in text
    plain = json.loads(place("doctor", "--format", "json").out)["findings"]
    assert [one["origin"] for one in plain if one["subject"] == "gemini"] == [".gemini/settings.json"]
    assert "help: " + HELP["failed_open"][:30] in text


def test_config_shows_who_set_what_of_hooks(place: Place) -> None:
    user = place.home / ".config" / "exitgate" / "config.yaml"
    user.parent.mkdir(parents=True)
    user.write_text("exit_decision:\n  hooks: {max_blocks: 2, marker: go go go}\n", encoding="utf-8")
    place("install", "codex", "--enable", "--max-blocks", "4", "--yes")
    rows = [line.split() for line in place("config").out.splitlines() if line.startswith("hooks.")]
    assert [row[:2] for row in rows] == [
        ["hooks.max_blocks", "4"],
        ["hooks.marker", "go"],
        ["hooks.enabled", "true"],
    ]
    assert place("config", "hooks.max_blocks").out.splitlines() == [
        "hooks.max_blocks = 4",
        "  4  project, .bb3/config.yaml:7:17  <- in force",
        "  2  user, ../home/.config/exitgate/config.yaml:2:23",
    ]
    (plain,) = json.loads(place("config", "hooks.enabled", "--format", "json").out)["settings"]
    assert (plain["kind"], plain["value"], plain["layer"], plain["line"]) == ("hooks", True, "project", 6)
    assert place("config", "hooks.enable").code == 64
