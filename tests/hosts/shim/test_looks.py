"""Functions that only look: questions, format, JSON, stuck loops; and signals over several loops."""

from __future__ import annotations

import json

import pytest
from shim_rows import AS_IT_IS, Row, play

ERROR = "Running\nError: cannot open the cache\n"
JSON_KEYS = '{\n "is_error": false,\n "error": null,\n "error_count": 0,\n "errors": []\n}\n'
STUCK = 'detect_stuck_loop "$RALPH_DIR/now.log" && echo stuck || echo free'
THREE = "Error: first\nError: second\nFatal: third\n"


def logs(*texts: str) -> dict[str, str]:
    return {f"logs/claude_output_{number}.log": text for number, text in enumerate(texts)}


def stuck(name: str, now: str, *before: str, yes: bool = False) -> Row:
    return Row(name, {"now.log": now, **logs(*before)}, STUCK, "stuck" if yes else "free")


def block(value: str) -> str:
    return f"---RALPH_STATUS---\nSTATUS: IN_PROGRESS\nEXIT_SIGNAL: {value}\n---END_RALPH_STATUS---\n"


LOOP = 'analyze_response "$RALPH_DIR/o$n" $n; update_exit_signals'
INIT_AND_RESULT = [
    {"type": "system", "subtype": "init", "session_id": "only-in-init"},
    {"type": "result", "result": "y"},
]
ROWS = [
    stuck("no-history", ERROR),
    stuck("json-keys", JSON_KEYS, JSON_KEYS, JSON_KEYS, JSON_KEYS),
    stuck("same-error", ERROR, ERROR, ERROR, ERROR, yes=True),
    stuck("same-with-json-around", f"{JSON_KEYS}{ERROR}", f"{ERROR}{JSON_KEYS}", ERROR, ERROR, yes=True),
    stuck("three-lines-each-time", THREE, THREE, f"x\n{THREE}", THREE, yes=True),
    stuck("other-errors", "Error: a\n", "Error: b\n", "Error: c\n", "Error: d\n"),
    stuck("none-now", "All good\n", ERROR, ERROR, ERROR),
    stuck("annotations", "def f(error: Error) -> None\n", *["def f(error: Error) -> None\n"] * 3),
    stuck("one-of-two", THREE, ERROR, THREE, THREE),
    stuck("no-such-file", ERROR, ERROR, ERROR, ERROR)._replace(
        script=STUCK.replace("now.log", "gone.log"), expected="free"
    ),
    Row("questions-none", {}, "detect_questions 'Wrote it.' || echo no", "0\nno"),
    Row("questions-empty", {}, "detect_questions '' || echo no", "0\nno"),
    Row("questions", {}, "detect_questions $'Should I go on?\\nwhich option is it' && echo yes", "2\nyes"),
    Row(
        "formats",
        {
            "a.json": '{"a": 1}',
            "b": "",
            "c": "{no",
            "d": "text {}",
            "e": '{"a": 1}\n{"b": 2}\n',
            "f": " {}",
            "g": "[1]",
        },
        'for f in a.json b c d e f g none; do detect_output_format "$RALPH_DIR/$f"; done',
        "json\ntext\ntext\ntext\njson\ntext\njson\ntext",
    ),
    Row(
        "large-files",
        {
            "with": '{"type" : "result", "result": "x"}' + " " * 100,
            "without": '{"type": "assistant", "message": "x"}' + " " * 100,
        },
        'RALPH_JSONL_SAFE_MAX_BYTES=64\nfor f in without with; do detect_output_format "$RALPH_DIR/$f"; done',
        "text\njson",
    ),
    Row(
        "parsed",
        {"a": '{"result": "ok", "sessionId": "s-7", "metadata": {"files_changed": 3, "has_errors": true}}'},
        'parse_json_response "$RALPH_DIR/a" "$RALPH_DIR/r" && while IFS= read -r line; do case "$line" in\n'
        '*session_id*|*files_mod*|*error_count*|*status*|*confidence*) printf "%s\\n" "${line# *}";; esac\n'
        'done <"$RALPH_DIR/r" | tr -d " ,"',
        '"status":"UNKNOWN"\n"files_modified":3\n"error_count":1\n"session_id":"s-7"\n"confidence":20\n"session_id":"s-7"',
    ),
    Row(
        "parsed-lines-and-nothing",
        {"a": '{"type": "system"}\n{"type": "result", "result": "said"}\n', "b": "[]"},
        'for f in a b; do parse_json_response "$RALPH_DIR/$f"; while IFS= read -r line; do case "$line" in\n'
        '*status*|*summary*) echo ${line# };; esac; done <"$RALPH_DIR/.json_parse_result"; done',
        '"status": "UNKNOWN",\n"summary": "said",\n"status": "UNKNOWN",\n"summary": "",',
    ),
    Row("not-parsed", {"a": "{no"}, 'parse_json_response "$RALPH_DIR/a" 2>/dev/null || echo no', "no"),
    Row(
        "sessions",
        {
            "a": '{"type": "result", "result": "x", "session_id": "only-in-result"}',
            "b": json.dumps(INIT_AND_RESULT),
            "c": "plain text",
        },
        'for f in a b c; do analyze_response "$RALPH_DIR/$f" 1\n'
        'text="$(<"$RALPH_DIR/.claude_session_id")"; [[ "$text" =~ (only-in-[a-z]+) ]]\n'
        'echo "${BASH_REMATCH[1]}"; done',
        "only-in-result\nonly-in-init\nonly-in-init",
    ),
    Row(
        "false-false-true",
        {f"o{number}": block(value) for number, value in enumerate(("false", "false", "true"), 1)},
        f"for n in 1 2 3; do\n{LOOP}\n"
        'text="$(<"$RALPH_DIR/.response_analysis")"; [[ "$text" =~ exit_signal\\":\\ ([a-z]+) ]]\n'
        'echo "${BASH_REMATCH[1]}"; done',
        "false\nfalse\ntrue",
    ),
    Row(
        "five-json-loops-with-false",
        {
            f"o{number}": json.dumps({"type": "result", "result": f"Feature {number}\n{block('false')}"})
            for number in range(1, 6)
        },
        f'for n in 1 2 3 4 5; do\n{LOOP}\ndone; cat "$RALPH_DIR/.exit_signals"',
        '{"test_only_loops": [], "done_signals": [], "completion_indicators": []}',
    ),
]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return play(tmp_path_factory.mktemp("shim"), ROWS, AS_IT_IS)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)
def test_looks(played: dict[str, str], row: Row) -> None:
    assert played[row.id] == row.expected
