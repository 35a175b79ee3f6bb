"""What is an error for the breaker: lines that tell of one, not keys of JSON and not texts about errors."""

from __future__ import annotations

import pytest
from shim_rows import AS_IT_IS, Row, play

OUT = "logs/claude_output_1.log"
#: The counter after one loop of which the script itself saw no error.
COUNTER = (
    f'analyze_response "$RALPH_DIR/{OUT}" 1; record_loop_result 1 0 false 100\n'
    'text="$(<"$RALPH_DIR/.circuit_breaker_state")"; [[ "$text" =~ same_error\\":\\ ([0-9]+) ]]\n'
    'echo "${BASH_REMATCH[1]}"'
)
FIVE = (
    '{\n  "is_error": false,\n  "errors": [],\n  "error_code": 0,\n  "last_error": null,\n'
    '  "no_error_found": true\n}\n'
)


def row(name: str, output: str, yes: bool) -> Row:
    return Row(name, {OUT: output}, COUNTER, "1" if yes else "0")


NONE = [
    row("json-without", '{"type": "result", "result": "Wrote it", "is_error": false}\n', yes=False),
    row(
        "json-of-empty-keys", '{\n  "error": null,\n  "error_count": 0,\n  "has_error": false\n}\n', yes=False
    ),
    row("json-of-five-keys", FIVE, yes=False),
    row("success", "Built in 3 s.\nNo errors were found, all 41 tests pass.\n", yes=False),
    row(
        "bare-words",
        "The cache cannot be shared.\nI was unable to guess the port, so it is asked for.\n",
        yes=False,
    ),
    row(
        "a-guide",
        "Wrote a guide: how errors are reported, and when a call should be tried again.\n",
        yes=False,
    ),
    row("a-diff", "+class ErrorHandler:\n+    def on_error(self, error: Error) -> None:\n", yes=False),
]
SOME = [
    row("compile", "Compiling\nError: cannot find module parser\n", yes=True),
    row("exception", "ERROR: Unhandled exception\nException: division by zero\n", yes=True),
    row("fatal-behind-json", '{"is_error": false}\nFatal: out of memory\n', yes=True),
    row("linker", "[BUILD] Link: error: undefined reference to main\n", yes=True),
    row("database", "ERROR: Database is locked\n", yes=True),
    row("unable", "Error: unable to write the file system\n", yes=True),
]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return play(tmp_path_factory.mktemp("shim"), [*NONE, *SOME], AS_IT_IS)


@pytest.mark.parametrize("row", [*NONE, *SOME], ids=lambda row: row.id)
def test_errors(played: dict[str, str], row: Row) -> None:
    assert played[row.id] == row.expected
