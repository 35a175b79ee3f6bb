"""What would change a decision: controls that are pulled in the page of one run, by mouse and by keys."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from browser_pages import Opened, Watched
from patience import PATIENCE
from playwright.sync_api import Locator, expect


def origin_of(address: str) -> str:
    return address.partition("?")[0].rstrip("/")


def at(opened: Opened, address: str, iteration: int = 3, **options: object) -> tuple[Watched, Locator]:
    """Open an iteration of the first run, and the panel of its first policy by its key."""
    watched = opened(address, **options)
    page = watched.page
    expect(page.locator("tr[data-n]").first).to_be_visible(timeout=PATIENCE * 1000)
    page.goto(f"{origin_of(address)}/#/run/1/{iteration}")
    heading = page.locator(".iteration:visible h3")
    expect(heading).to_have_text(f"Iteration {iteration}", timeout=PATIENCE * 1000)
    page.keyboard.press("w")
    panel = page.locator(".iteration:visible .what-if[open]")
    expect(panel.get_by_label("tasks.done", exact=True)).to_be_visible(timeout=PATIENCE * 1000)
    return watched, panel


def test_a_fact_that_is_pulled_gives_another_decision_at_once(opened: Opened, address: str) -> None:
    watched, panel = at(opened, address)
    then = panel.locator(".then")
    expect(then).to_contain_text("It says")
    expect(then.locator(".chip")).to_contain_text("CONTINUE")
    done = panel.get_by_label("tasks.done", exact=True)
    done.fill("4")
    done.press("Enter")
    expect(then).to_contain_text("It would say")
    expect(then.locator(".chip")).to_contain_text("EXIT complete")
    expect(then.locator("p code").first).to_have_text("all_tasks_done")
    expect(then).to_contain_text("tasks.percent 75% → 100%")
    expect(then.locator(".ladder li.decides")).to_contain_text("was false")
    expect(watched.page.locator("#told")).to_contain_text("bb3 would say EXIT complete, by all_tasks_done")
    panel.get_by_role("button", name="Take all back").click()
    expect(then.locator(".chip")).to_contain_text("CONTINUE")
    expect(done).to_have_value("3")
    assert watched.trouble == []


def test_the_smallest_changes_are_marked_and_lead_where_they_say(opened: Opened, address: str) -> None:
    watched, panel = at(opened, address)
    control = panel.locator(".pulls li").filter(has_text="tasks.done").first
    mark = control.locator(".turns button").first
    expect(mark).to_contain_text("EXIT complete")
    mark.click()
    expect(panel.locator(".then .chip")).to_contain_text("EXIT complete")
    expect(control).to_have_class("changed")
    control.get_by_role("button", name="back to 3").click()
    expect(panel.locator(".then")).to_contain_text("It says")
    panel.locator(".ways-out button").first.click()
    wanted = panel.locator(".ways-out li").first.locator(".chip").inner_text()
    expect(panel.locator(".then .chip")).to_have_text(wanted)
    assert watched.trouble == []


def test_everything_is_done_by_keys(opened: Opened, address: str) -> None:
    watched, panel = at(opened, address)
    page = watched.page
    expect(panel.locator("summary").first).to_be_focused()
    slider = panel.get_by_label("tasks.done, slider", exact=True)
    slider.focus()
    page.keyboard.press("ArrowRight")
    expect(panel.locator(".then .chip")).to_contain_text("EXIT complete")
    expect(panel.get_by_label("tasks.done", exact=True)).to_have_value("4")
    expect(slider).to_be_focused()
    page.keyboard.press("Shift+Tab")
    page.locator("#main").focus()
    page.keyboard.press("w")
    expect(page.locator(".what-if[open]")).to_have_count(0)
    expect(page.locator(".iteration:visible .what-if summary").first).to_be_focused()
    page.keyboard.press("j")
    expect(page.locator(".iteration:visible h3")).to_have_text("Iteration 4")
    assert watched.trouble == []


def test_what_is_unknown_is_so_until_it_is_set(opened: Opened, address: str) -> None:
    watched, panel = at(opened, address)
    for fold in panel.locator("details > summary").all():
        fold.click()
    confidence = panel.get_by_label("confidence", exact=True)
    expect(confidence).to_have_value("")
    expect(confidence).to_have_attribute("placeholder", "unknown")
    confidence.fill("10")
    confidence.press("Enter")
    expect(panel.locator(".then .chip")).to_contain_text("EXIT review")
    confidence.fill("")
    confidence.press("Enter")
    expect(panel.locator(".then")).to_contain_text("It says")
    assert watched.trouble == []


def test_what_cannot_be_is_said_and_can_be_put_right(opened: Opened, address: str) -> None:
    watched, panel = at(opened, address)
    done = panel.get_by_label("tasks.done", exact=True)
    done.fill("9")
    done.press("Enter")
    expect(panel.get_by_role("alert")).to_contain_text("`tasks.done` is more than `tasks.total`")
    expect(panel.locator(".then")).to_have_count(0)
    done.fill("4")
    done.press("Enter")
    expect(panel.get_by_role("alert")).to_have_count(0)
    expect(panel.locator(".then .chip")).to_contain_text("EXIT complete")
    assert [said for said in watched.trouble if "422" not in said] == []


def test_a_parameter_is_tried_on_all_runs(opened: Opened, address: str) -> None:
    watched, panel = at(opened, address)
    page = watched.page
    goal = panel.get_by_label("$min_completion", exact=True)
    if not goal.is_visible():
        panel.locator("details > summary").filter(has_text="parameter").click()
    goal.fill("75")
    goal.press("Enter")
    expect(panel.locator(".then .chip")).to_contain_text("EXIT complete")
    panel.get_by_role("button", name="Try it on all runs").click()
    expect(page).to_have_url(f"{origin_of(address)}/#/policy/bb3")
    expect(page.locator("#parameter-min_completion-number")).to_have_value("75")
    expect(page.locator(".draft-bar")).to_contain_text("changed, not saved")
    page.get_by_role("button", name="Take all changes back").click()
    expect(page.locator("#parameter-min_completion-number")).to_have_value("80")
    expect(page.locator(".draft-bar")).to_contain_text("as it is saved")
    assert watched.trouble == []


@pytest.mark.parametrize(("scheme", "width"), [("light", 1400), ("dark", 320)])
def test_axe_finds_nothing_and_the_page_fits(opened: Opened, address: str, scheme: str, width: int) -> None:
    watched, panel = at(opened, address, width=width, color_scheme=scheme, bypass_csp=True)
    page = watched.page
    for _ in range(2):  # first the panels of both policies, then what is folded in them
        page.evaluate(
            "document.querySelectorAll('.iteration.shown details').forEach((one) => { one.open = true; })"
        )
        expect(page.locator(".iteration:visible .what-if .then")).to_have_count(2, timeout=PATIENCE * 1000)
    done = panel.first.get_by_label("tasks.done", exact=True)
    done.fill("4")
    done.press("Enter")
    expect(panel.first.locator(".then .chip")).to_contain_text("EXIT complete")
    wrong = Axe().run(page).response["violations"]
    assert [(one["id"], [node["html"][:160] for node in one["nodes"][:3]]) for one in wrong] == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("height", [480, 900])
def test_what_has_the_focus_is_not_behind_the_verdict(opened: Opened, address: str, height: int) -> None:
    watched, panel = at(opened, address, width=420, height=height)
    page = watched.page
    done = panel.get_by_label("tasks.done", exact=True)
    done.fill("4")
    done.press("Enter")
    expect(panel.locator(".then .chip")).to_contain_text("EXIT complete")
    panel.locator("details > summary").last.focus()
    covered = """() => {
      const box = document.activeElement.getBoundingClientRect();
      const then = document.querySelector('.iteration.shown .what-if[open] .then');
      const top = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
      return then.contains(top) && !then.contains(document.activeElement);
    }"""
    for _ in range(12):
        page.keyboard.press("Shift+Tab")
        assert page.evaluate(covered) is False
    assert watched.trouble == []
