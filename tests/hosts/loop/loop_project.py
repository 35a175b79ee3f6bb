"""A project with a small policy, and loops run in it: in this process, or in one that can be killed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from patience import wait_for

from exitgate.cli.commands import run as command
from exitgate.cli.main import main
from exitgate.core.gate.settings import policy_of
from exitgate.core.ledger import read as read_module
from exitgate.core.state.request import Request
from exitgate.hosts.loop import signals as signals_module

if TYPE_CHECKING:
    import pytest

    from exitgate.hosts.loop.signals import Signals

POLICY = """
policy: small
format: 1
version: 1.0.0
title: A promise ends the run
parameters:
  max_iterations: {type: count, default: 20, min: 1, doc: Iterations of one run.}
facts:
  tasks: {extract: checklist, from: plan}
  promise: {extract: promise, from: output, text: DONE}
  infrastructure: {extract: infrastructure, lexicon: infrastructure}
rules:
  - {id: interrupted, when: run.interrupted, exit: interrupted, stage: after_failure, because: interrupted}
  - id: limited
    when: infrastructure.limited
    exit: wait
    retry_after: infrastructure.retry_after
    stage: after_failure
    because: limited
  - {id: failed, when: run.failures_in_row >= 3, exit: failed, stage: after_failure, because: failed again}
  - {id: promised, when: promise.emitted, exit: complete, because: promised}
  - id: many
    when: run.iterations >= $max_iterations
    exit: exhausted
    stage: before_iteration
    because: many
  - id: third
    when: run.iterations == 2
    continue: true
    because: two are done
    advice: "try {run.iterations} more"
otherwise: continue
"""
#: An agent that says so in the iteration of that number.
DONE_IN = 'test "$EXITGATE_ITERATION" -lt {} || echo "<promise>DONE</promise>"'


class Ran(NamedTuple):
    code: int
    out: str
    err: str


class Project:
    def __init__(self, folder: Path, capture: pytest.CaptureFixture[bytes]) -> None:
        self.folder = folder
        self._capture = capture
        self.write("small.yaml", POLICY)

    def write(self, name: str, text: str | bytes) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    def read(self, name: str) -> str:
        return (self.folder / name).read_text(encoding="utf-8")

    def words(self, script: str, *options: str) -> list[str]:
        """Return the command line of a loop whose agent is a script of `sh`."""
        grace = [] if "--grace" in options else ["--grace", "0.2"]
        return ["run", "--policy", "small.yaml", *grace, *options, "--", "sh", "-c", script]

    def run(self, script: str, *options: str) -> Ran:
        """Run a loop in this process."""
        return self.main(*self.words(script, *options))

    def main(self, *words: str) -> Ran:
        self._capture.readouterr()
        code = main(list(words))
        out, err = self._capture.readouterr()
        return Ran(code, out.decode("utf-8", "replace"), err.decode("utf-8", "replace"))

    def start(self, script: str, *options: str, **environment: str) -> subprocess.Popen[bytes]:
        """Start a loop in a process of its own."""
        self.compile()
        return subprocess.Popen(
            [sys.executable, "-m", "exitgate", *self.words(script, *options)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **environment},
        )

    def compile(self) -> None:
        """Compile the policy here: a process that finds it need not load all that compiles."""
        policy_of(Request(policy="small.yaml"))

    def ledger(self) -> list[dict[str, Any]]:
        return list(read_module.lines(".ralph/exitgate"))

    def decisions(self, run: str = "default#1") -> list[tuple[int, str | None, str]]:
        """Return iteration, class and rule or outcome of each decision of a run."""
        return [
            (line["iteration"], line["decision"]["class"], line["decision"]["outcome"])
            for line in self.ledger()
            if line["kind"] == "decision" and line["run"] == run
        ]

    def transcript(self, name: str = "default.1") -> list[dict[str, Any]]:
        text = self.read(f".ralph/exitgate/runs/{name}.jsonl")
        return [json.loads(line) for line in text.splitlines()]

    def iterations(self, name: str = "default.1") -> list[dict[str, Any]]:
        return [line for line in self.transcript(name) if line["kind"] == "iteration"]


class Skipping(signals_module.Clock):
    """A clock on which waiting takes no time, and tells how long it was."""

    def __init__(self) -> None:
        self.skipped = 0.0
        self.pauses: list[float] = []

    def now(self) -> float:
        return super().now() + self.skipped

    def pause(self, seconds: float, signals: Signals) -> None:
        self.pauses.append(seconds)
        self.skipped += seconds


def skipping(monkeypatch: pytest.MonkeyPatch) -> Skipping:
    """Let loops of this process wait without waiting."""
    clock = Skipping()
    monkeypatch.setattr(signals_module, "Clock", lambda: clock)
    assert command
    return clock


def wait_for_file(path: Path | str) -> str:
    """Return what a file holds once it is there and ends a line."""

    def text() -> str:
        try:
            return Path(path).read_text(encoding="utf-8")
        except FileNotFoundError:
            return ""

    wait_for(lambda: text().endswith("\n"), path)
    return text()


def is_alive(pid: int) -> bool:
    """Return whether a process is there and is no zombie."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state not in ("Z", "X")


def gone(pid: int) -> bool:
    """Wait for the end of a process."""
    wait_for(lambda: not is_alive(pid), f"the end of {pid}")
    return True
