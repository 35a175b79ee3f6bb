"""The console blocks in the READMEs of policies and examples are run, and print what they say."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
READMES = sorted((ROOT / "policies").glob("*/README.md"))


def blocks(text: str) -> list[tuple[str, str]]:
    """Return each command of the console blocks with the output written under it."""
    found: list[tuple[str, str]] = []
    inside = False
    for line in text.splitlines():
        if line.startswith("```"):
            inside = line == "```console"
        elif inside and line.startswith("$ "):
            found.append((line[2:], ""))
        elif inside:
            command, output = found[-1]
            found[-1] = (command, f"{output}{line}\n")
    return found


@pytest.mark.parametrize("readme", READMES, ids=lambda path: path.parent.name)
def test_commands_print_what_is_written(readme: Path, tmp_path: Path) -> None:
    found = blocks(readme.read_text(encoding="utf-8"))
    assert len(found) >= 8
    environment = {
        **{k: v for k, v in os.environ.items() if not k.startswith("EXITGATE")},
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "NO_COLOR": "1",
    }
    work = tmp_path / "project"
    work.mkdir()
    for command, output in found:
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=work,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.stdout == output, f"$ {command}\n{done.stderr}"
