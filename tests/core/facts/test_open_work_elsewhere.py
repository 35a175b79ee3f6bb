"""In every language that ships: open work and what fails are seen, healthy endings are none."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from cases import each
from fact_reading import facts, resolved

TABLE = yaml.safe_load((Path(__file__).parent / "open_work_elsewhere.yaml").read_text(encoding="utf-8"))
UNFINISHED = {"lexicon": resolved("unfinished")}
RUNNERS = {"lexicon": resolved("test-runners")}


def lines(*kinds: str) -> Iterator[object]:
    for language, table in TABLE.items():
        for kind in kinds:
            for number, text in enumerate(table[kind]):
                yield pytest.param(text, id=f"{language}-{kind}-{number}")


def is_open(text: str) -> object:
    return facts("phrases", UNFINISHED, response=text)["x.found"].value


def checks_fail(text: str) -> object:
    return facts("tests", RUNNERS, response=text)["x.checks_failing"].value


def suite_fails(text: str) -> bool:
    found = facts("tests", RUNNERS, response=text)
    return found["x.passing"].value is False and found["x.failed"].value != 0


@each("text", list(lines("open")))
def test_work_left_open(text: str) -> None:
    assert is_open(text) is True


@each("text", list(lines("failing")))
def test_a_check_that_fails(text: str) -> None:
    assert checks_fail(text) is True


@each("text", list(lines("tests")))
def test_tests_that_fail(text: str) -> None:
    assert suite_fails(text)


@each("text", list(lines("healthy")))
def test_a_healthy_ending(text: str) -> None:
    assert (is_open(text), checks_fail(text), suite_fails(text)) == (False, False, False)


def test_every_language_has_every_kind() -> None:
    assert len(TABLE) == 7
    assert all(set(table) == {"open", "failing", "tests", "healthy"} for table in TABLE.values())
