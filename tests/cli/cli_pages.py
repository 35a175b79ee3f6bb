"""Pages of the documentation played from top to bottom: their files are written, their commands run."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from patience import PATIENCE

from exitgate.cli.main import main

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest

DOCS = Path(__file__).parents[2] / "docs"
BLOCK = re.compile(r"```(yaml|markdown|console)\n(.*?)```", re.S)
COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.M)
GIT = ("git", "-c", "user.name=n", "-c", "user.email=n@example.org", "-c", "commit.gpgsign=false")
LAST = ["|", "tail", "-1"]


class Played(NamedTuple):
    """A command of `exitgate` with what the page says it prints, its exit code, and what it did print."""

    command: str
    said: str
    code: int
    out: str
    err: str


def play(
    page: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Played]:
    """
    Yield each command of a page below `docs` as it went, in `folder`.

    A block whose first line is `# NAME` is a file; that line belongs to it unless it is Markdown. Git,
    `mkdir FOLDER` and `echo TEXT > FILE` are done as they stand.
    """
    monkeypatch.chdir(folder)
    monkeypatch.setenv("NO_COLOR", "1")
    for kind, text in BLOCK.findall((DOCS / page).read_text(encoding="utf-8")):
        if kind != "console":
            _write(folder, text)
            continue
        for command, said in COMMAND.findall(text):
            words = shlex.split(command)
            if words[0] == "git":
                subprocess.run([*GIT, *words[1:]], check=True, capture_output=True, timeout=PATIENCE)
            elif words[0] == "mkdir":
                (folder / words[1]).mkdir()
            elif words[0] == "echo":
                (folder / words[-1]).write_text(words[1] + "\n", encoding="utf-8")
            else:
                assert words[0] == "exitgate", command
                shortened = words[-3:] == LAST
                code = main(words[1:-3] if shortened else words[1:])
                out, err = capsys.readouterr()
                out = "".join(out.splitlines(keepends=True)[-1:]) if shortened else out
                yield Played(command, said, code, out, err)


def _write(folder: Path, text: str) -> None:
    first, _, rest = text.partition("\n")
    if first.startswith("# "):
        file = folder / first.removeprefix("# ")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(rest if file.suffix == ".md" else text, encoding="utf-8")
