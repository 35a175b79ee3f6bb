"""The how-to on watching: its commands print what it says, and its picture shows what is drawn."""

from __future__ import annotations

import html
import os
import re
from pathlib import Path

import pytest
from cli_pages import DOCS, play
from rich.console import Console
from rich.text import Text
from watched_loops import Loop

from exitgate.report.terminal import Style
from exitgate.surfaces.watch.render import screen
from exitgate.surfaces.watch.watcher import Watcher

PAGE = "how-to/watch-a-loop.md"
PICTURE = DOCS / "how-to" / "watch.svg"
#: What depends on when it is played: instants, and how long something took.
MOMENT = re.compile(r"\d{4}-\d\d-\d\d\S+|\b\d+(ms|s|m)\b|  +")


def timeless(text: str) -> str:
    return MOMENT.sub(" ", text)


def test_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("COLUMNS", "80")
    text = (DOCS / PAGE).read_text(encoding="utf-8")
    for one in play(PAGE, tmp_path, monkeypatch, capsys):
        text = text.replace(f"$ {one.command}\n{one.said}", f"$ {one.command}\n{one.out}")
        assert one.code == 0, one.err
        if os.environ.get("EXITGATE_GOLDEN") != "write":
            assert timeless(one.out) == timeless(one.said), one.command
    if os.environ.get("EXITGATE_GOLDEN") == "write":
        (DOCS / PAGE).write_text(text, encoding="utf-8")


def test_the_picture(tmp_path: Path) -> None:
    loop = Loop(tmp_path, run="nightly")
    said = (("Wrote the reader.", 1), ("Wrote the writer and its tests.", 2), ("I am not sure, maybe.", 2))
    for number, (response, done) in enumerate((*said, ("Everything is done, all tasks are complete.", 2)), 1):
        loop.step(response, done, cost=1.5 * number, tokens=20_000)
    watcher = Watcher(loop.state, None)
    watcher.look()
    lines = screen(watcher.view(loop.time + 12), Style(True, 80), 30)
    if os.environ.get("EXITGATE_GOLDEN") == "write":
        with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
            console = Console(
                file=nowhere, record=True, width=80, color_system="standard", force_terminal=True
            )
            console.print(Text.from_ansi("\n".join(lines)))
            svg = console.export_svg(title="exitgate watch", unique_id="watch")
        # The fonts of a picture would be fetched from elsewhere.
        PICTURE.write_text(re.sub(r"@font-face \{.*?\}", "", svg, flags=re.S), encoding="utf-8")
    found = PICTURE.read_text(encoding="utf-8")
    assert len(found.encode()) < 40_000
    assert "url(https" not in found.replace('"', "")
    drawn = html.unescape("".join(re.findall(r"<text[^>]*>(.*?)</text>", found, re.S)))
    told = Text.from_ansi("\n".join(lines)).plain
    assert re.sub(r"\s", "", drawn) == re.sub(r"\s", "", "exitgate watch" + told)
