"""A project, and the real program run in it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from compiled import compile_for
from patience import PATIENCE, wait_for

from exitgate.core.state.request import Request
from exitgate.surfaces.decide import decide

if TYPE_CHECKING:
    from collections.abc import Iterable

    from exitgate.core.gate.decision import CheckResult

SECRET = "the-agents-own-words"
POLICY = """\
policy: told
format: 1
version: 2.1.0
title: Ends when the tasks are done
facts:
  tasks: {extract: checklist, from: plan}
  errors: {extract: error_lines, from: response, lexicon: errors}
  score: {points: [{when: tasks.done >= 1, add: 30, because: one is done}], range: [0, 100]}
rules:
  - {id: all_done, when: tasks.percent >= 100%, exit: complete, because: "{tasks.done} of {tasks.total} done"}
otherwise: continue
"""


class Ran(NamedTuple):
    code: int
    out: str
    err: str


class Project:
    """A folder of a loop."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.state = folder / ".ralph" / "exitgate"
        self.cache = folder / "cache"
        self.spool = self.cache / "telemetry"
        (folder / ".ralph").mkdir()
        (folder / "told.yaml").write_text(POLICY)
        (folder / "home").mkdir()
        self._compiled = False
        self.respond(f"Step one is done. {SECRET}\n")
        self.plan(1, 2)

    def environment(self) -> dict[str, str]:
        home = {"HOME": str(self.folder / "home"), "XDG_CACHE_HOME": "", "XDG_CONFIG_HOME": ""}
        # No process outlives its test, waiting for a collector that never comes.
        return {**home, "EXITGATE_CACHE_DIR": str(self.cache), "NO_COLOR": "1", "EXITGATE_OTEL_RETRY": "0"}

    def respond(self, text: str) -> None:
        (self.folder / ".ralph" / "last-response.md").write_text(text)

    def plan(self, done: int, total: int) -> None:
        lines = [f"- [{'x' if n < done else ' '}] {SECRET} {n}\n" for n in range(total)]
        (self.folder / "fix_plan.md").write_text("".join(lines))

    def compile(self) -> None:
        """Compile the policy that checks go by, once."""
        if not self._compiled:
            compile_for(self.folder, {**os.environ, **self.environment()}, "./told.yaml")
            self._compiled = True

    def check(self, *words: str, keep: tuple[int, ...] = (), **environment: str) -> Ran:
        """Run `exitgate check` as a process of its own, which gets the descriptors `keep`."""
        variables = {n: v for n, v in os.environ.items() if n not in cleared(os.environ)}
        variables |= {**self.environment(), **environment}
        self.compile()
        ran = subprocess.run(
            [sys.executable, "-m", "exitgate", "check", "--policy", "./told.yaml", *words],
            cwd=self.folder, env=variables,
            capture_output=True, text=True, check=False, timeout=PATIENCE, pass_fds=keep,
        )  # fmt: skip
        return Ran(ran.returncode, ran.stdout, ran.stderr)

    def decide(self, **asked: object) -> CheckResult:
        """Decide in this process."""
        return decide(Request(policy="./told.yaml", **asked))  # type: ignore[arg-type]

    def incidents(self) -> list[dict[str, object]]:
        path = self.state / "incidents.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def incident(self) -> str:
        """Wait for an incident, and return the first one's message."""
        wait_for(lambda: bool(self.incidents()), "an incident")
        first = self.incidents()[0]
        assert first["kind"] == "telemetry"
        return str(first["message"])

    def waiting(self) -> list[str]:
        """Return the names of records in the spool."""
        return sorted(one.name for one in self.spool.glob("*.json")) if self.spool.is_dir() else []


def cleared(names: Iterable[str]) -> list[str]:
    """Return the variables that telemetry reads, which tests set themselves."""
    own = ("OTEL_", "EXITGATE_OTEL", "EXITGATE_PROM", "EXITGATE_RUN", "TRACE", "HTTP_PROXY", "http_proxy")
    return [name for name in names if name.startswith(own)]
