"""The file: one, closed in itself, the same each time, within its size, for machines that read aloud."""

from __future__ import annotations

import base64
import hashlib
from itertools import pairwise
from pathlib import Path

import pytest
from cases import EVERY
from jinja2 import UndefinedError
from page_reading import Reading
from page_runs import iteration, plan, played, ticking, written

from exitgate.recordings.model import RecordedIteration
from exitgate.recordings.page.assemble import page
from exitgate.recordings.page.render import html
from exitgate.recordings.scoring.labels import Label

LIMIT = 400_000


def long_night(count: int = 50, words: int = 900) -> list[RecordedIteration]:
    """Return iterations with long reports, errors, doubts, tools and a plan that gets done slowly."""
    block = "---RALPH_STATUS---\nSTATUS: IN_PROGRESS\nEXIT_SIGNAL: false\n---END_RALPH_STATUS---"
    runs = []
    for at in range(1, count + 1):
        report = f"Step {at}: this might work, maybe. I am not sure.\nError: attempt {at} failed\n"
        report += " ".join(f"<{'word' * (n % 3 + 1)}>&{n}" for n in range(words)) + "\n\n" + block
        runs.append(iteration(at, report, plan=plan(min(at // 3, 9), 12)))
    return runs


@pytest.fixture(scope="module")
def night() -> str:
    found, policies = played({"night": long_night()}, title="A long night", how="interrupted", why="by hand")
    return html(page(found, policies, {"night": Label("night", 7, 9, note="enough")}))


def test_fifty_iterations_under_two_policies_fit(night: str) -> None:
    assert 150_000 < len(night.encode()) < LIMIT


@pytest.mark.skipif(not EVERY, reason="the soak plays it")
def test_the_two_largest_policies_fit_as_well() -> None:
    found, policies = played({"night": long_night(words=3000)}, ["recommended", "ralph-claude-code"])
    assert len(html(page(found, policies)).encode()) < LIMIT


def test_it_is_well_formed_and_links_only_into_itself(night: str) -> None:
    found = Reading(night)
    assert found.faults == []
    ids = found.values("id")
    assert len(ids) == len(set(ids))
    assert {href[0] for href in found.values("href")} == {"#"}
    assert {href[1:] for href in found.values("href")} <= set(ids)
    for name in ("aria-labelledby", "aria-describedby"):
        assert set(" ".join(found.values(name)).split()) <= set(ids)
    for name in ("src", "srcset", "action", "style", "data", "poster", "background"):
        assert found.values(name) == []
    assert "http" not in night.replace("http-equiv", "")


def test_style_and_script_are_the_ones_that_are_allowed(night: str) -> None:
    found = Reading(night)
    (policy,) = (m["content"] for m in found.of("meta") if m.get("http-equiv") == "Content-Security-Policy")
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == "'none'"
    for tag, name in (("style", "style-src"), ("script", "script-src")):
        (text,) = (data for inside, data in found.texts if inside == tag)
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert rules[name] == f"'sha256-{digest}'"
        assert len(found.of(tag)) == 1


def test_it_is_the_same_each_time() -> None:
    texts = [html(page(*played({"r": ticking([1, 2, 3])}))) for _ in range(2)]
    assert texts[0] == texts[1]


def test_machines_can_read_it_aloud(night: str) -> None:
    found = Reading(night)
    assert found.of("html")[0]["lang"] == "en"
    levels = [int(tag[1]) for tag, _ in found.elements if tag in ("h1", "h2", "h3", "h4")]
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
    assert all(th.get("scope") for th in found.of("th"))
    assert all(svg["role"] == "img" and svg["aria-label"] for svg in found.of("svg"))
    assert all(
        cell["aria-label"]
        for cell in found.of("a")
        if cell.get("class", "").split(" ")[0] in ("continue", "stuck")
    )
    assert found.of("a")[0]["class"] == "skip"
    tables = len(found.of("table"))
    assert tables == len(found.of("thead"))


def test_every_iteration_is_there_with_its_text(night: str) -> None:
    found = Reading(night)
    text = found.text()
    for at in range(1, 51):
        assert f"run-1-{at}" in found.values("id")
        assert f"Step {at}: this " in text
        assert f"iteration {at}, bb3: " in " ".join(found.values("aria-label"))
    assert "characters left out" in text
    assert "right stop: 7-9 · enough" in text


def test_an_empty_page_and_long_runs(tmp_path: Path) -> None:
    assert Reading(html(page(*played({}, ["bb3"])))).faults == []
    found, policies = played({"long": ticking([n // 100 for n in range(500)], 10)}, [written(tmp_path)])
    made = page(found, policies)
    assert len(made.runs[0].columns) == 240
    assert made.runs[0].left_out
    assert f"Iterations {made.runs[0].left_out} are left out here" in Reading(html(made)).text()


def test_what_a_template_lacks_is_an_error() -> None:
    made = page(*played({"r": ticking([1])}, ["bb3"]))
    broken = made._replace(runs=(made.runs[0]._replace(strips=(object(),)),))  # type: ignore[arg-type]
    with pytest.raises(UndefinedError):
        html(broken)
