"""The page on running a loop, played from top to bottom."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "cli"))
PAGE = "how-to/run-a-loop.md"
SCRIPT = re.compile(r"```bash\n# (\S+)\n(.*?)```", re.S)
TIME = re.compile(r"(?<=· )\d+(?:\.\d+)?(?:ms|s)\b")


def test_the_page_shows_what_is_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], compiled: Path
) -> None:
    from cli_pages import DOCS, play

    monkeypatch.setenv("EXITGATE_CACHE_DIR", str(compiled))
    monkeypatch.delenv("EXITGATE_RUN", raising=False)
    scripts = SCRIPT.findall((DOCS / PAGE).read_text(encoding="utf-8"))
    for name, text in scripts:
        (tmp_path / name).write_text(text, encoding="utf-8")
    codes = []
    for one in play(PAGE, tmp_path, monkeypatch, capsys):
        assert TIME.sub("T", one.err + one.out).strip() == TIME.sub("T", one.said).strip(), one.command
        codes.append(one.code)
    assert ([name for name, _ in scripts], codes) == (["agent.sh"], [0, 0, 0])
