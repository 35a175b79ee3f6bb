"""The page on telemetry, played from top to bottom by a shell."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from patience import PATIENCE, wait_for
from telemetry_project import cleared

from exitgate.surfaces.telemetry.otel import emit
from exitgate.surfaces.telemetry.prometheus_textfile import _SAMPLES, FAMILIES

if TYPE_CHECKING:
    from telemetry_project import Project

PAGE = Path(__file__).parents[3] / "docs" / "how-to" / "telemetry.md"
COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.M)


def test_the_page_prints_what_it_says(project: Project) -> None:
    text = PAGE.read_text(encoding="utf-8")
    (project.folder / "node").mkdir()
    (project.folder / "fix_plan.md").write_text("- [x] one\n- [ ] two\n")
    (project.folder / ".ralph" / "last-response.md").write_text("I am confident that one is done.\n")
    environment = {n: v for n, v in os.environ.items() if n not in cleared(os.environ)}
    environment["PATH"] = f"{Path(sys.executable).parent}:{environment.get('PATH', '')}"
    for block in re.findall(r"```console\n(.*?)```", text, re.S):
        exported = ""
        for command, said in COMMAND.findall(block):
            if command.startswith("export "):
                exported += f"{command}\n"
                continue
            if command.startswith("grep"):
                wait_for((project.folder / "node" / "exitgate.prom").exists, "the textfile")
            ran = subprocess.run(
                ["bash", "-c", exported + command],
                cwd=project.folder, env=environment, capture_output=True, text=True, check=False,
                timeout=PATIENCE,
            )  # fmt: skip
            shown = ran.stdout.replace(str(project.folder), "/home/ada/parser")
            # Columns of `doctor` are as wide as what it finds on a machine.
            assert shown.split() == said.split(), ran.stderr


def test_every_name_on_the_page_is_one() -> None:
    text = PAGE.read_text(encoding="utf-8")
    known = {*_SAMPLES, *FAMILIES, emit.SPAN, emit.DECISION, emit.DECISIONS, emit.DURATION}
    known |= {emit.PROBE, emit.PROBES, emit.PROBE_DURATION}
    known |= {one[0] for one in emit.GAUGES.values()}
    said = set(re.findall(r"\bexitgate(?:_[a-z_]+|\.(?:decisi|run|decide|probe)[a-z.]*)", text))
    assert said <= known
    assert set(FAMILIES) <= said
