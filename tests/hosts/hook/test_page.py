"""What `docs/explanation/hooks.md` says is what happens."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hosts_calls import HOSTS, Hooks

from exitgate.core.ledger import file
from exitgate.hosts.hook import protocol, session_files, transcript
from exitgate.hosts.hook.session import PROMPTS

PAGE = (Path(__file__).parents[3] / "docs" / "explanation" / "hooks.md").read_text(encoding="utf-8")


def row(name: str) -> list[str]:
    """Return the cells of a row of the table of hosts."""
    line = next(line for line in PAGE.splitlines() if line.startswith(f"| {name} |"))
    return [cell.strip() for cell in line.strip("|").split("|")[1:]]


def test_the_example_is_what_is_printed(hooks: Hooks) -> None:
    said = PAGE.split("$ exitgate hook claude-code < payload.json\n")[1].split("\n")[0]
    assert hooks.hook("claude-code").out == json.loads(said)


@pytest.mark.parametrize("host", HOSTS)
def test_each_host_has_its_limits(host: str) -> None:
    at = HOSTS.index(host)
    cap = protocol.load_host(host).cap({})
    known, ours = row("host's limit")[at], row("our default")[at]
    assert known == "none known" or str(cap) in known
    assert ours in (str(cap - 1), "one less")


@pytest.mark.parametrize("host", HOSTS)
def test_each_host_is_answered_as_the_page_says(hooks: Hooks, host: str) -> None:
    said = row("hold back")[HOSTS.index(host)]
    for field in hooks.hook(host).out:
        assert field in said


def test_figures() -> None:
    text = " ".join(PAGE.split())
    assert f"the ledger's lock, {file.WAIT:g} s at most" in text
    assert f"for each other, {session_files.WAIT:g} s at most" in text
    assert f"first {transcript.HEAD // 1024} kB of the transcript" in text
    assert f"up to {transcript.TAIL // 1024 // 1024} MB of its end" in text
    assert {4: "four times the limit"}[PROMPTS] in text
