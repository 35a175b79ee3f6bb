"""What people with other eyes or without a mouse need, checked on what the browser made of the page."""

from __future__ import annotations

import pytest
from browser_pages import Opened
from playwright.sync_api import Page

#: Returns texts with less contrast than WCAG 2.2 wants: 4.5, or 3 for large ones.
CONTRAST = """() => {
  const parse = (text) => [...text.match(/[\\d.]+/g).map(Number), 1].slice(0, 4);
  const light = ([r, g, b]) => [r, g, b].map((v) => v / 255)
    .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const ground = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const found = parse(getComputedStyle(at).backgroundColor);
      if (found[3] === 1) return found;
    }
    return [255, 255, 255, 1];
  };
  const low = new Set();
  for (const element of document.querySelectorAll("body *")) {
    const style = getComputedStyle(element);
    const text = [...element.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    const size = parseFloat(style.fontSize);
    if (!text || size === 0 || !element.checkVisibility()) continue;
    const [one, other] = [light(parse(style.color)), light(ground(element))];
    const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    if (ratio < (size >= 24 ? 3 : 4.5)) low.add(`${element.className}: ${ratio.toFixed(2)}`);
  }
  return [...low];
}"""
#: Returns elements that can be reached and have no name.
NAMELESS = """() => [...document.querySelectorAll("a, summary, [tabindex='0'], [role=img], [role=region]")]
  .filter((e) => e.checkVisibility())
  .filter((e) => !(e.getAttribute("aria-label") || e.textContent.trim()
    || document.getElementById(e.getAttribute("aria-labelledby"))?.textContent.trim()))
  .map((e) => e.outerHTML.slice(0, 80))"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_can_be_read(opened: Opened, report: str, scheme: str) -> None:
    page = opened(report, color_scheme=scheme).page
    page.evaluate("document.querySelectorAll('details').forEach((part) => { part.open = true })")
    assert page.evaluate(CONTRAST) == []
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(16, 19, 22)"
    assert dark == (scheme == "dark")


def test_everything_that_can_be_reached_has_a_name(opened: Opened, report: str) -> None:
    assert opened(report).page.evaluate(NAMELESS) == []


def test_cells_say_in_words_what_they_show_in_signs(opened: Opened, report: str) -> None:
    page = opened(report).page
    rule = page.locator("tr.rule").first
    words = rule.locator("td").all_text_contents()
    assert {word.split()[0] for word in words} <= {
        "decided", "true", "warns", "shadow", "false", "pending", "unknown", "not",
    }  # fmt: skip
    signs = page.evaluate(
        "[...document.querySelectorAll('tr.rule td')]"
        ".map(e => [e.className, getComputedStyle(e, '::before').content])"
    )
    assert len({content for _, content in signs}) >= 5


def test_classes_differ_without_colour(opened: Opened, report: str) -> None:
    page = opened(report).page
    signs = page.evaluate(
        "[...document.querySelectorAll('tr.strip a')].map(e => [e.classList[0], e.textContent])"
    )
    by_class = dict(signs)
    assert len(set(by_class.values())) == len(by_class) > 4


def test_landmarks_and_headings(opened: Opened, report: str) -> None:
    page: Page = opened(report).page
    tree = page.locator("body").aria_snapshot()
    for wanted in ("main:", 'heading "5 recorded runs', 'navigation "Runs, most at stake first"', "status"):
        assert wanted in tree
    assert page.locator("main").count() == 1
    assert page.locator("h1").count() == 1


def test_forced_colours_and_large_text_keep_the_page_whole(opened: Opened, report: str) -> None:
    page = opened(report, width=390, forced_colors="active").page
    page.evaluate("document.documentElement.style.fontSize = '200%'")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
