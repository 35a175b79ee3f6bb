"""An answer counts while it is of the loop asked about and nobody wrote the files since; else it is none."""

from __future__ import annotations

import pytest
from shim_rows import AS_IT_IS, Row, play, signals

EXIT = 'echo "[$(should_exit_gracefully 2>/dev/null)]"'
ANSWERED = (
    "read_answer() { if ! _exitgate_read; then echo none; return; fi\n"
    'echo "loop $_exitgate_answer_loop $_exitgate_verdict"; }\n'
)
ANSWER, HISTORY = '"$RALPH_DIR/.exitgate_answer"', '"$RALPH_DIR/.circuit_breaker_history"'
KEPT = "(.exitgate_answer .exit_signals .response_analysis .circuit_breaker_state)"
WATCHED = (
    '[\n_state":"CLOSED","to_state":"HALF_OPEN",'
    '"reason":"no progress in 2 loops running, the breaker watches"}\n]'
)
COMPLETE = "exitgate shim {}\\nloop=1\\nverdict=EXIT\\nreason=plan_complete\\n"
PLAN = '"$RALPH_DIR/fix_plan.md"'
ONCE = '{"test_only_loops": [], "done_signals": [1], "completion_indicators": [1]}'
TWICE = '{"test_only_loops": [], "done_signals": [2], "completion_indicators": [2]}'
#: Decisions on an iteration that stand in the ledger.
DECISIONS = (
    "decisions() { local line n=0; while read -r line; do\n"
    'if [[ "$line" == *\'"kind":"decision"\'* && "$line" != *\'"iteration":0\'* ]]; then n=$((n + 1)); fi\n'
    'done <"$RALPH_DIR/exitgate/ledger.jsonl"; echo "$n decisions"; }\n'
)
#: A program that is not there, is ended by a signal, or that does nothing and says it is well.
BROKEN = "gone() { return 127; }; killed() { return 137; }; idle() { return 0; }\n"
TRUE = "---RALPH_STATUS---\nEXIT_SIGNAL: true\n---END_RALPH_STATUS---\n"
SLASHES = r"a\033[2J \\b \c, to the end"
FILES = {
    "s": SLASHES,
    "o": "Working\n",
    "p": "Working on\n",
    "t": TRUE,
    "u": f"{TRUE}again\n",
    "v": f"{TRUE}Error: x\n",
}


def row(name: str, script: str, expected: str) -> Row:
    helpers = ANSWERED + DECISIONS + BROKEN + 'an() { analyze_response "$RALPH_DIR/$1" "$2" 2>/dev/null; }\n'
    return Row(name, FILES, helpers + script, expected)


