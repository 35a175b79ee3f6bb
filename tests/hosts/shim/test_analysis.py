"""analyze_response: what stands in .response_analysis after blocks, JSON of three shapes, questions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

import pytest
from shim_rows import AS_IT_IS, RECOMMENDED, Row, play

OUT = "logs/claude output_1.log"
ANALYZE = f'analyze_response "$RALPH_DIR/{OUT}" 1 && cat "$RALPH_DIR/.response_analysis"'


class Case(NamedTuple):
    """A response, what the analysis should hold of it, and files that are there before."""

    id: str
    output: str
    expected: dict[str, object]
    files: dict[str, str] = {}  # noqa: RUF012  never changed


def block(*lines: str) -> str:
    return "\n".join(("Worked.", "---RALPH_STATUS---", *lines, "---END_RALPH_STATUS---", ""))


def result(text: str, **more: object) -> str:
    return json.dumps({"type": "result", "result": text, "is_error": False, "session_id": "s-1", **more})


def denials(*tools: str) -> list[dict[str, object]]:
    return [
        {"tool_name": "Bash", "tool_input": {"command": tool}} if " " in tool else {"tool_name": tool}
        for tool in tools
    ]


def array(*parts: dict[str, object]) -> str:
    return json.dumps([{"type": "system", "subtype": "init", "session_id": "s-init"}, *parts])


TRUE = {"exit_signal": True, "has_completion_signal": True}
FALSE = {"exit_signal": False}
CASES = [
    Case("complete-true", block("STATUS: COMPLETE", "EXIT_SIGNAL: true", "MOOD: fine"), TRUE),
    Case("complete-false", block("STATUS: COMPLETE", "EXIT_SIGNAL: false"), FALSE),
    Case(
        "in-progress-false-in-prose",
        f"All tasks are complete, it is done.\n{block('STATUS: IN_PROGRESS', 'EXIT_SIGNAL: false')}Done.",
        FALSE,
    ),
    Case("yaml-true", "RALPH_STATUS:\n  EXIT_SIGNAL: true\n", TRUE),
    Case("yaml-false", "RALPH_STATUS:\n  EXIT_SIGNAL: false\n", FALSE),
    Case("yaml-indented", "Ok\n   RALPH_STATUS:\n     EXIT_SIGNAL: true\n", TRUE),
    Case("in-prose", "The header RALPH_STATUS: and EXIT_SIGNAL: true are read by the loop.\n", FALSE),
    Case("in-prose-of-json", result("Write RALPH_STATUS: then EXIT_SIGNAL: true when over"), FALSE),
    Case("malformed-block", "---RALPH_STATUS---\nSTATUS\nEXIT_SIGNAL\n", FALSE),
    Case("empty", "", {**FALSE, "output_length": 0, "files_modified": 0}),
    Case("long", "line of work\n" * 1000, {**FALSE, "output_length": 13_000, "has_progress": False}),
    Case("binary", "\x00\x01\udcff\udcfe bytes \x7f\n", FALSE),
    Case("claims-in-text", "All tasks are done. The implementation is complete.\n", FALSE),
    Case("claim-in-text", "The feature is done.\n", {**FALSE, "has_completion_signal": True}),
    Case("claims-in-json", result("- Implementation complete\n- Setup complete"), FALSE),
    Case("flat-complete", '{"status": "COMPLETE", "exit_signal": true}', {**TRUE, "confidence_score": 100}),
    Case("flat-in-progress", '{"status": "IN_PROGRESS", "exit_signal": false}', FALSE),
    Case("flat-status-alone", '{"status": "IN_PROGRESS"}', FALSE),
    Case("flat-test-only", '{"status": "IN_PROGRESS", "work_type": "TEST_ONLY"}', {"is_test_only": True}),
    Case("flat-files", '{"status": "IN_PROGRESS", "files_modified": 7}', {"files_modified": 7}),
    Case("flat-errors", '{"status": "IN_PROGRESS", "error_count": 6}', {"is_stuck": True}),
    Case("flat-few-errors", '{"status": "IN_PROGRESS", "error_count": 5}', {"is_stuck": False}),
    Case("flat-confidence", '{"status": "IN_PROGRESS", "confidence": 95}', {"confidence_score": 145}),
    Case(
        "object",
        json.dumps(
            {
                "result": "Refactored the reader",
                "sessionId": "s-2",
                "metadata": {"files_changed": 5, "has_errors": True, "completion_status": "complete"},
            }
        ),
        {**TRUE, "files_modified": 5, "work_summary": "Refactored the reader", "is_stuck": False},
    ),
    Case(
        "object-with-signs",
        result("going on", metadata={"progress_indicators": ["a", "b"]}),
        {**FALSE, "confidence_score": 80},
    ),
    Case(
        "array",
        array({"type": "result", "result": block("EXIT_SIGNAL: true")}),
        {**TRUE, "has_progress": False},
    ),
    Case("array-empty", "[]", {**FALSE, "work_summary": ""}),
    Case("array-without-result", array({"type": "assistant"}), {**FALSE, "work_summary": ""}),
    Case(
        "block-in-json",
        result(block("STATUS: COMPLETE", "EXIT_SIGNAL: true")),
        {**TRUE, "confidence_score": 100},
    ),
    Case(
        "denied-one",
        result("no", permission_denials=denials("docker run x")),
        {
            "has_permission_denials": True,
            "permission_denial_count": 1,
            "denied_commands": ["Bash(docker run x)"],
        },
    ),
    Case(
        "denied-three",
        result("no", permission_denials=denials("docker run x", "AskUserQuestion", "rm -rf /")),
        {
            "permission_denial_count": 3,
            "denied_commands": ["Bash(docker run x)", "AskUserQuestion", "Bash(rm -rf /)"],
            "has_permission_denials": True,
        },
    ),
    Case("denied-none", result("yes"), {"has_permission_denials": False, "permission_denial_count": 0}),
    Case("denied-empty", result("yes", permission_denials=[]), {"has_permission_denials": False}),
    Case(
        "denied-in-array",
        array({"type": "result", "result": "no", "permission_denials": denials("docker ps -a")}),
        {"has_permission_denials": True},
    ),
    Case(
        "denied-compound",
        result("no", permission_denials=denials("npm test 2>&1 | tail -5", "npm run build && npm test")),
        {
            "has_permission_denials": False,
            "has_compound_command_limitation": True,
            "compound_command_count": 2,
        },
    ),
    Case(
        "malformed-json-then-claims",
        '{"result": "x"\nproject is complete and all tasks are done\n',
        {**FALSE, "has_completion_signal": True},
    ),
    Case("last-length-0", "short\n", FALSE, {".last_output_length": "0\n"}),
    Case("last-length-empty", "short\n", FALSE, {".last_output_length": ""}),
    Case("last-length-no-number", "short\n", FALSE, {".last_output_length": "a[$(touch x)]\n"}),
    Case("last-length-long", "short\n", {"confidence_score": 10}, {".last_output_length": "5000\n"}),
    Case("question", "Should I use the first one?\n", {"asking_questions": True, "question_count": 1}),
    Case(
        "questions",
        "Should I go on?\nWhich option do you prefer?\n",
        {"asking_questions": True, "question_count": 2},
    ),
    Case("awaiting", "awaiting your input\n", {"asking_questions": True}),
    Case("waiting", "waiting for your response\n", {"asking_questions": True}),
    Case("no-question", "Wrote the parser.\n", {"asking_questions": False, "question_count": 0}),
]

#: As `recommended` reads them: the same shape, and what is meant instead of what is matched.
BETTER = [
    Case("true", block("STATUS: COMPLETE", "EXIT_SIGNAL: true"), TRUE),
    Case("bold-and-crlf", "---RALPH_STATUS---\r\n**EXIT_SIGNAL**: TRUE\r\n---END_RALPH_STATUS---\r\n", TRUE),
    Case(
        "progress-is-no-claim",
        block("STATUS: IN_PROGRESS", "TASKS_COMPLETED_THIS_LOOP: 1", "EXIT_SIGNAL: false"),
        {**FALSE, "has_completion_signal": False},
    ),
    Case(
        "denied",
        result("no", permission_denials=denials("docker run x")),
        {"has_permission_denials": True, "permission_denial_count": 1},
    ),
    Case(
        "json-lines",
        "\n".join(
            (
                json.dumps({"type": "system", "subtype": "init", "session_id": "s-3"}),
                '{"type": "assistant", "text": "a\u2028b"}',
                result("no", session_id="s-3", permission_denials=denials("docker run x")),
            )
        ),
        {
            "has_permission_denials": True,
            "permission_denial_count": 1,
            "denied_commands": ["Bash(docker run x)"],
            "work_summary": "no",
        },
    ),
    Case(
        "large-json",
        result("word " * 230_000 + block("EXIT_SIGNAL: true"), permission_denials=denials("docker run x")),
        {"permission_denial_count": 1, "confidence_score": 100, "output_length": 1_150_234},
    ),
    Case("question", "Should I use the first one?\n", {"asking_questions": True, "question_count": 1}),
    Case("tests", "$ pytest\n12 passed in 0.3s\n", {"is_test_only": True}),
]


def played_in(folder: Path, cases: list[Case], config: str) -> dict[str, dict[str, object]]:
    """Play the cases one after the other in one project, those with files of their own in another each."""
    together = [case for case in cases if not case.files]
    names = {case.id: f"{number}/{OUT}" for number, case in enumerate(together, 1)}
    script = [
        f'analyze_response "$RALPH_DIR/{names[case.id]}" {number}\n'
        f"""printf '%s %s\\037' '{case.id}' "$(<"$RALPH_DIR/.response_analysis")\""""
        for number, case in enumerate(together, 1)
    ]
    one = Row("together", {names[case.id]: case.output for case in together}, "\n".join(script), "")
    rows = [Row(case.id, {OUT: case.output, **case.files}, ANALYZE, "") for case in cases if case.files]
    played = play(folder, [one, *rows], config)
    parts = [part.partition(" ") for part in played.pop("together").split("\x1f") if part]
    return {name: json.loads(text) for name, text in ((p[0], p[2]) for p in parts)} | {
        name: json.loads(text) for name, text in played.items()
    }


