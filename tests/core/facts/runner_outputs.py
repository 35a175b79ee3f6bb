"""What thirty runners of tests print at their end, by how many tests passed and failed."""

from __future__ import annotations

from collections.abc import Callable


def _s(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def _fails(text: str, failed: int, otherwise: str = "") -> str:
    return text if failed else otherwise


#: Runner -> its summary, of `passed` and `failed` tests. Several lines where it prints several.
SUMMARIES: dict[str, Callable[[int, int], str]] = {
    "pytest": lambda p, f: "=== " + _fails(f"{f} failed, ", f) + f"{p} passed in 0.42s ===",
    "pytest-quiet": lambda p, f: _fails(f"{f} failed, ", f) + f"{p} passed, 2 warnings in 3.10s",
    "unittest": lambda p, f: (
        f"Ran {_s(p + f, 'test')} in 0.021s\n\n" + _fails(f"FAILED (failures={f})", f, "OK")
    ),
    "jest": lambda p, f: (
        f"Test Suites: {_fails('1 failed, ', f)}3 passed, {4 if f else 3} total\n"
        f"Tests:       {_fails(f'{f} failed, ', f)}{p} passed, {p + f} total"
    ),
    "vitest": lambda p, f: (
        f" Test Files  {_fails('1 failed | ', f)}3 passed ({4 if f else 3})\n"
        f"      Tests  {_fails(f'{f} failed | ', f)}{p} passed ({p + f})"
    ),
    "mocha": lambda p, f: f"  {p} passing (31ms)" + _fails(f"\n  {f} failing", f),
    "go": lambda p, f: "\n".join(
        [f"--- PASS: TestKeep{n} (0.00s)" for n in range(min(p, 5))]
        + [f"--- FAIL: TestLose{n} (0.01s)" for n in range(min(f, 5))]
        + [_fails("FAIL\nFAIL\texample.org/quay\t0.41s", f, "ok  \texample.org/quay\t0.41s")]
    ),
    "gotestsum": lambda p, f: f"DONE {_s(p + f, 'test')}" + _fails(f", {_s(f, 'failure')}", f) + " in 1.204s",
    "cargo": lambda p, f: (
        f"test result: {_fails('FAILED', f, 'ok')}. {p} passed; {f} failed; 0 ignored; 0 measured"
    ),
    "nextest": lambda p, f: (
        f"     Summary [   0.112s] {_s(p + f, 'test')} run: {p} passed, {f} failed, 0 skipped"
    ),
    "gradle": lambda p, f: f"{_s(p + f, 'test')} completed, {f} failed",
    "maven": lambda p, f: (
        f"[{_fails('ERROR', f, 'INFO')}] Tests run: {p + f}, Failures: {f}, Errors: 0, Skipped: 0"
    ),
    "maven-errors": lambda p, f: f"Tests run: {p + f}, Failures: 0, Errors: {f}, Skipped: 0",
    "dotnet": lambda p, f: (
        f"{_fails('Failed', f, 'Passed')}!  - Failed:   {f}, Passed:   {p}, Skipped:   0, Total:   {p + f}"
    ),
    "dotnet-summary": lambda p, f: f"Test summary: total: {p + f}, failed: {f}, succeeded: {p}, skipped: 0",
    "rspec": lambda p, f: f"{_s(p + f, 'example')}, {_s(f, 'failure')}",
    "minitest": lambda p, f: f"{p + f} runs, {2 * p} assertions, {f} failures, 0 errors, 0 skips",
    "phpunit": lambda p, f: _fails(
        f"Tests: {p + f}, Assertions: {2 * p}, Failures: {f}.",
        f,
        f"OK ({_s(p, 'test')}, {_s(2 * p, 'assertion')})",
    ),
    "pest": lambda p, f: f"  Tests:    {_fails(f'{f} failed, ', f)}{p} passed ({2 * p} assertions)",
    "exunit": lambda p, f: f"{_s(p + f, 'test')}, {_s(f, 'failure')}",
    "ctest": lambda p, f: f"{100 * p // (p + f)}% tests passed, {f} tests failed out of {p + f}",
    "bats": lambda p, f: f"{_s(p + f + 1, 'test')}, {_s(f, 'failure')}, 1 skipped",
    "tap": lambda p, f: "\n".join(
        [f"1..{min(p, 5) + min(f, 5)}"]
        + [f"ok {n + 1} - keeps" for n in range(min(p, 5))]
        + [f"not ok {n + 6} - loses" for n in range(min(f, 5))]
    ),
    "node": lambda p, f: f"# tests {p + f}\n# pass {p}\n# fail {f}\n# skipped 0",
    "node-spec": lambda p, f: f"\u2139 tests {p + f}\n\u2139 pass {p}\n\u2139 fail {f}\n\u2139 cancelled 0",
    "bun": lambda p, f: f" {p} pass\n {f} fail\n {3 * p} expect() calls",
    "deno": lambda p, f: f"{_fails('FAILED', f, 'ok')} | {p} passed | {f} failed (12ms)",
    "ava": lambda p, f: _fails(f"  {_s(f, 'test')} failed\n", f) + f"  {_s(p, 'test')} passed",
    "playwright": lambda p, f: (
        _fails(f"  {f} failed\n    [firefox] \u203a quay.spec.ts:3:1 \u203a opens\n", f)
        + f"  {p} passed (12.3s)"
    ),
    "cypress": lambda p, f: (
        f"  \u2502 Tests:    {p + f} \u2502\n  \u2502 Passing:  {p} \u2502\n  \u2502 Failing:  {f} \u2502"
    ),
    "gtest": lambda p, f: (
        f"[==========] {p + f} tests from 3 test suites ran. (3 ms total)\n[  PASSED  ] {_s(p, 'test')}."
        + _fails(f"\n[  FAILED  ] {_s(f, 'test')}, listed below:", f)
    ),
    "flutter": lambda p, f: f"00:03 +{p}" + _fails(f" -{f}: Some tests failed.", f, ": All tests passed!"),
    "junit-console": lambda p, f: (
        f"[{p + f:10} tests found     ]\n[{p:10} tests successful ]\n[{f:10} tests failed     ]"
    ),
    "xctest": lambda p, f: (
        f"Executed {_s(p + f, 'test')}, with {_s(f, 'failure')} (0 unexpected) in 0.2 (0.3) seconds"
    ),
    "swift": lambda p, f: (
        f"\u2718 Test run with {_s(p + f, 'test')} failed after 0.1 seconds with {_s(f, 'issue')}."
        if f
        else f"\u2714 Test run with {_s(p, 'test')} passed after 0.1 seconds."
    ),
    "robot": lambda p, f: f"{p + f} tests, {p} passed, {f} failed",
    "behave": lambda p, f: (
        f"{p} scenarios passed, {f} failed, 0 skipped\n{4 * p} steps passed, {f} failed, 2 skipped"
    ),
    "cucumber": lambda p, f: f"{_s(p + f, 'scenario')} ({_fails(f'{f} failed, ', f)}{p} passed)",
    "table": lambda p, f: f"| Passed | {p} |\n| Failed | {f} |",
    "list": lambda p, f: f"- {f} failed\n- {p} passed",
    "list-behind": lambda p, f: f"- **Passed:** {p}\n- **Failed:** {f}",
    "words": lambda p, f: f"Tests: {p} passed, {f} failed",
    "words-first": lambda p, f: f"{f} failed, {p} passed",
    "fractions": lambda p, f: f"{p}/{p + f} tests passed",
    "wrapped": lambda p, f: f"{f} failed,\n{p} passed in 0.31s",
}

#: Runners whose summary is one line, as people write it into a sentence.
INLINE = tuple(name for name, made in SUMMARIES.items() if "\n" not in made(12, 3))

#: Command -> what it prints of 5 tests that pass and 2 that fail, and of 7 that pass.
BY_COMMAND: dict[str, tuple[str, str]] = {
    "prove -l t": (
        "Files=3, Tests=9,  1 wallclock secs\nResult: FAIL",
        "Files=3, Tests=9,  1 wallclock secs\nResult: PASS",
    ),
    "./out/plum_tests": (
        "test cases:  7 |  5 passed | 2 failed\nassertions: 31 | 29 passed | 2 failed",
        "All tests passed (31 assertions in 7 test cases)",
    ),
    "stack test": ("7 examples, 2 failures", "7 examples, 0 failures"),
    "julia -e 'using Pkg; Pkg.test()'": (
        "Some tests did not pass: 5 passed, 2 failed, 0 errored, 0 broken.",
        "     Testing Plum tests passed",
    ),
    "Rscript -e 'testthat::test_dir(\"tests\")'": (
        "[ FAIL 2 | WARN 1 | SKIP 0 | PASS 5 ]",
        "[ FAIL 0 | WARN 1 | SKIP 0 | PASS 7 ]",
    ),
    "behave features": (
        "1 feature passed, 1 failed, 0 skipped\n5 scenarios passed, 2 failed, 0 skipped",
        "2 features passed, 0 failed, 0 skipped\n7 scenarios passed, 0 failed, 0 skipped",
    ),
    "bundle exec cucumber": (
        "7 scenarios (2 failed, 5 passed)\n21 steps (2 failed, 19 passed)",
        "7 scenarios (7 passed)\n21 steps (21 passed)",
    ),
    "robot --outputdir out suites/tests": ("7 tests, 5 passed, 2 failed", "7 tests, 7 passed, 0 failed"),
    "bazel test //plum/...": (
        "Executed 7 out of 7 tests: 5 tests pass and 2 fail locally.",
        "Executed 1 out of 7 tests: 7 tests pass.",
    ),
    "pwsh -NoProfile -c Invoke-Pester": (
        "Tests Passed: 5, Failed: 2, Skipped: 0, Inconclusive: 0",
        "Tests Passed: 7, Failed: 0, Skipped: 0, Inconclusive: 0",
    ),
    "busted spec": (
        "5 successes / 2 failures / 0 errors / 0 pending : 0.04 seconds",
        "7 successes / 0 failures / 0 errors / 0 pending : 0.04 seconds",
    ),
    "dart test": ("00:02 +5 -2: Some tests failed.", "00:02 +7: All tests passed!"),
    "lein test": (
        "Ran 7 tests containing 31 assertions.\n2 failures, 0 errors.",
        "Ran 7 tests containing 31 assertions.\n0 failures, 0 errors.",
    ),
    "sbt test": (
        "[error] Failed: Total 7, Failed 2, Errors 0, Passed 5",
        "[info] Passed: Total 7, Failed 0, Errors 0, Passed 7",
    ),
    "npx ava": ("  2 tests failed\n  5 tests passed", "  7 tests passed"),
    "zig build test": ("5 passed; 0 skipped; 2 failed.", "All 7 tests passed."),
    "dune test": ("2 failures! in 0.004s. 7 tests run.", "Test Successful in 0.004s. 7 tests run."),
    "forge test": (
        "Ran 2 test suites in 9ms: 5 tests passed, 2 failed, 0 skipped (7 total tests)",
        "Ran 2 test suites in 9ms: 7 tests passed, 0 failed, 0 skipped (7 total tests)",
    ),
    "xcodebuild -scheme Plum test": ("** TEST FAILED **", "** TEST SUCCEEDED **"),
    "meson test -C out": (
        "Ok:                 5\nFail:               2",
        "Ok:                 7\nFail:               0",
    ),
    "npx karma start": (
        "Chrome 9 (Linux): Executed 7 of 7 (2 FAILED) (0.1 secs)",
        "Chrome 9 (Linux): Executed 7 of 7 SUCCESS (0.1 secs)",
    ),
    "npx cypress run": ("    ✖  2 of 7 failed (29%)", "    ✔  All specs passed!"),
    "rebar3 eunit": ("  Failed: 2.  Skipped: 0.  Passed: 5.", "  Failed: 0.  Skipped: 0.  Passed: 7."),
}
