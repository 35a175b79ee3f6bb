"""`tests`: figures of runners and of sentences, what takes the place of what, test-only responses."""

from __future__ import annotations

import pytest
from cases import each
from fact_reading import facts, iteration, resolved

from exitgate.core.facts.extractors import tests as extractor
from exitgate.core.model.json_object import JsonObject
from exitgate.core.model.value import Unknown

OPTIONS = JsonObject(lexicon=resolved("test-runners"))
ANY = "any"


def found(text: str, options: dict | None = None, **more: str) -> dict[str, object]:
    read = facts("tests", {**OPTIONS, **(options or {})}, response=text, **more)
    values = {name[2:]: fact.value for name, fact in read.items()}
    return {name: None if isinstance(value, Unknown) else value for name, value in values.items()}


def run(text: str) -> tuple[object, ...]:
    values = found(text)
    return tuple(values[n] for n in ("passed", "failed", "skipped", "passing", "runner"))


@each(
    ("text", "want"),
    [
        ("=== 2 failed, 3 passed, 1 skipped, 4 warnings in 0.12s ===", (3, 2, 1, False, "pytest")),
        ("93 passed, 1 skipped in 3.25s", (93, 0, 1, True, "pytest")),
        ("3 passed, 1 error in 3.25s", (3, 1, None, False, "pytest")),
        ("==== no tests ran in 0.01s ====", (0, 0, None, False, "pytest")),
        ("a.py::test_a PASSED [ 50%]\na.py::test_b FAILED [100%]", (1, 1, None, False, "pytest")),
        ("\x1b[32m\x1b[1m12 passed\x1b[0m, \x1b[33m1 skipped\x1b[0m in 1.0s", (12, 0, 1, True, "pytest")),
        (
            "Test Suites: 1 failed, 4 passed, 5 total\nTests:       1 failed, 2 skipped, 5 passed, 8 total",
            (5, 1, 2, False, "jest"),
        ),
        (" Test Files  2 passed (2)\n      Tests  11 passed | 1 skipped (12)", (11, 0, 1, True, "vitest")),
        ("  12 passing (30ms)\n  1 pending\n  2 failing", (12, 2, 1, False, "mocha")),
        ("  12 passing (30ms)\n", (12, 0, None, True, "mocha")),
        ("--- PASS: TestA (0.0s)\n    --- PASS: TestA/b\n--- FAIL: TestC\nFAIL", (1, 1, None, False, "go")),
        ("ok  \texample.org/a\t0.4s\nok  \texample.org/b\t(cached)", (2, 0, None, True, "go")),
        ("ok  \texample.org/a\t0.4s\nFAIL\texample.org/b [build failed]", (1, 1, None, False, "go")),
        ("?   \texample.org/a\t[no test files]", (None, None, None, None, None)),
        (
            "test result: ok. 5 passed; 0 failed; 1 ignored; 0 measured\n\n"
            "   Doc-tests store\n\ntest result: ok. 2 passed; 0 failed; 0 ignored; 0 measured",
            (7, 0, 1, True, "cargo"),
        ),
        (
            "test result: ok. 0 passed; 0 failed; 4 filtered out\nAll tests passing.",
            (0, 0, None, False, "cargo"),
        ),
        ("1..3\nok 1 a\nnot ok 2 b\nok 3 c # skip slow", (1, 1, 1, False, "tap")),
        ("# tests 5\n# pass 4\n# fail 1\n# skipped 0", (4, 1, 0, False, "tap")),
        ("12 tests, 0 failures, 2 skipped", (10, 0, 2, True, "bats")),
        ("Tests run: 3, Failures: 0, Errors: 0, Skipped: 1", (2, 0, 1, True, "junit")),
        (
            "Tests run: 3, Failures: 0, Errors: 0, Skipped: 1, Time elapsed: 0.1 s - in a.B\n"
            "Tests run: 2, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.1 s - in a.C\n"
            "[ERROR] Tests run: 5, Failures: 1, Errors: 0, Skipped: 1",
            (3, 1, 1, False, "junit"),
        ),
        ("12 tests completed, 1 failed, 2 skipped", (9, 1, 2, False, "gradle")),
        ("12 examples, 0 failures, 1 pending", (11, 0, 1, True, "rspec")),
        ("5 runs, 9 assertions, 1 failures, 1 errors, 0 skips", (3, 2, 0, False, "minitest")),
        ("OK (12 tests, 30 assertions)", (12, 0, None, True, "phpunit")),
        ("Tests: 5, Assertions: 9, Errors: 1, Failures: 1, Skipped: 1.", (2, 2, 1, False, "phpunit")),
        ("  Tests:    2 failed, 10 passed (20 assertions)", (10, 2, None, False, "pest")),
        ("Passed!  - Failed:     0, Passed:    12, Skipped:     1, Total:    13", (12, 0, 1, True, "dotnet")),
        ("Ran 5 tests in 0.001s\n\nOK", (5, 0, None, True, "unittest")),
        ("Ran 5 tests in 0.001s\n\nOK (skipped=2)", (3, 0, 2, True, "unittest")),
        ("Ran 5 tests in 0.001s\n\nFAILED (failures=1, errors=1)", (3, 2, None, False, "unittest")),
        ("Ran 5 tests in 0.001s\n", (None, None, None, None, "unittest")),
        ("OK", (None, None, None, None, None)),
        ("92% tests passed, 1 tests failed out of 12", (11, 1, None, False, "ctest")),
        ("3 doctests, 5 tests, 1 failure", (7, 1, None, False, "bats")),
        ("FAILED | 4 passed (2 steps) | 1 failed | 1 ignored (8ms)", (4, 1, 1, False, "deno")),
        (
            "[==========] 12 tests from 3 test suites ran.\n[  PASSED  ] 11 tests.",
            (11, 1, None, False, "gtest"),
        ),
        ("Executed 12 tests, with 0 failures (0 unexpected) in 0.2s", (12, 0, None, True, "xctest")),
        ("00:01 +3: a\n00:03 +11 -1: Some tests failed.", (11, 1, None, False, "flutter")),
        (" 5 pass\n 0 fail\nRan 5 tests across 2 files.", (5, 0, None, True, "bun")),
    ],
)
def test_what_runners_print(text: str, want: tuple[object, ...]) -> None:
    assert run(text) == want
    assert run(text.replace("\n", "\r\n")) == want
    assert run(f"I ran it:\n```\n{text}\n```\n") == want


