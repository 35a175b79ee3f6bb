"""What was found is kept: drafts are saved, decisions become tests, runs are labelled; all is taken back."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from browser_pages import Opened, Watched
from playwright.sync_api import Page, expect
from real_studio import Real
from studio_pages import EXAMPLES

SETTINGS = "# how our loops end\nexit_decision:\n  policy: bb3\n  min_completion: 80  # for now\n"
SCRIPT = "<img src=x onerror=\"document.title='hit'\">"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / "project"
    shutil.copytree(EXAMPLES, place / "runs", ignore=shutil.ignore_patterns("*.sh"))
    (place / ".bb3").mkdir()
    (place / ".bb3" / "config.yaml").write_text(SETTINGS, encoding="utf-8")
    subprocess.run(["git", "init", "-q", str(place)], check=True)
    monkeypatch.chdir(place)
    return place


@pytest.fixture
def started(project: Path) -> Iterator[Callable[..., Real]]:
    """Give a function that starts a studio over the project."""
    all_of_them: list[Real] = []

    def start(labels: tuple[str, ...] = ("runs/labels.yaml",), **given: bool) -> Real:
        all_of_them.append(Real({"in force": None}, ["runs"], labels, **given))
        return all_of_them[-1]

    yield start
    for one in all_of_them:
        one.stop()


def at(watched: Watched, real: Real, place: str) -> Page:
    page = watched.page
    expect(page.locator("tr[data-n]")).to_have_count(5)
    page.goto(f"http://127.0.0.1:{real.port}/#/{place}")
    return page


def settings(project: Path) -> str:
    return (project / ".bb3" / "config.yaml").read_text(encoding="utf-8")


def labels(project: Path) -> str:
    return (project / "runs" / "labels.yaml").read_text(encoding="utf-8")


def change(page: Page, value: str) -> None:
    typed = page.get_by_label("min_completion, as a number")
    typed.fill(value)
    typed.press("Tab")
    expect(page.locator(".outcome")).to_contain_text("otherwise than under the policy as it is saved")


def test_a_draft_is_saved_after_a_look_at_the_difference(
    opened: Opened, started: Callable[..., Real], project: Path
) -> None:
    real = started()
    watched = opened(real.address)
    page = at(watched, real, "policy/in%20force")
    expect(page.get_by_role("button", name="Save…")).to_be_disabled()
    change(page, "20")
    page.get_by_role("button", name="Save…").click()
    dialog = page.get_by_role("dialog", name="Save in force")
    expect(dialog.locator(".diff .added")).to_have_text("+  min_completion: 20  # for now")
    assert settings(project) == SETTINGS
    assert Axe().run(page).response["violations"] == []
    dialog.get_by_role("button", name="Write it").click()
    expect(dialog).to_have_count(0)
    assert settings(project) == SETTINGS.replace("80", "20")
    expect(page.get_by_role("status").filter(has_text="as it is saved")).to_be_visible()
    expect(page.get_by_label("min_completion, as a number")).to_have_value("20")
    page.get_by_role("button", name="Take back what was written: .bb3/config.yaml").click()
    expect(page.get_by_label("min_completion, as a number")).to_have_value("80")
    assert settings(project) == SETTINGS
    expect(page.get_by_role("button", name="Take back")).to_have_count(0)
    assert watched.trouble == []


def test_a_file_that_changed_in_between_is_not_written_over(
    opened: Opened, started: Callable[..., Real], project: Path
) -> None:
    real = started()
    page = at(opened(real.address), real, "policy/in%20force")
    change(page, "20")
    page.get_by_role("button", name="Save…").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.locator(".diff .added")).to_be_visible()
    theirs = SETTINGS + "# another's\n"
    (project / ".bb3" / "config.yaml").write_text(theirs, encoding="utf-8")
    dialog.get_by_role("button", name="Write it").click()
    expect(dialog.get_by_role("alert")).to_contain_text("has changed since it was shown")
    assert settings(project) == theirs
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)


def test_rules_that_do_not_decide_ask_for_a_reason(
    opened: Opened, started: Callable[..., Real], project: Path
) -> None:
    real = started()
    page = at(opened(real.address), real, "policy/in%20force")
    page.get_by_label("all_tasks_done: leave out").check()
    expect(page.locator("#rule-all_tasks_done.off")).to_be_visible()
    expect(page.locator(".outcome")).to_contain_text("→")
    page.get_by_role("button", name="Save…").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("alert")).to_contain_text("needs a reason")
    expect(dialog.get_by_role("button", name="Write it")).to_be_disabled()
    why = dialog.get_by_label("Why rules do not decide")
    why.fill(SCRIPT)
    why.press("Tab")
    expect(dialog.locator(".diff")).to_contain_text("onerror")
    dialog.get_by_role("button", name="Write it").click()
    expect(dialog).to_have_count(0)
    assert "disabled: true" in settings(project)
    assert page.title().startswith("Policy")


def test_two_pages_see_what_either_saves(opened: Opened, started: Callable[..., Real]) -> None:
    real = started()
    first = at(opened(real.address), real, "policy/in%20force")
    second = at(opened(real.address), real, "policy/in%20force")
    change(first, "20")
    first.get_by_role("button", name="Save…").click()
    first.get_by_role("dialog").get_by_role("button", name="Write it").click()
    expect(second.get_by_label("min_completion, as a number")).to_have_value("20")
    expect(second.get_by_role("button", name="Take back what was written")).to_be_visible()


def test_a_run_is_labelled_by_key_and_click_and_its_grade_follows(
    opened: Opened, started: Callable[..., Real], project: Path
) -> None:
    real = started()
    watched = opened(real.address)
    n = next(line.n for line in real.workspace.lines if line.run.id.endswith("search-index"))
    page = at(watched, real, f"run/{n}/3")
    panel = page.get_by_role("region", name="Label of this run")
    expect(panel).to_contain_text("7 complete")
    page.keyboard.press("l")
    expect(panel).to_contain_text("3 complete")
    assert "{run: search-index, stop: 3, class: complete}" in labels(project)
    expect(page.locator("article.run > header > p.label")).to_contain_text("right stop: 3")
    expect(page.locator(".iteration.shown")).to_have_id(f"run-{n}-3")
    page.keyboard.press("j")
    page.keyboard.press("Shift+L")
    expect(panel).to_contain_text("3-4 complete")
    panel.get_by_role("button", name="class and note").click()
    panel.get_by_label("note").fill(SCRIPT)
    panel.get_by_label("note").press("Tab")
    expect(panel).to_contain_text("onerror")
    panel.get_by_label("to iteration").fill("5")
    panel.get_by_label("to iteration").press("Tab")
    expect(panel).to_contain_text("3-5 complete")
    assert Axe().run(page).response["violations"] == []
    page.keyboard.press("Escape")
    page.locator("h2").first.click()
    page.keyboard.press("x")
    expect(panel).to_contain_text("no stop is right")
    panel.get_by_role("button", name="Remove").click()
    expect(panel).to_contain_text("no label")
    assert "search-index" not in labels(project)
    page.get_by_role("button", name="Take back what was written").click()
    expect(panel).to_contain_text("no stop is right")
    assert labels(project).splitlines()[0].startswith("# Where these runs"), "comments stay"
    assert page.title() != "hit"
    assert watched.trouble == []


def test_disagreement_of_two_people_is_shown_and_found(
    opened: Opened, started: Callable[..., Real], project: Path
) -> None:
    (project / "kim.yaml").write_text("labels:\n- {run: search-index, stop: 2}\n", encoding="utf-8")
    real = started(("runs/labels.yaml", "kim.yaml"))
    page = opened(real.address).page
    expect(page.locator("tr[data-n]")).to_have_count(5)
    page.get_by_role("combobox", name="Label").select_option("disputed")
    expect(page.locator("tr[data-n]")).to_have_count(1)
    expect(page.locator("tr[data-n]")).to_contain_text("people disagree")
    page.locator("tr[data-n] a").first.click()
    expect(page.get_by_role("region", name="Label of this run")).to_contain_text("kim.yaml: 2")


def test_a_decision_becomes_a_test(opened: Opened, started: Callable[..., Real], project: Path) -> None:
    real = started()
    n = next(line.n for line in real.workspace.lines if line.run.id.endswith("csv-export"))
    page = at(opened(real.address), real, f"run/{n}/4")
    expect(page.get_by_role("button", name="Make iteration 4 a test…")).to_be_visible()
    page.keyboard.press("t")
    dialog = page.get_by_role("dialog", name="Make iteration 4 a test")
    expect(dialog.locator(".diff")).to_contain_text("class: complete")
    name = dialog.get_by_label("What should happen, and when")
    name.fill("a finished plan ends the run")
    name.press("Tab")
    expect(dialog.locator(".diff")).to_contain_text("a finished plan ends the run")
    assert Axe().run(page).response["violations"] == []
    dialog.get_by_role("button", name="Write it").click()
    expect(dialog).to_have_count(0)
    assert "- name: a finished plan ends the run" in (project / ".bb3" / "tests.yaml").read_text(
        encoding="utf-8"
    )


def test_a_studio_that_only_reads_offers_nothing_to_write(
    opened: Opened, started: Callable[..., Real], project: Path
) -> None:
    real = started(read_only=True)
    watched = opened(real.address)
    page = at(watched, real, "run/1/1")
    expect(page.get_by_role("region", name="Label of this run")).to_be_visible()
    page.keyboard.press("l")
    expect(page.get_by_role("button", name="a test")).to_have_count(0)
    page.goto(f"http://127.0.0.1:{real.port}/#/policy/in%20force")
    expect(page.get_by_role("heading", name="What moves")).to_be_visible()
    expect(page.get_by_role("button", name="Save…")).to_have_count(0)
    assert "search-index, stop: 7" in labels(project)
    assert watched.trouble == []
