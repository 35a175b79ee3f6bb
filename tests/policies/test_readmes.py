"""The console blocks in the READMEs of policies are run, and print what they say."""

from __future__ import annotations

from pathlib import Path

from cases import each
from console_blocks import blocks, differences

ROOT = Path(__file__).parents[2]
READMES = sorted((ROOT / "policies").glob("*/README.md"))


@each("readme", READMES, ids=lambda path: path.parent.name)
def test_commands_print_what_is_written(readme: Path, tmp_path: Path) -> None:
    found = blocks(readme.read_text(encoding="utf-8"))
    assert len(found) >= 8 or readme.parent.name == "verified"
    work = tmp_path / "project"
    work.mkdir()
    wrong = differences(found, work)
    assert not wrong, "\n".join(wrong)
