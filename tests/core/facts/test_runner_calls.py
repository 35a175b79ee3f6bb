"""`tests` and `tools` beside what commands returned: it ranks above the agent's words."""

from __future__ import annotations

import pytest
from cases import each
from fact_reading import resolved

from exitgate.core.facts import registry
from exitgate.core.model.fact import Iteration, Source
from exitgate.core.model.json_object import JsonObject
from exitgate.core.model.value import Unknown

OPTIONS = JsonObject(lexicon=resolved("test-runners"))
RED = "=== 2 failed, 10 passed in 0.20s ==="
GREEN = "=== 12 passed in 0.20s ==="


def read(response: str, *calls: tuple[str, str] | dict) -> dict[str, object]:
    told = [
        call if isinstance(call, dict) else {"tool": "Bash", "input": {"command": call[0]}, "result": call[1]}
        for call in calls
    ]
    sources = {
        "response": Source("response", response),
        "tool_calls": Source("tool_calls", record={"calls": told}),
    }
    found = registry.load("tests").extract("tests", "response", OPTIONS, Iteration(1, "t#1", 0.0, sources))
    return {f.name[6:]: f for f in found}


def run(response: str, *calls: tuple[str, str] | dict) -> tuple[object, ...]:
    found = read(response, *calls)
    values = (found[name].value for name in ("passed", "failed", "passing", "witness"))
    return tuple(None if isinstance(v, Unknown) else v for v in values)


@each(
    ("response", "calls", "want"),
    [
        ("All tests pass.", [("pytest -q", RED)], (10, 2, False, False)),
        ("3 tests failed, the crane was oiled.", [("pytest", RED), ("pytest", GREEN)], (12, 0, True, True)),
        (
            "Oiled the crane.",
            [("cd lib && npx vitest run 2>&1 | tail -20", "      Tests  4 passed (4)")],
            (4, 0, True, True),
        ),
        ("Oiled it.", [("pytest", GREEN), ("pytest", RED)], (10, 2, False, False)),
        (
            "Oiled it.",
            [("pytest", GREEN), ("go test ./...", "--- FAIL: TestLift (0.0s)\nFAIL")],
            (12, 1, False, False),
        ),
        # a part that passes does not take the place of the whole that failed
        (
            "Oiled it.",
            [("pytest", RED), ("pytest tests/test_mast.py", "3 passed in 0.10s")],
            (3, 2, False, False),
        ),
        # several summaries of one command
        (
            "Done.",
            [("npm test", "Tests: 1 failed, 2 passed, 3 total\n\nTests: 9 passed, 9 total")],
            (9, None, False, False),
        ),
        # what only shows a file, or a search, is no run
        ("48 passed, 0 failed", [("cat build.log", RED)], (48, 0, True, True)),
        ("48 passed, 0 failed", [("grep -rn failed tests/", RED)], (48, 0, True, True)),
        (
            "48 passed, 0 failed",
            [{"tool": "Read", "input": {"file_path": "a.log"}, "result": RED}],
            (48, 0, True, True),
        ),
        ("Oiled it.", [("git log", GREEN)], (None, None, None, False)),
        # a command that failed without a summary
        (
            "All 12 tests pass.",
            [{"tool": "Bash", "input": {"command": "cargo test"}, "result": "oh", "error": True}],
            (None, None, False, False),
        ),
        (
            "All 12 tests pass.",
            [("pytest", "FAIL Required test coverage of 90% not reached.\n" + GREEN)],
            (12, 0, False, False),
        ),
        ("48 passed", [], (48, 0, True, True)),
    ],
)
def test_what_commands_returned_ranks_above_words(
    response: str, calls: list, want: tuple[object, ...]
) -> None:
    assert run(response, *calls) == want


def test_evidence_says_that_it_is_of_a_call() -> None:
    (seen,) = read("All tests pass.", ("pytest", "collected 12 items\n" + RED))["failed"].evidence
    assert (seen.source, seen.line, seen.excerpt) == ("tool_calls", 2, RED)


@pytest.mark.parametrize("calls", [(), ({},), ({"input": 3, "result": 4},), ({"input": {"command": None}},)])
def test_calls_of_any_shape_are_passed_over(calls: tuple) -> None:
    assert run("48 passed", *calls) == (48, 0, True, True)


@pytest.mark.parametrize(
    ("command", "result", "made"),
    [
        ("git commit -m lift", "[main 1a2b3c4] lift\n 1 file changed", True),
        ("git add -A && git commit -qam x; git status", "[work/a (root-commit) 1a2b3c4d] x", True),
        ("git commit -m lift", "nothing to commit, working tree clean", None),
        ("cat notes", "[main 1a2b3c4] lift", None),
        ("git commit -m x", "[pre-commit hook] refused", None),
    ],
)
def test_a_commit_that_git_reports_is_known(command: str, result: str, made: bool | None) -> None:
    record = {"calls": [{"tool": "Bash", "input": {"command": command}, "result": result}]}
    sources = {"result": Source("result", record={}), "tool_calls": Source("tool_calls", record=record)}
    found = registry.load("tools").extract("tools", "result", JsonObject(), Iteration(1, "t#1", 0.0, sources))
    value = next(f.value for f in found if f.name == "tools.committed")
    assert (None if isinstance(value, Unknown) else value) is made


def failed(command: str, result: str = "it broke", status: int = 1) -> dict:
    return {"tool": "Bash", "input": {"command": command}, "result": result, "exit_status": status}


@pytest.mark.parametrize(
    "command",
    [
        "bash -lc 'npm test'", "sh -c \"cd lib && pytest -q\"", "pnpm exec playwright test", "cargo test",
        "timeout 300 make test", "npx vitest run", "uv run pytest -x", "zsh -lc 'go test ./...'",
    ],
)  # fmt: skip
def test_a_run_that_ends_with_a_status_fails_whatever_it_printed(command: str) -> None:
    assert run("All tests pass.", failed(command)) == (None, None, False, False)
    assert run("Done.", failed(command), {**failed(command, GREEN), "exit_status": 0})[2] is True


@pytest.mark.parametrize(
    ("command", "other"),
    [
        ("npm run build", "npm run dev"), ("bash -lc 'cargo build --release'", "cargo fmt"),
        ("npx tsc --noEmit", "npx serve"), ("uv run mypy src", "mypyfile"), ("ruff check .", "ruff format ."),
        ("cd web && pnpm lint", "pnpm clean"), ("go vet ./...", "go env"),
    ],
)  # fmt: skip
def test_a_check_that_failed_when_it_last_ran_fails(command: str, other: str) -> None:
    def failing(*calls: dict) -> object:
        return read("All done. 12 passed in 0.20s", *calls)["checks_failing"].value

    assert failing(failed(command)) is True
    assert failing(failed(command), {**failed(command), "exit_status": 0}) is False
    assert failing({**failed(command), "exit_status": 0}, failed(command)) is True
    assert failing(failed(other)) is False
