"""`phrases`: counts, weights, overlaps, evidence, and the claims of real reports."""

from __future__ import annotations

import pytest
from cases import each
from fact_reading import facts, iteration, resolved

from exitgate.core.facts.extractors import phrases
from exitgate.core.facts.lexicons.search import JUDGED
from exitgate.core.facts.text.text import EVIDENCE_LIMIT, MATCH_LIMIT
from exitgate.core.model.json_object import JsonObject
from exitgate.core.model.value import Unknown

COMPLETION = {"lexicon": resolved("completion-en")}


def test_a_missing_source_is_unknown_and_an_empty_one_is_silent() -> None:
    missing = phrases.extract("x", "response", JsonObject({"phrases": ["done"]}), iteration())
    assert all(f.value == Unknown("no response was given", f.name) for f in missing)
    silent = facts("phrases", {"phrases": ["done"]}, response="")
    assert (silent["x.found"].value, silent["x.count"].value, silent["x.weight"].value) == (False, 0, 0)


def test_another_source_and_another_task() -> None:
    found = facts("phrases", {"phrases": ["all green"]}, "tool_results", tool_results="all green")
    assert found["x.found"].value is True
    assert found["x.found"].evidence[0].source == "tool_results"


def test_weights_add_up_over_matches_and_signals_over_entries() -> None:
    lexicon = {
        "entries": [{"id": "a", "phrase": "apple", "weight": 2.5}, {"id": "b", "words": ["pear", "plum"]}],
        "guards": {},
    }
    found = facts("phrases", {"lexicon": lexicon}, response="apple, pear; apple plum")
    assert found["x.count"].value == 4
    assert found["x.signals"].value == 2
    assert found["x.weight"].value == 7


def test_a_match_within_a_longer_one_is_none_unless_all_are_wanted() -> None:
    options = {"phrases": ["all tests pass", "tests pass"]}
    assert facts("phrases", options, response="all tests pass")["x.signals"].value == 1
    assert facts("phrases", {**options, "overlap": "all"}, response="all tests pass")["x.signals"].value == 2


def test_evidence_points_at_the_match() -> None:
    text = "First line\r\nThen **all tests**\r\n pass, said `all tests pass` once\r\n"
    found = facts("phrases", {"phrases": ["all tests pass"]}, response=text)["x.count"]
    (counts,) = found.evidence
    assert text[counts.start : counts.end] == "all tests**\r\n pass"
    assert (counts.line, counts.column) == (2, 8)
    assert counts.excerpt.startswith("Then **all tests**")
    (refused,) = found.rejected
    assert (text[refused.start : refused.end], refused.guard) == ("all tests pass", "quoted")


def test_patterns_of_a_lexicon() -> None:
    entry = {"id": "ticket", "pattern": r"\b[A-Z]+-\d+ closed", "unless": "reopened", "guards": []}
    text = "über AB-1 closed, CD-22 closed\nEF-3 closed, reopened\n"
    found = facts("phrases", {"lexicon": {"entries": [entry], "guards": {}}}, response=text)
    spans = [text[e.start : e.end] for e in found["x.count"].evidence]
    assert spans == ["AB-1 closed", "CD-22 closed"]


def test_many_matches_are_counted_and_some_are_shown() -> None:
    found = facts("phrases", {"phrases": ["ok"], "guards": []}, response="ok " * 400)["x.count"]
    assert found.value == 400
    assert len(found.evidence) == EVIDENCE_LIMIT
    assert found.note == f"the first {EVIDENCE_LIMIT} of 400 matches are shown"


def test_a_flood_of_matches_is_cut_and_says_so() -> None:
    found = facts("phrases", {"phrases": ["ok"], "guards": []}, response="ok " * (MATCH_LIMIT + 5))["x.count"]
    assert found.value == MATCH_LIMIT
    assert "only the first" in found.note


@each(
    ("text", "signals"),
    [
        ("Wrote 9 files, ran 40 tests: all tests are passing, no outstanding issues. Ready to merge.", 3),
        ("There, sorted! Off to the billing page now.", 0),
        ("A semi-finished, incompletely typed module.", 0),
        ("STATUS: IN_PROGRESS\nTASKS_COMPLETED_THIS_LOOP: 1\nEXIT_SIGNAL: false", 0),
        ("Wrote a release note titled “migration completed”. Now the client.", 0),
        ("At no point did all tests pass. The job never got finished.", 0),
        ("# Summary\n\n- ✅ All tasks are complete\n- ✅ All tests pass\n\nNothing is left to do.", 3),
        ("The job is finished. Next up: the exporter.", 0),
        ("All tasks are done, but two tests fail.", 0),
        ("全部完成。All tests pass。", 1),
    ],
)
def test_claims_of_completion(text: str, signals: int) -> None:
    assert facts("phrases", COMPLETION, response=text)["x.signals"].value == signals


