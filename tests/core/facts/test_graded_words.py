"""`graded_words`: the arithmetic, what guards change, unknown in place of a made-up middle."""

from __future__ import annotations

import pytest
from cases import each
from fact_reading import facts, iteration, resolved
from hypothesis import given, settings
from hypothesis import strategies as st

from exitgate.core.facts.extractors import graded_words
from exitgate.core.model.json_object import JsonObject
from exitgate.core.model.value import Unknown

PLAIN: dict = {
    "first": [{"value": 90, "words": ["confident", "sure"]}, {"value": 60, "words": ["likely"]}],
    "otherwise": 50,
    "add": [{"points": -10, "words": ["maybe", "might", "not quite"]}, {"points": 5, "words": ["proven"]}],
    "range": [0, 100],
}
GUARDED: dict = {
    **PLAIN,
    "otherwise": "unknown",
    "negated": 20,
    "guards": ["negated", "quoted", "fenced", "echoed"],
    "lexicon": resolved("guards-en"),
}


@each(
    ("text", "value"),
    [
        ("", 50),
        ("Moved the reader to its own file.", 50),
        ("I am confident.", 90),
        ("It is likely right.", 60),
        ("It is likely right, I am confident.", 90),
        ("Unlikely, and surely not overconfident.", 50),
        ("maybe", 40),
        ("maybe maybe MAYBE", 40),
        ("maybe, it might be not quite right", 20),
        ("Confident; maybe proven.", 85),
        ("I am not confident.", 90),
        ("`confident`", 90),
    ],
)
def test_without_guards_every_word_counts_once(text: str, value: float) -> None:
    assert facts("graded_words", PLAIN, response=text)["x"].value == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("Moved the reader to its own file.", None),
        ("I am confident.", 90),
        ("I am not confident.", 20),
        ("I am not confident about the lock; about the rest I am sure.", 90),
        ("maybe", 40),
        ("Added the word `confident` to the list.", None),
        ("```\nconfident = True\n```", None),
        ("I'm not sure, maybe it holds.", 10),
    ],
)
def test_with_guards_a_mention_is_not_a_claim(text: str, value: float | None) -> None:
    found = facts("graded_words", GUARDED, response=text)["x"]
    if value is None:
        assert isinstance(found.value, Unknown)
        assert found.value.origin == "x"
    else:
        assert found.value == value


def test_facts_beside_the_grade() -> None:
    text = "I am not sure about the cache. I am confident about the rest, though it might be slow, maybe."
    found = facts("graded_words", GUARDED, response=text)
    assert (found["x.certain"].value, found["x.hedges"].value) == (1, 2)
    assert found["x.negated"].value is True
    assert [text[e.start : e.end] for e in found["x"].evidence] == ["confident", "might", "maybe"]
    assert [(text[e.start : e.end], e.guard) for e in found["x"].rejected] == [("sure", "negated")]
    assert found["x"].note == "90 - 10 - 10 = 70"


@pytest.mark.parametrize(
    ("text", "grade"),
    [
        ("I am likely right, maybe.", 60),
        ("Likely right; I am confident.", 90),
        ("Maybe proven.", None),
        ("I am not confident.", None),
        ("", None),
    ],
)
def test_what_is_said_in_so_many_words_stands_beside_the_sum(text: str, grade: float | None) -> None:
    found = facts("graded_words", GUARDED, response=text)["x.explicit"]
    if grade is None:
        assert isinstance(found.value, Unknown)
        assert "no word of a grade" in found.value.reason
        return
    assert found.value == grade
    assert all(one.excerpt for one in found.evidence)
    assert found.evidence


def test_a_grade_without_words_says_so() -> None:
    assert facts("graded_words", PLAIN, response="Done.")["x"].note == "no graded word in the response counts"


def test_occurrences_count_each_time() -> None:
    found = facts("graded_words", {**PLAIN, "count": "occurrences"}, response="maybe maybe maybe")
    assert found["x"].value == 20


def test_start_adds_two_parts_and_the_range_caps_them() -> None:
    summed = {**PLAIN, "start": 50, "otherwise": 0}
    assert facts("graded_words", summed, response="I am confident")["x"].value == 100
    assert (
        facts("graded_words", summed, response="I am confident")["x"].note == "50 + 90 = 100, within 0 to 100"
    )
    assert facts("graded_words", summed, response="maybe")["x"].value == 40


def test_points_alone_start_from_the_base() -> None:
    assert facts("graded_words", {**GUARDED, "base": 70}, response="maybe")["x"].value == 60


@pytest.mark.parametrize(
    ("text", "hedges"),
    [
        ("It might not hold.", 1),
        ("Maybe not all of it.", 1),
        ("I could not open the port.", 0),
        ("It isn't approximately that.", 0),
    ],
)
def test_a_doubt_of_a_denial_is_a_doubt(text: str, hedges: int) -> None:
    words = ["maybe", "might", "could", "approximately"]
    options = {
        "add": [{"points": -10, "words": words}],
        "lexicon": resolved("guards-en"),
        "guards": ["negated"],
    }
    assert facts("graded_words", options, response=text)["x.hedges"].value == hedges


def test_a_missing_source_makes_everything_unknown_and_says_why() -> None:
    found = graded_words.extract("x", "response", JsonObject(PLAIN), iteration())
    assert {f.name for f in found} == {"x", "x.certain", "x.hedges", "x.negated", "x.explicit"}
    assert all(f.value == Unknown("no response was given", f.name) for f in found)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.sampled_from(["maybe", "might", "confident", "likely", "proven", "and", "."]), max_size=30)
)
def test_the_value_is_within_its_range_and_each_word_counts_once(said: list[str]) -> None:
    found = facts("graded_words", {**PLAIN, "range": [15, 80]}, response=" ".join(said))
    present = set(said)
    first = 90 if "confident" in present else 60 if "likely" in present else 50
    points = -10 * ("maybe" in present) - 10 * ("might" in present) + 5 * ("proven" in present)
    assert found["x"].value == min(max(first + points, 15), 80)
