"""Rows played through the printed functions: a folder each, one bash for all of them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from compiled import COMPILED
from patience import PATIENCE
from shim_answering import bash_answered

from exitgate.hosts.shim.bash import quoted, shim

#: What pip writes for the program, as users start it.
PROGRAM = f"#!{sys.executable}\nfrom exitgate.cli.main import main\nraise SystemExit(main())\n"
AS_IT_IS = "project: {type: as_it_is}\nexit_decision: {policy: ralph-claude-code}\n"
RECOMMENDED = "exit_decision: {policy: recommended}\n"
MARK = "\x1e"


class Row(NamedTuple):
    """Files to set up in RALPH_DIR, what the shell does, and what it should print."""

    id: str
    files: dict[str, str]
    script: str
    expected: str


def environment(folder: Path) -> dict[str, str]:
    """Return variables for a bash below `folder`: of this machine only what finds programs."""
    program = folder / "exitgate-program"
    if not program.exists():
        program.write_text(PROGRAM)
        program.chmod(0o755)
    return {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": os.pathsep.join(sys.path),
        "HOME": str(folder),
        "XDG_CONFIG_HOME": str(folder / "shim-settings"),
        "EXITGATE_CACHE_DIR": COMPILED,
        "EXITGATE": str(program),
        "LC_ALL": "C.UTF-8",
    }


def play(
    folder: Path, rows: list[Row], config: str, strict: str = "set -euo pipefail", now: float | None = None
) -> dict[str, str]:
    """
    Return row id -> what its script printed, standard error included; each row has its own RALPH_DIR.

    All modules share a project for each configuration, so that a policy is compiled once.
    With `now` the clock of every step stands there.
    """
    project = folder.parent / f"shim-project-{config.count('as_it_is')}"
    (project / ".bb3").mkdir(parents=True, exist_ok=True)
    (project / ".bb3" / "config.yaml").write_text(config)
    script = [strict, shim(None)]
    for row in rows:
        ralph = folder / "a 'quoted' folder" / row.id
        ralph.mkdir(parents=True)
        for name, text in row.files.items():
            (ralph / name).parent.mkdir(parents=True, exist_ok=True)
            (ralph / name).write_bytes(text.encode("utf-8", "surrogateescape"))
        script.append(f"printf '{MARK}%s\\n' {quoted(row.id)}")
        script.append(f"( RALPH_DIR={quoted(str(ralph))}\n{row.script}\n) 2>&1 || echo failed=$?")
    return split(bash_answered(project, "\n".join(script), environment(folder.parent), now))


def bash(folder: Path, script: str, **variables: str) -> str:
    """Run a script and return what it printed; trouble of the script itself is an error."""
    ran = subprocess.run(
        ["bash", "-c", script], cwd=folder, env={**environment(folder), **variables},
        capture_output=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr.decode()
    return ran.stdout.decode("utf-8", "replace")


def split(printed: str) -> dict[str, str]:
    """Return row id -> what was printed for it."""
    parts = [part.partition("\n") for part in printed.split(MARK)[1:]]
    return {name: text.strip() for name, _, text in parts}


def signals(test_only: int = 0, done: int = 0, indicators: int = 0) -> str:
    """Return a file of signals with so many entries, as the loop's own tests set it up."""
    lists = {"test_only_loops": test_only, "done_signals": done, "completion_indicators": indicators}
    return json.dumps({name: list(range(1, count + 1)) for name, count in lists.items()})


def analysis(loop: int = 3, **inner: object) -> str:
    """Return a file of analysis with these members."""
    return json.dumps({"loop_number": loop, "analysis": inner}, indent=4)


def breaker(state: str, **members: object) -> str:
    """Return a file of the breaker."""
    counters = {"consecutive_no_progress": 0, "consecutive_same_error": 0, "last_progress_loop": 0}
    return json.dumps({"state": state, **counters, "total_opens": 0, "reason": "", **members})
