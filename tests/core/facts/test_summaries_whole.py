"""A test summary is read whole: no failing count is lost, whatever prose stands around it."""

from __future__ import annotations

import pytest
from cases import each
from fact_reading import facts, resolved
from hypothesis import given, settings
from hypothesis import strategies as st
from runner_outputs import INLINE, SUMMARIES

from exitgate.core.model.value import Unknown

OPTIONS = {"lexicon": resolved("test-runners")}

#: Clauses beside a summary: none of them speaks of its failing tests.
BEFORE = (
    "",
    "Run: ",
    "Result: ",
    "Renamed the fixture and repaired its loader. Run: ",
    "Fixed the fixtures. ",
    "Fixed the mixin, ",
    "I fixed the harbour fixture; ",
    "Repaired the crane - ",
    "The mast was rebuilt, and ",
    "Previously the quay was wood. ",
    "Before this the lamps were dim; ",
    "Mended the buoy: ",
    "The earlier error is resolved: ",
    "As it was before, the anchor holds. ",
    "Everything was resolved earlier. The suite ended with ",
    "- ",
    "* **Tests**: ",
    "1. ",
    "> ",
    "Reparado el muelle: ",
    "Der Kran ist behoben. Lauf: ",
    "La grue est r\u00e9par\u00e9e\u00a0: ",
    "\u30af\u30ec\u30fc\u30f3\u3092\u4fee\u6b63\u3057\u307e\u3057\u305f\u3002 ",
    "\u4fee\u590d\u4e86\u6865\u3002",
    "\u041a\u0440\u0430\u043d \u0438\u0441\u043f\u0440\u0430\u0432\u043b\u0435\u043d: ",
)
BEHIND = (
    "",
    ".",
    " and the fixture is fixed.",
    "; the crane was repaired.",
    " (was worse before)",
    ", after I fixed the fixture.",
    ". Fixed the mixin before that.",
    ". Previously the quay was wood.",
    " - the lamps were resolved earlier",
    ". Alles behoben.",
    ". Todo corregido.",
)
PARAGRAPHS = (
    "",
    "I fixed the fixture that the quay was built on.",
    "The mixin was repaired; what was broken before is resolved.",
    "Previously the crane could not turn.",
    "## Summary\n\n- Fixed the fixtures\n- Repaired the mixin",
    "Ran the whole suite again:",
    "<promise>COMPLETE</promise>",
    "Everything that the plan asks for is in place.",
)


def plain(summary: str, before: str, behind: str) -> str:
    return f"{before}{summary.strip()}{behind}"


def bold(summary: str, before: str, behind: str) -> str:
    return f"{before}**{summary.strip()}**{behind}"


def code(summary: str, before: str, behind: str) -> str:
    return f"{before}`{summary.strip()}`{behind}"


def cell(summary: str, before: str, behind: str) -> str:
    return f"| suite | {before.strip(' -*>') or 'all'} | {summary.strip()} |"


SENTENCES = (plain, bold, code, cell)


def block(summary: str, first: str, last: str) -> str:
    return f"{first}\n\n{summary}\n\n{last}"


def close(summary: str, first: str, last: str) -> str:
    return f"{first}\n{summary}\n{last}"


def fence(summary: str, first: str, last: str) -> str:
    return f"{first}\n\n```\n{summary}\n```\n\n{last}"


def shell(summary: str, first: str, last: str) -> str:
    return f"{first}\n\n```console\n$ make test\n{summary}\n```\n{last}"


def indented(summary: str, first: str, last: str) -> str:
    return f"{first}\n\n" + "\n".join(f"    {line}" for line in summary.split("\n")) + f"\n\n{last}"


BLOCKS = (block, close, fence, shell, indented)


def read(text: str) -> tuple[object, object, object]:
    found = facts("tests", OPTIONS, response=text)
    values = (found[f"x.{name}"].value for name in ("passed", "failed", "passing"))
    return tuple(None if isinstance(v, Unknown) else v for v in values)


COUNTS = st.integers(min_value=1, max_value=400)


