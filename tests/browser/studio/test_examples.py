"""The program itself in a browser: `exitgate studio` on the example runs."""

from __future__ import annotations

from browser_pages import Opened
from playwright.sync_api import expect


def test_the_examples_from_the_table_to_the_evidence(opened: Opened, address: str) -> None:
    watched = opened(address)
    page = watched.page
    expect(page.locator("tr[data-n]")).to_have_count(5)
    line = page.locator(".totals tbody tr").first
    right = line.get_by_role("button", name="right under bb3")
    count = int(right.inner_text())
    right.click()
    assert 0 < count < 5
    expect(page.locator(".count")).to_have_text(f"{count} of 5 runs")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    expect(page.locator("article.run .label")).to_contain_text("right stop")
    expect(page.locator(".compared .grade.right").first).to_be_visible()
    expect(page.locator(".iteration:visible")).to_have_count(1)
    page.keyboard.press("Backspace")
    expect(page.locator("tr[data-n]")).to_have_count(count)
    page.reload()
    expect(page.locator("tr[data-n]")).to_have_count(count)
    assert page.locator("tr[data-n]").first.locator(".dot").count() == 0  # the studio knows what was read
    origin = address.partition("?")[0]
    assert [url for url in watched.requests if not url.startswith(origin)] == []
    assert watched.trouble == []
