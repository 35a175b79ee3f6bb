"""The text of a policy is written in the browser: with help, as a draft, without a trap for the keyboard."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from browser_pages import Opened, Watched
from playwright.sync_api import Locator, Page, expect
from real_studio import Real

from exitgate.core.policy.shipped import path as shipped_path

Begin = Callable[..., Watched]
HEAD = "policy: mine\nformat: 1\nversion: 1.0.0\ntitle: Mine\nextends: bb3@^2\n"
PASTE = """(place, text) => {
  const clipboardData = new DataTransfer();
  clipboardData.setData("text/plain", text);
  place.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
}"""


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A policy with a file of its own."""
    file = tmp_path / "mine.yaml"
    shutil.copyfile(shipped_path("bb3"), file)
    return file


@pytest.fixture
def real(own: Path) -> Iterator[Real]:
    one = Real({"mine": str(own), "bb3": "bb3"})
    yield one
    one.stop()


def page_of(opened: Opened, real: Real, name: str = "mine", **given: object) -> Watched:
    watched = opened(real.address, **given)
    expect(watched.page.locator("tr[data-n]")).to_have_count(5)
    watched.page.goto(f"http://127.0.0.1:{real.port}/#/policy/{name}")
    expect(text_of(watched.page, name)).to_be_visible()
    return watched


def text_of(page: Page, name: str = "mine") -> Locator:
    return page.get_by_role("textbox", name=f"Text of {name}")


def put(page: Page, text: str, *, at_start: bool = True) -> None:
    """Paste over the whole text."""
    text_of(page).focus()
    page.keyboard.press("ControlOrMeta+a")
    text_of(page).evaluate(PASTE, text)
    if at_start:
        page.keyboard.press("ControlOrMeta+Home")


def draft_of(real: Real) -> str | None:
    return real.workspace.columns["mine"].draft.text


def changed(page: Page) -> None:
    expect(page.get_by_role("status").filter(has_text="changed, not saved")).to_be_visible()


def test_a_changed_threshold_in_the_text_moves_runs(opened: Opened, real: Real, own: Path) -> None:
    watched = page_of(opened, real)
    page, text = watched.page, own.read_text(encoding="utf-8")
    other = text.replace("default: 80", "default: 5", 1)
    assert other != text
    put(page, other)
    expect(page.locator(".outcome .moved a").first).to_be_visible()
    changed(page)
    assert draft_of(real) == other
    assert own.read_text(encoding="utf-8") == text, "nothing is written"
    expect(page.get_by_label("min_completion, as a number")).to_have_value("5")
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("No run stops otherwise")).to_be_visible()
    expect(text_of(page)).to_contain_text("policy: bb3")
    assert draft_of(real) is None
    page.get_by_role("button", name="Redo").click()
    expect(page.locator(".outcome .moved a").first).to_be_visible()
    page.get_by_role("button", name="Take all changes back").click()
    expect(page.get_by_text("No run stops otherwise")).to_be_visible()
    assert draft_of(real) is None
    assert watched.trouble == []


def test_each_pause_is_a_step_that_can_be_undone(opened: Opened, real: Real) -> None:
    page = page_of(opened, real).page
    text_of(page).focus()
    page.keyboard.press("ControlOrMeta+Home")
    for word in ("alpha", "omega"):
        page.keyboard.type(f"# {word}\n")
        page.wait_for_timeout(600)
    undo = page.get_by_role("button", name="Undo")
    undo.click()
    expect(text_of(page)).not_to_contain_text("# omega")
    expect(text_of(page)).to_contain_text("# alpha")
    undo.click()
    expect(text_of(page)).not_to_contain_text("# alpha")
    expect(undo).to_be_disabled()


def test_line_ends_of_the_file_stay_and_what_was_typed_last_is_not_lost(
    opened: Opened, real: Real, own: Path
) -> None:
    text = own.read_text(encoding="utf-8").replace("\n", "\r\n")
    own.write_bytes(text.encode())
    page = page_of(opened, real).page
    text_of(page).focus()
    page.keyboard.press("ControlOrMeta+Home")
    page.keyboard.type("# x")
    page.get_by_role("link", name="Runs").click()
    expect(page.locator("tr[data-n]").first).to_be_visible()
    page.go_back()
    expect(text_of(page)).to_contain_text("# x")
    changed(page)
    assert draft_of(real) == "# x" + text


