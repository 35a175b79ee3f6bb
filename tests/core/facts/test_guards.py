"""Every guard on small pieces of prose, in both directions: what counts, and what it refuses."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import yaml
from cases import each
from fact_reading import TABLES, facts, resolved

GUARDS = resolved("guards-en")
PROSE = ("negated", "hypothetical", "qualified", "quoted", "fenced", "template", "scoped", "continued")
#: Guards that only lexicons ask for.
ASKED_FOR = {"scoped": ["scoped"], "continued": ["continued"]}


def table(name: str) -> dict:
    return yaml.safe_load((TABLES / f"{name}.yaml").read_text(encoding="utf-8"))


def options(phrases: list[str], **more: object) -> dict:
    return {"phrases": phrases, "lexicon": GUARDS, **more}


def cases() -> Iterator[object]:
    for name in PROSE:
        written = table(name)
        for text in written["counts"]:
            yield pytest.param(name, written["looks_for"], text, None, id=f"{name}-counts-{text[:60]}")
        for guard, texts in written["refused"].items():
            for text in texts:
                yield pytest.param(name, written["looks_for"], text, guard, id=f"{name}-refused-{text[:60]}")


@each(("table_name", "phrases", "text", "guard"), list(cases()))
def test_prose(table_name: str, phrases: list[str], text: str, guard: str | None) -> None:
    more = {"guards": ASKED_FOR[table_name]} if table_name in ASKED_FOR else {}
    found = facts("phrases", options(phrases, **more), response=text)["x.found"]
    refused = [r.guard for r in found.rejected]
    if guard is None:
        assert found.value is True, refused
    else:
        assert found.value is False, found.evidence
        assert guard in refused


def echoes() -> Iterator[object]:
    written = table("echoed")
    for case in written["cases"]:
        for text in case["counts"]:
            yield pytest.param(written["looks_for"], case["task"], text, True, id=f"counts-{text[:60]}")
        for text in case["refused"]:
            yield pytest.param(written["looks_for"], case["task"], text, False, id=f"refused-{text[:60]}")


@each(("phrases", "task", "text", "counts"), list(echoes()))
def test_echoes_of_the_task(phrases: list[str], task: str, text: str, counts: bool) -> None:
    found = facts("phrases", options(phrases, guards=["echoed"]), response=text, task=task)
    assert found["x.found"].value is counts
    assert found["x.echoed"].value is not counts


@each("case", table("boundaries"), ids=lambda c: f"{c['phrase']}-in-{c['text'][:40]!r}")
def test_word_boundaries(case: dict) -> None:
    found = facts("phrases", options([case["phrase"]], guards=[]), response=case["text"])
    assert found["x.count"].value == case["found"]


def test_the_tables_are_large_enough_to_mean_something() -> None:
    assert len(list(cases())) + len(list(echoes())) + len(table("boundaries")) >= 250


@pytest.mark.parametrize("name", PROSE)
def test_a_guard_that_is_not_asked_refuses_nothing(name: str) -> None:
    written = table(name)
    others = [g for g in (*PROSE, "echoed", "continued") if g != name]
    for text in written["refused"][name]:
        found = facts("phrases", options(written["looks_for"], guards=others), response=text)
        assert name not in [r.guard for r in found["x.found"].rejected]
