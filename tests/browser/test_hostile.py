"""Hostile transcripts in a real browser: no dialog, no request, no word on the console."""

from __future__ import annotations

from pathlib import Path

import pytest
from browser_pages import Opened
from page_hostile import ATTACKS, hostile_page
from playwright.sync_api import expect


@pytest.mark.parametrize("options", [{}, {"java_script_enabled": False}], ids=["script", "no-script"])
def test_nothing_happens(opened: Opened, tmp_path: Path, options: dict[str, object]) -> None:
    for at, attack in enumerate((*ATTACKS, "".join(ATTACKS[:-1]))):
        path = tmp_path / f"{at}.html"
        path.write_text(hostile_page(tmp_path, attack), encoding="utf-8")
        watched = opened(path.as_uri(), **options)
        watched.page.wait_for_load_state()
        for link in watched.page.locator("tr.strip a").all()[:3]:
            link.click()
        watched.calm(path.as_uri())
        expect(watched.page.locator("h1")).to_be_visible()
        assert watched.page.evaluate("document.images.length + document.forms.length") == 0
        assert watched.page.title().endswith("exitgate")


def test_a_huge_line_does_not_widen_the_page(opened: Opened, tmp_path: Path) -> None:
    path = tmp_path / "huge.html"
    path.write_text(hostile_page(tmp_path, "x" * 200_000), encoding="utf-8")
    page = opened(path.as_uri(), width=390).page
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