@each(
    ("text", "passed", "failed", "passing"),
    [
        ("12 passed", 12, 0, True),
        ("- **Tests**: 93 passed, 1 skipped", 93, 0, True),
        ("All 14 tests pass.", 14, 0, True),
        ("12 of 14 tests pass now.", 12, 2, False),
        ("12/12 tests passing", 12, 0, True),
        ("I ran the suite: 3 tests failing.", None, 3, False),
        ("12 tests pass, 3 tests fail.", 12, 3, False),
        ("3 tests still fail.\nThen I mended the reader.\nAll 14 tests pass.", 14, 0, True),
        ("All tests pass.", None, 0, True),
        ("12 tests passing. All tests pass.", 12, 0, True),
        ("The tests are failing.", None, None, False),
        ("0 failed", None, 0, None),
        ("0 passed", 0, 0, False),
        ("0 tests passed", 0, 0, False),
        ("Fixed 3 failing tests.", None, None, None),
        ("Not all tests pass.", None, None, False),
        ("Once all 14 tests pass I will stop.", None, None, None),
        ("The log said `12 tests passing` last week.", None, None, None),
        ("Say `all tests pass` when done.", None, None, None),
        ("The combats table passed review; jester passed too.", None, None, None),
        ("", None, None, None),
    ],
)
def test_sentences(text: str, passed: object, failed: object, passing: object) -> None:
    values = found(text)
    assert (values["passed"], values["failed"], values["passing"]) == (passed, failed, passing)
    assert values["runner"] is None


def test_a_run_repeated_takes_the_place_of_the_one_before() -> None:
    text = "$ pytest\n2 failed, 3 passed in 0.1s\n\nMended it.\n\n$ pytest\n5 passed in 0.1s\n"
    assert run(text) == (5, 0, None, True, "pytest")
    cargo = "$ cargo test\ntest result: FAILED. 1 passed; 2 failed; 0 ignored\n"
    again = "$ cargo test\ntest result: ok. 3 passed; 0 failed; 0 ignored\n"
    assert run(cargo + again) == (3, 0, 0, True, "cargo")
    assert run(again + cargo) == (1, 2, 0, False, "cargo")


def test_runs_of_different_runners_are_added_up() -> None:
    text = "$ pytest\n5 passed in 0.1s\n$ npm test\nTests: 1 failed, 2 passed, 3 total\n"
    assert run(text) == (7, 1, None, False, "pytest, jest")


