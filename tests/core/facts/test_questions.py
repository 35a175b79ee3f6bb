"""`questions`: how many there are, and whether the last one is still open at the end."""

from __future__ import annotations

import pytest
from fact_reading import facts, iteration, resolved

from exitgate.core.facts.extractors import questions
from exitgate.core.model.json_object import JsonObject
from exitgate.core.model.value import Unknown

ENGLISH = JsonObject(lexicon=resolved("questions-en"))
REPORT = "The reader was moved into a module of its own and the writer now takes a path. " * 12


def test_a_missing_source_is_unknown_and_an_empty_one_asks_nothing() -> None:
    missing = questions.extract("x", "response", ENGLISH, iteration())
    assert all(f.value == Unknown("no response was given", f.name) for f in missing)
    empty = facts("questions", ENGLISH, response="")
    assert (empty["x.asked"].value, empty["x.count"].value) == (False, 0)


@pytest.mark.parametrize(
    ("text", "asked", "count"),
    [
        ("Should I take A or B? Which one do you prefer? Awaiting your input.", True, 3),
        ("Should I take A or do you want me to take B?", True, 1),
        (f"Should I take A?\n\n{REPORT}", False, 1),
        (f"{REPORT}\n\nShould I take A?", True, 1),
        ("Could you approve the command?\n\n" + "- one more thing that was done\n" * 60, True, 1),
        ("Could you approve the command?\n\n```\n" + "STATE of things: open\n" * 60 + "```\n", True, 1),
        ("Could you approve it?\n\nSTATUS: IN_PROGRESS\nEXIT_SIGNAL: false", True, 1),
        ("Should I take A? I'll take A.", False, 0),
        ("", False, 0),
    ],
)
def test_questions_and_whether_they_are_open(text: str, asked: bool, count: int) -> None:
    found = facts("questions", ENGLISH, response=text)
    assert (found["x.asked"].value, found["x.count"].value) == (asked, count)


def test_how_much_may_stand_behind_is_an_option() -> None:
    text = "Should I take A? The first way is the shorter one of both."
    assert facts("questions", {**ENGLISH, "behind": 20}, response=text)["x.asked"].value is True
    short = facts("questions", {**ENGLISH, "behind": 3}, response=text)["x.asked"]
    assert (short.value, short.evidence) == (False, ())
    assert short.note == "the text continues after the last question"


def test_a_heading_or_cell_is_shown_as_refused() -> None:
    found = facts("questions", ENGLISH, response="## Should I take tabs?\n\nTake what is there.")
    assert found["x.asked"].value is False
    assert [e.guard for e in found["x.count"].rejected] == ["quoted"]


def test_phrases_of_the_policy_count_too() -> None:
    options = {
        "phrases": [{"phrase": "over to the captain", "opens": True}],
        "lexicon": resolved("guards-en"),
    }
    assert facts("questions", options, response="Over to the captain.")["x.asked"].value is True
    assert facts("questions", options, response="He handed over to the captain.")["x.asked"].value is False
