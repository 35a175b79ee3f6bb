"""Ctrl-C ends a cluster with the command, and prints what is done."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest
from patience import PATIENCE, wait_for

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals of a terminal")


def test_nothing_is_left_behind(tmp_path: Path) -> None:
    for number in range(40):
        lines = [
            json.dumps({"iteration": n, "response": f"Moved the parser: {number} {n}"}) for n in range(1, 900)
        ]
        (tmp_path / f"run-{number:02}.jsonl").write_text("\n".join(lines) + "\n")
    words = ("dry-run", ".", "-p", "recommended", "--all", "--detail", "--no-cache", "--executor", "dask")
    environment = {**os.environ, "TMPDIR": str(tmp_path / "temporary")}
    (tmp_path / "temporary").mkdir()
    with subprocess.Popen(
        [sys.executable, "-m", "exitgate", *words, "--workers", "1"],
        cwd=tmp_path,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as running:
        process = psutil.Process(running.pid)
        started: list[psutil.Process] = []

        def is_at_work() -> bool:
            """Return whether it is behind its start, over the first transcripts."""
            assert running.poll() is None
            started[:] = [one for one in process.children(True) if "spawn_main" in " ".join(one.cmdline())]
            return any(one.cpu_times().user > 3 for one in started)

        wait_for(is_at_work, "a worker over its transcripts", pause=0.05)
        os.killpg(running.pid, signal.SIGINT)
        _, err = running.communicate(timeout=PATIENCE)
    assert "Traceback" not in err
    assert running.returncode == 130
    _, left = psutil.wait_procs(started, timeout=PATIENCE)
    assert not left
    assert not [*(tmp_path / "temporary").glob("exitgate-cluster-*/**")]
