"""Hooks that ask the world: they end before the host does, and no agent stops as complete unverified."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest
from hosts_calls import HOSTS, Heard, Hooks
from hosts_children import Child, started
from patience import wait_for

from exitgate.core.gate.settings import policy_of
from exitgate.core.probes import running, trust
from exitgate.core.state.request import Request
from exitgate.core.system import process_group
from exitgate.hosts.hook.time_limit import MARGIN, margin_of, time_limit

CLAIM = "All tasks are done.\n\n<promise>COMPLETE</promise>"
#: A probe that hangs, with a child of its own that does not listen.
HANGS = 'echo $$ > pid; trap "" TERM; sleep 600 & sleep 600'


def defined(hooks: Hooks, monkeypatch: pytest.MonkeyPatch, line: str, timeout: str = "5m") -> None:
    """Define a probe `tests` that has to pass, and allow it; what does not listen is ended soon."""
    monkeypatch.setattr(running, "GRACE", 0.1)
    section = {
        "policy": "recommended",
        "verify": ["tests"],
        "probes": {"tests": {"shell": line, "timeout": timeout}},
        "hooks": {"enabled": True},
    }
    (hooks.project / ".bb3" / "config.yaml").write_text(json.dumps({"exit_decision": section}))
    (hooks.project / "fix_plan.md").unlink()
    monkeypatch.setenv(trust.VARIABLE, trust.digest_of(trust.covered(policy_of(Request()))))


def stop(hooks: Hooks, *words: str, name: str = "", said: str = CLAIM) -> Heard:
    return hooks.hook("claude-code", name, *words, last_assistant_message=said)


def is_gone(project: Path) -> bool:
    return not process_group.members(int((project / "pid").read_text()))


def classes(hooks: Hooks) -> list[object]:
    return [line["decision"]["class"] for line in hooks.decisions()]  # type: ignore[index]


def test_a_claim_stops_only_once_the_probe_passed(hooks: Hooks, monkeypatch: pytest.MonkeyPatch) -> None:
    defined(hooks, monkeypatch, "echo x >> asked; test -e fixed || { echo 'test_one broke'; exit 1; }")
    held = stop(hooks)
    assert "test_one broke" in held.reason
    (hooks.project / "fixed").touch()
    assert "EXIT complete" in stop(hooks, name="stop_held_back").note
    assert (hooks.project / "asked").read_text() == "x\nx\n"
    assert classes(hooks) == [None, "complete"]


def test_words_that_end_nothing_ask_nothing(hooks: Hooks, monkeypatch: pytest.MonkeyPatch) -> None:
    defined(hooks, monkeypatch, "echo x >> asked")
    assert stop(hooks, said="I have begun with the parser.").reason
    assert not (hooks.project / "asked").exists()


def test_time_that_is_up_blocks_and_then_asks_a_person(hooks: Hooks, monkeypatch: pytest.MonkeyPatch) -> None:
    """A probe may take five minutes, the host waits for three seconds: it and its child end before."""
    defined(hooks, monkeypatch, HANGS)
    held = stop(hooks, "--timeout", "3")
    assert is_gone(hooks.project)
    assert "You said that everything is done, but it is not verified" in held.reason
    assert "`tests`" in held.reason
    assert "that this check had for it were up" in held.reason
    assert "the host waits 3 s for this hook; `exitgate install claude-code` raises that" in held.note
    again = stop(hooks, "--timeout", "3", name="stop_held_back")
    assert is_gone(hooks.project)
    assert not again.reason
    assert "EXIT review" in again.note
    assert classes(hooks) == [None, "review"]
    assert hooks.kinds() == []


def test_the_limit_of_the_probe_itself_is_no_matter_of_the_host(
    hooks: Hooks, monkeypatch: pytest.MonkeyPatch
) -> None:
    defined(hooks, monkeypatch, "sleep 600", timeout="1s")
    held = stop(hooks, "--timeout", "600")
    assert "it took longer than 1 s" in held.reason
    assert "waits" not in held.note


@pytest.mark.parametrize("host", HOSTS)
def test_the_limit_is_what_the_settings_of_the_host_say(
    hooks: Hooks, host: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from exitgate.cli.main import main
    from exitgate.hosts.install.inspect import HOSTS as SETTINGS

    defined(hooks, monkeypatch, "true")
    policy = policy_of(Request())

    def waits() -> float:
        found = time_limit(host, policy, ".", os.environ, 0.0, None)
        assert found is not None
        return found.waits

    assert waits() == SETTINGS[host].waits
    assert main(["install", host, "--yes"]) == 0
    assert waits() == 330
    assert main(["install", host, "--user", "--timeout", "40", "--yes"]) == 0
    assert waits() == 40  # both run; which one this is cannot be known
    assert (
        "its probes may take 330 s with all else: `--timeout 330` gives them that" in capsys.readouterr().err
    )


def test_half_of_a_short_limit_is_for_the_rest() -> None:
    assert (margin_of(600), margin_of(10)) == (MARGIN, 5)


def test_a_hook_that_is_asked_to_end_ends_its_probe(hooks: Hooks, monkeypatch: pytest.MonkeyPatch) -> None:
    """The host gives up: no tree is left, nothing is recorded, the next call asks again and tells of it."""
    defined(hooks, monkeypatch, HANGS)
    payload = hooks.payload("claude-code", last_assistant_message=CLAIM)
    with started([Child("claude-code", payload, lambda _child: None)]) as [child]:
        wait_for(lambda: (hooks.project / "pid").exists() and (hooks.project / "pid").read_text().strip())
        os.kill(child.pid, signal.SIGTERM)
        code, out, _ = child.end()
    assert (code, out) == (99, b"")  # it left by an exception, and said nothing
    assert is_gone(hooks.project)
    assert hooks.decisions() == []
    assert "not verified" in stop(hooks, "--timeout", "1").reason
    assert hooks.kinds() == ["killed"]


@pytest.mark.parametrize("host", HOSTS)
def test_what_a_probe_runs_is_no_loop(hooks: Hooks, host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A judge may be the very agent with this very hook: the end of its turn is not this loop's."""
    monkeypatch.setenv("EXITGATE_PROBE", "1")
    monkeypatch.setenv("EXITGATE_LOOP", "1")
    assert hooks.hook(host) == ({}, "", 0)
    assert not (hooks.project / ".ralph").exists()