def test_printed_figures_are_better_than_a_claim_but_an_admitted_failure_counts() -> None:
    assert found("1 failed, 4 passed in 0.1s\nAll 5 tests pass.")["passing"] is False
    values = found("5 passed in 0.1s\nOn the server 2 tests are still failing.")
    assert (values["passing"], values["failed"], values["passed"]) == (False, 2, 5)
    assert found("2 tests fail.\n5 passed in 0.1s")["passing"] is True


@each(
    ("text", "want"),
    [
        # a file that breaks before its first test
        (
            "Test Suites: 1 failed, 1 passed, 2 total\nTests:       12 passed, 12 total",
            (12, 1, None, False, "jest"),
        ),
        ("Test Suites: 1 failed, 1 total\nTests:       0 total", (0, 1, None, False, "jest")),
        (
            " Test Files  1 failed | 1 passed (2)\n      Tests  12 passed (12)",
            (12, 1, None, False, "vitest"),
        ),
        (" Test Files  1 failed (1)\n      Tests  no tests", (None, 1, None, False, "vitest")),
        # an error outside of any test
        (
            " Test Files  2 passed (2)\n      Tests  12 passed (12)\n     Errors  1 error",
            (12, 1, None, False, "vitest"),
        ),
        # the last run counts, whichever of the two broke
        (
            "Test Suites: 1 passed, 1 total\nTests: 12 passed, 12 total\n"
            "Test Suites: 1 failed, 1 total\nTests: 12 passed, 12 total",
            (12, 1, None, False, "jest"),
        ),
        (
            "Test Suites: 1 failed, 1 total\nTests: 12 passed, 12 total\n"
            "Test Suites: 1 passed, 1 total\nTests: 12 passed, 12 total",
            (12, 0, None, True, "jest"),
        ),
        # Playwright: what failed stands first
        (
            "  1 failed\n    [chromium] \u203a a.spec.ts:3:1 \u203a login\n  2 skipped\n  11 passed (12.3s)",
            (11, 1, 2, False, "playwright"),
        ),
        ("Running 11 tests using 4 workers\n\n  11 passed (5.3s)", (11, 0, None, True, "playwright")),
        ("  11 passed (5.3s)\n  1 failed\n  10 passed (5.1s)", (10, 1, None, False, "playwright")),
        ("  1 interrupted\n  3 did not run\n  7 passed (1.0m)", (7, None, None, False, "playwright")),
        ("  1 flaky\n  7 passed (1.0m)", (7, 0, None, True, "playwright")),
        # PHPUnit says in words that nothing failed
        (
            "OK, but some tests were skipped!\nTests: 4, Assertions: 6, Skipped: 1.",
            (3, 0, 1, True, "phpunit"),
        ),
        ("1..2\nok 1 - a\nBail out! no store", (None, None, None, False, "tap")),
        (
            "[        12 tests found           ]\n[         1 tests skipped         ]\n"
            "[        10 tests successful      ]\n[         1 tests failed          ]",
            (10, 1, 1, False, "junit-console"),
        ),
    ],
)
def test_runs_that_break_outside_of_their_tests(text: str, want: tuple[object, ...]) -> None:
    assert run(text) == want


@each(
    ("text", "passed", "failed"),
    [
        ("2 of 14 tests fail.", 12, 2),
        ("42 tests réussis, 2 échecs.", 42, 2),
        ("40 Tests bestanden, 2 fehlgeschlagen.", 40, 2),
        ("Pasan todas menos dos: 40 pruebas pasan, 2 fallan.", 40, 2),
        ("40 testes passaram e 2 testes falharam.", 40, 2),
        ("40 тестов прошли, 2 теста упали.", 40, 2),
        ("40 个测试通过\uff0c2 个失败。", 40, 2),
        ("40件のテストが成功、2件失敗。", 40, 2),
        ("テスト 42 件すべて合格しました。", 42, 0),
        ("Alle 42 Tests laufen durch.", 42, 0),
        ("42 tests réussis, 0 échec.", 42, 0),
    ],
)
def test_sentences_tell_failures_in_other_languages_and_as_shares(
    text: str, passed: int, failed: int
) -> None:
    values = found(text)
    assert (values["passed"], values["failed"], values["passing"]) == (passed, failed, failed == 0)


def test_names_of_failing_tests() -> None:
    text = "FAILED a.py::test_b - KeyError\nFAILED a.py::test_c\n2 failed in 0.1s"
    assert found(text)["names"] == ("a.py::test_b", "a.py::test_c")
    assert found("not ok 1 - opens a store\nok 2 x")["names"] == ("opens a store",)
    assert found("5 passed in 0.1s")["names"] == ()


