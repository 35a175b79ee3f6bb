"""Tables and lines that a terminal cuts, and what is piped holds whole."""

from __future__ import annotations

from collections.abc import Callable

from cases import each
from msgspec import UNSET

from exitgate.core.ledger.typed import typed
from exitgate.recordings.scoring.labelling import response
from exitgate.report.breaker import BreakerOutput, MoveOutput, moves_text, status_text
from exitgate.report.diagnostics import quote
from exitgate.report.ledger import StateOutput, history_text, lines_text, state_text
from exitgate.report.policy.description import policies_text
from exitgate.report.recordings import ProblemOutput, RunOutput, runs_text
from exitgate.report.terminal import Style

LONG = "the words " * 12 + "at the end"
NAME = LONG.replace(" ", "-")
RUN = RunOutput(
    NAME, f"runs/{NAME}.jsonl", "atif", "turn", 1, None, None, None, None, None, None, "", "", None, None
)
DECIDED = {"verdict": "EXIT", "class": "complete", "outcome": "done", "message": LONG}
STATE = StateOutput("/s", LONG, 1, None, None, UNSET, UNSET, UNSET, UNSET, 0, 0, 0, None)
OPEN = BreakerOutput("OPEN", LONG, None, None, None, False, False, None)
MOVES = [MoveOutput(1, "", "CLOSED", "OPEN", LONG, True, None, None)]
RESET = {"kind": "reset", "run": "a", "reason": LONG}


@each(
    "text, form",
    [
        (LONG, lambda style: policies_text([("bb3", "1.0.0", LONG)], style)),
        (LONG, lambda style: history_text([typed({"decision": DECIDED, "run": "a"})], style)),
        (
            LONG,
            lambda style: history_text([typed({"decision": DECIDED, "run": "long-name-" * 6})], style),
        ),
        (LONG, lambda style: state_text(STATE, style)),
        (LONG, lambda style: lines_text([typed(RESET)], style)),
        (LONG, lambda style: status_text(OPEN, "", style)),
        (LONG, lambda style: moves_text(MOVES, style)),
        (f"  {NAME}  ", lambda style: runs_text([RUN], [], style).replace(" 1 turn", "  ")),
        (f"runs/{NAME}.jsonl", lambda style: runs_text([RUN], [], style)),
        (f"{NAME}\n", lambda style: runs_text([], [ProblemOutput(NAME, 0, "")], style)),
        (LONG, lambda style: "\n".join(response(LONG, style))),
        (LONG, lambda style: "\n".join(quote(LONG, 60, 64, style))),
    ],
)
def test_a_terminal_cuts_it_and_a_pipe_holds_it(text: str, form: Callable[[Style], str]) -> None:
    cut, whole = form(Style()), form(Style(whole=True))
    assert text not in cut
    assert text in whole
