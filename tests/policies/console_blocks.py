"""The console blocks of pages: commands, each with what it prints."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from compiled import COMPILED


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


def differences(found: list[tuple[str, str]], folder: Path) -> list[str]:
    """Run the commands one after the other in a folder and return those that print something else."""
    environment = {
        **{k: v for k, v in os.environ.items() if not k.startswith("EXITGATE")},
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "EXITGATE_CACHE_DIR": COMPILED,
        "NO_COLOR": "1",
    }
    wrong = []
    for command, output in found:
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.stdout != output:
            wrong.append(f"$ {command}\n{done.stdout}{done.stderr}")
    return wrong
