"""The page on running a loop, played from top to bottom."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from patience import PATIENCE

sys.path.insert(0, str(Path(__file__).parents[2] / "cli"))
PAGE = "how-to/run-a-loop.md"
SCRIPT = re.compile(r"```bash\n# (\S+)\n(.*?)```", re.S)
TIME = re.compile(r"(?<=· )\d+(?:\.\d+)?(?:ms|s)\b")


def test_the_page_shows_what_is_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], compiled: Path
) -> None:
    from cli_pages import DOCS, play

    monkeypatch.setenv("EXITGATE_CACHE_DIR", str(compiled))
    monkeypatch.delenv("EXITGATE_RUN", raising=False)
    scripts = SCRIPT.findall((DOCS / PAGE).read_text(encoding="utf-8"))
    for name, text in scripts:
        (tmp_path / name).write_text(text, encoding="utf-8")
    codes = []
    for one in play(PAGE, tmp_path, monkeypatch, capsys):
        assert TIME.sub("T", one.err + one.out).strip() == TIME.sub("T", one.said).strip(), one.command
        codes.append(one.code)
    assert ([name for name, _ in scripts], codes) == (["agent.sh"], [0, 0, 0])


def test_the_page_on_goals_shows_what_is_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], compiled: Path
) -> None:
    """A person types the command: whether the streams are a terminal is the one thing that is not played."""
    from cli_pages import DOCS

    from exitgate.cli.commands import goal
    from exitgate.cli.main import main

    text = (DOCS / "how-to/goal.md").read_text(encoding="utf-8")
    for name, script in SCRIPT.findall(text):
        (tmp_path / name).write_text(script, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    for words in ("init -q", "add -A", "-c user.name=n -c user.email=n@example.org commit -qm scripts"):
        subprocess.run(["git", *words.split()], check=True, timeout=PATIENCE)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("EXITGATE_CACHE_DIR", str(compiled))
    monkeypatch.delenv("EXITGATE_RUN", raising=False)
    monkeypatch.setattr(goal, "_typed_by_a_person", lambda _request: None)
    [(command, said)] = re.findall(r"```console\n\$ exitgate (.*)\n([^`]*(?:`[^`]+`[^`]*)*?)```", text)
    assert main(shlex.split(command.replace("$PWD", str(tmp_path)))) == 0
    out, err = capsys.readouterr()
    times = re.compile(rf"{TIME.pattern}|goal-[0-9a-f]{{8}}")
    shown, printed = (sorted(times.sub("T", one).splitlines()) for one in (said, err + out))
    assert printed == shown
