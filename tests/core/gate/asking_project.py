"""A repository whose probe is a script, and a run of an agent that says that it is done."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from compiled import COMPILED
from patience import PATIENCE

from exitgate.core.gate.check import check
from exitgate.core.gate.new_run import new_run
from exitgate.core.gate.settings import policy_of
from exitgate.core.probes import trust
from exitgate.core.state.request import Request

if TYPE_CHECKING:
    import pytest

    from exitgate.core.gate.check import CheckResult

POLICY = """\
policy: ours
format: 1
version: 1.0.0
extends: verified@^1
facts:
  promise: {extract: promise, from: output, text: DONE}
  git: {extract: git}
rules:
  - {id: promised, when: promise.emitted, exit: complete, because: The agent said so}
invariants:
  - {id: silence_never_exits, given: nothing is known, never: exit}
"""


class Project:
    """A repository with one probe, `tests`, that runs `check.sh`; a person allowed it."""

    def __init__(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch, probe: str = "", script: str = "exit 0"
    ) -> None:
        self.folder = folder / "project"
        self.notes = folder / "notes"
        (self.folder / ".bb3").mkdir(parents=True)
        self.notes.mkdir()
        self._patch = monkeypatch
        monkeypatch.setenv("XDG_STATE_HOME", str(folder / "state"))
        monkeypatch.setenv("EXITGATE_CACHE_DIR", COMPILED)
        monkeypatch.setenv("NOTES", str(self.notes))
        monkeypatch.delenv(trust.VARIABLE, raising=False)
        monkeypatch.chdir(self.folder)
        self.write("ours.yaml", POLICY)
        self.write("check.sh", script)
        self.write(".gitignore", "state/\nignored/\nr*.md\n")
        self.write("work.txt", "1\n")
        self.define(probe)
        self.git("init", "-q")
        self.git("add", "-A")
        self.git("commit", "-qm", "first")
        self.allow()

    def define(self, more: str = "") -> None:
        extra = f", {more}" if more else ""
        self.write(
            ".bb3/config.yaml",
            "exit_decision:\n  policy: ../ours.yaml\n  verify: [tests]\n  probes:\n"
            f"    tests: {{command: [sh, check.sh], environment: [NOTES]{extra}}}\n",
        )

    def git(self, *words: str) -> None:
        who = ("-c", "user.name=n", "-c", "user.email=n@example.org", "-c", "commit.gpgsign=false")
        subprocess.run(
            ["git", *who, *words], cwd=self.folder, check=True, capture_output=True, timeout=PATIENCE
        )

    def write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text)

    def request(self, **more: object) -> Request:
        own = {"response": "r.md", "root": "", "state_dir": "state"}
        return Request(**{**{key: str(self.folder / name) for key, name in own.items()}, **more})  # type: ignore[arg-type]

    def allow(self) -> None:
        trust.allow(policy_of(self.request()), str(self.folder), os.environ, 1.0)

    def begin(self) -> None:
        """Begin a run, as before the agent's first turn."""
        new_run(self.request().but(response=None))

    def check(self, said: str = "DONE", **more: object) -> CheckResult:
        """Return what a check says of one more response."""
        self.write("r.md", f"Turn {len(self.lines())}.\n\n<promise>{said}</promise>\n")
        return self.checked(**more)

    def checked(self, **more: object) -> CheckResult:
        """Return what a check says of the response that is there."""
        return check(self.request(**more))

    def start(self, name: str = "r.md") -> subprocess.Popen[str]:
        """Start a check in a process of its own, with a response that says that all is done."""
        self.write(name, f"Turn {name}.\n\n<promise>DONE</promise>\n")
        words = ("check", name, "--state-dir", str(self.folder / "state"), "--format", "json")
        return subprocess.Popen(
            [sys.executable, "-P", "-m", "exitgate", *words],
            cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip

    def asked(self) -> int:
        """Return how often the script ran; it notes that itself."""
        return len(list(self.notes.glob("ran-*")))

    def lines(self) -> list[dict[str, dict[str, dict[str, object]]]]:
        """Return the lines of the ledger."""
        path = self.folder / "state" / "ledger.jsonl"
        return [json.loads(line) for line in path.read_bytes().splitlines()] if path.exists() else []