def test_the_task_repeated_is_no_claim() -> None:
    task = "Repair the importer so that all tests pass, no further work is open, and it is ready to merge."
    text = f"My job here: {task[0].lower()}{task[1:]}"
    found = facts("phrases", COMPLETION, response=text, task=task)
    assert found["x.found"].value is False
    assert found["x.echoed"].value is True


@pytest.mark.parametrize(
    "text",
    [
        "All items are 100% complete.",
        "All 5/5 items are complete.",
        "All items of v3.0 are complete.",
        "All items\u200b are\u200e complete.",
        "\u202eAll items are complete",
    ],
)
def test_numbers_and_invisible_marks_stand_in_gaps(text: str) -> None:
    found = facts("phrases", {"phrases": ["all ... items ... complete"]}, response=text)
    assert found["x.count"].value == 1


@pytest.mark.parametrize("text", ["All% items complete", "All/items complete", "All.items complete"])
def test_marks_that_part_words_end_a_phrase(text: str) -> None:
    assert facts("phrases", {"phrases": ["all ... items ... complete"]}, response=text)["x.count"].value == 0


SEEDED = {
    "phrases": [
        {"phrase": "all tests passing", "weight": 3},
        {"phrase": "no remaining issues", "weight": 3},
        {"phrase": "ready for review", "weight": 2, "id": "review"},
        {"phrase": "done", "weight": 2},
    ],
    "lexicon": resolved("guards-en"),
}


def test_weights_beside_phrases_and_the_heaviest_match() -> None:
    found = facts("phrases", SEEDED, response="All tests passing, no remaining issues. Ready for review.")
    assert (found["x.signals"].value, found["x.weight"].value, found["x.strongest"].value) == (3, 8, 3)
    assert "review, weight 2" in [e.note for e in found["x.count"].evidence]
    assert facts("phrases", SEEDED, response="It is done.")["x.strongest"].value == 2
    assert facts("phrases", SEEDED, response="It is not done.")["x.strongest"].value == 0


@pytest.mark.parametrize(
    ("text", "partial"),
    [
        ("Tests done but build failing.", True),
        ("It is done for 3 of 5 files, but the rest fails.", True),
        ("It is not done.", False),
        ("It is done.", False),
    ],
)
def test_a_claim_that_holds_in_part_is_told_apart(text: str, partial: bool) -> None:
    found = facts("phrases", SEEDED, response=text)
    assert found["x.partial"].value is partial
    assert found["x.found"].value is (text == "It is done.")


@pytest.mark.parametrize(
    ("text", "partial"),
    [
        ("The pears are ripe, but the shed is broken.", True),
        ("The pears are ripe.", False),
        ("The pears are not ripe.", False),
    ],
)
def test_weight_0_only_tells_that_something_holds_in_part(text: str, partial: bool) -> None:
    options = {
        "phrases": [{"phrase": "pears are ripe", "weight": 0}],
        "lexicon": resolved("guards-en"),
        "guards": ["negated", "qualified"],
    }
    found = facts("phrases", options, response=text)
    assert found["x.partial"].value is partial
    assert found["x.refused"].value == partial
    silent = ("found", "count", "signals", "weight", "negated")
    assert not any(found[f"x.{name}"].value for name in silent)


def test_where_in_a_sentence_a_phrase_must_stand() -> None:
    def count(text: str, **wants: bool) -> object:
        return facts("phrases", {"phrases": [{"phrase": "stop here", **wants}], "guards": []}, response=text)[
            "x.count"
        ].value

    texts = "Stop here. We stop here. Stop here now: stop here? I stop here; (stop here)"
    assert count(texts) == 6
    assert count(texts, opens=True) == 4
    assert count(texts, closes=True) == 5
    assert count("- stop here\n- stop here now", opens=True, closes=True) == 1


def test_of_very_many_guarded_matches_both_ends_are_judged() -> None:
    text = "It is not done. " * 300 + "It is done."
    found = facts("phrases", SEEDED, response=text)
    assert (found["x.count"].value, found["x.refused"].value) == (1, JUDGED - 1)
    assert f"the first {JUDGED // 2} and the last {JUDGED // 2}" in found["x.count"].note


def test_copies_of_the_task_in_other_case_and_with_hyphens_are_echoes() -> None:
    task = "Work until all-tests passing and no remaining issues, then report ready for review."
    text = "I work until ALL TESTS passing and no-remaining issues, then report ready for review"
    found = facts("phrases", SEEDED, response=text, task=task)
    assert (found["x.found"].value, found["x.echoed"].value) == (False, True)
