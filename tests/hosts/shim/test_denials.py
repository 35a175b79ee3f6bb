"""Refused commands: those that the allow list covers are no reason to stop; and settings that are empty."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from compiled import COMPILED
from shim_rows import AS_IT_IS, Row, play

from exitgate.cli.main import main

if TYPE_CHECKING:
    from pathlib import Path

OUT = "logs/claude_output_1.log"
EXIT = 'loop_count=2; echo "[$(should_exit_gracefully 2>/dev/null)]"'
ON, DENIED = "[]", "[permission_denied]"
PIPED = "mvn -q package 2>&1 | tail -9"


def row(name: str, allowed: str, expected: str, *refused: str) -> Row:
    """Refused are commands of the shell, or, without a blank, other tools."""
    calls = [
        {"tool_name": "Bash", "tool_input": {"command": one}} if " " in one else {"tool_name": one}
        for one in refused
    ]
    output = json.dumps({"type": "result", "result": "no", "is_error": False, "permission_denials": calls})
    script = f"CLAUDE_ALLOWED_TOOLS='{allowed}'; analyze_response \"$RALPH_DIR/{OUT}\" 1; {EXIT}"
    return Row(name, {OUT: output}, script, expected)


def flat(name: str, output: str, expected: str, fields: str) -> Row:
    """A JSON object without a text, what comes of it, and members of the analysis that hold true."""
    shown = f'grep -oE \'"({fields})": true\' "$RALPH_DIR/.response_analysis" || true'
    script = f'CLAUDE_ALLOWED_TOOLS=Read; analyze_response "$RALPH_DIR/{OUT}" 1; {EXIT}\n{shown}'
    return Row(name, {OUT: output}, script, expected)


def plan(name: str, sections: str, expected: str) -> Row:
    items = "- [x] a\n## Later\n- [ ] b\n## Optional\n- [ ] c\n"
    return Row(name, {"fix_plan.md": items}, f"OPTIONAL_SECTIONS='{sections}'; {EXIT}", expected)


#: Few lists, as a policy is made for each.
MAVEN, DIFF = "Read,Bash(mvn *)", " Bash(git diff *) ,Edit,Bash(go*)"
EXACT = "Bash(npm install),Bash(gitlab *)"
KINDS = "has_permission_denials|has_compound_command_limitation"
REFUSED = [{"tool_name": "Bash", "tool_input": {"command": "terraform plan"}}]
FLAT = json.dumps({"status": "IN_PROGRESS", "files_modified": 0, "permission_denials": REFUSED})
ONLY, ODD = json.dumps({"permission_denials": REFUSED}), '{"status": "x", "permission_denials": ["Bash"]}'
TESTS = f'{ON}\n"is_test_only": true'
ROWS = [
    row("with-words-behind", MAVEN, ON, PIPED),
    row("another-command", MAVEN, DENIED, "git diff | head -5"),
    row("mixed", MAVEN, DENIED, PIPED, "docker run x | cat"),
    row("a-command-and-a-tool", MAVEN, DENIED, PIPED, "WebFetch"),
    row("of-a-subcommand", DIFF, ON, "git diff HEAD~1 | head -5"),
    # The script looks at the first word of each only; nothing here allows `git log`.
    row("of-another-subcommand", DIFF, DENIED, "git log -3 | head -5"),
    row("exact-only", EXACT, DENIED, "npm install && npm test"),
    row("a-longer-name", EXACT, DENIED, "git diff | head -5"),
    row("without-a-blank", DIFF, ON, "go test ./... | head -5"),
    row("every-command", "Bash(*)", ON, PIPED, "git diff | head -5"),
    row("another-tool", "Bash(*)", DENIED, "WebFetch"),
    row("everything", "*", ON, PIPED),
    row("nothing-is-allowed", "", DENIED, PIPED),
    flat("no-text", FLAT, f'{DENIED}\n"has_permission_denials": true', KINDS),
    flat("nothing-but-a-refusal", ONLY, f'{DENIED}\n"has_permission_denials": true', KINDS),
    flat("refusals-of-no-known-form", ODD, f'{DENIED}\n"has_permission_denials": true', KINDS),
    flat("tests-by-their-field-alone", '{"result": "x", "work_type": "TEST_ONLY"}', TESTS, "is_test_only"),
    plan("empty-sections", "", ON),
    plan("empty-entries", " Later, ,Optional,", "[plan_complete]"),
    Row(
        "empty-numbers-are-not-set",
        {OUT: "Working"},
        "CB_NO_PROGRESS_THRESHOLD= CB_SAME_ERROR_THRESHOLD=' ' CB_COOLDOWN_MINUTES=''\n"
        f'analyze_response "$RALPH_DIR/{OUT}" 1; {EXIT}',
        ON,
    ),
]


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("100", "`CB_NO_PROGRESS_THRESHOLD`: the value of the policy's `cb_no_progress_threshold` is above"),
        ("0", "is below its `min` 1"),
        ("three", "`CB_NO_PROGRESS_THRESHOLD`: `three` is not a count"),
    ],
)
def test_a_setting_that_the_policy_does_not_take(
    value: str,
    told: str,
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EXITGATE_CACHE_DIR", COMPILED)
    monkeypatch.setenv("CB_NO_PROGRESS_THRESHOLD", value)
    assert main(["shim", "ralph-step", "--policy", "ralph-claude-code", "--", "ask", "0"]) == 65
    shown = " ".join(capsys.readouterr().err.split())
    assert "EP579" in shown and told in shown
    if value == "0":  # a policy without that parameter does not mind
        assert main(["shim", "ralph-step", "--policy", "bb3-faithful", "--", "ask", "0"]) == 0


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return play(tmp_path_factory.mktemp("shim"), ROWS, AS_IT_IS)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)
def test_denials_and_settings(played: dict[str, str], row: Row) -> None:
    assert played[row.id] == row.expected