def test_a_wrong_key_is_marked_and_the_draft_before_counts(opened: Opened, real: Real, own: Path) -> None:
    watched = page_of(opened, real)
    page, text = watched.page, own.read_text(encoding="utf-8")
    put(page, text.replace("default: 80", "default: 5", 1))
    expect(page.locator(".outcome .moved a").first).to_be_visible()
    wrong = text.replace("version:", "versoin:", 1)
    line = wrong[: wrong.index("versoin:")].count("\n") + 1
    put(page, wrong)
    mark = page.locator(".cm-lintRange-error").first
    expect(mark).to_be_visible()
    alert = page.get_by_role("alert").filter(has_text="cannot be used")
    expect(alert).to_contain_text("versoin")
    assert "default: 5" in (draft_of(real) or "")
    alert.get_by_role("button", name=f"line {line}", exact=True).first.click()
    expect(text_of(page)).to_be_focused()
    expect(page.locator(".cm-activeLine")).to_contain_text("versoin")
    mark.hover()
    expect(page.locator(".cm-tooltip-lint")).to_contain_text("EP")
    # A look at the runs, and back: what could not be used is still there.
    page.get_by_role("link", name="Runs").click()
    expect(page.locator("tr[data-n]").first).to_be_visible()
    page.go_back()
    expect(text_of(page)).to_contain_text("versoin")
    expect(alert).to_be_visible()
    page.get_by_role("button", name="Take all changes back").click()
    expect(alert).to_have_count(0)
    expect(page.locator(".cm-lintRange-error")).to_have_count(0)
    assert watched.trouble == []


def test_proposals_come_and_are_put_in(opened: Opened, real: Real) -> None:
    page = page_of(opened, real).page
    put(page, f"{HEAD}# 🙂 an emoji is two units\nrules:\n  - id: 🙂\n    when: ", at_start=False)
    page.keyboard.type("run.iter")
    proposals = page.locator(".cm-tooltip-autocomplete")
    expect(proposals).to_contain_text("run.iterations")
    expect(page.locator(".cm-completionInfo")).to_be_visible()
    page.wait_for_timeout(100)  # keys that were on their way do not choose
    page.keyboard.press("Enter")
    expect(proposals).to_have_count(0)
    expect(page.locator(".cm-line").last).to_have_text("    when: run.iterations")
    page.keyboard.press("Enter")
    page.keyboard.press("ControlOrMeta+Space")
    expect(proposals).to_contain_text("because")
    page.keyboard.press("Escape")
    expect(proposals).to_have_count(0)
    expect(text_of(page)).to_be_focused()


def test_a_form_has_fields_to_fill_in(opened: Opened, real: Real) -> None:
    page = page_of(opened, real).page
    put(page, f"{HEAD}rules:\n  - id: x\n    when: run.iterations unch", at_start=False)
    page.keyboard.press("ControlOrMeta+Space")
    page.locator(".cm-tooltip-autocomplete li").filter(has_text="unchanged for … iterations").first.click()
    page.keyboard.type("7")
    expect(page.locator(".cm-line").last).to_have_text("    when: run.iterations unchanged for 7 iterations")


@pytest.mark.parametrize("name", ["mine", "bb3"])
def test_what_is_under_the_mouse_is_explained(opened: Opened, real: Real, name: str) -> None:
    watched = page_of(opened, real, name)
    word = watched.page.locator(".cm-line").get_by_text("min_completion", exact=True).first
    word.scroll_into_view_if_needed()
    word.hover()
    told = watched.page.locator(".cm-tooltip-hover .told")
    expect(told).to_contain_text("percent")
    expect(told.locator("pre")).to_contain_text("$min_completion")
    assert watched.trouble == []


