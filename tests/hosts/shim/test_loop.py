"""A loop from start to end: the original's order of calls, an agent that is a list."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest
from cases import EVERY
from compiled import compile_for
from patience import PATIENCE
from shim_answering import bash_answered
from shim_rows import environment

#: What the script does around the functions, in its order; it defines one of them itself, behind the shim.
SCRIPT = r"""
set -uo pipefail
eval "$("$EXITGATE" shim ralph)"
RALPH_DIR=".ralph"
EXIT_SIGNALS_FILE="$RALPH_DIR/.exit_signals"
RESPONSE_ANALYSIS_FILE="$RALPH_DIR/.response_analysis"
log_status() { printf '[%s] %s\n' "$1" "$2" >>"$RALPH_DIR/logs/ralph.log"; }
should_exit_gracefully() { echo "the script's own"; }
echo '{"test_only_loops": [], "done_signals": [], "completion_indicators": []}' >"$EXIT_SIGNALS_FILE"
rm -f "$RESPONSE_ANALYSIS_FILE"
loop_count=0
while true; do
    loop_count=$((loop_count + 1))
    init_circuit_breaker
    if should_halt_execution >/dev/null; then echo "halted at $loop_count"; break; fi
    reason=$(should_exit_gracefully)
    if [[ "$reason" != "" ]]; then echo "$reason at $loop_count"; break; fi
    output="$RALPH_DIR/logs/claude_output_$loop_count.log"
    if [[ ! -f "replies/$loop_count" ]]; then echo "the agent has no reply"; break; fi
    cp "replies/$loop_count" "$output"
    if analyze_response "$output" "$loop_count"; then
        update_exit_signals
        log_analysis_summary >/dev/null
    else
        rm -f "$RESPONSE_ANALYSIS_FILE"
    fi
    if ! record_loop_result "$loop_count" 0 false 100; then echo "breaker at $loop_count"; break; fi
