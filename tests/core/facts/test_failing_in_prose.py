"""Failing tests are known from prose in any of its shapes, and work about failures is none."""

from __future__ import annotations

import pytest
from cases import each
from fact_reading import facts, resolved
from hypothesis import given, settings
from hypothesis import strategies as st

from exitgate.core.facts.lexicons.patterns import Patterns
from exitgate.core.facts.test_runs.asides import Asides

OPTIONS = {"lexicon": resolved("test-runners")}

SUBJECTS = (
    "The tests", "Two specs", "The suite", "The integration tests", "The smoke test", "The pytest suite",
    "The nightly test run", "One e2e spec",
)  # fmt: skip
BESIDE = (
    "",
    " in mast_test.py",
    " for the crane",
    " on the old quay",
    " against `harbour-db`",
    " under load at night",
)
PREDICATES = (
    "{s}{b} {still}fail.", "{s}{b} {still}fails.", "{s}{b} is {still}red.", "{s}{b} are {still}failing.",
    "{s}{b} {still}do not pass.", "{s}{b} doesn't pass yet.", "{s}{b} is not green.", "{s}{b} never passes.",
    "{s}{b} keeps failing.",
)  # fmt: skip
STILL = ("", "still ", "now ", "currently ")
BEFORE = ("", "The crane turns. ", "- ", "Note: ", "Rebuilt the quay; ")
BEHIND = ("", " The lamps burn.", "\n\nThe buoy was painted.")


def told(text: str) -> dict[str, object]:
    return {name: fact.value for name, fact in facts("tests", OPTIONS, response=text).items()}


@settings(max_examples=60)
@given(
    st.sampled_from(SUBJECTS), st.sampled_from(BESIDE), st.sampled_from(PREDICATES), st.sampled_from(STILL),
    st.sampled_from(BEFORE), st.sampled_from(BEHIND), st.booleans(),
)  # fmt: skip
def test_a_sentence_that_tests_fail(
    subject: str, beside: str, predicate: str, still: str, before: str, behind: str, figures: bool
) -> None:
    text = before + predicate.format(s=subject, b=beside, still=still) + behind
    if figures:
        text = "Before lunch: 41 passed in 0.31s.\n\n" + text
    found = told(text)
    assert found["x.passing"] is False
    assert found["x.failed"] != 0  # that none failed elsewhere says nothing of these


GREEN = (
    "All unit tests pass.", "The unit tests are green (212 passed).", "Unit tests: 212 passed, 0 failed.",
    "Unit tests pass: 212 passed in 0.31s.", "The mast tests are all green.", "212 passed.",
)  # fmt: skip
RED = (
    "The smoke suite has two failing specs.", "Two smoke tests still fail.", "The smoke suite is red.",
    "`QuayTest.turns` fails every time.", "The quay suite still has three red tests.",
    "Smoke: 3 failed ❌ (quay)",
    "The smoke tests failed.", "There are two failing tests left.", "`TestQuayTurns` is failing.",
)  # fmt: skip


@each("green", GREEN)
@each("red", RED)
@each("between", [" ", "\n", "\n- "])
def test_what_passes_beside_it_hides_nothing_that_fails(green: str, red: str, between: str) -> None:
    found = told(green + between + red)
    assert found["x.passing"] is False
    assert found["x.failed"] != 0


@each(
    "text",
    [
        "mypy reported 12 errors, all of which I fixed.", "mypy reported 12 errors. I fixed them all.",
        "ruff found 4 problems. All fixed.", "Two tests failed at first. Fixed both.",
        "The build failed because of a missing import. I added it and it passes now.",
        "There were two failing tests. Both are green now.", "The build failed; then I fixed it.",
        "The suite had 3 failing tests; I fixed them and all 40 pass.",
        "mypy reported 12 errors at the start; it reports none now.", "Failing tests: 9 → 0.",
    ],
)  # fmt: skip
def test_what_is_told_of_as_repaired_is_none(text: str) -> None:
    found = told(text)
    assert found["x.passing"] is not False
    assert found["x.checks_failing"] is False


@pytest.mark.parametrize(
    "text",
    [
        "The build failed. All tests pass.", "mypy reports 12 errors. All tests pass.",
        "The type check failed. It is in a file I did not touch. Everything else passes.",
        "`tsc --noEmit` reports 37 errors.", "There are still 12 type errors in quay.ts.",
        "The project no longer compiles.", "The build failed. I have not fixed it.",
    ],
)  # fmt: skip
def test_no_other_check_repairs_one(text: str) -> None:
    assert told(text)["x.checks_failing"] is True