def test_hostile_texts_of_a_policy_stay_texts(opened: Opened, real: Real) -> None:
    watched = page_of(opened, real)
    page = watched.page
    attack = "<img src=x onerror=document.title=1> **<b>** [x](javascript:alert)"
    put(page, f"{HEAD}parameters:\n  goal: {{type: count, default: 3, doc: '{attack}'}}\n"
              f"'{attack}': 1\nrules:\n  - {{id: '{attack}', when: $goal}}\n")  # fmt: skip
    expect(page.get_by_role("alert").filter(has_text="cannot be used")).to_contain_text("<img")
    word = page.locator(".cm-line").get_by_text("goal", exact=True).first
    word.hover()
    expect(page.locator(".cm-tooltip-hover .told").first).to_contain_text("<img src=x")
    page.keyboard.press("F8")
    assert page.evaluate("document.images.length") == 0
    assert page.locator(".policy-text img").count() == 0
    assert watched.trouble == []


def test_the_text_is_formatted_by_key_and_by_button(opened: Opened, real: Real, own: Path) -> None:
    page = page_of(opened, real).page
    rest = f"{HEAD}rules:\n  - id: x\n    exit: review\n    because: b\n    when: "
    put(page, f"{rest}run.iterations    >=   3\n")
    page.keyboard.press("Shift+Alt+f")
    line = page.locator(".cm-line").get_by_text("run.iterations").locator("..")
    expect(page.get_by_text("Formatted.")).to_be_visible()
    expect(text_of(page)).to_contain_text("when: run.iterations >= 3")
    assert line.count()
    page.get_by_role("button", name="Format").click()
    expect(page.get_by_text("Its form is right already.")).to_be_visible()
    changed(page)
    put(page, f"{rest}run.iterations >=\n")
    expect(page.locator(".cm-lint-marker-error").first).to_be_visible()
    page.get_by_role("button", name="Format").click()
    expect(page.get_by_text("Correct what is marked first.")).to_be_visible()


def test_the_keyboard_leaves_the_text(opened: Opened, real: Real) -> None:
    page = page_of(opened, real).page
    text = text_of(page)
    text.focus()
    page.keyboard.press("ControlOrMeta+Home")
    page.keyboard.press("Tab")
    expect(text).to_be_focused()
    changed(page)
    page.keyboard.press("ControlOrMeta+z")
    page.keyboard.press("Escape")
    page.wait_for_timeout(2500)  # longer than the editor itself would wait
    page.keyboard.press("Shift+Tab")
    expect(page.get_by_role("button", name="Format")).to_be_focused()
    text.focus()
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    expect(text).not_to_be_focused()
    expect(page.get_by_text("leaves the text")).to_be_visible()


def test_what_another_tab_changes_is_here_too(opened: Opened, real: Real, own: Path) -> None:
    first = page_of(opened, real).page
    second = first.context.new_page()
    second.goto(f"http://127.0.0.1:{real.port}/#/policy/mine")
    expect(text_of(second)).to_be_visible()
    text = own.read_text(encoding="utf-8")
    put(first, "# from the first\n" + text.replace("default: 80", "default: 5", 1))
    expect(text_of(second)).to_contain_text("# from the first")
    changed(second)
    second.keyboard.press("Tab")
    text_of(second).focus()
    second.keyboard.press("ControlOrMeta+Home")
    second.keyboard.insert_text("# from the second\n")
    expect(text_of(first)).to_contain_text("# from the second")
    expect(text_of(first)).to_contain_text("# from the first")
    second.get_by_role("button", name="Take all changes back").click()
    expect(text_of(first)).not_to_contain_text("# from")
    expect(first.get_by_role("status").filter(has_text="as it is saved")).to_be_visible()


def test_values_of_sliders_and_the_text_both_count(opened: Opened, real: Real, own: Path) -> None:
    page, text = page_of(opened, real).page, own.read_text(encoding="utf-8")
    typed = page.get_by_label("min_completion, as a number")
    typed.fill("10")
    typed.press("Tab")
    expect(page.locator(".outcome .moved a").first).to_be_visible()
    put(page, "# mine\n" + text)
    column = real.workspace.columns["mine"]
    expect(page.get_by_role("button", name="take min_completion back")).to_be_visible()
    page.wait_for_function("!document.querySelector('.trouble')")
    put(page, text.replace("min_completion", "goal"))
    expect(page.get_by_text("what was set of it here is dropped")).to_contain_text("min_completion")
    expect(page.get_by_label("goal, as a number")).to_have_value("80")
    assert column.draft.values == {}
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_label("min_completion, as a number")).to_have_value("10")


