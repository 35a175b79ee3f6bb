"""The studio for people with other eyes, without a mouse, with a screen reader: axe, names, focus."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe
from browser_pages import Opened
from playwright.sync_api import expect
from studio_pages import Studio

Start = Callable[..., Studio]
VIEWS = (
    "runs",
    "runs?sort=cost&by=1&fewest=2",
    "runs?text=nothing-like-it",
    "run/1/4",
    "run/9999",
    "policy/bb3",
    "compare",
    "live",
)


@pytest.mark.parametrize(("scheme", "width"), [("light", 1400), ("dark", 420)])
def test_axe_finds_nothing(opened: Opened, studio: Start, scheme: str, width: int) -> None:
    one = studio(1_000)
    page = opened(one.address, width=width, color_scheme=scheme, bypass_csp=True).page
    axe = Axe()
    found = {}
    for view in VIEWS:
        page.goto(f"{one.origin}/#/{view}")
        expect(page.locator("h1")).to_have_count(1)
        page.wait_for_timeout(400)
        wrong = axe.run(page).response["violations"]
        found[view] = [(one["id"], [node["html"][:120] for node in one["nodes"][:3]]) for one in wrong]
    assert {view: wrong for view, wrong in found.items() if wrong} == {}


def test_the_list_of_keys_is_a_dialog_that_gives_the_focus_back(opened: Opened, studio: Start) -> None:
    page = opened(studio(5).address, bypass_csp=True).page
    button = page.get_by_role("button", name="Keys")
    button.click()
    dialog = page.get_by_role("dialog", name="Keys")
    expect(dialog).to_be_visible()
    assert Axe().run(page).response["violations"] == []
    dialog.get_by_role("button", name="Close").click()
    expect(button).to_be_focused()


def test_the_first_key_skips_to_the_content(opened: Opened, studio: Start) -> None:
    page = opened(studio(5).address).page
    expect(page.locator("tr[data-n]").first).to_be_visible()
    page.keyboard.press("Tab")
    expect(page.locator(":focus")).to_have_text("Skip to the content")
    page.keyboard.press("Enter")
    expect(page.locator("#main")).to_be_focused()


def test_everything_in_the_table_is_said_with_its_place(opened: Opened, studio: Start) -> None:
    page = opened(studio(40).address).page
    row = page.locator("tr[data-n='8']")
    expect(row).to_have_attribute("aria-rowindex", "10")
    tree = row.aria_snapshot()
    for wanted in ("rowheader", "link", "unread", "cell"):
        assert wanted in tree
    assert row.get_by_role("cell").count() == 6


def test_what_a_search_leaves_is_told(opened: Opened, studio: Start) -> None:
    page = opened(studio(40).address).page
    page.get_by_role("searchbox").fill("login")
    expect(page.locator("#told")).to_contain_text("in sight")


def test_large_text_and_forced_colours_keep_the_page_whole(opened: Opened, studio: Start) -> None:
    page = opened(studio(40).address, width=420, forced_colors="active").page
    expect(page.locator("tr[data-n]").first).to_be_visible()
    page.evaluate("document.documentElement.style.fontSize = '200%'; dispatchEvent(new Event('resize'))")
    assert page.evaluate("document.documentElement.scrollWidth") <= 420


def test_nothing_moves_for_those_who_want_no_motion(opened: Opened, studio: Start) -> None:
    page = opened(studio(20).address, reduced_motion="reduce").page
    cell = page.locator("tr[data-n] td").first
    assert cell.evaluate("(one) => parseFloat(getComputedStyle(one).transitionDuration)") == 0
