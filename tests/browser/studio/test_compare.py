"""Two policies side by side in the browser, and in exported files."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from browser_pages import Opened
from playwright.sync_api import expect
from real_studio import Real


@pytest.fixture
def real() -> Iterator[Real]:
    one = Real()
    yield one
    one.stop()


@pytest.mark.parametrize(("width", "scheme"), [(1400, "light"), (320, "dark")])
def test_where_two_policies_part(opened: Opened, real: Real, width: int, scheme: str) -> None:
    watched = opened(real.address, width=width, color_scheme=scheme)
    page = watched.page
    expect(page.locator("tr[data-n]").first).to_be_visible()
    page.get_by_role("link", name="Compare").click()
    expect(page.get_by_role("heading", name="They part on")).to_be_visible()
    groups = page.locator(".group-of")
    expect(groups.first).to_contain_text("bb3")
    expect(groups.first.locator("svg.stripe")).to_have_count(2)
    expect(page.locator(".changes li").first).to_be_visible()
    assert Axe().run(page).response["violations"] == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    first = groups.first.locator(".example a").get_attribute("href")
    assert first is not None
    page.get_by_label("First").select_option("loop-detection")
    page.get_by_label("Second").select_option("bb3")
    expect(page).to_have_url(f"http://127.0.0.1:{real.port}/#/compare?a=loop-detection&b=bb3")
    page.reload()
    expect(page.get_by_label("First")).to_have_value("loop-detection")
    page.get_by_role("button", name="Swap").click()
    expect(page.get_by_label("First")).to_have_value("bb3")
    groups.first.locator(".example a").click()
    expect(page.locator("article.run")).to_be_visible()
    assert watched.trouble == []


def test_a_draft_beside_what_is_saved(opened: Opened, real: Real) -> None:
    page = opened(real.address).page
    expect(page.locator("tr[data-n]")).to_have_count(5)
    page.goto(f"http://127.0.0.1:{real.port}/#/policy/bb3")
    typed = page.get_by_label("min_completion, as a number")
    typed.fill("5")
    typed.press("Tab")
    expect(page.locator(".outcome .moved a").first).to_be_visible()
    page.goto(f"http://127.0.0.1:{real.port}/#/compare?a=bb3%40saved&b=bb3")
    expect(page.get_by_label("First")).to_have_value("bb3@saved")
    expect(page.locator(".changes")).to_contain_text("min_completion")
    expect(page.locator(".changes del")).to_contain_text("80")
    page.get_by_label("First").select_option("bb3")
    page.get_by_label("Second").select_option("loop-detection")
    group = page.locator(".group-of").filter(has=page.locator("details")).first
    group.locator("summary").click()
    count = group.locator("details li").count()
    group.get_by_role("link", name="All of them in the table of runs").click()
    expect(page.locator("tr[data-n]")).to_have_count(count)
    assert count < 5
    page.get_by_label("only those of a group").click()
    expect(page.locator("tr[data-n]")).to_have_count(5)


def test_what_the_address_names_and_is_not_here_is_said(opened: Opened, real: Real) -> None:
    page = opened(real.address).page
    expect(page.locator("tr[data-n]")).to_have_count(5)
    page.goto(f"http://127.0.0.1:{real.port}/#/compare?a=%3Cimg%20src%3Dx%3E&b=bb3")
    expect(page.get_by_role("alert")).to_contain_text("not one of these")
    expect(page.get_by_label("First")).to_have_value("<img src=x>")
