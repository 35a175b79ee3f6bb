"""One run in the studio: the report's page of it, by keys, links and search; and the other views."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from browser_pages import Opened, Watched
from playwright.sync_api import Page, expect
from studio_pages import Studio, own_requests

Start = Callable[..., Studio]


def run_of(opened: Opened, studio: Studio, path: str, **options: object) -> Watched:
    watched = opened(studio.address, **options)
    watched.page.goto(f"{studio.origin}/#/{path}")
    return watched


def heading(page: Page) -> object:
    return page.locator(".iteration:visible h3")


def test_an_address_leads_to_an_iteration(opened: Opened, studio: Start) -> None:
    one = studio(20)
    watched = run_of(opened, one, "run/1/7")
    page = watched.page
    expect(page.get_by_role("heading", name="csv-export")).to_be_visible()
    expect(page.locator(".iteration:visible h3")).to_have_text("Iteration 7")
    expect(page.locator("mark.counted:visible").first).to_be_visible()
    page.goto(f"{one.origin}/#run-1-3")
    expect(page.locator(".iteration:visible h3")).to_have_text("Iteration 3")
    own_requests(watched, one)


def test_keys_walk_through_a_run(opened: Opened, studio: Start) -> None:
    one = studio(20)
    watched = run_of(opened, one, "run/1/4")
    page = watched.page
    shown = page.locator(".iteration:visible h3")
    expect(shown).to_have_text("Iteration 4")
    for key, number in (("j", 5), ("j", 6), ("k", 5), ("k", 4), ("k", 3)):
        page.keyboard.press(key)
        expect(shown).to_have_text(f"Iteration {number}")
        assert page.url == f"{one.origin}/#/run/1/{number}"
    page.keyboard.press("s")
    expect(shown).to_have_text("Iteration 4")
    page.keyboard.press("]")
    expect(page.locator(".beside")).to_contain_text("3 of 20 runs")
    page.keyboard.press("[")
    expect(page.get_by_role("heading", name="csv-export")).to_be_visible()
    page.keyboard.press("Backspace")
    expect(page.get_by_role("table", name="Runs", exact=True)).to_be_visible()
    own_requests(watched, one)


def test_n_goes_to_the_next_disagreement_also_of_the_next_run(opened: Opened, studio: Start) -> None:
    one = studio(6)
    for row in one.runs["rows"]:  # type: ignore[attr-defined]
        row |= {"parted": False, "strips": ["." * 9, "." * 9]}
    one.runs["rows"][1] |= {"parted": True, "strips": ["..c......", "......s.."]}  # type: ignore[index]
    one.runs["rows"][3] |= {"parted": True, "strips": [".........", "....s...."]}  # type: ignore[index]
    watched = run_of(opened, one, "run/1/1")
    page = watched.page
    shown = page.locator(".iteration:visible h3")
    expect(shown).to_have_text("Iteration 1")
    for number in (3, 7):
        page.keyboard.press("n")
        expect(shown).to_have_text(f"Iteration {number}")
    page.keyboard.press("n")
    expect(page).to_have_url(f"{one.origin}/#/run/3/5")
    expect(shown).to_have_text("Iteration 5")
    page.keyboard.press("p")
    expect(page).to_have_url(f"{one.origin}/#/run/1/7")
    expect(shown).to_have_text("Iteration 7")


def test_the_texts_of_a_run_are_searched(opened: Opened, studio: Start) -> None:
    one = studio(20)
    watched = run_of(opened, one, "run/1/1")
    page = watched.page
    expect(page.locator(".iteration:visible h3")).to_have_text("Iteration 1")
    page.keyboard.press("/")
    page.keyboard.type("all 15 pass")
    expect(page.locator(".find [role=status]")).to_contain_text("1 of ")
    expect(page.locator(".iteration:visible .said")).to_contain_text("all 15 pass")
    assert page.evaluate("CSS.highlights.get('found').size") >= 1
    page.keyboard.press("Enter")
    page.get_by_label("Search the texts of this run").fill("not a word of it")
    expect(page.locator(".find [role=status]")).to_have_text("0 hits")
    own_requests(watched, one)


def test_links_of_the_report_stay_in_the_run_or_lead_to_the_policy(opened: Opened, studio: Start) -> None:
    one = studio(20)
    watched = run_of(opened, one, "run/1/4")
    page = watched.page
    page.locator(".iteration:visible sup a").first.click()
    assert page.locator(".evidence li:focus").count() == 1
    assert page.url == f"{one.origin}/#/run/1/4"
    page.locator("tr.rule a", has_text="stagnation").last.click()
    expect(page.get_by_role("heading", name="Policy")).to_be_visible()
    assert page.url == f"{one.origin}/#/policy/bb3/stagnation"
    expect(page.locator(".rules .on code").first).to_have_text("stagnation")
    own_requests(watched, one)


@pytest.mark.parametrize("path", ["run/9999", "run/x", "run/-1", "run/1e9", "run/"])
def test_a_run_that_is_not_there_is_said(opened: Opened, studio: Start, path: str) -> None:
    page = run_of(opened, studio(20), path).page
    expect(page.get_by_role("alert")).to_be_visible()
    expect(page.get_by_role("link", name="All runs")).to_be_visible()


def test_the_editor_shows_the_policy_and_needs_no_leave_of_the_page(opened: Opened, studio: Start) -> None:
    one = studio(20)
    watched = run_of(opened, one, "policy/bb3")
    page = watched.page
    text = page.get_by_role("textbox", name="Text of bb3")
    expect(text).to_contain_text("policy: bb3")
    gutter = page.locator(".cm-gutters")
    expect(gutter).to_be_visible()
    # Its own styles count, although the page allows none that come with a script.
    assert gutter.evaluate("(one) => getComputedStyle(one).position") == "sticky"
    text.focus()
    page.keyboard.press("Control+f")
    expect(page.locator(".cm-search")).to_be_visible()
    own_requests(watched, one)


#: Puts an editor with everything into the page, as the view of a policy will.
EDITOR = """async () => {
  const { editor } = await import("./editor.js");
  const place = document.createElement("div");
  document.getElementById("main").replaceChildren(place);
  const at = (view) => view.state.doc.toString().indexOf("min_complet");
  editor(place, {
    text: "when: tasks.percent >= $min_complet", label: "draft",
    changed: (text) => { window.written = text; },
    complete: async (context) => ({ from: context.pos, options: [{ label: "ion <b>", type: "variable" }] }),
    lint: async (view) => [
      { from: at(view), to: at(view) + 11, severity: "error", message: "<img src=x> is unknown" },
    ],
    hover: async (view, pos) => {
      const dom = Object.assign(document.createElement("p"), { textContent: "80%" });
      return { pos, create: () => ({ dom }) };
    },
  });
}"""


def test_the_editor_completes_marks_and_explains_under_the_page_s_own_rules(
    opened: Opened, studio: Start
) -> None:
    one = studio(5)
    watched = run_of(opened, one, "compare")
    page = watched.page
    expect(page.locator("h1")).to_be_visible()
    page.evaluate(EDITOR)
    text = page.get_by_role("textbox", name="draft")
    expect(page.locator(".cm-lintRange-error")).to_have_text("min_complet")
    text.focus()
    page.keyboard.press("Control+End")
    page.keyboard.press("Control+Space")
    option = page.get_by_role("option", name="ion <b>")
    expect(option).to_be_visible()
    assert (
        page.locator(".cm-tooltip-autocomplete").evaluate("(one) => getComputedStyle(one).position")
        != "static"
    )
    expect(option).to_have_attribute("aria-selected", "true")
    page.wait_for_timeout(200)  # CodeMirror takes no Enter for a list that has only just appeared
    page.keyboard.press("Enter")
    page.wait_for_function("() => window.written?.endsWith('min_completion <b>')")
    page.keyboard.press("Control+Shift+M")
    expect(page.locator(".cm-panel-lint")).to_contain_text("<img src=x> is unknown")
    page.locator(".cm-content span").first.hover()
    expect(page.locator(".cm-tooltip-hover").last).to_contain_text("80%")
    assert page.evaluate("document.images.length") == 0
    own_requests(watched, one)


def test_a_running_loop_is_in_the_live_view(opened: Opened, studio: Start) -> None:
    one = studio(20)
    watched = run_of(opened, one, "live")
    page = watched.page
    expect(page.locator(".live-runs li")).to_have_count(1)
    row = dict(one.runs["rows"][3], live=True, title="grows", iterations=99)  # type: ignore[index]
    one.events.publish({"type": "live", "row": row})
    expect(page.locator(".live-runs li")).to_have_count(2)
    expect(page.get_by_text("99 iterations")).to_be_visible()
    own_requests(watched, one)
