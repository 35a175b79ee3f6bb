"""The console blocks of pages: commands, each with what it prints."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

from cli_program import run
from compiled import COMPILED

#: Of these a shell makes something else before the program sees its words.
_FOR_THE_SHELL = frozenset(";&<>$*?~`(){}|#")


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
    wrong = []
    for command, output in found:
        printed, told = _printed(command, folder)
        if printed != output:
            wrong.append(f"$ {command}\n{printed}{told}")
    return wrong


def _printed(command: str, folder: Path) -> tuple[str, str]:
    """
    Return what a command writes to its two streams.

    `exitgate WORDS` runs in this process, also before a pipe, where nothing in it is for the shell.
    """
    first, pipe, rest = command.partition(" | ")
    if not first.startswith("exitgate ") or _FOR_THE_SHELL.intersection(first):
        return _in_shell(command, folder)
    ran = run(*shlex.split(first)[1:], cwd=folder, NO_COLOR="1")
    if not pipe:
        return ran.out, ran.err
    printed, told = _in_shell(rest, folder, ran.out)
    return printed, ran.err + told


def _in_shell(command: str, folder: Path, given: str = "") -> tuple[str, str]:
    environment = {
        **{k: v for k, v in os.environ.items() if not k.startswith("EXITGATE")},
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "EXITGATE_CACHE_DIR": COMPILED,
        "NO_COLOR": "1",
    }
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=environment,
        input=given,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout, done.stderr