@pytest.mark.parametrize("runner", SUMMARIES)
@settings(max_examples=8, deadline=None)
@given(COUNTS, COUNTS, st.sampled_from(BLOCKS), st.sampled_from(PARAGRAPHS), st.sampled_from(PARAGRAPHS))
def test_no_failing_count_of_a_block_is_lost(runner, passed, failed, shape, first, last):
    text = shape(SUMMARIES[runner](passed, failed), first, last)
    _, lost, passing = read(text)
    assert lost != 0, text
    assert passing is not True, text


@pytest.mark.parametrize("runner", INLINE)
@settings(max_examples=12, deadline=None)
@given(
    COUNTS,
    COUNTS,
    st.sampled_from(SENTENCES),
    st.sampled_from(BEFORE),
    st.sampled_from(BEHIND),
    st.sampled_from(PARAGRAPHS),
)
def test_no_failing_count_in_a_sentence_is_lost(runner, passed, failed, shape, before, behind, last):
    text = shape(SUMMARIES[runner](passed, failed), before, behind) + "\n\n" + last
    _, lost, passing = read(text)
    assert lost != 0, text
    assert passing is not True, text


@pytest.mark.parametrize("runner", SUMMARIES)
@settings(max_examples=8, deadline=None)
@given(COUNTS, st.sampled_from(BLOCKS), st.sampled_from(PARAGRAPHS), st.sampled_from(PARAGRAPHS))
def test_a_run_in_which_nothing_failed_fails_nowhere(runner, passed, shape, first, last):
    text = shape(SUMMARIES[runner](passed, 0), first, last)
    _, failed, passing = read(text)
    assert not failed, text
    assert passing is not False, text


@pytest.mark.parametrize("runner", INLINE)
@settings(max_examples=8, deadline=None)
@given(
    COUNTS,
    st.sampled_from(SENTENCES),
    st.sampled_from(BEFORE),
    st.sampled_from(BEHIND),
    st.sampled_from(PARAGRAPHS),
)
def test_a_sentence_on_a_run_in_which_nothing_failed_fails_nowhere(
    runner, passed, shape, before, behind, last
):
    text = shape(SUMMARIES[runner](passed, 0), before, behind) + "\n\n" + last
    _, failed, passing = read(text)
    assert not failed, text
    assert passing is not False, text


NOT_PASSING = (
    "FAIL src/crane.test.ts\n{p} tests passed",
    " FAIL  lib/crane.spec.ts > lifts\n\n{p} tests passed",
    "FAILED tests/test_crane.py::test_lift - KeyError\n\nThe other {p} passed.",
    "--- FAIL: TestLift (0.00s)\n{p} passed",
    "ok 1 - keeps\nnot ok 2 - lifts\n{p} passed",
    "  \u2713 keeps\n  \u2717 lifts\n\n{p} tests passed",
    "    \u2715 lifts (3 ms)\n\n{p} tests passed",
    "error: could not compile `crane` (lib) due to 1 previous error\n\n{p} tests pass.",
    "FAIL Required test coverage of 80% not reached. Total coverage: 61.00%\n{p} passed in 0.41s",
    "{p} passed in 0.41s\nCoverage failure: total of 61 is less than fail-under=80",
    "!!!!!!! Interrupted: 1 error during collection !!!!!!!\n{p} passed",
    "=== no tests ran in 0.02s ===\n{p} passed",
    "{p} tests passed\nCommand timed out after 2m 0s",
    "  \u25cf Test suite failed to run\n\n{p} tests passed",
    "Tests: {p} passed, {p} total\nSnapshots:   1 failed, 2 passed, 3 total",
    "Unhandled Rejection\n\n{p} tests passed",
    "npm ERR! Test failed.  See above for more details.\n{p} tests passed",
    "{p} tests pass, the rest fails.",
    "3 tests fail. All other tests pass.",
    "{p} of our 999 tests pass.",
    "Unit: {p} passed, 1 failed; e2e: {p} passed, 0 failed",
    "{p} passed in 3.20s, 4 browser tests still failing",
    "$ pytest\n2 failed, 900 passed in 9.00s\n\n$ pytest tests/test_crane.py\n{p} passed in 0.41s",
    "I have not fixed the 3 failing tests. {p} passed.",
    "{p} passed, 2 did not pass",
    "{p} passed and two of them crash",
)
REPAIRED = (
    "Fixed 3 failing tests. {p} passed.",
    "Fixed the 3 failing tests; all {p} tests pass.",
    "3 tests were failing before; all {p} pass now.",
    "At first 2 tests failed. All {p} tests pass.",
    "The 3 failing tests are fixed: {p} passed, 0 failed.",
    "Ran the suite: 2 tests failed. Oiled the crane. All {p} tests pass now.",
    "The build failed at first. Now the build passes. {p} tests pass.",
    "Fixed the error in the crane. {p} tests pass.",
)