def test_a_file_that_changes_is_taken_where_nothing_was_written(
    opened: Opened, real: Real, own: Path
) -> None:
    watched = page_of(opened, real)
    page, text = watched.page, own.read_text(encoding="utf-8")

    own.write_text(text.replace("default: 80", "default: 5", 1), encoding="utf-8")
    page.evaluate("dispatchEvent(new Event('focus'))")
    expect(page.get_by_label("min_completion, as a number")).to_have_value("5")
    expect(page.get_by_text("The file has changed: this is its text now.")).to_be_visible()
    expect(page.get_by_role("status").filter(has_text="as it is saved")).to_be_visible()
    assert draft_of(real) is None
    assert watched.trouble == []


def test_a_file_that_changes_under_a_draft_is_said(opened: Opened, real: Real, own: Path) -> None:
    page, text = page_of(opened, real).page, own.read_text(encoding="utf-8")
    put(page, "# mine\n" + text)
    changed(page)
    own.write_text("# theirs\n" + text, encoding="utf-8")
    page.evaluate("dispatchEvent(new Event('focus'))")
    said = page.get_by_role("alert").filter(has_text="has changed")
    expect(said).to_contain_text(os.path.basename(own))
    said.get_by_role("button", name="See the difference").click()
    expect(said.locator(".theirs")).to_have_text("- # theirs")
    expect(said.locator(".mine")).to_have_text("+ # mine")
    said.get_by_role("button", name="Keep mine").click()
    expect(said).to_have_count(0)
    expect(text_of(page)).to_contain_text("# mine")
    own.write_text("# theirs again\n" + text, encoding="utf-8")
    page.evaluate("dispatchEvent(new Event('focus'))")
    said.get_by_role("button", name="Take the file's").click()
    expect(text_of(page)).to_contain_text("# theirs again")
    expect(page.get_by_role("status").filter(has_text="as it is saved")).to_be_visible()


def test_saving_is_asked_for_by_key(opened: Opened, real: Real, own: Path) -> None:
    page = page_of(opened, real).page
    page.evaluate(
        "document.addEventListener('studio-save', (event) => { window.saved = event.detail.policy; })"
    )
    put(page, "# mine\n" + own.read_text(encoding="utf-8"))
    page.keyboard.press("ControlOrMeta+s")
    assert page.evaluate("window.saved") == "mine"


def test_a_shipped_policy_says_how_to_write_one_s_own(opened: Opened, real: Real) -> None:
    page = page_of(opened, real, "bb3").page
    expect(page.get_by_text("exitgate policies eject bb3")).to_be_visible()
    text = text_of(page, "bb3")
    text.focus()
    page.keyboard.type("x")
    expect(text).not_to_contain_text("xpolicy")
    expect(page.get_by_role("button", name="Format")).to_have_count(0)
    page.keyboard.press("Tab")
    expect(text).not_to_be_focused()


def test_a_studio_that_only_reads_does_not_take_text(opened: Opened, own: Path) -> None:
    one = Real({"mine": str(own)}, read_only=True)
    try:
        page = page_of(opened, one).page
        expect(page.get_by_text("This studio only reads")).to_be_visible()
        expect(page.get_by_role("button", name="Format")).to_have_count(0)
    finally:
        one.stop()


@pytest.mark.parametrize(("scheme", "width"), [("light", 1400), ("dark", 420)])
def test_axe_finds_nothing(opened: Opened, real: Real, own: Path, scheme: str, width: int) -> None:
    page = page_of(opened, real, width=width, color_scheme=scheme, bypass_csp=True).page
    text = own.read_text(encoding="utf-8")
    put(page, text.replace("version:", "versoin:", 1))
    expect(page.locator(".cm-lintRange-error").first).to_be_visible()
    own.write_text("# theirs\n" + text, encoding="utf-8")
    page.evaluate("dispatchEvent(new Event('focus'))")
    page.get_by_role("button", name="See the difference").click()
    assert wrong(page) == []
    text_of(page).focus()
    page.keyboard.press("ControlOrMeta+Home")
    page.keyboard.press("ControlOrMeta+Space")
    expect(page.locator(".cm-tooltip-autocomplete")).to_be_visible()
    assert wrong(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def wrong(page: Page) -> list[object]:
    found = Axe().run(page).response["violations"]
    return [(one["id"], [node["html"][:200] for node in one["nodes"][:3]]) for one in found]
