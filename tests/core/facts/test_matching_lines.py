"""`matching_lines`: lines that match, lines that may not count, and lines as they are written."""

from __future__ import annotations

import os
import subprocess

import pytest
from cases import each
from fact_reading import facts
from hypothesis import given, settings
from hypothesis import strategies as st

from exitgate.core.facts.extractors import matching_lines
from exitgate.core.facts.text.text import PIECE
from exitgate.core.model.json_object import JsonObject
from exitgate.core.model.value import Unknown


def count(text: str, **options: object) -> object:
    found = facts("matching_lines", options, response=text)
    number = found["x.count"].value
    if not isinstance(number, Unknown):
        assert found["x.present"].value is (number > 0)
    return number


@each(
    ("text", "patterns", "want"),
    [
        ("combats", ["bats"], 1),
        ("DONE\nundone and done\nopen", ["done"], 2),
        ("DONE\ndone", ["(?-i)done"], 1),
        ("a\nb\nab", ["^a", "b$"], 3),
        ("a\nb", ["^$"], 0),
        ("a\n\nb\n", ["^$"], 2),
        ("", ["^$"], 1),
        ("", ["a"], 0),
        ("Größe ändern\nΔ", ["GRÖSSE|größe", "δ"], 2),
        ("x" * (3 * PIECE) + "end", ["end$"], 1),
    ],
)
def test_lines_that_match_a_pattern_count_once(text: str, patterns: list[str], want: int) -> None:
    assert count(text, patterns=patterns) == want


def test_lines_that_match_unless_do_not_count() -> None:
    text = '"is_error": false, error: none\nerror: no such file\n"error_count": 0\n'
    assert count(text, patterns=["error"], unless=['"[^"]*error[^"]*":']) == 1


@pytest.mark.parametrize(
    ("text", "shown", "written"),
    [("SIGNAL: true\r\n", 1, 0), ("\x1b[1mSIGNAL: true\x1b[0m", 1, 0), ("SIGNAL: true\n", 1, 1)],
)
def test_lines_as_written_have_carriage_returns_and_colours(text: str, shown: int, written: int) -> None:
    assert count(text, patterns=["^SIGNAL: true$"]) == shown
    assert count(text, patterns=["^SIGNAL: true$"], as_written=True) == written


def test_evidence_is_the_lines_the_first_fifty_of_them() -> None:
    found = facts("matching_lines", {"patterns": ["hit"]}, response="miss\nhit 1\n" + "hit\n" * 60)["x.count"]
    assert (found.value, len(found.evidence)) == (61, 50)
    assert (found.evidence[0].line, found.evidence[0].excerpt) == (2, "hit 1")
    assert found.note == "the first 50 of 61 are shown"


def test_a_missing_source_is_unknown() -> None:
    found = facts("matching_lines", {"patterns": ["a"]})
    assert all(isinstance(fact.value, Unknown) for fact in found.values())


@pytest.mark.parametrize("key", ["patterns", "unless"])
def test_a_pattern_that_cannot_be_used_is_told_with_its_place(key: str) -> None:
    options = {"patterns": ["a"], **{key: ["ok", "(?=no)"]}}
    [(path, message, help)] = list(matching_lines.faults(JsonObject(options)))
    assert path == (key, 1)
    assert message.startswith("RE2 rejects this pattern: ")
    assert "look-around" in help
    assert isinstance(count("a", **options), Unknown)


def test_without_patterns_there_is_nothing_to_look_for() -> None:
    assert [path for path, _, _ in matching_lines.faults(JsonObject())] == [()]


@given(
    text=st.text(alphabet=st.sampled_from("aábB \n\r\t-[]x"), max_size=60),
    pattern=st.sampled_from(["a", "b", "^ *- \\[ \\]", "[xX]\\]"]),
)
@settings(max_examples=60, deadline=None)
def test_as_written_it_is_what_grep_counts(text: str, pattern: str) -> None:
    ran = subprocess.run(
        ["grep", "-cEa", pattern],
        input=text.encode(),
        capture_output=True,
        check=False,
        env={"LC_ALL": "C.UTF-8", "PATH": os.environ["PATH"]},
    )
    assert count(text, patterns=[f"(?-i:{pattern})"], as_written=True) == int(ran.stdout)


@given(text=st.text(max_size=200))
@settings(max_examples=100, deadline=None)
def test_any_text_is_read(text: str) -> None:
    number = count(text, patterns=["a", "^$", "."], unless=["b"])
    assert isinstance(number, int)
    assert number <= text.count("\n") + 1
