"""The recorded example loops as `make demo` shows them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from compiled import COMPILED
from patience import PATIENCE

ROOT = Path(__file__).parents[3]


def test_the_script_shows_stops_scores_and_a_report(tmp_path: Path) -> None:
    report = tmp_path / "made" / "report.html"
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "examples/transcripts/run.sh", str(report)],
        cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE, check=False,
        env={**os.environ, "PATH": path, "EXITGATE_CACHE_DIR": COMPILED},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "recommended  EXIT complete at 4 · plan_complete" in done.stdout
    assert "recommended      5     0          0       0" in done.stdout
    assert report.read_text(encoding="utf-8").startswith("<!doctype html>")
