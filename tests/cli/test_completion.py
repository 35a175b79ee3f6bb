"""`exitgate completion`: scripts that shells take, and what they offer."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from cli_program import run


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_has_a_script(shell: str) -> None:
    ran = run("completion", shell)
    assert (ran.code, ran.err) == (0, "")
    assert f"_EXITGATE_COMPLETE={shell}_complete" in ran.out


def test_another_shell_is_64() -> None:
    ran = run("completion", "tcsh")
    assert (ran.code, ran.out) == (64, "")
    assert "shells are bash, zsh, fish" in ran.err


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
@pytest.mark.parametrize(
    ("typed", "offered"),
    [("exitgate che", "check"), ("exitgate ledger ve", "verify"), ("exitgate check --exit", "--exit-codes")],
)
def test_bash_completes_with_the_script(typed: str, offered: str, tmp_path: Path) -> None:
    program = tmp_path / "exitgate"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m exitgate "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    words = typed.split()
    script = (
        'eval "$(exitgate completion bash)"\n'
        f"COMP_WORDS=({typed}); COMP_CWORD={len(words) - 1}\n"
        '_exitgate_completion exitgate; echo "${COMPREPLY[@]}"; complete -p exitgate'
    )
    environment = os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    ran = subprocess.run(
        ["bash", "--norc", "-c", script], capture_output=True, text=True, check=True, env=environment
    )
    first, second = ran.stdout.splitlines()
    assert first == offered
    assert "_exitgate_completion" in second
