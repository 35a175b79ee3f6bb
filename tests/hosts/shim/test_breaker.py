"""The breaker alone: sequences of loops, states that a file holds, cooldowns, and files that are broken."""

from __future__ import annotations

import pytest
from shim_rows import AS_IT_IS, Row, breaker, play

from exitgate.hosts.shim.files import written

STATE, HISTORY = ".circuit_breaker_state", ".circuit_breaker_history"
#: When all rows are played, in seconds since the epoch: the clock stands still.
NOW = 1_900_000_000.0
#: A loop that is recorded without an analysis, as the loop's own tests do; then its state.
RECORD = (
    'go() { local code=0; record_loop_result "$@" 2>/dev/null || code=$?\n'
    'echo "$code $(get_circuit_state)"; }\n'
)
FIELD = (
    'field() { local text; text="$(<"$RALPH_DIR/.circuit_breaker_state")"\n'
    '[[ "$text" =~ \\"$1\\":\\ (\\"[^\\"]*\\"|[0-9]+) ]] || { echo "$1 none"; return; }\n'
    'echo "$1 ${BASH_REMATCH[1]}"; }\n'
)
STATE_NOW = "init_circuit_breaker 2>/dev/null; get_circuit_state"


def since(minutes: float) -> str:
    return written(NOW - minutes * 60)


def opened(minutes: float, **more: object) -> dict[str, str]:
    return {STATE: breaker("OPEN", opened_at=since(minutes), consecutive_no_progress=3, **more)}


