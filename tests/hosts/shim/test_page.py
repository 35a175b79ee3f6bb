"""The how-to is played from top to bottom in a bash: it prints what the page says."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from compiled import compile_for
from patience import PATIENCE
from shim_rows import environment

PAGE = Path(__file__).parents[3] / "docs" / "how-to" / "replace-the-analyzer-of-ralph.md"
BLOCK = re.compile(r"```(yaml|markdown|bash|console)\n(.*?)```", re.S)
COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.M)
MOMENT = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d")


def test_the_page(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    variables = environment(tmp_path_factory.getbasetemp())
    program = Path(variables.pop("EXITGATE"))
    command = program.with_name("bin") / "exitgate"
    command.parent.mkdir(exist_ok=True)
    command.write_text(program.read_text())
    command.chmod(0o755)
    variables["PATH"] = f"{command.parent}:{variables['PATH']}"
    for kind, text in BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        if kind != "console":
            first, _, rest = text.partition("\n")
            file = tmp_path / first.removeprefix("# ")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(rest)
            continue
        compile_for(tmp_path, variables)
        for line, said in COMMAND.findall(text):
            ran = subprocess.run(
                ["bash", "-c", line], cwd=tmp_path, env=variables, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, text=True, timeout=PATIENCE, check=True,
            )  # fmt: skip
            assert MOMENT.sub("", ran.stdout) == MOMENT.sub("", said), line
