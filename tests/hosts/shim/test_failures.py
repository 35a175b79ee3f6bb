"""Loops of the script's shape: an agent that itself fails, and endings in the words that the script knows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from shim_rows import AS_IT_IS, RECOMMENDED, Row, play

from exitgate.hosts.shim.bash import quoted

if TYPE_CHECKING:
    from pathlib import Path

#: The clock of every step, in seconds since the epoch; files that a row does not date are older by years.
NOW = 1_900_000_000.0
#: What the script does around an agent, in its order: after one that failed it only waits. Up to 9 loops.
LOOP = r"""
log_status() { echo "$2"; }
EXIT_SIGNALS_FILE="$RALPH_DIR/.exit_signals"
echo '{"test_only_loops": [], "done_signals": [], "completion_indicators": []}' >"$EXIT_SIGNALS_FILE"
mkdir -p "$RALPH_DIR/logs"
loop_count=0
while ((loop_count < 9)); do
    loop_count=$((loop_count + 1))
    init_circuit_breaker 2>/dev/null
    if should_halt_execution >/dev/null 2>&1; then echo "halted at $loop_count"; break; fi
    if ! can_make_call; then continue; fi
    reason=$(should_exit_gracefully 2>/dev/null)
    if [[ "$reason" != "" ]]; then echo "$reason at $loop_count"; break; fi
    output="$RALPH_DIR/logs/claude_output_$loop_count.log"
    if agent >"$output"; then
        analyze_response "$output" "$loop_count"
        update_exit_signals
        record_loop_result "$loop_count" 1 false 100 2>/dev/null || { echo "breaker at $loop_count"; break; }
    elif [[ -n "${ended_at:-}" ]]; then
        touch -d "@$ended_at" "$output"
    fi
done
echo "$loop_count loops"
sed -n 's/^outcome=/outcome /p' "$RALPH_DIR/.exitgate_answer"
"""
CALLS = "can_make_call() { true; }\n"
JUST_NOW = f"ended_at={NOW - 40:.0f}\n"
AN_HOUR_AGO = f"ended_at={NOW - 3700:.0f}\n"


def row(name: str, agent: str, expected: str, calls: str = CALLS, more: str = "") -> Row:
    return Row(name, {}, f"agent() {{ {agent}; }}\n{calls}{more}{LOOP}", expected)


def block(*lines: str) -> str:
    """Return the command of an agent that prints a status block."""
    words = ("---RALPH_STATUS---", *lines, "---END_RALPH_STATUS---")
    return f"printf '%s\\n' {' '.join(quoted(word) for word in words)}"


WORKS = 'echo "Moved part $loop_count of the parser."; date +%N >"$RALPH_DIR/part-$loop_count"'
LIMIT = "echo 'Claude AI usage limit reached|1900014400'; return 1"
LOGIN = "echo 'Invalid API key · Please run /login'; return 1"
BETTER = [
    row("for-ever", "echo 'socket hang up'; return 1", "halted at 4\n4 loops\noutcome agent_keeps_failing"),
    row("without-a-word", "return 1", "halted at 4\n4 loops\noutcome agent_keeps_failing"),
    row("login", LOGIN, "halted at 2\n2 loops\noutcome agent_cannot_start"),
    row("limit-not-waited-for", LIMIT, "halted at 2\n2 loops\noutcome usage_limit", more=JUST_NOW),
    row("limit-waited-for", LIMIT, "9 loops\noutcome otherwise", more=AN_HOUR_AGO),
    row(
        "now-and-then",
        f"((loop_count % 3 == 0)) || return 1; {WORKS}",
        "9 loops\noutcome otherwise",
    ),
    # `log_status` prints to standard output, as in versions up to 0.11.2: the reason is the word alone.
    row(
        "an-old-log-function",
        f"{WORKS}; ((loop_count < 3)) || {block('STATUS: COMPLETE', 'EXIT_SIGNAL: true')}",
        "project_complete at 4\n4 loops\noutcome project_complete",
    ),
    row(
        "blocked-is-no-refused-tool",
        block("STATUS: BLOCKED", "EXIT_SIGNAL: false", "RECOMMENDATION: the staging host needs a password"),
        "breaker at 1\n1 loops\noutcome blocked_said",
    ),
    row(
        "its-own-limit-of-calls-is-no-failure",
        "return 1",
        "9 loops\noutcome otherwise",
        "can_make_call() { ((loop_count < 3)); }\n",
    ),
]
SAME = [row("script", "echo 'socket hang up'; return 1", "9 loops\noutcome otherwise")]


@pytest.fixture(scope="module")
def better(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return play(tmp_path_factory.mktemp("shim"), BETTER, RECOMMENDED, now=NOW)


@pytest.mark.parametrize("row", BETTER, ids=lambda row: row.id)
def test_a_failing_agent_is_bounded(better: dict[str, str], row: Row) -> None:
    assert better[row.id] == row.expected


def test_the_script_as_it_is_counts_no_failures(tmp_path: Path) -> None:
    assert play(tmp_path, SAME, AS_IT_IS, now=NOW)["script"] == SAME[0].expected