IDLE = "go {} 0 false 1000"
ROWS = [
    Row(
        "no-progress",
        {},
        RECORD + "\n".join(IDLE.format(n) for n in (1, 2, 3)),
        "0 CLOSED\n0 HALF_OPEN\n1 OPEN",
    ),
    Row(
        "why-in-words",
        {},
        RECORD + FIELD + "go 1 0 false 9; go 2 0 false 9; field reason; go 3 0 false 9; field reason",
        '0 CLOSED\n0 HALF_OPEN\nreason "no progress in 2 loops running, the breaker watches"\n'
        '1 OPEN\nreason "no progress in 3 loops running"',
    ),
    Row(
        "why-in-words-of-errors",
        {},
        RECORD + FIELD + "for n in 1 2 3 4 5; do go $n 3 true 1000 >/dev/null; done; field reason",
        'reason "the same error in 5 loops running"',
    ),
    Row(
        "progress-closes",
        {},
        RECORD + "\n".join((IDLE.format(1), IDLE.format(2), "go 3 5 false 1000")),
        "0 CLOSED\n0 HALF_OPEN\n0 CLOSED",
    ),
    Row(
        "errors-with-progress",
        {},
        RECORD + FIELD + "for n in 1 2 3 4 5; do go $n 3 true 1000; done; field consecutive_same_error",
        "0 CLOSED\n0 CLOSED\n0 CLOSED\n0 CLOSED\n1 OPEN\nconsecutive_same_error 5",
    ),
    Row("open-10-of-30", opened(10), STATE_NOW, "OPEN"),
    Row("open-40-of-30", opened(40), STATE_NOW, "HALF_OPEN"),
    Row("cooldown-0", opened(0.1), f"CB_COOLDOWN_MINUTES=0\n{STATE_NOW}", "HALF_OPEN"),
    Row("cooldown-60", opened(40), f"CB_COOLDOWN_MINUTES=60\n{STATE_NOW}", "OPEN"),
    Row("clock-in-the-future", opened(-90), STATE_NOW, "OPEN"),
    Row(
        "old-file-without-opened-at",
        {STATE: breaker("OPEN", last_change=since(40), consecutive_no_progress=3)},
        STATE_NOW,
        "HALF_OPEN",
    ),
    Row(
        "cooldown-then-progress",
        opened(40),
        f"{RECORD}{STATE_NOW}\ngo 1 4 false 1000",
        "HALF_OPEN\n0 CLOSED",
    ),
    Row("cooldown-then-none", opened(40), f"{RECORD}{STATE_NOW}\ngo 1 0 false 1000", "HALF_OPEN\n1 OPEN"),
    Row(
        "auto-reset",
        opened(1, total_opens=4),
        f'CB_AUTO_RESET=true\n{FIELD}{STATE_NOW}\nfield total_opens\ngrep -c OPEN "$RALPH_DIR/{HISTORY}"',
        "CLOSED\ntotal_opens 4\n1",
    ),
    Row(
        "entering-open-sets-opened-at",
        {},
        f"{RECORD}{FIELD}go 1 0 false 9; go 2 0 false 9; field opened_at; go 3 0 false 9 \n"
        'field total_opens\nfield opened_at | { read -r _ at; [[ "$at" == \'"\'20* ]] && echo set; }',
        "0 CLOSED\n0 HALF_OPEN\nopened_at none\n1 OPEN\ntotal_opens 1\nset",
    ),
    Row(
        "staying-open-keeps-opened-at",
        {STATE: breaker("OPEN", opened_at="2090-01-01T00:00:00+00:00", consecutive_no_progress=3)},
        f"{RECORD}{FIELD}go 4 0 false 9; field opened_at",
        '1 OPEN\nopened_at "2090-01-01T00:00:00+00:00"',
    ),
    Row("corrupt-state", {STATE: "{not json"}, f'{STATE_NOW}\nhead -1 "$RALPH_DIR/{STATE}"', "CLOSED\n{"),
    Row("state-that-is-none", {STATE: '{"state": "AJAR"}'}, STATE_NOW, "CLOSED"),
    Row(
        "corrupt-history",
        {HISTORY: "[{"},
        f'{RECORD}{STATE_NOW}\ncat "$RALPH_DIR/{HISTORY}"',
        "CLOSED\n[]",
    ),
    Row(
        "loop-9999",
        {},
        f"{RECORD}{FIELD}go 9999 1 false 9; field current_loop; field last_progress_loop",
        "0 CLOSED\ncurrent_loop 9999\nlast_progress_loop 9999",
    ),
    Row(
        "files-below-0",
        {},
        f"{RECORD}{FIELD}go 1 -1 false 9; field consecutive_no_progress",
        "0 CLOSED\nconsecutive_no_progress 1",
    ),
    Row(
        "counters-of-somebody-else",
        {STATE: breaker("CLOSED", consecutive_no_progress=1)},
        f"{RECORD}go 2 0 false 9\ngo 3 0 false 9",
        "0 HALF_OPEN\n1 OPEN",
    ),
    Row(
        "half-open-of-somebody-else",
        {STATE: breaker("HALF_OPEN", consecutive_no_progress=2)},
        f"{RECORD}go 3 2 false 9",
        "0 CLOSED",
    ),
    Row(
        "reset",
        opened(5, total_opens=2),
        f"{FIELD}{STATE_NOW}\nreset_circuit_breaker 'disk replaced'\nfield reason\nget_circuit_state\n"
        "can_execute && echo may\nshould_halt_execution || echo goes on",
        'OPEN\nCircuit breaker reset to CLOSED\nreason "disk replaced"\nCLOSED\nmay\ngoes on',
    ),
    Row(
        "reset-by-the-script-itself",
        opened(5),
        f"{STATE_NOW}\nprintf '%s' '{breaker('CLOSED')}' > \"$RALPH_DIR/{STATE}\"\n{STATE_NOW}\n"
        "should_halt_execution || echo goes on",
        "OPEN\nCLOSED\ngoes on",
    ),
    Row(
        "an-open-one-halts",
        opened(5),
        "init_circuit_breaker; can_execute || echo may not\nshould_halt_execution >/dev/null && echo halts",
        "may not\nhalts",
    ),
    Row("no-file", {}, "get_circuit_state; can_execute && echo may", "CLOSED\nmay"),
]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return play(tmp_path_factory.mktemp("shim"), ROWS, AS_IT_IS, now=NOW)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)
def test_breaker(played: dict[str, str], row: Row) -> None:
    assert played[row.id] == row.expected