@each("text", NOT_PASSING)
def test_a_sign_of_failure_beside_a_count_is_no_passing_run(text: str) -> None:
    assert read(text.format(p=21))[2] is not True


@pytest.mark.parametrize("text", REPAIRED)
def test_what_was_repaired_fails_no_more(text: str) -> None:
    assert read(text.format(p=21))[1:] == (0, True)


CHECKS = (
    "The lint job fails.",
    "Build: failing (3 errors)",
    "mypy found 3 errors.",
    "tsc: error TS2322",
    "src/crane.ts(3,5): error TS2345: Argument of type 'a' is not assignable.",
    "Build FAILED.",
    "npm ERR! code ELIFECYCLE",
    "ERROR: job stopped: exit code 1",
    "\u2716 3 problems (2 errors, 1 warning)",
    "Found 4 errors in 2 files (checked 9 source files)",
    "CI is still red.",
    "BUILD FAILED in 3s",
    "It does not compile yet.",
)
CALM = (
    "The lint job passes.",
    "The build was failing.",
    "mypy is clean.",
    "Fixed the failing build.",
    "If the build fails, stop.",
    "\u2716 1 problem (0 errors, 1 warning)",
    "The build failed at first. The build passes now.",
    "I built the pipeline page.",
    "",
)


@each(("text", "failing"), [*((t, True) for t in CHECKS), *((t, False) for t in CALM)])
def test_other_checks_that_fail_are_known(text: str, failing: bool) -> None:
    for around in ("{}", "All 12 tests pass.\n\n{}\n", "- {}\n"):
        found = facts("tests", OPTIONS, response=around.format(text))
        assert found["x.checks_failing"].value is failing
        assert not (failing and found["x.witness"].value)


@pytest.mark.parametrize(
    ("text", "witness"),
    [
        ("212 passed, 0 failed", True),
        ("Ran the suite: 48 passed", True),
        ("=== 4 passed in 0.10s ===", True),
        ("All tests pass.", False),
        ("Ran the suite: 48 passed, the others broke", False),
        ("I will run the suite; 48 passed would be fine", False),
        ("48 passed. The build fails.", False),
        ("", False),
    ],
)
def test_figures_in_prose_are_a_witness_where_nothing_speaks_against_them(text: str, witness: bool) -> None:
    assert facts("tests", OPTIONS, response=text)["x.witness"].value is witness


@pytest.mark.parametrize(
    "work",
    [
        "Se implement\u00f3 la gr\u00faa y se corrigieron los faros.",
        "Der Kran wurde angepasst.",
        "La grue a \u00e9t\u00e9 modifi\u00e9e.",
        "O guindaste foi criado.",
        "\u041a\u0440\u0430\u043d \u0434\u043e\u0431\u0430\u0432\u043b\u0435\u043d.",
        "\u30af\u30ec\u30fc\u30f3\u3092\u5b9f\u88c5\u3057\u307e\u3057\u305f\u3002",
        "\u5b9e\u73b0\u4e86\u8d77\u91cd\u673a\u3002",
    ],
)
def test_a_report_on_work_in_another_language_is_not_of_tests_only(work: str) -> None:
    assert facts("tests", OPTIONS, response=f"{work}\n\n48 passed, 0 failed")["x.only"].value is False
