"""Files that the loop writes by itself are no work of the agent."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING

from shim_rows import environment

from exitgate.cli.main import main
from exitgate.hosts.shim.session import OF_THE_LOOP

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_what_the_loop_writes_is_no_progress(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in environment(tmp_path_factory.getbasetemp()).items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    ralph = tmp_path / ".ralph"
    (ralph / "logs").mkdir(parents=True)
    for words in (
        ("init", "-q"),
        ("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "x"),
    ):
        subprocess.run(["git", *words], check=True)

    def progress(loop: int) -> object:
        output = ralph / "logs" / f"claude_output_{loop}.log"
        output.write_text(f"Part {loop} of it.\n")
        words = ["shim", "ralph-step", "--policy", "recommended", "--", "analyze", str(output), str(loop)]
        assert main(words) == 0
        return json.loads((ralph / ".response_analysis").read_text())["analysis"]["has_progress"]

    progress(1)
    for name in OF_THE_LOOP:
        if name.startswith((".docker", ".e2b", ".github", ".ralph", "live", "queue", "status")):
            (ralph / name).write_text("{}")
    assert progress(2) is False
    (ralph / "notes.md").write_text("work")
    assert progress(3) is True