def test_the_figures_of_the_task_are_not_those_of_the_agent() -> None:
    task = "Mend this:\n2 failed, 3 passed in 0.12s\n"
    read = facts("tests", OPTIONS, response="Mend this:\n2 failed, 3 passed in 0.12s\n", task=task)
    assert isinstance(read["x.failed"].value, Unknown)
    assert [r.guard for r in read["x.failed"].rejected] == ["echoed"]


def test_evidence_shows_the_summary() -> None:
    text = "ok\r\n  Tests:  3 passed, 3 total  \r\n"
    (seen,) = facts("tests", OPTIONS, response=text)["x.passed"].evidence
    assert (seen.line, text[seen.start : seen.end], seen.note) == (2, "Tests:  3 passed, 3 total", "jest")


def test_patches_say_nothing() -> None:
    patch = "```diff\n@@ -1,2 +1,2 @@\n-12 passed in 0.1s\n+13 passed in 0.1s\n```\n"
    assert found(patch)["passed"] is None


@each(
    ("text", "only"),
    [
        ("Running tests...\nnpm test\n12 passed", True),
        ("$ cargo test\ntest result: ok. 5 passed; 0 failed; 0 ignored", True),
        ("I ran the full suite again to verify. 93 passed, 1 skipped in 3.2s. Nothing was changed.", True),
        ("PASS src/a.test.js\n  ✓ adds created users (4 ms)\nTests: 1 passed, 1 total", True),
        ("  ✓ created users are shown\n  ✓ fixed width is kept\n\n  2 passing (3ms)", True),
        ("FAILED tests/test_updated.py::test_fixed_added - x\n1 failed in 0.1s", True),
        ("Rebalanced the combats table; jester sprites got a new palette.", False),
        ("I wrote tests/test_reader.py and ran the tests: 12 passed", False),
        ("Added a guard. 12 passed", False),
        ("12 passed\n[main 1a2b3c4] Reader", False),
        ("$ npm test\n12 passed\n\n- Updated src/a.js\n", False),
        ("⏺ Edit(src/a.py)\n12 passed", False),
        ("我修改了解析器。\n12 passed", False),
        ("I read the plan and thought about it.", False),
        ("All tests pass. The project is complete.", False),
        ("The next story waits.\nThe plan is clear.\n45 test files, 12 tests passing, all well", False),
        ("$ pytest\n=== FAILURES ===\n    def test_a():\n>  assert x\nE  assert 1\n\n1 failed in 0.1s", True),
        ("Running tests...\n12 passed\n---RALPH_STATUS---\nSTATUS: IN_PROGRESS\nFILES_MODIFIED: 0\n", True),
        ("12 passed\n\nSTATUS: IN_PROGRESS\nFILES_MODIFIED: 2\nEXIT_SIGNAL: false", False),
        ("", False),
    ],
)
def test_only(text: str, only: bool) -> None:
    assert found(text)["only"] is only


SEED = [r"^\s*(?-i:PASS|FAIL|SKIP)\s+", r"\d+ (tests?|specs?) (passed|failed)", r"Test Suites?:"]


@pytest.mark.parametrize(
    ("text", "share", "only"),
    [
        ("PASS a.js\nFAIL b.js\n\nTest Suites: 2 total\n3 tests passed", 100, True),
        ("PASS a.js\nI changed b.js", 100, False),
        ("PASS a.js\nI changed b.js", 50, True),
        ("PASS a.js\nI changed b.js", 51, False),
        ("pass a.js", 100, False),
        ("", 100, False),
    ],
)
def test_only_by_patterns(text: str, share: int, only: bool) -> None:
    assert found(text, {"only_patterns": SEED, "only_share": share})["only"] is only


def test_a_pattern_that_re2_refuses_makes_only_unknown() -> None:
    read = facts("tests", {**OPTIONS, "only_patterns": ["(?=a)"]}, response="a")
    assert isinstance(read["x.only"].value, Unknown)
    assert read["x.ran"].value is False


def test_a_missing_source_is_unknown() -> None:
    read = extractor.extract("x", "response", OPTIONS, iteration())
    assert all(f.value == Unknown("no response was given", f.name) for f in read)


@pytest.mark.parametrize("digits", ["9" * 40, "٣", "1" * 17])
def test_huge_and_foreign_figures_are_bounded(digits: str) -> None:
    passed = found(f"{digits} passed in 0.1s")["passed"]
    assert passed is None or 0 <= passed <= 10**15  # type: ignore[operator]