@pytest.fixture(scope="module")
def as_it_is(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, object]]:
    return played_in(tmp_path_factory.mktemp("shim"), CASES, AS_IT_IS)


@pytest.fixture(scope="module")
def recommended(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, object]]:
    return played_in(tmp_path_factory.mktemp("shim"), BETTER, RECOMMENDED)


def held(found: dict[str, object], case: Case) -> dict[str, object]:
    """Return of an analysis what the case speaks of; all members must be there."""
    inner = found["analysis"]
    assert isinstance(inner, dict)
    assert list(inner) == MEMBERS
    assert str(found["output_file"]).endswith(OUT)
    return {name: inner[name] for name in case.expected}


MEMBERS = [
    "has_completion_signal", "is_test_only", "is_stuck", "has_progress", "files_modified", "confidence_score",
    "exit_signal", "work_summary", "output_length", "has_permission_denials", "permission_denial_count",
    "denied_commands", "has_compound_command_limitation", "compound_command_count", "asking_questions",
    "question_count",
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_analysis(as_it_is: dict[str, dict[str, object]], case: Case) -> None:
    assert held(as_it_is[case.id], case) == case.expected


@pytest.mark.parametrize("case", BETTER, ids=lambda case: case.id)
def test_better_reading(recommended: dict[str, dict[str, object]], case: Case) -> None:
    assert held(recommended[case.id], case) == case.expected


@pytest.mark.parametrize(
    ("id", "format"),
    [
        ("empty", "text"),
        ("object", "json"),
        ("array", "json"),
        ("flat-files", "json"),
        ("malformed-json-then-claims", "text"),
    ],
)
def test_format(as_it_is: dict[str, dict[str, object]], id: str, format: str) -> None:
    assert as_it_is[id]["output_format"] == format


def test_a_block_that_says_true_is_sure(as_it_is: dict[str, dict[str, object]]) -> None:
    inner = as_it_is["complete-true"]["analysis"]
    assert isinstance(inner, dict)
    assert inner["confidence_score"] >= 100