ROWS = [
    row(
        "one-answer-for-all",
        f"an o 1; read_answer; EXITGATE=gone\nloop_count=2\n{EXIT}\ncan_execute && echo may",
        "loop 1 CONTINUE\n[]\nmay",
    ),
    row("nothing-is-started-again", "an o 1; an o 1; an o 1; decisions", "1 decisions"),
    row(
        "of-another-loop",
        f"an o 1; read_answer; loop_count=7\n{EXIT}\nread_answer; decisions",
        "loop 1 CONTINUE\n[]\nloop 6 CONTINUE\n2 decisions",
    ),
    row(
        "of-another-loop-and-nobody-answers",
        f"an o 1; loop_count=7; EXITGATE=gone\n{EXIT}\nshould_halt_execution 2>/dev/null && echo halts",
        "[permission_denied]\nhalts",
    ),
    row("never-asked-and-nobody-answers", f"EXITGATE=killed\n{EXIT}", "[permission_denied]"),
    row("a-program-that-does-nothing", f"EXITGATE=idle\n{EXIT}", "[permission_denied]"),
    row(
        "what-is-no-success-is-none-of-the-reasons-that-tell-one",
        f"an o 1; sed -i 's/^halt=/halt=loop: again/; s/^verdict=.*/verdict=EXIT/' {ANSWER}; {EXIT}",
        "[permission_denied]",
    ),
    row(
        "a-plan-from-the-future",
        f'echo "- [ ] a" >{PLAN}; touch -d "now + 1 hour" {PLAN}; an t 1 && update_exit_signals\n'
        f"record_loop_result 1 0 false 9 && echo goes on; loop_count=2\n"
        f'{EXIT}; cat "$RALPH_DIR/.exit_signals"\n'
        f'echo "- [x] a" >{PLAN}; touch -d "now + 1 hour" {PLAN}; {EXIT}',
        f"goes on\n[]\n{ONCE}\n[plan_complete]",
    ),
    row(
        "killed-in-the-analysis",
        "an o 1; program=$EXITGATE EXITGATE=killed\nan p 2 || echo no answer\n"
        "record_loop_result 2 0 false 9 2>/dev/null || echo halts\nEXITGATE=$program\n"
        "record_loop_result 2 0 false 9 2>/dev/null && echo goes on; read_answer; decisions",
        "no answer\nhalts\ngoes on\nloop 2 CONTINUE\n2 decisions",
    ),
    row(
        "the-log-says-why",
        'log_status() { echo "$1: $2"; }\nEXITGATE=killed; loop_count=3; should_halt_execution',
        "ERROR: exitgate: there is no decision; the loop halts rather than go on without one",
    ),
    row(
        "killed-behind-the-ledger",
        f'an o 1; mkdir "$RALPH_DIR/k"; keep={KEPT}\n'
        'for f in "${keep[@]}"; do cp "$RALPH_DIR/$f" "$RALPH_DIR/k/$f"; done; an t 2\n'
        'for f in "${keep[@]}"; do cp "$RALPH_DIR/k/$f" "$RALPH_DIR/$f"; done; read_answer; decisions\n'
        "record_loop_result 2 0 false 9 && read_answer; decisions\n"
        'cat "$RALPH_DIR/.exit_signals"',
        f"loop 1 CONTINUE\n2 decisions\nloop 2 CONTINUE\n2 decisions\n{TWICE}",
    ),
    row(
        "killed-before-the-answer",
        f'go() {{ record_loop_result $1 0 false 9 || true; }}; an o 1; go 1; cp {ANSWER} "$RALPH_DIR/k"\n'
        f'an v 2; cp "$RALPH_DIR/k" {ANSWER}; go 2; cat "$RALPH_DIR/.exit_signals"\n'
        'grep same_error "$RALPH_DIR/.circuit_breaker_state"; decisions',
        f'{TWICE}\n    "consecutive_same_error": 1,\n2 decisions',
    ),
    row(
        "killed-before-the-answer-and-behind-a-move",
        f'an o 1; cp {ANSWER} "$RALPH_DIR/k"; an p 2; cp "$RALPH_DIR/k" {ANSWER}\n'
        "record_loop_result 2 0 false 9 2>/dev/null; get_circuit_state\n"
        f'while read -r line; do echo "${{line#*from}}"; done <{HISTORY}\n'
        'grep no_progress "$RALPH_DIR/.circuit_breaker_state"',
        f'HALF_OPEN\n{WATCHED}\n    "consecutive_no_progress": 2,',
    ),
    row(
        "a-torn-answer",
        f"an o 1; printf '{COMPLETE.format(1)}' >{ANSWER}\nloop_count=2\n{EXIT}\nread_answer",
        "[]\nloop 1 CONTINUE",
    ),
    row(
        "an-answer-of-another-program",
        f"an o 1; printf '{COMPLETE.format(9)}' >{ANSWER}\n{EXIT}",
        "[]",
    ),
    row(
        "a-changed-analysis",
        'an t 1; text="$(<"$RALPH_DIR/.response_analysis")"\n'
        f"printf '%s\\n' '{signals(0, 0, 2)}' >\"$RALPH_DIR/.exit_signals\"\nloop_count=2\n{EXIT}\n"
        'new="${text/exit_signal\\": true/exit_signal\\": false}"\n'
        f'printf "%s\\n" "$new" >"$RALPH_DIR/.response_analysis"\n{EXIT}',
        "[project_complete]\n[]",
    ),
    row(
        "signals-of-somebody-else-count-on",
        f"an t 1; loop_count=2\n{EXIT}\nprintf '%s\\n' '{signals(2, 0, 0)}' >\"$RALPH_DIR/.exit_signals\"\n"
        f'echo "$ pytest" >"$RALPH_DIR/x"; an x 2; update_exit_signals; loop_count=3\n{EXIT}',
        "[]\n[test_saturation]",
    ),
    row(
        "history-of-somebody-else",
        f"init_circuit_breaker; echo '{{' >{HISTORY}; for n in 1 2; do\n"
        "record_loop_result $n 0 false 9 2>/dev/null; done\n"
        f'while read -r line; do echo "${{line#*from}}"; done <{HISTORY}',
        WATCHED,
    ),
    row(
        "a-run-that-ended-stays-ended",
        f"an t 1; an u 2; for loop_count in 3 4 9; do {EXIT}; done\n"
        f"EXITGATE=gone; {EXIT}; read_answer; decisions",
        "[completion_signals]\n" * 4 + "loop 8 EXIT\n2 decisions",
    ),
    row(
        "counters-outlive-the-loop",
        "go() { record_loop_result $1 0 false 9 2>/dev/null || true; get_circuit_state; }; go 1; go 2\n"
        f"echo '{signals()}' >\"$RALPH_DIR/.exit_signals\"; _exitgate_loop=''\n"
        f"loop_count=1; init_circuit_breaker; {EXIT}; loop_count=''; go 1",
        "CLOSED\nHALF_OPEN\n[]\nOPEN",
    ),
    row(
        "the-breaker-outlives-what-is-taken-over",
        "go() { record_loop_result $1 0 false 9 2>/dev/null || get_circuit_state; }; go 1; go 2; go 3\n"
        f"echo '{signals(2)}' >\"$RALPH_DIR/.exit_signals\"; _exitgate_loop=''; loop_count=1\n"
        "init_circuit_breaker; get_circuit_state; should_halt_execution >/dev/null && echo halts",
        "OPEN\nOPEN\nhalts",
    ),
    row(
        "an-agent-that-failed",
        f"loop_count=1; init_circuit_breaker; an o 1; loop_count=2; {EXIT}\n"
        f"loop_count=3; init_circuit_breaker; {EXIT}\nread_answer",
        "[]\n[]\nloop 2 CONTINUE",
    ),
    row(
        "files-that-are-none",
        "an o 1; for f in .response_analysis .exit_signals .circuit_breaker_state .last_output_length; do\n"
        'rm "$RALPH_DIR/$f"; mkfifo "$RALPH_DIR/$f"; done\n'
        f'{EXIT}; can_execute && echo may; detect_output_format "$RALPH_DIR/.last_output_length"',
        "[]\nmay\ntext",
    ),
    row(
        "signals-without-end",
        'many=$(printf "1,%.0s" {1..3000})\n'
        'echo "{\\"done_signals\\": [${many}1]}" >"$RALPH_DIR/.exit_signals"\n'
        f'{EXIT}; read -r line <"$RALPH_DIR/.exit_signals"; n=0\n'
        'while read -r _; do n=$((n + 1)); done <"$RALPH_DIR/exitgate/ledger.jsonl"; ((n < 60)) && echo few',
        "[completion_signals]\nfew",
    ),
    row(
        "a-number-that-is-none",
        f"CB_NO_PROGRESS_THRESHOLD='3; touch hacked'; {EXIT}; ls hacked 2>/dev/null || echo safe",
        "[permission_denied]\nsafe",
    ),
    row(
        "escapes-are-not-carried-out",
        'log_status() { echo -e "$2"; }; _exitgate_say WARN "$(<"$RALPH_DIR/s")"',
        f"exitgate: {SLASHES}",
    ),
    row(
        "a-variable-that-may-not-change",
        'readonly RESPONSE_ANALYSIS_FILE="$RALPH_DIR/.response_analysis"; an o 1; an p 2; read_answer',
        "loop 2 CONTINUE",
    ),
    row("no-such-response", "an gone 1 >/dev/null || echo no; detect_output_format gone", "no\ntext"),
    row(
        "names-are-not-run",
        'f="$RALPH_DIR/"\'$(touch hacked); `touch hacked`\'\nprintf x >"$f"; analyze_response "$f" 1\n'
        'ls hacked 2>/dev/null || echo safe; [[ "$(<"$RALPH_DIR/.response_analysis")" == *"touch hacked"* ]]',
        "safe",
    ),
]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return play(tmp_path_factory.mktemp("shim"), ROWS, AS_IT_IS)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)
def test_stale(played: dict[str, str], row: Row) -> None:
    assert played[row.id] == row.expected
