"""The report in a browser: clicks, keys, no script, phones, print."""

from __future__ import annotations

import pytest
from browser_pages import Opened
from playwright.sync_api import Locator, Page, expect


def run_of(page: Page, name: str) -> Locator:
    return page.locator("article.run").filter(has=page.get_by_role("heading", name=name, exact=True))


def test_it_opens_at_the_first_stop_and_asks_for_nothing(opened: Opened, report: str) -> None:
    watched = opened(report)
    run = run_of(watched.page, "login-session")
    expect(run.locator(".iteration:visible")).to_have_count(1)
    expect(run.locator(".iteration:visible h3")).to_have_text("Iteration 5")
    watched.calm(report)


def test_a_click_on_a_verdict_shows_that_response_with_its_evidence(opened: Opened, report: str) -> None:
    watched = opened(report)
    run = run_of(watched.page, "csv-export")
    run.get_by_role("link", name="iteration 7, recommended: EXIT complete", exact=False).click()
    shown = run.locator(".iteration:visible")
    expect(shown.locator("h3")).to_have_text("Iteration 7")
    expect(shown.locator(".said")).to_contain_text("once more and all 15 pass")
    expect(shown.locator("mark.counted").first).to_be_visible()
    assert watched.page.url.endswith("-7")
    expect(run.get_by_role("status")).to_contain_text("Iteration 7")
    watched.calm(report)


def test_a_click_anywhere_in_a_column_does_the_same(opened: Opened, report: str) -> None:
    page = opened(report).page
    run = run_of(page, "login-session")
    row = run.locator("tr.rule").filter(has=page.get_by_text("flat_counter", exact=True))
    row.locator("td").nth(8).click()
    expect(run.locator(".iteration:visible h3")).to_have_text("Iteration 9")
    run.locator("tr.drawn td").first.click(position={"x": 4, "y": 20})
    expect(run.locator(".iteration:visible h3")).to_have_text("Iteration 1")


def test_arrows_go_from_iteration_to_iteration(opened: Opened, report: str) -> None:
    watched = opened(report)
    page, run = watched.page, run_of(watched.page, "login-session")
    stops = run.locator(".axis a[tabindex='0']:not(.rule a)")
    expect(stops).to_have_count(1)
    stops.focus()
    heading = run.locator(".iteration:visible h3")
    for key, wanted in (("ArrowRight", 6), ("ArrowRight", 7), ("ArrowLeft", 6), ("End", 12), ("Home", 1)):
        page.keyboard.press(key)
        expect(heading).to_have_text(f"Iteration {wanted}")
    page.keyboard.press("ArrowDown")
    expect(page.locator(":focus")).to_have_attribute("aria-label", "iteration 1, bb3: CONTINUE, tentative")
    expect(page.locator(":focus")).to_have_attribute("aria-current", "true")
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    watched.calm(report)


def test_the_first_key_skips_to_the_runs(opened: Opened, report: str) -> None:
    page = opened(report).page
    page.keyboard.press("Tab")
    expect(page.locator(":focus")).to_have_text("Skip to the first run")
    expect(page.locator(":focus")).to_be_in_viewport()
    page.keyboard.press("Enter")
    expect(page.locator("article.run:target")).to_be_in_viewport()
    assert page.locator("article.run").first.evaluate("run => run.matches(':target')")


def test_next_and_previous_move_the_focus_along(opened: Opened, report: str) -> None:
    page = opened(report).page
    run = run_of(page, "search-index")
    before = run.locator(".iteration:visible h3").inner_text()
    run.locator(".iteration:visible a[rel=next]").click()
    after = run.locator(".iteration:visible h3").inner_text()
    assert int(after.split()[1]) == int(before.split()[1]) + 1
    assert page.evaluate("document.activeElement.className").startswith("iteration")


def test_a_link_to_an_iteration_opens_it(opened: Opened, report: str) -> None:
    page = opened(report + "#run-1-3").page
    expect(page.locator("#run-1-3")).to_be_visible()
    expect(page.locator("#run-1 .iteration:visible")).to_have_count(1)


def test_a_link_to_a_rule_unfolds_its_policy(opened: Opened, report: str) -> None:
    page = opened(report).page
    run_of(page, "login-session").get_by_role("link", name="stagnation", exact=True).first.click()
    expect(page.locator("tr:target")).to_be_in_viewport()


def test_without_javascript_everything_can_be_read(opened: Opened, report: str) -> None:
    page = opened(report, java_script_enabled=False).page
    run = run_of(page, "login-session")
    expect(run.locator(".iteration:visible")).to_have_count(12)
    for at in range(1, 13):
        expect(run.locator(".said").nth(at - 1)).to_be_visible()
    run.get_by_role("link", name="iteration 9, bb3", exact=False).click()
    expect(run.locator(".iteration:target h3")).to_have_text("Iteration 9")
    expect(run.locator(".iteration:target")).to_be_in_viewport()


@pytest.mark.parametrize("width", [390, 768, 1024, 1440])
def test_the_page_itself_never_scrolls_sideways(opened: Opened, report: str, width: int) -> None:
    page = opened(report, width=width).page
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    wide = page.evaluate(
        "[...document.querySelectorAll('.iteration.shown, .compared, .parting, header')]"
        ".filter(e => e.getBoundingClientRect().right > innerWidth + 1).map(e => e.className)"
    )
    assert wide == []


def test_names_of_rows_stay_while_the_timeline_scrolls(opened: Opened, report: str) -> None:
    page = opened(report, width=390, height=844).page
    run = run_of(page, "login-session")
    name = run.locator("tr.strip th").first
    before = name.bounding_box()
    run.locator(".timeline .scroll").evaluate("box => { box.scrollLeft = 200 }")
    after = name.bounding_box()
    assert before is not None
    assert after is not None
    assert run.locator(".timeline .scroll").evaluate("box => box.scrollLeft") == 200
    assert abs(before["x"] - after["x"]) < 1


def test_on_a_phone_a_verdict_leads_to_the_text_and_back(opened: Opened, report: str) -> None:
    page = opened(report, width=390, height=844, has_touch=True).page
    run = run_of(page, "csv-export")
    run.locator("tr.strip a").nth(1).tap()
    expect(run.locator(".iteration:visible h3")).to_have_text("Iteration 2")
    expect(run.locator(".iteration:visible h3")).to_be_in_viewport()
    run.locator(".iteration:visible .back").tap()
    expect(run.locator(".axis thead")).to_be_in_viewport()


def test_print_shows_every_iteration(opened: Opened, report: str) -> None:
    page = opened(report).page
    page.emulate_media(media="print")
    run = run_of(page, "login-session")
    expect(run.locator(".iteration:visible")).to_have_count(12)
    expect(page.locator(".bar nav:visible")).to_have_count(0)
    assert page.pdf().startswith(b"%PDF")
