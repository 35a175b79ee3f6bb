"""`exitgate install HOST`: what is written, what is said, and what a second one changes."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from cli_program import run_apart
from cli_terminal import run_on_terminal
from compiled import COMPILED, compile_for
from install_texts import HOST_IDS, theirs

from exitgate.hosts.hook import protocol as hooks
from exitgate.hosts.hook.payload import Payload
from exitgate.hosts.install.inspect import HOSTS

if TYPE_CHECKING:
    from install_place import Place


def entry_of(place: Place, name: str, scope: str = "project") -> dict[str, object]:
    host = HOSTS[name]
    listed = json.loads(place.settings(name, scope).read_bytes())["hooks"][host.events[0]]
    (item,) = [one for one in listed if one != theirs(host)]
    found = item["hooks"][0] if host.grouped else item
    assert isinstance(found, dict)
    return found


def test_every_host_of_the_hook_can_be_installed() -> None:
    assert tuple(HOSTS) == hooks.HOSTS
    for name in HOSTS:
        payload = Payload(hook_event_name=HOSTS[name].events[0])
        turn = hooks.load_host(name).read(payload, {})
        assert turn.aside == "", "its hook answers to the event"


@pytest.mark.parametrize(
    ("name", "key", "number"),
    [
        ("claude-code", "timeout", 30),
        ("codex", "timeout", 30),
        ("gemini", "timeout", 30_000),
        ("copilot", "timeoutSec", 30),
        ("cursor", "timeout", 30),
    ],
)
def test_the_time_limit_in_the_unit_of_the_host(name: str, key: str, number: int, place: Place) -> None:
    assert place("install", name, "--yes").code == 0
    assert entry_of(place, name)[key] == number
    again = place("install", name, "--timeout", "5", "--yes")
    assert again.code == 0
    assert entry_of(place, name)[key] == number // 6
    assert place("install", name, "--timeout", "5", "--yes").out == ""
    assert place("install", name, "--yes").out == "", "without the option a limit that is there stays"
    before = {"project/.git": None}
    place("uninstall", name, "--yes")
    assert place.everything() == before, "two installs are taken back by one uninstall"


@pytest.mark.parametrize("name", HOST_IDS)
def test_the_users_own_settings(name: str, place: Place) -> None:
    ran = place("install", name, "--user", "--yes")
    assert ran.code == 0
    assert entry_of(place, name, "user")
    assert not place.settings(name).exists()
    assert f"the hook is in ~/{HOSTS[name].home}/" in place("uninstall", name, "--yes").err
    assert f"`exitgate uninstall {name} --user`" in place("uninstall", name).err
    shown = place("uninstall", name, "--user")
    assert f"`exitgate uninstall {name} --user --yes` writes it" in shown.err
    assert place("uninstall", name, "--user", "--yes").code == 0
    assert place.everything() == {"project/.git": None}


@pytest.mark.parametrize(
    ("name", "variable"),
    [("claude-code", "CLAUDE_CONFIG_DIR"), ("codex", "CODEX_HOME"), ("copilot", "COPILOT_HOME")],
)
def test_a_home_of_the_hosts_own(
    name: str, variable: str, place: Place, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(variable, str(tmp_path / "elsewhere"))
    assert place("install", name, "--user", "--yes").code == 0
    assert (tmp_path / "elsewhere" / HOSTS[name].user).is_file()
    assert not place.settings(name, "user").exists()
    monkeypatch.setenv(variable, "not/absolute")
    assert place("install", name, "--user", "--yes").code == 0
    assert place.settings(name, "user").is_file()


def test_from_a_folder_below_the_root(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    below = place.project / "a" / "b"
    below.mkdir(parents=True)
    monkeypatch.chdir(below)
    ran = place("install", "claude-code", "--enable", "--yes")
    assert "wrote ../../.claude/settings.json\n" in ran.out
    assert (place.project / ".bb3" / "config.yaml").is_file()
    assert list(below.iterdir()) == []


def test_not_on_path(place: Place) -> None:
    """The command is one that works: by path, and told."""
    (place.programs / "exitgate").unlink()
    ran = place("install", "codex", "--yes")
    assert "`exitgate` is not on PATH" in ran.err
    assert "other users of these settings may not have it there\n" in ran.err
    command = str(entry_of(place, "codex")["command"])
    program = command.removesuffix(" hook codex")
    assert program in (
        str(Path(sys.executable).with_name("exitgate")),
        f"{sys.executable} -m exitgate",
    )
    assert os.access(program.split()[0], os.X_OK)
    assert place("install", "codex", "--yes").out == "", "it is known again"
    assert place("uninstall", "codex", "--yes").code == 0
    assert place.everything() == {"project/.git": None}


@pytest.mark.parametrize("name", HOST_IDS)
def test_a_program_that_is_gone_is_mended(name: str, place: Place) -> None:
    place("install", name, "--yes")
    text = place.settings(name).read_text(encoding="utf-8")
    place.settings(name).write_text(text.replace("exitgate hook", "/gone/exitgate hook"), encoding="utf-8")
    ran = place("install", name, "--yes")
    assert f"wrote {HOSTS[name].project}" in ran.out
    assert place.settings(name).read_text(encoding="utf-8") == text


@pytest.mark.parametrize(
    "command",
    [
        "exitgate hook claude-code --policy bb3",
        "EXITGATE_LOOP=1 exitgate hook claude-code",
        "python3 -m exitgate hook claude-code",
        '"/opt/my tools/exitgate" hook claude-code',
        "bash -lc 'exitgate hook claude-code'",
    ],
)
def test_a_hook_of_ours_in_other_words_is_known(command: str, place: Place) -> None:
    place.program("python3")
    item = {"hooks": [{"type": "command", "command": "lint"}, {"type": "command", "command": command}]}
    raw = json.dumps({"hooks": {"Stop": [item], "SubagentStop": [item]}}, indent=2).encode()
    place.write("claude-code", raw)
    assert place("uninstall", "claude-code", "--yes").code == 0
    left = {"hooks": [{"type": "command", "command": "lint"}]}
    assert json.loads(place.settings("claude-code").read_bytes()) == {
        "hooks": {"Stop": [left], "SubagentStop": [left]}
    }


@pytest.mark.parametrize(
    "command",
    [
        "exitgate check",
        "exitgate hook codex",
        "myexitgate hook claude-code",
        "echo exitgate hook codex",
        "'",
        "sh -c",
    ],
)
def test_what_only_looks_like_it_is_left_alone(command: str, place: Place) -> None:
    raw = json.dumps({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": command}]}]}}).encode()
    place.write("claude-code", raw)
    assert place("uninstall", "claude-code", "--yes").err == "nothing to remove\n"
    assert place("install", "claude-code", "--yes").code == 0
    assert place("uninstall", "claude-code", "--yes").code == 0
    assert place.settings("claude-code").read_bytes() == raw


@pytest.mark.parametrize(("typed", "writes"), [("y\n", True), ("n\n", False), ("\x04", False)])
def test_a_terminal_is_asked(typed: str, writes: bool, place: Place) -> None:
    ran = run_on_terminal(
        "install", "codex", cwd=place.project, typed=typed, NO_COLOR="1", HOME=str(place.home),
    )  # fmt: skip
    assert ran.code == 0
    assert "write this? [y/N] " in ran.out
    assert ("wrote .codex/hooks.json" in ran.out) == writes
    assert place.settings("codex").exists() == writes


def test_after_enable_the_next_session_is_a_loop(place: Place) -> None:
    """The command that stands in the settings holds the agent back, as the host would run it."""
    payload = {
        "session_id": "s1", "hook_event_name": "Stop", "stop_hook_active": False, "cwd": str(place.project),
        "last_assistant_message": "One task done, two are left.", "transcript_path": "/none",
    }  # fmt: skip
    quiet = {"HOME": str(place.home), "PATH": os.environ["PATH"]}

    def stop() -> dict[str, object]:
        compile_for(place.project, {**quiet, "EXITGATE_CACHE_DIR": COMPILED})
        command = str(entry_of(place, "claude-code")["command"]).split()
        ran = run_apart(*command[1:], cwd=place.project, stdin=json.dumps(payload), **quiet)
        assert ran.code == 0, ran.err
        found = json.loads(ran.out)
        assert isinstance(found, dict)
        return found

    place("install", "claude-code", "--yes")
    assert stop() == {}, "a session that is no loop is left alone"
    ran = place("install", "claude-code", "--enable", "--yes")
    assert ran.out.endswith("wrote .bb3/config.yaml\nwrote .bb3/config.schema.json\n")
    assert stop()["decision"] == "block"


def test_what_is_said_beside(place: Place) -> None:
    assert "type `/hooks` in Codex" in place("install", "codex").err
    assert "exitgate install codex --enable" in place("install", "codex").err
    over = place("install", "claude-code", "--max-blocks", "20").err
    assert "Claude Code ends a turn after 8 blocks in a row; start it with " in over
    assert "`CLAUDE_CODE_STOP_HOOK_BLOCK_CAP=21` to allow more\n" in over
    firm = place("install", "copilot", "--max-blocks", "20").err
    assert "Copilot CLI ends a turn after 8 blocks in a row, regardless of the settings here\n" in firm
    assert "blocks in a row" not in place("install", "claude-code", "--max-blocks", "7").err
    again = place("install", "cursor", "--enable", "--max-blocks", "20", "--timeout", "9", "--project").err
    line = "exitgate install cursor --project --enable --timeout 9 --max-blocks 20 --yes"
    assert again == f"nothing was written; `{line}` writes it\n"
    assert place(*line.split()[1:]).code == 0
    assert entry_of(place, "cursor")["loop_limit"] == 21
    assert "not treated as loops" not in place("install", "cursor").err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("claud-code",), "no host `claud-code`"),
        (("claude-code", "--user", "--project"), "`--project` and `--user` name two files"),
        (("claude-code", "--timeout", "0"), "--timeout"),
        (("claude-code", "--max-blocks", "0"), "--max-blocks"),
        (("claude-code", "--max-blocks", "1001"), "`--max-blocks` is at most 1000"),
        (("--enable",), "`--enable` needs a host"),
        (("--yes",), "`--yes` needs a host"),
    ],
)
def test_usage(words: tuple[str, ...], message: str, place: Place) -> None:
    ran = place("install", *words)
    assert ran.code == 64
    assert message in ran.err
    assert place.everything() == {"project/.git": None}


def test_the_list(place: Place) -> None:
    place.program("codex")
    place("install", "codex", "--yes")
    place.write("gemini", b"{", "user")
    out = place("install").out.replace("\n               ", " ")
    assert f"● codex        installed in .codex/hooks.json, Codex CLI is at {place.programs}/codex\n" in out
    assert "○ claude-code  not installed, no Claude Code on PATH\n" in out
    plain = {one["host"]: one for one in json.loads(place("install", "--format", "json").out)}
    assert list(plain) == list(HOST_IDS)
    assert plain["codex"]["installed"] is True
    assert plain["codex"]["files"][0]["events"] == {"Stop": "exitgate hook codex"}
    assert plain["claude-code"]["found"] is plain["claude-code"]["installed"] is False
    assert "is not JSON" in plain["gemini"]["files"][1]["problem"]


def test_at_home_the_project_is_the_user(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """One file, told once."""
    monkeypatch.chdir(place.home)
    assert place("install", "claude-code", "--yes").code == 0
    plain = {one["host"]: one for one in json.loads(place("install", "--format", "json").out)}
    assert [one["scope"] for one in plain["claude-code"]["files"]] == ["user"]
    assert place("install", "claude-code", "--user", "--yes").out == ""
    assert place("uninstall", "claude-code", "--yes").code == 0
    assert place.everything() == {"project/.git": None}


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("exit_decision:\n  no_such_knob: 1\n", "EP468"),
        ("exit_decision:\n  hooks: {enable: true}\n", "EP201"),
        ("exit_decision:\n  policy: ./gone.yaml\n", "EP"),
        ("exit_decision: [\n", "EP1"),
    ],
)
def test_settings_that_cannot_decide_are_told_first(text: str, code: str, place: Place) -> None:
    config = place.project / ".bb3" / "config.yaml"
    config.parent.mkdir()
    config.write_text(text, encoding="utf-8")
    ran = place("install", "claude-code", "--enable", "--yes")
    assert ran.code in (65, 66)
    assert f"error[{code}" in ran.err
    assert config.read_text(encoding="utf-8") == text
    assert not place.settings("claude-code").exists()
