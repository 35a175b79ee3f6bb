"""Calls of `exitgate hook` as hosts make them: a payload on standard input, one reply on standard output."""

from __future__ import annotations

import contextlib
import io
import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest
from compiled import COMPILED

from exitgate.cli.main import main
from exitgate.core.ledger import read
from exitgate.core.state.incidents import incidents
from exitgate.hosts.hook import transcript as transcript_module

PAYLOADS = Path(__file__).parent / "payloads"
HOSTS = ("claude-code", "codex", "gemini", "copilot", "cursor")
#: The payload of a plain end of a turn, and the transcripts that payloads name.
PLAIN = {
    "claude-code": "stop", "codex": "stop", "gemini": "after_agent", "copilot": "agent_stop",
    "cursor": "stop",
}  # fmt: skip
TRANSCRIPTS = {
    "claude-code": "transcript.jsonl", "codex": "transcript.jsonl", "copilot": "events.jsonl",
    "cursor": "agent.jsonl",
}  # fmt: skip
POLICY = """\
policy: plan-only
format: 1
version: 1.0.0
title: Goes on while tasks are open
facts:
  tasks: {extract: checklist, from: plan}
rules:
  - id: plan_done
    when: tasks.complete
    exit: complete
    because: "{tasks.done} of {tasks.total} tasks are done"
  - id: tasks_open
    when: tasks.open > 0
    continue: true
    because: "{tasks.open} tasks are open"
    advice: "Take the next open task."
"""
OPEN, DONE = "- [x] one\n- [ ] two\n", "- [x] one\n- [x] two\n"


class Heard(NamedTuple):
    out: dict[str, object]
    err: str
    code: int

    @property
    def reason(self) -> str:
        """What the agent is told to go on with; the empty text where it may stop."""
        held = self.out.get("decision") in ("block", "deny")
        return str(self.out["reason"]) if held else str(self.out.get("followup_message", ""))

    @property
    def note(self) -> str:
        """What the user is shown, wherever the host shows it."""
        return str(self.out.get("systemMessage", "")) + self.err


def isolate(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    """Let nothing of this machine, or of an agent that runs the tests, be seen."""
    for name in list(os.environ):
        if name.startswith(("EXITGATE", "CLAUDE", "GEMINI", "CURSOR", "CODEX", "COPILOT", "XDG_")):
            monkeypatch.delenv(name)
    monkeypatch.setattr(transcript_module, "WAIT_FOR_STOP", 0.05)
    home.mkdir(exist_ok=True)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("EXITGATE_CACHE_DIR", COMPILED)
    monkeypatch.setenv("TMPDIR", str(home))


def words_of(host: str, *words: str) -> list[str]:
    return ["hook", host, *words]


def call(words: list[str], stdin: bytes) -> Heard:
    """Run the program in this process; its standard output must be one JSON object and a line end."""
    out, err = io.StringIO(), io.StringIO()
    with standing_input(stdin), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(words)
    assert out.getvalue().endswith("\n"), (out.getvalue(), err.getvalue())
    reply = json.loads(out.getvalue())
    assert isinstance(reply, dict)
    return Heard(reply, err.getvalue(), code)


@contextlib.contextmanager
def standing_input(content: bytes) -> Iterator[None]:
    """Let `content` be what standard input gives."""
    before = os.dup(0)
    with tempfile.TemporaryFile(dir=os.environ["HOME"]) as file:
        file.write(content)
        file.flush()
        os.dup2(file.fileno(), 0)
        os.lseek(0, 0, os.SEEK_SET)
        try:
            yield
        finally:
            os.dup2(before, 0)
            os.close(before)


class Hooks:
    """A project, and the hooks that are called in it."""

    def __init__(self, project: Path) -> None:
        self.project = project
        self.state = project / ".ralph" / "exitgate"
        self.plan(OPEN)
        (project / "policy.yaml").write_text(POLICY)
        self.settings(enabled=True)

    def plan(self, text: str) -> None:
        (self.project / "fix_plan.md").write_text(text)

    def settings(self, **hooks: object) -> None:
        config = {"exit_decision": {"policy": str(self.project / "policy.yaml"), "hooks": hooks}}
        (self.project / ".bb3").mkdir(exist_ok=True)
        (self.project / ".bb3" / "config.yaml").write_text(json.dumps(config))

    def payload(self, host: str, name: str = "", **fields: object) -> dict[str, object]:
        """A recorded shape, with `fields` in the place of its own; None takes a field away."""
        text = (PAYLOADS / host / f"{name or PLAIN[host]}.json").read_text()
        if host in TRANSCRIPTS:
            name = TRANSCRIPTS[host]
            (self.project / name).write_text((PAYLOADS / host / name).read_text())
        plain: dict[str, object] = json.loads(text.replace("$PROJECT", str(self.project)))
        payload = {key: value for key, value in {**plain, **fields}.items() if value is not ...}
        if host == "copilot":
            self.tell(payload)
        return payload

    def tell(self, payload: Mapping[str, object], transcript: str = "events.jsonl") -> None:
        """Let Copilot's transcript tell of the stop, as it does soon after the hook has begun."""
        record = {"type": "hook.start", "data": {"hookType": "agentStop", "input": payload}}
        with (self.project / transcript).open("a") as file:
            file.write(json.dumps(record) + "\n")

    def hook(self, host: str, name: str = "", *words: str, **fields: object) -> Heard:
        """Call the hook of a host with a recorded shape."""
        return self.send(host, self.payload(host, name, **fields), *words)

    def send(self, host: str, payload: Mapping[str, object] | bytes, *words: str) -> Heard:
        raw = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
        heard = call(words_of(host, *words), raw)
        assert heard.code == 0
        return heard

    def decisions(self) -> list[Mapping[str, object]]:
        """The lines of decisions in the ledger."""
        if not (self.state / "ledger.jsonl").exists():
            return []
        return [line for line in read.lines(str(self.state)) if line["kind"] == "decision"]

    def kinds(self) -> list[object]:
        """The kinds of incidents that were kept."""
        return [one["kind"] for one in incidents(str(self.state))]
