"""A project, the resident process of a test, and commands as users start them."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from patience import PATIENCE

POLICY = """\
policy: small
format: 1
version: 1.0.0
title: How sure the agent is
facts:
  confidence:
    extract: graded_words
    from: response
    first: [{value: 90, words: [all done]}]
    otherwise: 50
    range: [0, 100]
rules:
  - {id: said_so, when: confidence > 80, exit: review, because: the agent says so}
"""
#: The program as the resident process and its clients are started here.
PROGRAM = (sys.executable, "-I", "-m", "exitgate")
#: What differs from one decision to the next: instants, spans, ids, hashes, sizes of lines with them.
_OTHER = re.compile(
    r'"written":"[^"]*"|"(?:elapsed|run_prev|name_prev|seconds|offset)": ?[\d.]+|"marks":\[\[\d+| +$|'
    r"\b\d{6,}(?:\.\d+)?\b|\b\d+\.\d{4,}\b|\b\d+e-\d+|\b[0-9a-f]{16,}\b|\b\d+(?:\.\d+)? m?s\b|"
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|\+00:00)?",
    re.MULTILINE,
)


class Place:
    """A project and a folder for the socket."""

    def __init__(self, folder: Path, runtime: Path) -> None:
        self.project = folder / "project"
        self.project.mkdir()
        self.runtime = runtime
        self.socket = runtime / "exitgate" / "serve.sock"
        self.environment = {
            **{
                name: value
                for name, value in os.environ.items()
                if not name.startswith(("EXITGATE", "PYTHON"))
            },
            "XDG_RUNTIME_DIR": str(runtime),
            "EXITGATE_CACHE_DIR": str(folder / "cache"),
            "XDG_STATE_HOME": str(folder / "state"),
            "XDG_CONFIG_HOME": str(folder / "config"),
            "HOME": str(folder),
            "GIT_CONFIG_GLOBAL": os.devnull,
        }
        self.servers: list[subprocess.Popen[str]] = []

    def serve(self, *words: str, program: Sequence[str] = PROGRAM) -> subprocess.Popen[str]:
        """Start a resident process and wait until it listens."""
        server = subprocess.Popen(
            [*program, "serve", *words], env=self.environment, cwd=self.runtime, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        self.servers.append(server)
        assert server.stdout is not None
        said = server.stdout.readline()
        assert said.startswith(f"process {server.pid} listens"), server.communicate()
        return server

    def run(
        self, *words: str, given: str | None = None, folder: Path | None = None, **variables: str
    ) -> subprocess.CompletedProcess[str]:
        """Run a command to its end."""
        return subprocess.run(
            [*PROGRAM, *words], env={**self.environment, **variables}, cwd=folder or self.project,
            text=True, input=given, stdin=subprocess.DEVNULL if given is None else None,
            capture_output=True, check=False, timeout=min(PATIENCE, 60),
        )  # fmt: skip

    def start(self, *words: str, **variables: str) -> subprocess.Popen[str]:
        """Start a command."""
        return subprocess.Popen(
            [*PROGRAM, *words], env={**self.environment, **variables}, cwd=self.project, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip

    def write(self, name: str, text: str) -> Path:
        path = self.project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def repository(self) -> None:
        """Make the project a repository with one commit and one change."""
        self.write("kept.txt", "one\n")
        person = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b"}
        person |= {"GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b"}
        for words in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "start"]):
            subprocess.run(["git", *words], cwd=self.project, env={**self.environment, **person}, check=True)
        self.write("kept.txt", "two\n")

    def lines(self) -> list[dict[str, object]]:
        """Return the lines of the project's ledger."""
        found = sorted(self.project.glob("*/exitgate/ledger.jsonl"))
        return [json.loads(line) for path in found for line in path.read_text().splitlines()]

    def decisions(self) -> list[dict[str, object]]:
        return [line for line in self.lines() if line["kind"] == "decision"]

    def end(self) -> None:
        for server in self.servers:
            if server.poll() is None:
                server.kill()
            server.communicate()


def copies(server: subprocess.Popen[str]) -> list[int]:
    """Return the processes that a resident process has at work."""
    raw = Path(f"/proc/{server.pid}/task/{server.pid}/children").read_text()
    return [int(number) for number in raw.split()]


def kill_copies(server: subprocess.Popen[str]) -> None:
    for one in copies(server):
        os.kill(one, signal.SIGKILL)


def timeless(text: str) -> str:
    """Return a text without what differs from one decision to the next."""
    return _OTHER.sub("<other>", text)


def left_in(folder: Path) -> dict[str, tuple[int, str]]:
    """Return path -> mode and timeless content of what is below a folder, git's own aside."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = timeless(path.relative_to(folder).as_posix())
        if ".git/" not in f"{name}/":
            content = timeless(path.read_text(errors="replace")) if path.is_file() else ""
            found[name] = path.stat().st_mode, content
    return found


def by_resident(ran: subprocess.CompletedProcess[str]) -> bool:
    return "decided by the resident process" in ran.stderr
