"""A policy is drafted in the browser: what is moved there moves the runs."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from browser_pages import Opened
from playwright.sync_api import Page, expect
from real_studio import Real


@pytest.fixture
def real() -> Iterator[Real]:
    one = Real()
    yield one
    one.stop()


def policy_of(opened: Opened, real: Real, name: str = "bb3", **given: object) -> Page:
    page = opened(real.address, **given).page
    expect(page.locator("tr[data-n]")).to_have_count(5)
    page.goto(f"http://127.0.0.1:{real.port}/#/policy/{name}")
    expect(page.get_by_role("heading", name="What moves")).to_be_visible()
    return page


def test_a_threshold_that_is_moved_moves_runs(opened: Opened, real: Real) -> None:
    watched = opened(real.address)
    page = watched.page
    expect(page.locator("tr[data-n]")).to_have_count(5)
    page.goto(f"http://127.0.0.1:{real.port}/#/policy/bb3")
    slider = page.get_by_role("slider", name="min_completion", exact=True)
    slider.focus()
    slider.press("Home")
    slider.press("ArrowRight")
    outcome = page.locator(".outcome")
    expect(outcome).to_contain_text("otherwise than under the policy as it is saved")
    expect(outcome.locator(".moved a").first).to_be_visible()
    expect(page.get_by_role("status").filter(has_text="changed, not saved")).to_be_visible()
    moved = real.workspace.rows()["rows"]
    assert real.workspace.columns["bb3"].draft.values == {"min_completion": 2}
    page.get_by_role("link", name="Runs").click()
    first = page.locator("tr[data-n]").first
    expect(first).to_be_visible()
    assert any(row["stops"][0] and row["stops"][0]["at"] < 4 for row in moved)
    page.go_back()
    expect(page.locator(".outcome .moved a").first).to_be_visible()
    page.get_by_role("button", name="Take all changes back").click()
    expect(page.locator(".outcome")).to_contain_text("No run stops otherwise")
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".outcome .moved a").first).to_be_visible()
    assert watched.trouble == []


def test_a_rule_is_left_out_put_in_shadow_and_moved_by_key(opened: Opened, real: Real) -> None:
    page = policy_of(opened, real)
    page.get_by_label("all_tasks_done: leave out").check()
    expect(page.locator("#rule-all_tasks_done.off")).to_be_visible()
    expect(page.locator(".outcome")).to_contain_text("all_tasks_done → complete at 4, high_completion")
    page.get_by_label("all_tasks_done: leave out").uncheck()
    page.get_by_label("all_tasks_done: shadow").check()
    before = page.locator(".rules > li").first.get_attribute("id")
    free = [rule.id for rule in real.workspace.columns["bb3"].saved.policy.rules if not rule.locked]
    last = page.get_by_role("button", name=f"{free[-1]}: move up")
    last.focus()
    last.press("Alt+ArrowUp")
    draft = real.workspace.columns["bb3"]
    expect(page.locator(f"#rule-{free[-1]} ~ #rule-{free[-2]}")).to_have_count(1)
    page.wait_for_function("document.querySelector('[role=status]').textContent.includes('changed')")
    page.wait_for_timeout(500)
    assert draft.draft.shadow == ("all_tasks_done",)
    assert draft.draft.before == {free[-1]: free[-2]}
    assert page.locator(".rules > li").first.get_attribute("id") == before


def test_a_rule_takes_its_controls_and_the_focus_along(opened: Opened, real: Real) -> None:
    page = policy_of(opened, real)
    free = [rule.id for rule in real.workspace.columns["bb3"].saved.policy.rules if not rule.locked]
    boxes = page.get_by_label(f"{free[-1]}: shadow")
    boxes.evaluate("box => { box.closest('li').dataset.seen = 'yes'; box.focus(); }")
    for passed in (free[-2], free[-3]):
        page.keyboard.press("Alt+ArrowUp")
        expect(page.locator(f"#rule-{free[-1]}[data-seen] ~ #rule-{passed}")).to_have_count(1)
        expect(boxes).to_be_focused()
    page.get_by_label(f"{free[-2]}: leave out").check()
    expect(page.locator(f"#rule-{free[-2]}.off")).to_be_visible()
    expect(page.locator(f"#rule-{free[-3]} + #rule-{free[-2]}")).to_have_count(1)


def test_a_value_that_cannot_be_is_said_and_the_change_before_stays(opened: Opened, real: Real) -> None:
    page = policy_of(opened, real)
    typed = page.get_by_label("min_completion, as a number")
    typed.fill("10")
    typed.press("Tab")
    expect(page.locator(".outcome .moved a").first).to_be_visible()
    typed.fill("1000")
    typed.press("Tab")
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("cannot be used")
    expect(alert).to_contain_text("100")
    assert real.workspace.columns["bb3"].draft.values == {"min_completion": 10}


def test_what_extractors_read_says_so_and_reads_again(opened: Opened, real: Real) -> None:
    page = policy_of(opened, real, "loop-detection")
    expect(page.locator("#parameter-loop_window-doc")).to_contain_text("read again")
    typed = page.get_by_label("loop_window, as a number")
    typed.fill("7")
    typed.press("Tab")
    expect(page.locator(".outcome")).to_contain_text("as it is saved", timeout=30_000)
    assert real.workspace.columns["loop-detection"].draft.values == {"loop_window": 7}


@pytest.mark.parametrize(("scheme", "width"), [("light", 1400), ("dark", 420)])
def test_axe_finds_nothing_in_a_draft(opened: Opened, real: Real, scheme: str, width: int) -> None:
    page = policy_of(opened, real, width=width, color_scheme=scheme, bypass_csp=True)
    typed = page.get_by_label("min_completion, as a number")
    typed.fill("1")
    typed.press("Tab")
    expect(page.locator(".outcome .moved a").first).to_be_visible()
    found = Axe().run(page).response["violations"]
    assert [(one["id"], [node["html"][:150] for node in one["nodes"][:3]]) for one in found] == []
