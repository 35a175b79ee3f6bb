"""Pages on comparing and releasing policies: their commands run, and print what they say."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path

import pytest

from exitgate.cli.main import main

DOCS = Path(__file__).parents[2] / "docs"
PAGES = {
    "how-to/compare-two-policies.md": [69, 69],
    "how-to/release-a-policy.md": [0, 69, 0, 69, 0],
    "tutorials/faithful-and-repaired.md": [69, 11, 0],
}
BLOCK = re.compile(r"```(yaml|console)\n(.*?)```", re.S)
COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.M)
GIT = ["git", "-c", "user.name=n", "-c", "user.email=n@example.org", "-c", "commit.gpgsign=false"]


def counted(text: str) -> str:
    """Return a text without numbers of points: which ones are walked is a matter of the walk."""
    return re.sub(r"(rare: none|[\d,]+) of [\d,]+ points( drawn)?", "some of the points", text)


@pytest.mark.parametrize("page", PAGES)
def test_a_page(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    codes = []
    for kind, text in BLOCK.findall((DOCS / page).read_text(encoding="utf-8")):
        first, _, rest = text.partition("\n")
        if kind == "yaml" and first.startswith("# "):
            content = rest if first.endswith(".md") else text
            (tmp_path / first.removeprefix("# ")).write_text(content, encoding="utf-8")
        for command, wanted in COMMAND.findall(text) if kind == "console" else ():
            words = shlex.split(command)
            if words[0] == "git":
                subprocess.run([*GIT, *words[1:]], check=True, capture_output=True, timeout=30)
                continue
            codes.append(main(words[1:]))
            out, err = capsys.readouterr()
            assert counted(out + err).rstrip("\n") == counted(wanted).rstrip("\n"), command
    assert codes == PAGES[page]
