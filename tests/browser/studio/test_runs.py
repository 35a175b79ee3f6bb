"""The table of runs in a browser: ten thousand rows, found, sorted and opened by mouse and by keys."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from browser_pages import Opened, Watched
from playwright.sync_api import Page, expect
from studio_pages import Studio, own_requests

Start = Callable[..., Studio]
TITLES = "document.querySelectorAll('tr[data-n] .title')"


def runs_of(opened: Opened, studio: Studio, query: str = "", **options: object) -> Watched:
    watched = opened(studio.address, **options)
    if query:
        watched.page.goto(f"{studio.origin}/#/runs?{query}")
    expect(watched.page.locator("tr[data-n]").first).to_be_visible()
    return watched


def titles(page: Page) -> list[str]:
    return page.evaluate(f"[...{TITLES}].map((one) => one.textContent)")  # type: ignore[no-any-return]


def numbers(page: Page) -> list[int]:
    return page.evaluate("[...document.querySelectorAll('tr[data-n]')].map((row) => Number(row.dataset.n))")  # type: ignore[no-any-return]


def test_ten_thousand_runs_are_there_and_few_of_them_exist(opened: Opened, studio: Start) -> None:
    one = studio(10_000)
    watched = runs_of(opened, one)
    page = watched.page
    table = page.get_by_role("table", name="Runs", exact=True)
    expect(table).to_have_attribute("aria-rowcount", "10001")
    expect(page.get_by_text("10,000 runs", exact=True)).to_be_visible()
    assert page.locator("tr[data-n]").count() < 60
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    last = page.locator("tr[data-n='9999']")
    expect(last).to_be_in_viewport()
    expect(last).to_have_attribute("aria-rowindex", "10001")
    assert page.locator("tr[data-n]").count() < 60
    own_requests(watched, one)


def test_every_row_passes_by_while_one_scrolls(opened: Opened, studio: Start) -> None:
    page = runs_of(opened, studio(300)).page
    seen: set[int] = set()
    for _ in range(60):
        seen |= set(numbers(page))
        if len(seen) == 300:
            break
        page.mouse.wheel(0, 500)
        page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert seen == set(range(300))


@pytest.mark.parametrize(
    ("column", "key"),
    [("Run", "title"), ("Iterations", "iterations"), ("Cost", "cost"), ("Began", "began")],
)
def test_each_column_sorts_both_ways_and_says_so(
    opened: Opened, studio: Start, column: str, key: str
) -> None:
    one = studio(200)
    page = runs_of(opened, one).page
    head = page.get_by_role("columnheader", name=column, exact=True)
    rows = {row["n"]: row for row in one.runs["rows"]}  # type: ignore[attr-defined]
    for direction in ("ascending", "descending"):
        head.get_by_role("button").click()
        expect(head).to_have_attribute("aria-sort", direction)
        found = [rows[n][key] for n in numbers(page)]
        known = [value.lower() if isinstance(value, str) else value for value in found if value is not None]
        assert known == sorted(known, reverse=direction == "descending")
        assert known
    assert page.locator("[aria-sort=none]").count() == 6


def test_columns_of_decisions_sort_by_the_policy_that_is_chosen(opened: Opened, studio: Start) -> None:
    one = studio(200)
    page = runs_of(opened, one).page
    rows = {row["n"]: row for row in one.runs["rows"]}  # type: ignore[attr-defined]
    page.get_by_role("radio", name="bb3").check()
    page.get_by_role("button", name="Decisions, of bb3").click()
    stops = [rows[n]["stops"][1]["at"] for n in numbers(page) if rows[n]["stops"][1]]
    assert stops == sorted(stops)
    page.get_by_role("button", name="Wasted, of bb3").click()
    page.get_by_role("button", name="Wasted, of bb3").click()
    wasted = [rows[n]["waste"][1][0] for n in numbers(page)]
    assert wasted == sorted(wasted, reverse=True)
    assert wasted[0] > 0


def test_search_and_filters_leave_what_fits(opened: Opened, studio: Start) -> None:
    one = studio(2_000)
    watched = runs_of(opened, one)
    page = watched.page
    rows = one.runs["rows"]
    count = page.locator(".count")
    page.keyboard.press("/")
    page.keyboard.type("login 77")
    fit = [row for row in rows if all(word in f"{row['title']} {row['id']}" for word in ("login", "77"))]  # type: ignore[attr-defined]
    expect(count).to_have_text(f"{len(fit)} of 2,000 runs")
    assert numbers(page) == [row["n"] for row in fit]
    page.get_by_role("button", name="Clear filters").click()
    expect(count).to_have_text("2,000 runs")

    page.get_by_label("Format").select_option("codex")
    page.get_by_label("Stop of recommended").select_option("stuck")
    page.get_by_label("Policies disagree").check()
    page.get_by_role("checkbox", name="Unread").check()
    fit = [
        row for row in rows  # type: ignore[attr-defined]
        if row["reader"] == "codex" and (row["stops"][0] or {}).get("class") == "stuck"
        and row["parted"] and not row["read"]
    ]  # fmt: skip
    expect(count).to_have_text(f"{len(fit)} of 2,000 runs")
    assert 0 < len(fit) < 60
    page.get_by_role("button", name="Clear filters").click()
    page.get_by_text("Length and cost").click()
    page.get_by_label("Iterations, at least").press_sequentially("20")
    one.events.publish({"type": "rows", "revision": 2, "rows": [{"n": 1_999, "file": "elsewhere"}]})
    expect(page.get_by_label("Iterations, at least")).to_have_value("20")
    page.get_by_label("Cost in USD, at most").fill("1.5")
    page.keyboard.press("Tab")
    page.get_by_role("combobox", name="Label").select_option("yes")
    fit = [row for row in rows if row["iterations"] >= 20 and (row["cost"] or 9) <= 1.5 and row["label"]]  # type: ignore[attr-defined]
    expect(count).to_have_text(f"{len(fit)} of 2,000 runs")
    assert fit
    own_requests(watched, one)


def test_the_address_says_what_is_shown(opened: Opened, studio: Start) -> None:
    one = studio(500)
    page = runs_of(opened, one).page
    page.get_by_label("Format").select_option("codex")
    page.get_by_role("button", name="Cost", exact=True).click()
    shown = numbers(page)
    assert page.url == f"{one.origin}/#/runs?format=codex&sort=cost"
    page.reload()
    expect(page.get_by_label("Format")).to_have_value("codex")
    assert numbers(page) == shown
    page.goto(f"{one.origin}/#/runs?by=1&grade=late")
    expect(page.get_by_role("radio", name="bb3")).to_be_checked()
    late = [row["n"] for row in one.runs["rows"] if row["grades"][1] == "late"]  # type: ignore[attr-defined]
    expect(page.locator(".count")).to_have_text(f"{len(late)} of 500 runs")


@pytest.mark.parametrize(
    "query",
    ["by=99", "by=-1", "by=x", "sort=__proto__", "sort=nothing&down=1", "fewest=x", "text=%3Cimg%3E", "%zz"],
)
def test_an_address_that_makes_no_sense_shows_runs_or_none(opened: Opened, studio: Start, query: str) -> None:
    one = studio(20)
    watched = opened(one.address)
    watched.page.goto(f"{one.origin}/#/runs?{query}")
    expect(watched.page.locator(".count")).to_contain_text("20 runs")
    own_requests(watched, one)


def test_totals_count_what_is_in_sight_and_lead_to_it(opened: Opened, studio: Start) -> None:
    one = studio(1_000)
    page = runs_of(opened, one).page
    rows = one.runs["rows"]
    line = page.locator(".totals tbody tr").nth(1)
    late = [row for row in rows if row["grades"][1] == "late"]  # type: ignore[attr-defined]
    wasted = sum(row["waste"][1][0] for row in rows)  # type: ignore[attr-defined]
    expect(line).to_contain_text(f"{wasted:,}")
    line.get_by_role("button", name=f"{len(late)} runs late under bb3").click()
    expect(page.locator(".count")).to_have_text(f"{len(late)} of 1,000 runs")
    button = line.get_by_role("button", name=f"{len(late)} runs late under bb3")
    expect(button).to_have_attribute("aria-pressed", "true")
    button.click()
    expect(page.locator(".count")).to_have_text("1,000 runs")


def test_keys_alone_find_and_open_a_run(opened: Opened, studio: Start) -> None:
    one = studio(10_000)
    watched = runs_of(opened, one)
    page = watched.page
    page.keyboard.press("j")
    expect(page.locator(":focus")).to_have_attribute("href", "#/run/0")
    for _ in range(40):
        page.keyboard.press("j")
    focused = page.locator(":focus")
    expect(focused).to_have_attribute("href", "#/run/40")
    expect(focused).to_be_in_viewport()
    page.keyboard.press("k")
    expect(page.locator(":focus")).to_have_attribute("href", "#/run/39")
    page.evaluate("scrollTo(0, 50_000)")
    expect(page.locator("tr[data-n='0']")).to_have_count(0)
    expect(page.locator(":focus")).to_have_attribute("href", "#/run/39")
    page.keyboard.press("j")
    expect(page.locator(":focus")).to_have_attribute("href", "#/run/40")
    expect(page.locator(":focus")).to_be_in_viewport()
    expect(page.locator("tr.current .under").last).to_be_in_viewport(ratio=1)
    for _ in range(39):
        page.keyboard.press("k")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="csv-export")).to_be_visible()
    page.keyboard.press("Backspace")
    expect(page.get_by_role("table", name="Runs", exact=True)).to_be_visible()
    expect(page.locator("tr[data-n='1'] .dot")).to_have_count(0)
    own_requests(watched, one)


def test_keys_that_are_switched_off_do_nothing(opened: Opened, studio: Start) -> None:
    page = runs_of(opened, studio(20)).page
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keys")
    expect(dialog).to_be_visible()
    dialog.get_by_label("Use single keys").uncheck()
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    page.keyboard.press("j")
    expect(page.locator("tr.current")).to_have_count(0)


def test_a_strip_tells_its_stop_without_colour(opened: Opened, studio: Start) -> None:
    page = runs_of(opened, studio(400)).page
    found = page.evaluate(
        "[...document.querySelectorAll('.decision')].filter((one) => one.querySelector('.pin'))"
        ".map((one) => [one.querySelector('.chip').classList[1], one.querySelector('.pin text').textContent])"
    )
    signs = dict(found)
    assert len(signs) >= 4
    assert len(set(signs.values())) == len(signs)


@pytest.mark.parametrize("width", [320, 420, 768, 1024, 1400, 3840])
def test_no_width_scrolls_the_page_sideways(opened: Opened, studio: Start, width: int) -> None:
    page = runs_of(opened, studio(200), width=width).page
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    cut = page.evaluate(
        "[...document.querySelectorAll('tr[data-n]')]"
        ".filter((row) => row.scrollHeight > row.clientHeight + 4).length"
    )
    assert cut == 0
    # Else rows far down would not be where they are looked for.
    heights = page.evaluate(
        "[...document.querySelectorAll('tr[data-n]')].map((row) => row.getBoundingClientRect().height"
        " - parseFloat(getComputedStyle(row).getPropertyValue('--row')))"
    )
    assert {round(one, 2) for one in heights} == {0}