done
"""
RALPH = "ralph-claude-code"
GOING = "Read the module.\n"
TRUE = "---RALPH_STATUS---\nSTATUS: COMPLETE\nEXIT_SIGNAL: true\n---END_RALPH_STATUS---\n"
DENIED = json.dumps(
    {
        "type": "result",
        "result": "I could not start it",
        "session_id": "s-9",
        "permission_denials": [{"tool_name": "Bash", "tool_input": {"command": "docker compose up"}}],
    }
)
LIST, NUMBER, TEXT, YES = "list", "number", "text", "yes or no"
SHAPES = {
    ".exit_signals": {"test_only_loops": LIST, "done_signals": LIST, "completion_indicators": LIST},
    ".response_analysis": {
        "loop_number": NUMBER, "timestamp": TEXT, "output_file": TEXT, "output_format": TEXT,
        "analysis": {
            "has_completion_signal": YES, "is_test_only": YES, "is_stuck": YES, "has_progress": YES,
            "files_modified": NUMBER, "confidence_score": NUMBER, "exit_signal": YES, "work_summary": TEXT,
            "output_length": NUMBER, "has_permission_denials": YES, "permission_denial_count": NUMBER,
            "denied_commands": LIST, "has_compound_command_limitation": YES, "compound_command_count": NUMBER,
            "asking_questions": YES, "question_count": NUMBER,
        },
    },
    ".circuit_breaker_state": {
        "state": TEXT, "last_change": TEXT, "consecutive_no_progress": NUMBER,
        "consecutive_same_error": NUMBER, "consecutive_permission_denials": NUMBER,
        "last_progress_loop": NUMBER, "total_opens": NUMBER, "reason": TEXT, "current_loop": NUMBER,
    },
}  # fmt: skip
MOVE = {"timestamp": TEXT, "loop": NUMBER, "from_state": TEXT, "to_state": TEXT, "reason": TEXT}


class Ending(NamedTuple):
    id: str
    replies: list[str]
    policy: str
    said: str
    held: dict[str, object]


ENDINGS = [
    Ending(
        "complete",
        [GOING, TRUE, f"Again.\n{TRUE}"],
        RALPH,
        "completion_signals at 4",
        {
            "signals": {"test_only_loops": [], "done_signals": [2, 3], "completion_indicators": [2, 3]},
            "exit": True,
        },
    ),
    Ending(
        "breaker",
        [GOING, f"{GOING}{GOING}", f"{GOING}Still.\n"],
        RALPH,
        "breaker at 3",
        {
            "breaker": {
                "state": "OPEN", "consecutive_no_progress": 3, "consecutive_same_error": 0, "total_opens": 1,
                "last_progress_loop": 0, "current_loop": 3,
            },
            "moves": [("CLOSED", "HALF_OPEN", 2), ("HALF_OPEN", "OPEN", 3)],
        },
    ),
    Ending(
        "denied",
        [DENIED],
        RALPH,
        "permission_denied at 2",
        {"denied": ["Bash(docker compose up)"], "session": "s-9"},
    ),
    Ending("better", [GOING, TRUE], "recommended", "project_complete at 3", {"exit": True}),
]  # fmt: skip


#: Played with a process for each step, one for each policy; the soak plays all of them so.
REAL = ("denied", "better")


def processes(project: Path, script: str, variables: dict[str, str]) -> str:
    """Run a script whose steps are processes; return what it printed."""
    ran = subprocess.run(
        ["bash", "-c", script], cwd=project, env=variables,
        capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert ran.stderr == ""
    return ran.stdout


@pytest.mark.parametrize("ending", ENDINGS, ids=lambda ending: ending.id)
def test_a_loop_to_its_end(ending: Ending, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    project = tmp_path / "my project"
    for folder in (".ralph/logs", "replies"):
        (project / folder).mkdir(parents=True)
    # For all projects the same file, so that a policy is compiled once.
    base = tmp_path_factory.getbasetemp()
    preset = base / f"shim-preset-{ending.policy}.yaml"
    profile = ", profile: as_it_is" if ending.policy == RALPH else ""
    preset.write_text(f"exit_decision: {{policy: {ending.policy}{profile}}}\n")
    for number, reply in enumerate(ending.replies, 1):
        (project / "replies" / str(number)).write_text(reply)
    variables = {**environment(base), "EXITGATE_PRESET": str(preset)}
    compile_for(project, variables)
    play = processes if EVERY or ending.id in REAL else bash_answered
    assert play(project, SCRIPT, variables) == f"{ending.said}\n"
    read = {name: json.loads((project / ".ralph" / name).read_text()) for name in SHAPES}
    for name, shape in SHAPES.items():
        extra = {"opened_at": TEXT} if read[name].get("state") == "OPEN" else {}
        assert shape_of(read[name]) == shape | extra, name
    history = json.loads((project / ".ralph/.circuit_breaker_history").read_text())
    assert all(shape_of(move) == MOVE for move in history)
    held = ending.held
    inner = read[".response_analysis"]["analysis"]
    assert read[".exit_signals"] == held.get("signals", read[".exit_signals"])
    assert inner["exit_signal"] is held.get("exit", False)
    assert inner["denied_commands"] == held.get("denied", [])
    state = read[".circuit_breaker_state"]
    wanted = held.get("breaker", {})
    assert isinstance(wanted, dict)
    assert {name: state[name] for name in wanted} == wanted
    moves = [(move["from_state"], move["to_state"], move["loop"]) for move in history]
    assert moves == held.get("moves", [])
    if "session" in held:
        assert (
            json.loads((project / ".ralph/.claude_session_id").read_text())["session_id"] == held["session"]
        )
    decisions = [
        json.loads(line) for line in (project / ".ralph/exitgate/ledger.jsonl").read_text().splitlines()
    ]
    responses = [one for one in decisions if one["kind"] == "decision" and one["iteration"] > 0]
    assert len(responses) == len(ending.replies)  # one an iteration, none lost and none twice


def shape_of(value: dict[str, object]) -> dict[str, object]:
    """Return of an object the kinds of its members, in their order."""
    kinds = {list: LIST, bool: YES, int: NUMBER, str: TEXT}
    return {
        name: shape_of(member) if isinstance(member, dict) else kinds[type(member)]
        for name, member in value.items()
    }
