"""Hostile transcripts in a real browser: no dialog, no request, no word on the console."""

from __future__ import annotations

from pathlib import Path

import pytest
from browser_pages import Opened
from cases import some
from page_hostile import ATTACKS, hostile_page
from playwright.sync_api import expect

from exitgate.core.policy.compile import load_policy
from exitgate.recordings.page.assemble import collect
from exitgate.recordings.page.render import html

EXAMPLES = Path(__file__).parents[2] / "examples" / "transcripts"
LONG = """policy: {policy}
format: 1
version: 1.0.0
title: Long names
rules:
  - id: {rule}
    when: run.iterations >= 2
    exit: stuck
    because: "{policy}"
otherwise: continue
"""


@pytest.fixture(scope="module")
def attacked(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """A page for some attacks, and one of all."""
    folder = tmp_path_factory.mktemp("attacked")
    pages = []
    for at, attack in enumerate((*some(ATTACKS, 6), "".join(ATTACKS[:-1]))):
        pages.append(folder / f"{at}.html")
        pages[-1].write_text(hostile_page(folder, attack), encoding="utf-8")
    return pages


@pytest.mark.parametrize("options", [{}, {"java_script_enabled": False}], ids=["script", "no-script"])
def test_nothing_happens(opened: Opened, attacked: list[Path], options: dict[str, object]) -> None:
    # Each attack where scripts run; where none do, the page of all of them is enough.
    for path in attacked[-1:] if options else attacked:
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


@pytest.mark.parametrize("width", [390, 768, 1024, 1440])
def test_long_names_of_policies_and_rules_do_not_widen_the_page(
    opened: Opened, tmp_path: Path, width: int
) -> None:
    (tmp_path / "long.yaml").write_text(LONG.format(policy="p" * 100, rule="r" * 150), encoding="utf-8")
    names = {"p" * 100: load_policy(str(tmp_path / "long.yaml")), "bb3": load_policy("bb3")}
    path = tmp_path / "long.html"
    path.write_text(html(collect([str(EXAMPLES / "search-index")], names).page), encoding="utf-8")
    page = opened(path.as_uri(), width=width).page
    expect(page.locator(".compared code").first).to_contain_text("r" * 150)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
