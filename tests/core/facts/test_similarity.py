"""Similarity: methods, window and threshold, what is unknown, what is left out, bounded work."""

from __future__ import annotations

import pytest
from fact_reading import resolved
from hypothesis import given, settings
from hypothesis import strategies as st
from test_fuzz_text import HOSTILE

from exitgate.core.facts.extractors import similarity
from exitgate.core.facts.extractors.similarity import COMPARED, CUT, KEPT, METHODS, bounded, is_cut
from exitgate.core.model.fact import Fact, Iteration, Source
from exitgate.core.model.json_object import JsonObject
from exitgate.core.model.value import Unknown

REPORT = "Moved Card.tsx and updated its imports."


def facts(text: str, *before: str | None, source: str = "response", **options: object) -> dict[str, Fact]:
    iteration = Iteration(len(before) + 1, "t#1", 0.0, {source: Source(source, text)}, {source: before})
    return {f.name: f for f in similarity.extract("x", source, JsonObject(options), iteration)}


def values(text: str, *before: str | None, **options: object) -> tuple[object, object]:
    found = facts(text, *before, **options)
    return found["x.highest"].value, found["x.matches"].value


def test_the_ratio_is_that_of_least_edits() -> None:
    assert values("abcd", "abcd") == (100, 1)
    assert values("abcd", "wxyz") == (0, 0)
    # three of four letters stand in both: 2 * 3 / (4 + 4)
    assert values("abcd", "abce") == (75, 0)
    assert values("abcd", "abce", threshold=75) == (75, 1)


def test_other_work_can_be_as_similar_as_the_usual_threshold() -> None:
    highest, matches = values(REPORT, REPORT.replace("Card", "Cart"), REPORT.replace("Card", "Cord"))
    assert isinstance(highest, float)
    assert highest > 90
    assert matches == 2


def test_the_highest_of_the_window_is_told_with_its_age() -> None:
    found = facts("abcd", "abcd", "abce", "wxyz")
    assert found["x.highest"].value == 100
    assert found["x.highest"].note == "most like that of 3 iterations before"
    assert facts("abcd", "abcd", "abce", "wxyz", window=2)["x.highest"].value == 75
    assert facts("abcd", *["abcd"] * 9)["x.matches"].value == 5
    assert facts("abcd", *["abcd"] * 9, window=7)["x.matches"].value == 7
    assert found["x.highest"].evidence[0].source == "response"


def test_methods() -> None:
    one, other = "Loop 4: blocked on permissions", "on permissions blocked, loop 17"
    assert values(one, other, method="normalised") == (100, 1)
    assert values(one, other)[0] < 70
    assert values("blocked", "blocked on permissions", method="token_set") == (100, 1)
    # a short text within a long one is not the same words
    assert values("blocked", "blocked on permissions", method="normalised")[0] < 60


def test_what_is_ignored_makes_no_difference() -> None:
    assert values("took 31 s", "took 29 s")[0] < 100
    assert values("took 31 s", "took 29 s", ignore=[r"\d+"]) == (100, 1)
    one, other = "Error at 0x7f01 in store.js:41", "Error at 0x7f9a in store.js:43"
    assert values(one, other)[0] < 100
    assert values(one, other, lexicon=resolved("noise")) == (100, 1)


def test_without_an_earlier_text_nothing_is_alike() -> None:
    found = facts("abcd")
    assert isinstance(found["x.highest"].value, Unknown)
    assert found["x.highest"].value.reason == "there is no earlier response"
    assert found["x.matches"].value == 0


def test_a_lost_text_is_not_taken_for_another() -> None:
    found = facts("abcd", None, "abce")
    assert found["x.highest"].value == 75
    assert "1 earlier response not known" in found["x.highest"].note
    lost = facts("abcd", None, None)
    assert all(isinstance(f.value, Unknown) for f in lost.values())


@pytest.mark.parametrize("text", ["", "  \n"])
def test_an_empty_text_is_like_nothing(text: str) -> None:
    assert all(isinstance(f.value, Unknown) for f in facts(text, text, text).values())


def test_a_missing_source_gives_its_reason() -> None:
    iteration = Iteration(1, "t#1", 0.0, {}, {})
    found = similarity.extract("x", "output", JsonObject(), iteration)
    assert {f.value.reason for f in found if isinstance(f.value, Unknown)} == {"no output was given"}


def test_the_texts_it_needs_are_those_of_its_source() -> None:
    assert similarity.earlier("output", JsonObject({"window": 7})) == {"output": 7}
    assert similarity.earlier("response", JsonObject()) == {"response": 5}


def test_long_texts_are_compared_by_both_ends() -> None:
    filling = "so it goes. " * COMPARED
    assert facts("a" + filling + "b", "a" + filling + "b")["x.highest"].value == 100
    assert "compared" in facts(filling, filling)["x.highest"].note
    assert facts(filling[:COMPARED], filling[:COMPARED])["x.matches"].note == ""
    changed = "x" * COMPARED + filling + "y" * COMPARED
    assert facts(filling, changed)["x.highest"].value < 10


@pytest.mark.parametrize("length", [0, 10, KEPT, KEPT + len(CUT), KEPT + 100, 3 * KEPT])
def test_kept_texts_are_bounded_and_say_so(length: int) -> None:
    text = "".join(chr(97 + n % 26) for n in range(length))
    short = bounded(text, KEPT)
    assert len(short) <= KEPT + len(CUT)
    assert is_cut(short) == (short != text)
    assert bounded(short, KEPT) == short
    assert short.startswith(text[:100])
    assert short.endswith(text[-100:] if text else "")


@settings(max_examples=60, deadline=None)
@given(
    now=HOSTILE, then=st.lists(st.none() | HOSTILE.map("".join), max_size=6), method=st.sampled_from(METHODS)
)
def test_no_text_raises(now: list[str], then: list[str | None], method: str) -> None:
    text = " ".join(now)
    found = facts(text, *then, method=method, ignore=["done", r"\d"])
    assert found == facts(text, *then, method=method, ignore=["done", r"\d"])
    highest = found["x.highest"].value
    assert isinstance(highest, Unknown) or 0 <= highest <= 100
    if then and then[-1] is not None and text.strip():
        same = facts(text, *then, text, method=method)
        assert same["x.highest"].value == 100
