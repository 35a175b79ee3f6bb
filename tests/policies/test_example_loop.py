"""The example loop as `make demo` runs it."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from cases import EVERY
from compiled import COMPILED

ROOT = Path(__file__).parents[2]


def answering_for_others(folder: Path, policy: str) -> str:
    """Return a folder with a program that is exitgate for this policy, and exits for every other one."""
    folder.mkdir()
    program = folder / "exitgate"
    real = shlex.quote(str(Path(sys.executable).with_name("exitgate")))
    program.write_text(
        f"""#!/bin/sh
case "$*" in
    explain | *"--policy {policy} "*) exec {real} "$@" ;;
    *) echo "EXIT"; exit 10 ;;
esac
"""
    )
    program.chmod(0o755)
    return str(folder)


@pytest.mark.parametrize(
    ("policy", "verdicts", "end"),
    [
        (
            "bb3",
            ["CONTINUE · otherwise"] * 5 + ["EXIT complete · all_tasks_done"],
            "06: the loop stops here (exit code 10)",
        ),
        (
            "bb3-faithful",
            ["CONTINUE · otherwise", "EXIT review · too_many_errors"],
            "02: the loop stops here (exit code 11)",
        ),
    ],
)
def test_it_stops_where_the_readme_says(policy: str, verdicts: list[str], end: str, tmp_path: Path) -> None:
    """What other policies say is asked of them in the soak; here a stand-in answers for them."""
    stand_in = [] if EVERY else [answering_for_others(tmp_path / "programs", policy)]
    work = tmp_path / "work"
    work.mkdir()
    environment = {
        **{k: v for k, v in os.environ.items() if not k.startswith("EXITGATE")},
        "PATH": os.pathsep.join((*stand_in, str(Path(sys.executable).parent), os.environ["PATH"])),
        "EXITGATE_CACHE_DIR": COMPILED,
        "TMPDIR": str(work),
        "NO_COLOR": "1",
        # Another loop around it, and a shell that looks for folders elsewhere.
        "EXITGATE_STATE_DIR": str(work / "outer"),
        "EXITGATE_PRESET": "nowhere.yaml",
        "CDPATH": str(ROOT),
    }
    done = subprocess.run(
        ["bash", "examples/loop/run.sh", policy],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    decided = [lines[i + 1] for i, line in enumerate(lines) if "$ exitgate check" in line]
    assert decided == verdicts
    assert end in done.stdout
    others = done.stdout.partition("end here:\n")[2].splitlines()
    assert len(others) == 6
    assert all(" iteration 0" in line for line in others)
    told_by_stand_in = [line for line in others if policy not in line]
    assert EVERY or all(line.endswith("EXIT") for line in told_by_stand_in)
    assert sorted(path.name for path in work.iterdir()) == []


def test_it_says_what_is_missing(tmp_path: Path) -> None:
    done = subprocess.run(
        ["/bin/bash", str(ROOT / "examples" / "loop" / "run.sh")],
        env={"PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert done.returncode == 69
    assert "make demo" in done.stderr
