"""A sweep over parameters is a picture, and its points can be taken."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from browser_pages import Opened
from playwright.sync_api import Page, expect
from real_studio import Real


@pytest.fixture
def real() -> Iterator[Real]:
    one = Real({"bb3": "bb3"})
    yield one
    one.stop()


def sweep_of(page: Page, real: Real) -> None:
    expect(page.locator("tr[data-n]")).to_have_count(5)
    page.goto(f"http://127.0.0.1:{real.port}/#/policy/bb3")
    page.get_by_role("combobox", name="Parameter", exact=True).select_option("min_completion")


def test_a_line_says_what_each_value_comes_to_and_a_click_takes_it(opened: Opened, real: Real) -> None:
    watched = opened(real.address)
    page = watched.page
    sweep_of(page, real)
    page.get_by_role("button", name="Sweep").click()
    points = page.get_by_role("slider", name="Points of the sweep")
    said = "min_completion 80: 2 right stops, 1 premature stops, 2 late stops, 0 missed stops, 4 iterations"
    expect(page.locator(".at-point")).to_contain_text(said)
    assert Axe().run(page).response["violations"] == []
    points.focus()
    page.keyboard.press("Home")
    expect(points).to_have_attribute("aria-valuenow", "1")
    page.keyboard.press("Enter")
    expect(page.get_by_label("min_completion, as a number")).to_have_value("1")
    expect(page.locator(".outcome .moved a").first).to_be_visible()
    assert real.workspace.columns["bb3"].draft.values == {"min_completion": 1}
    page.locator(".sweep .chart .hit").last.click()
    expect(page.get_by_label("min_completion, as a number")).to_have_value("100")
    expect(page.locator(".sweep .warned")).to_have_count(0)
    page.get_by_label("stagnation_loops, as a number").fill("9")
    page.get_by_label("stagnation_loops, as a number").press("Tab")
    expect(page.locator(".sweep .warned")).to_contain_text("sweep again")
    assert watched.trouble == []


@pytest.mark.parametrize(("width", "scheme"), [(1400, "dark"), (320, "light")])
def test_two_parameters_are_a_table_of_colours(opened: Opened, real: Real, width: int, scheme: str) -> None:
    watched = opened(real.address, width=width, color_scheme=scheme)
    page = watched.page
    expect(page.locator("tr[data-n]").first).to_be_visible()
    page.goto(f"http://127.0.0.1:{real.port}/#/policy/bb3")
    page.get_by_role("combobox", name="Parameter", exact=True).select_option("min_completion")
    page.get_by_role("combobox", name="and", exact=True).select_option("stagnation_loops")
    page.get_by_role("button", name="Sweep").click()
    cells = page.locator(".heat td")
    expect(cells.first).to_be_visible()
    expect(page.locator(".heat td.now")).to_have_count(1)
    before = cells.first.text_content()
    page.get_by_label("Show").select_option("waste")
    assert cells.first.text_content() != before or before == "0"
    assert Axe().run(page).response["violations"] == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    cells.first.click()
    expect(page.get_by_label("min_completion, as a number")).to_have_value("1")
    expect(page.get_by_label("stagnation_loops, as a number")).to_have_value("1")
    expect(page.locator(".outcome .moved a").first).to_be_visible()
    assert real.workspace.columns["bb3"].draft.values == {"min_completion": 1, "stagnation_loops": 1}
    assert watched.trouble == []


def test_what_extractors_read_cannot_be_chosen(opened: Opened, real: Real) -> None:
    page = opened(real.address).page
    sweep_of(page, real)
    offered = page.get_by_role("combobox", name="Parameter", exact=True).locator("option").all_text_contents()
    shown = {one["name"] for one in real_parameters(real) if not one["extracts"]}
    assert set(offered) <= shown
    assert "min_confidence" in offered


def real_parameters(real: Real) -> list[dict[str, object]]:
    from exitgate.surfaces.studio.workspace.policy_view import policy_json

    found = policy_json(real.workspace.columns["bb3"])["parameters"]
    assert isinstance(found, list)
    return found
