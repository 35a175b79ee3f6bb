"""A project with its machine: files as bytes, programs on PATH, the command line run in this process."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from exitgate.cli.main import main
from exitgate.hosts.install.inspect import HOSTS

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


class Ran(NamedTuple):
    code: int
    out: str
    err: str


class Place:
    """Folders of a test: `project`, `home` and `programs`, which is PATH."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.project, self.home, self.programs = folder / "project", folder / "home", folder / "bin"
        for one in (self.project / ".git", self.home, self.programs):
            one.mkdir(parents=True)
        self.program("exitgate")
        self._capsys = capsys

    def program(self, name: str) -> Path:
        """Put a program on PATH."""
        path = self.programs / name
        path.write_text("#!/bin/sh\n", encoding="utf-8")
        path.chmod(0o755)
        return path

    def __call__(self, *words: str) -> Ran:
        """Run `exitgate WORDS`."""
        code = main(words)
        return Ran(code, *self._capsys.readouterr())

    def settings(self, host: str, scope: str = "project") -> Path:
        """Return the settings file of a host."""
        if scope == "project":
            return self.project / HOSTS[host].project
        return self.home / HOSTS[host].home / HOSTS[host].user

    def write(self, host: str, raw: bytes, scope: str = "project") -> Path:
        """Write the settings file of a host."""
        path = self.settings(host, scope)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(raw)
        return path

    def everything(self) -> dict[str, bytes | None]:
        """Return every path of the project and the home, except receipts, with the bytes of files."""
        found: dict[str, bytes | None] = {}
        for top in (self.project, self.home):
            for path in sorted(top.rglob("*")):
                name = path.relative_to(top.parent).as_posix()
                if not name.startswith("home/.local") and not name.startswith("home/.cache"):
                    found[name] = path.read_bytes() if path.is_file() else None
        return found
