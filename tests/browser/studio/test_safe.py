"""Hostile texts, other pages, a studio that dies: nothing runs, nothing leaves, everything is said."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from browser_pages import Opened
from patience import PATIENCE, wait_for
from playwright.sync_api import expect
from studio_pages import Studio, own_requests
from synthetic_runs import ATTACKS, synthetic

Start = Callable[..., Studio]


def test_no_text_of_a_run_is_ever_code(opened: Opened, studio: Start) -> None:
    one = studio(30)
    watched = opened(one.address)
    page = watched.page
    expect(page.locator("tr[data-n]").first).to_be_visible()
    for text in ATTACKS[:3]:
        expect(page.locator(".title", has_text=text)).to_have_count(1)
    for view in (
        "runs",
        "live",
        "compare",
        "run/2",
        "runs?text=%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E&format=%22%3E%3Cscript%3E",
    ):
        page.goto(f"{one.origin}/#/{view}")
        page.wait_for_timeout(200)
    assert page.evaluate("document.images.length + document.querySelectorAll('script').length") == 1
    assert page.title().endswith("exitgate studio")
    assert "\u202e" not in page.content()
    own_requests(watched, one)


def test_hostile_policies_and_events_are_text(opened: Opened, studio: Start) -> None:
    one = studio(10)
    one.runs["policies"] = [ATTACKS[0], ATTACKS[4]]
    watched = opened(one.address)
    page = watched.page
    expect(page.locator(".totals .name").first).to_have_text(ATTACKS[0])
    part = {
        "n": 3,
        "title": ATTACKS[1],
        "strips": ["<>&", "\x00"],
        "stops": [None, {"at": 2, "class": ATTACKS[0]}],
    }
    one.events.publish({"type": "rows", "revision": 2, "rows": [part]})
    expect(page.locator("tr[data-n='3'] .title")).to_have_text(ATTACKS[1])
    one.events.publish({"type": ATTACKS[0], "rows": 1})
    one.events.publish({"type": "progress", "done": 3, "known": 9})
    expect(page.locator(".busy")).to_have_text("3 of 9 runs")
    assert page.evaluate("document.images.length") == 0
    own_requests(watched, one)


def test_the_cookie_stays_and_the_token_leaves_the_address(opened: Opened, studio: Start) -> None:
    one = studio(5)
    page = opened(one.address).page
    expect(page.locator("tr[data-n]").first).to_be_visible()
    assert "token" not in page.url
    assert page.evaluate("document.cookie") == ""


def test_another_page_cannot_ask_the_studio(opened: Opened, studio: Start) -> None:
    mine, other = studio(5), studio(5)
    page = opened(mine.address).page
    expect(page.locator("tr[data-n]").first).to_be_visible()
    context = page.context
    second = context.new_page()
    second.goto(other.address)
    # The browser has the cookies of both; a script of one page asks the other studio.
    tried = (
        f"fetch('{mine.origin}/api/runs', {{credentials: 'include'}}).then((a) => a.status, () => 'refused')"
    )
    assert second.evaluate(tried) == "refused"
    third = context.new_page()
    third.set_content(f"<a href='{mine.origin}/api/runs'>runs</a><iframe src='{mine.origin}/'></iframe>")
    third.get_by_role("link").click()
    third.wait_for_load_state()
    assert "iterations" not in third.content()


def test_without_the_token_the_page_says_where_it_is(opened: Opened, studio: Start) -> None:
    one = studio(5)
    page = opened(f"{one.origin}/").page
    expect(page.locator("body")).to_contain_text("open the address that `exitgate studio` printed")


def test_two_pages_hear_the_same(opened: Opened, studio: Start) -> None:
    one = studio(20)
    first = opened(one.address).page
    expect(first.locator("tr[data-n]").first).to_be_visible()
    second = first.context.new_page()
    second.goto(one.origin)
    expect(second.locator("tr[data-n]").first).to_be_visible()
    one.events.publish({"type": "rows", "revision": 2, "rows": [{"n": 2, "title": "renamed"}]})
    for page in (first, second):
        expect(page.locator("tr[data-n='2'] .title")).to_have_text("renamed")


def test_one_policy_s_new_decisions_are_put_into_their_column(opened: Opened, studio: Start) -> None:
    one = studio(20)
    page = opened(one.address).page
    before = page.locator("tr[data-n='2'] .came-to").first.inner_text()
    stop = {"at": 1, "class": "review", "rule": "r", "outcome": "o", "message": "m"}
    part = {"n": 2, "strip": "r....", "stop": stop, "grade": "right", "waste": [41, 2.5]}
    one.events.publish({"type": "rows", "revision": 2, "policy": "bb3", "rows": [part]})
    expect(page.locator("tr[data-n='2'] .came-to").nth(1)).to_contain_text("review at 1")
    expect(page.locator("tr[data-n='2'] .wasted").nth(1)).to_contain_text("41 2.50 USD")
    assert page.locator("tr[data-n='2'] .came-to").first.inner_text() == before


def test_a_studio_that_ends_and_one_that_begins_there_again(
    opened: Opened, studio: Start, fragments: dict[int, str]
) -> None:
    one = studio(20)
    watched = opened(one.address)
    page = watched.page
    expect(page.locator("tr[data-n]").first).to_be_visible()
    one.stop()
    expect(page.get_by_text("not connected")).to_be_visible()
    page.goto(f"{one.origin}/#/run/1")
    expect(page.get_by_role("alert").last).to_contain_text("the studio does not answer")
    again = Studio(synthetic(30), fragments, one.port)
    try:
        # Its token is another: the page says so until its address is opened.
        refused = page.get_by_text("open the address that `exitgate studio` printed")
        expect(refused).to_be_visible(timeout=PATIENCE * 1000)
        page.goto(again.address)
        expect(page.get_by_text("30 runs", exact=True)).to_be_visible()
        expect(page.get_by_text("not connected")).to_have_count(0)
    finally:
        again.stop()
    assert all("ERR_" in said or "401" in said for said in watched.trouble)


def test_a_page_that_is_not_looked_at_stops_listening_and_misses_nothing(
    opened: Opened, studio: Start
) -> None:
    one = studio(20)
    watched = opened(one.address)
    page = watched.page
    expect(page.locator("tr[data-n]").first).to_be_visible()
    one.events.publish({"type": "rows", "revision": 2, "rows": [{"n": 2, "title": "before"}]})
    expect(page.locator("tr[data-n='2'] .title")).to_have_text("before")
    look = "Object.defineProperty(document, 'visibilityState', {value: '%s', configurable: true});" \
        "document.dispatchEvent(new Event('visibilitychange'))"  # fmt: skip
    page.evaluate(look % "hidden")
    wait_for(lambda: not one.events._pages)
    one.events.publish({"type": "rows", "revision": 3, "rows": [{"n": 2, "title": "meanwhile"}]})
    page.evaluate(look % "visible")
    expect(page.locator("tr[data-n='2'] .title")).to_have_text("meanwhile")
    loads = [url for url in watched.requests if url.endswith("/api/runs")]
    assert len(loads) == 1
    own_requests(watched, one)


def test_a_page_that_missed_too_much_loads_everything_anew(opened: Opened, studio: Start) -> None:
    one = studio(20)
    page = opened(one.address).page
    expect(page.locator("tr[data-n]").first).to_be_visible()
    one.runs = dict(synthetic(25))
    one.events.publish({"type": "reload"})
    expect(page.get_by_text("25 runs", exact=True)).to_be_visible()


@pytest.mark.parametrize("path", ["main.js", "vendor/lit.js", "api/runs"])
def test_no_file_is_given_to_a_stranger(opened: Opened, studio: Start, path: str) -> None:
    one = studio(5)
    page = opened("about:blank").page
    assert page.request.get(f"{one.origin}/{path}").status == 401
