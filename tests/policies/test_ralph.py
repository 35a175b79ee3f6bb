"""Ralph's scheme through the program: exit codes, the executor, the analysis, the session, the prompt."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from compiled import COMPILED
from patience import PATIENCE

from exitgate.core.policy.compile import load_policy
from exitgate.core.policy.shipped import path
from exitgate.report.policy.prompt import prompt_page

BOTH = ("ralph", "ralph-faithful")
FIELDS = (
    "STATUS", "TASKS_COMPLETED_THIS_LOOP", "FILES_MODIFIED", "TESTS_STATUS", "WORK_TYPE", "EXIT_SIGNAL",
    "RECOMMENDATION",
)  # fmt: skip


def block(**fields: object) -> str:
    lines = [f"{key}: {value}" for key, value in fields.items()]
    return "\n".join(["---RALPH_STATUS---", *lines, "---END_RALPH_STATUS---", ""])


def check(folder: Path, response: str, *words: str) -> tuple[int, str]:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("EXITGATE")}
    environment |= {"EXITGATE_CACHE_DIR": COMPILED, "NO_COLOR": "1"}
    ran = subprocess.run(
        [sys.executable, "-m", "exitgate", "check", "-", *words],
        cwd=folder, env=environment, input=response, capture_output=True, text=True, check=False,
        timeout=PATIENCE,
    )  # fmt: skip
    assert ran.stderr == ""
    return ran.returncode, ran.stdout


def analysis(folder: Path, response: str, policy: str, *words: str) -> dict[str, object]:
    found: dict[str, object] = json.loads(
        check(folder, response, "-p", policy, "--format", "ralph", *words)[1]
    )
    return found


@pytest.mark.parametrize("policy", BOTH)
def test_blocked_exits_with_code_2_and_hands_on_the_recommendation(policy: str, tmp_path: Path) -> None:
    said = block(STATUS="BLOCKED", EXIT_SIGNAL="false", RECOMMENDATION="issue a staging token")
    code, out = check(tmp_path, said, "-p", policy)
    assert code == 2
    assert out.splitlines()[:2] == [
        "EXIT blocked · blocked",
        "The agent says it is blocked: issue a staging token",
    ]


@pytest.mark.parametrize("policy", BOTH)
def test_the_executor_has_what_it_asks_for(policy: str, tmp_path: Path) -> None:
    """The three branches of the executor: go on, success, blocked with the recommendation."""
    going = analysis(tmp_path, block(STATUS="IN_PROGRESS", EXIT_SIGNAL="false"), policy)
    assert going["exit_decision"] == "continue"
    waiting = analysis(tmp_path, block(STATUS="BLOCKED", RECOMMENDATION="ask"), policy)
    told = waiting["ralph_status"]
    assert isinstance(told, dict)
    assert (waiting["exit_decision"], told["recommendation"]) == ("blocked", "ask")
    done = analysis(tmp_path, block(STATUS="COMPLETE", EXIT_SIGNAL="true"), policy)
    assert done["exit_decision"] == "project_complete"


def test_the_analysis_has_the_keys_of_the_scheme_in_their_order(tmp_path: Path) -> None:
    said = block(
        STATUS="IN_PROGRESS", TASKS_COMPLETED_THIS_LOOP=1, FILES_MODIFIED=2, TESTS_STATUS="PASSING",
        WORK_TYPE="IMPLEMENTATION", EXIT_SIGNAL="false", RECOMMENDATION="Continue to US-006",
    )  # fmt: skip
    found = analysis(tmp_path, said, "ralph")
    golden = Path(__file__).parents[1] / "report" / "golden" / "ralph.json"
    wanted = json.loads(golden.read_text())
    assert list(found) == list(wanted)
    assert {**found, "timestamp": "", "iteration": 5} == {**wanted, "timestamp": ""}


def test_any_policy_can_be_asked_for_the_analysis(tmp_path: Path) -> None:
    found = analysis(tmp_path, "Nothing is said here.", "guardrails")
    told = found["ralph_status"]
    assert isinstance(told, dict)
    assert set(told.values()) == {None}
    assert (found["exit_decision"], found["circuit_breaker_state"]) == ("continue", "CLOSED")


@pytest.mark.parametrize(
    "malformed",
    [
        '{"status": "BLOCKED", "exit_signal": false, "recommendation": "ask",}',
        '{"ralph_status": {"status": "BLOCKED" "exit_signal": fal, "recommendation": "ask"',
        "{'status': 'BLOCKED', 'exit_signal': False, 'recommendation': 'ask'}",
        r'{"type":"result","result":"---RALPH_STATUS---\nSTATUS: BLOCKED\nRECOMMENDATION: ask\n---END---",}',
    ],
)
@pytest.mark.parametrize("policy", BOTH)
def test_malformed_json_is_read_as_text_with_its_key_fields(
    policy: str, malformed: str, tmp_path: Path
) -> None:
    found = analysis(tmp_path, malformed, policy)
    told = found["ralph_status"]
    assert isinstance(told, dict)
    assert (told["found"], told["status"], told["recommendation"]) == (True, "BLOCKED", "ask")
    assert found["exit_decision"] == "blocked"


def test_the_session_of_a_run(tmp_path: Path) -> None:
    for number in (1, 2):
        said = block(
            STATUS="IN_PROGRESS", TASKS_COMPLETED_THIS_LOOP=number, FILES_MODIFIED=3, WORK_TYPE="TESTING",
            EXIT_SIGNAL="false", RECOMMENDATION=f"story {number}",
        )  # fmt: skip
        check(tmp_path, said, "-p", "ralph-faithful")
    check(tmp_path, block(STATUS="BLOCKED", RECOMMENDATION="ask"), "-p", "ralph-faithful")
    session = json.loads((tmp_path / ".ralph-session.json").read_text())
    assert list(session) == [
        "session_id", "started_at", "iterations", "total_tasks_completed", "total_files_modified",
        "total_commits",
    ]  # fmt: skip
    began = session["started_at"]
    assert session["session_id"] == f"ralph-{began[:10]}-{began[11:19].replace(':', '')}"
    assert [list(one) for one in session["iterations"]] == [
        ["number", "timestamp", "status", "tasks_completed", "files_modified", "exit_decision"]
    ] * 3
    assert [one["exit_decision"] for one in session["iterations"]] == ["continue", "continue", "blocked"]
    assert (session["total_tasks_completed"], session["total_files_modified"]) == (3, 6)


def test_kinds_of_work_are_counted_for_analytics(tmp_path: Path) -> None:
    for kind in ("TESTING", "IMPLEMENTATION", "TESTING"):
        check(tmp_path, block(STATUS="IN_PROGRESS", WORK_TYPE=kind, RECOMMENDATION=kind), "-p", "ralph")
    session = json.loads((tmp_path / ".ralph-session.json").read_text())
    assert session["work_types"] == {"IMPLEMENTATION": 1, "TESTING": 2}


def test_stories_are_read_from_prd_json(tmp_path: Path) -> None:
    stories = [{"id": "US-001", "passes": True}, {"id": "US-002", "passes": False}]
    (tmp_path / "prd.json").write_text(json.dumps({"userStories": stories}))
    done = block(STATUS="COMPLETE", EXIT_SIGNAL="true")
    assert check(tmp_path, done, "-p", "ralph", "--no-record")[0] == 0
    stories[1]["passes"] = True
    (tmp_path / "prd.json").write_text(json.dumps({"userStories": stories}))
    assert check(tmp_path, done, "-p", "ralph", "--no-record")[0] == 10


@pytest.mark.parametrize("policy", BOTH)
def test_the_prompt_tells_the_best_practices(policy: str) -> None:
    page = " ".join(prompt_page(load_policy(path(policy))).split())
    assert page.startswith("## How to report End every reply with the `RALPH_STATUS` block")
    assert all(f"- `{field}`:" in page for field in FIELDS)
    assert "`false` if more work is needed, `true` only when ALL stories pass" in page
    assert "`BLOCKED` for issues" in page
    assert "`BLOCKED` can end the run as blocked" in page
    assert "one line of text. " in page


@pytest.mark.parametrize("policy", BOTH)
def test_an_agent_that_repeats_the_prompt_gives_no_signal(policy: str, tmp_path: Path) -> None:
    page = prompt_page(load_policy(path(policy)))
    assert check(tmp_path, page, "-p", policy, "--no-record")[0] == 0
