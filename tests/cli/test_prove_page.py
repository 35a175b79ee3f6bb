"""The how-to on proofs: its policy is written, its commands run, their output is what it says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from cli_pages import play


def counted(text: str) -> str:
    """Return a text without its numbers of points: which ones are walked is a matter of the walk."""
    return re.sub(r"10\^\d+ points", "10^N points", " ".join(text.split()))


def test_the_page_shows_what_is_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ran = 0
    for one in play("how-to/prove-a-policy.md", tmp_path, monkeypatch, capsys):
        assert counted(one.err + one.out) == counted(one.said), one.command
        ran += 1
    assert ran == 5
