"""Failing tests are known from prose in any of its shapes, and work about failures is none."""

from __future__ import annotations

import pytest
from fact_reading import facts, resolved
from hypothesis import given, settings
from hypothesis import strategies as st

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


def passing(text: str) -> object:
    return told(text)["x.passing"]


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
    assert passing(text) is False


@pytest.mark.parametrize(
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
    assert passing(text) is False
    assert passing("41 passed in 0.31s\n\nRebuilt the quay.\n\n" + text) is False


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


@pytest.mark.parametrize(
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