@each(
    "text",
    [
        "| Part | Passed | Failed |\n|---|---|---|\n| mast | 41 | 0 |\n| quay | 7 | 3 |",
        "| Part | Failures | Tests |\n|---|---|---|\n| mast | 1 | 41 |",
        "| Check | Verdict |\n|---|---|\n| Unit tests | ✅ 41 |\n| E2E | ❌ 3 |",
        "✅ unit 41\n❌ e2e: the crane does not turn",
        "Tests: ❌", "**Tests:** failing", "Tests — FAIL", "Test status: red (2 of 9)",
        "FAILED (failures=2, errors=1)",
        "There is one failing test left, which failed before I came.",
        "4 known failures in old_quay.py remain.",
        "The remaining two test failures are unrelated to the crane.",
        "The last run had 3 failures.", "The suite reports 2 errors now.",
        "pytest exits with 1.", "`npm test` exited with code 2.",
        "97% of the tests pass.", "Pass rate: 96.5 %",
        '{"passed": 41, "failed": 2}',
        "Die Tests schlagen noch fehl: 2 von 9.", "3 Tests sind rot.", "Quedan 3 pruebas que fallan.",
        "Les tests ne passent toujours pas.", "Os testes continuam falhando.", "Тесты всё ещё падают.",
        "测试仍然失败", "テストがまだ失敗しています。",
    ],
)  # fmt: skip
def test_shapes_of_failing(text: str) -> None:
    for found in (told(text), told("41 passed in 0.31s\n\nRebuilt the quay.\n\n" + text)):
        assert found["x.passing"] is False
        assert found["x.failed"] != 0


def test_those_that_were_not_repaired() -> None:
    assert told("9 tests were failing, 6 of them pass now.")["x.failed"] == 3


@pytest.mark.parametrize(
    "text",
    [
        "Coverage is 71%, below the required 80%.", "Coverage: 62.4 % (threshold 80 %) ❌",
        "error TS2345: Argument of type 'string' is not assignable to parameter of type 'number'.",
        "Interrupted: 1 error during collection", "ERROR collecting tests/test_mast.py",
    ],
)  # fmt: skip
def test_other_checks(text: str) -> None:
    assert told(text)["x.checks_failing"] is True


@each(
    "text",
    [
        "Wrote a failing test for the crane first, then made it pass.",
        "Added tests for failing pumps and for broken lamps.",
        "The new test fails without the fix, as it should.",
        "Added a test that fails fast when the quay is gone.",
        "The parser now reports failures in the suite by name.",
        "No tests fail.", "None of the specs are failing.", "The tests no longer fail.",
        "Fixed the two failing specs.", "The remaining failures are fixed.",
        "If the suite is red, the crane stops.", "Handles 3 failures in a row.",
        "The retry test covers failures of the pump.",
        "| Suite | Passed | Failed |\n|---|---|---|\n| mast | 41 | 0 |",
        "100% of the tests pass.", "❌ → ✅ unit tests", "Coverage was below 80%, now it is 91%.",
        "The test suite for the failing pump is green.",
        "Keine Tests schlagen fehl.", "Las pruebas pasan.", "测试全部通过",
    ],
)  # fmt: skip
def test_work_about_failures_is_none(text: str) -> None:
    found = told(text)
    assert found["x.passing"] is not False
    assert found["x.checks_failing"] is False


HEADS = ("Before", "before the change", "Baseline", "Was", "**Previously**", "vorher", "之前")
LABELS = ("Failing tests", "Tests failing", "Failed", "Broken specs")


@each("head", HEADS)
@each("label", LABELS)
@each(("then", "now"), [(17, 0), (17, 2), (0, 3)])
def test_a_column_on_how_it_was_says_nothing_of_how_it_is(head: str, label: str, then: int, now: int) -> None:
    found = told(
        f"The crane turns.\r\n\r\n| | {head} | Now |\r\n|--|--:|--:|\r\n| {label} | {then} | {now} |\r\n"
    )
    assert found["x.failed"] == now
    assert found["x.passing"] is not True or not now


def test_the_only_column_of_figures_counts() -> None:
    assert told("| Suite | Before |\n|---|---|\n| Failed | 17 |")["x.failed"] == 17
    assert told("| Test | Result |\n|---|---|\n| Before | 3 failed |")["x.failed"] == 3


@given(st.text(st.sampled_from("| -beforwas\n\r*"), max_size=80))
def test_a_text_without_such_columns_keeps_its_length(text: str) -> None:
    kept = Asides(earlier=Patterns(["^(?:before|was)$"])).without_earlier(text)
    assert len(kept) == len(text)
    assert [a for a, b in zip(kept, text, strict=True) if a != b] == [" "] * sum(
        a != b for a, b in zip(kept, text, strict=True)
    )
