"""The how-to of the studio, played: its commands, its keys and its controls, in its order."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from browser_pages import Opened
from playwright.sync_api import Page, expect
from real_studio import Real

ROOT = Path(__file__).parents[3]
HOW_TO = ROOT / "docs" / "how-to" / "from-a-bad-night-to-a-better-policy.md"


class Reader:
    """Somebody who follows the page: each control and key that they use is the next one in bold there."""

    def __init__(self, text: str) -> None:
        self.blocks = [
            block.strip().splitlines() for block in re.findall(r"```sh\n(.*?)```", text, re.DOTALL)
        ]
        steps = text[text.index("## 2.") : text.index("## What it does not do")]
        self.bold = re.findall(r"\*\*(.+?)\*\*", steps)
        self._done = 0

    def next(self, wanted: str) -> str:
        assert self.bold[self._done] == wanted
        self._done += 1
        return wanted

    @property
    def finished(self) -> bool:
        return self._done == len(self.bold)


@pytest.fixture
def reader() -> Reader:
    return Reader(HOW_TO.read_text(encoding="utf-8"))


@pytest.fixture
def night(reader: Reader, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The project that the page makes, by its own commands."""
    shutil.copytree(ROOT / "examples" / "transcripts", tmp_path / "examples" / "transcripts")
    *commands, entered, started = reader.blocks[0]
    for command in commands:
        subprocess.run(["bash", "-c", command], cwd=tmp_path, check=True, capture_output=True)
    assert entered == "cd night"
    assert started == "exitgate studio runs/ -l runs/labels.yaml"
    monkeypatch.chdir(tmp_path / "night")
    return tmp_path / "night"


@pytest.fixture
def real(night: Path) -> Iterator[Real]:
    assert night.exists()
    one = Real({"bb3": None}, ["runs/"], ["runs/labels.yaml"])
    yield one
    one.stop()


def told(command: list[str]) -> str:
    """What a command of the page prints."""
    words = [sys.executable, "-P", "-m", *shlex.split(command[0])]
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def test_its_pictures_are_there_at_both_widths() -> None:
    text = HOW_TO.read_text(encoding="utf-8")
    named = re.findall(r"!\[[^\]]{20,}\]\(([^)]+)\)", text)
    widths = []
    for name in named:
        raw = (HOW_TO.parent / name).read_bytes()
        assert len(raw) < 150_000
        widths.append(int.from_bytes(raw[16:20], "big"))
    assert sorted(widths) == [420, 420, 1400, 1400]


def test_the_how_to_leads_to_a_better_policy(reader: Reader, night: Path, real: Real, opened: Opened) -> None:
    watched = opened(real.address)
    page = watched.page
    expect(page.locator("tr[data-n]")).to_have_count(5)

    page.get_by_role("button", name=f"1 run {reader.next('premature')}").click()
    expect(page.locator("tr[data-n]")).to_have_count(1)
    page.locator("tr[data-n] a").first.click()
    expect(page.locator("article.run")).to_be_visible()
    shown = page.locator(".iteration.shown")
    expect(shown).to_contain_text("high_completion")
    expect(shown).to_contain_text("5 of 6 tasks done")
    for key, at in (("j", 7), ("k", 6)):
        page.keyboard.press(reader.next(key))
        expect(shown).to_have_id(re.compile(f"-{at}$"))

    page.keyboard.press(reader.next("w"))
    expect(shown.get_by_text("Smallest changes")).to_be_visible(timeout=20_000)
    pull_completion(page)
    expect(shown.locator(".then")).to_contain_text("CONTINUE")
    page.get_by_role("button", name=reader.next("Try it on all runs")).click()

    outcome = page.locator(".outcome")
    expect(outcome).to_contain_text("1 better, 0 worse by their labels", timeout=20_000)
    expect(page.get_by_label("min_completion, as a number")).to_have_value("90")
    page.get_by_role("combobox", name="Parameter", exact=True).select_option("min_completion")
    page.get_by_role("button", name=reader.next("Sweep")).click()
    expect(page.locator(".at-point")).to_contain_text("0 premature stops")
    expect(page.get_by_role("button", name=reader.next("Undo"))).to_be_visible()

    page.get_by_role("button", name=reader.next("Save…")).click()
    dialog = page.get_by_role("dialog")
    expect(dialog.locator(".diff .added")).to_have_text("+  min_completion: 90")
    dialog.get_by_role("button", name=reader.next("Write it")).click()
    expect(page.get_by_role("button", name=reader.next("Take back what was written"))).to_be_visible()
    assert "90" in told(reader.blocks[1])

    page.go_back()
    expect(page.locator("article.run")).to_be_visible()
    expect(shown).to_have_id(re.compile("-6$"))
    page.keyboard.press(reader.next("t"))
    page.get_by_label("What should happen, and when").fill("continues while a task is open")
    page.get_by_label("What should happen, and when").press("Tab")
    expect(dialog.locator(".diff")).to_contain_text("continues while a task is open")
    dialog.get_by_role("button", name=reader.next("Write it")).click()
    expect(dialog).to_have_count(0)
    assert "1 case" in told(reader.blocks[2])

    label(page, reader, night)
    for name in (reader.next("Compare"), reader.next("Live")):
        page.get_by_role("navigation", name="Views").get_by_role("link", name=name).click()
        expect(page.get_by_role("heading", name=name, exact=True)).to_be_visible()
    assert reader.finished
    assert watched.trouble == []


def pull_completion(shown_page: Page) -> None:
    typed = (
        shown_page.locator(".iteration.shown").get_by_label("$min_completion").locator("visible=true").last
    )
    typed.fill("90")
    typed.press("Tab")


def label(page: Page, reader: Reader, night: Path) -> None:
    panel = page.get_by_role("region", name="Label of this run")
    labels = night / "runs" / "labels.yaml"
    for key, said in (("l", "6"), ("L", "6"), ("x", "never")):
        page.keyboard.press(reader.next(key))
        expect(panel).to_contain_text("no stop is right" if said == "never" else said)
    assert "{run: search-index, stop: never}" in labels.read_text(encoding="utf-8")
