"""Pages on comparing and releasing policies: their commands run, and print what they say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from cli_pages import play

PAGES = {
    "how-to/compare-two-policies.md": [69, 69],
    "how-to/release-a-policy.md": [0, 69, 0, 69, 0],
    "tutorials/faithful-and-repaired.md": [69, 11, 0],
}


def counted(text: str) -> str:
    """Return a text without numbers of points: which ones are walked is a matter of the walk."""
    text = re.sub(r"(rare: none|[\d,]+) of [\d,]+ points( drawn)?", "some of the points", text)
    return re.sub(r"about 10\^\d+ points", "many points", text)


@pytest.mark.parametrize("page", PAGES)
def test_a_page(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    codes = []
    for one in play(page, tmp_path, monkeypatch, capsys):
        assert counted(one.out + one.err).rstrip("\n") == counted(one.said).rstrip("\n"), one.command
        codes.append(one.code)
    assert codes == PAGES[page]
