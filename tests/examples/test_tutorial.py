"""The tutorial on what goes wrong: its commands print what it says, and its tables are the examples' own."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from compiled import compile_for

from exitgate.cli.reference import rehearse

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples" / "misbehaving"
PAGE = (ROOT / "docs" / "tutorials" / "what-goes-wrong-in-loops.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"```console\n(.*?)```", re.S)
COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.M)
TABLE = re.compile(r"```text ([\w-]+)\n(.*?)```", re.S)


def test_the_commands_print_what_the_page_says(tmp_path: Path) -> None:
    shutil.copytree(EXAMPLES, tmp_path / "loops")
    folder = str(tmp_path / "loops" / "claims-done-early" / "project")
    for policy in ("ralph-faithful", "recommended"):
        compile_for(Path(folder), {"HOME": f"{folder}/.home", "XDG_CACHE_HOME": f"{folder}/.home"}, policy)
    commands = 0
    for block in BLOCK.findall(PAGE):
        for command, said in COMMAND.findall(block):
            printed, _ = rehearse(command, folder)
            assert printed == said, command
            commands += 1
    assert commands == 9


def test_its_tables_are_rows_of_the_examples() -> None:
    tables = dict(TABLE.findall(PAGE))
    assert set(tables) == {folder.name for folder in EXAMPLES.iterdir() if folder.is_dir()}
    for name, text in tables.items():
        kept = (EXAMPLES / name / "table.txt").read_text(encoding="utf-8").splitlines()
        shown = text.splitlines()
        assert shown[0] == kept[0]
        assert len(shown) >= 4
        assert set(shown) <= set(kept)
        assert shown[-1].startswith("+ recommended ")
