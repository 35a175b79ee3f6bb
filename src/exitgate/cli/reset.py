"""`exitgate reset`: the current run ends here, and everything counts anew."""

from __future__ import annotations

from exitgate.cli.answer import Answer
from exitgate.cli.declared import COLOR, SUCCESS, TROUBLE, Command, Option
from exitgate.cli.options import RUN, STATE_DIR, request_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.cli.given import Given
    from exitgate.cli.terminal import Terminal


def run(given: Given, _: Terminal) -> Answer:
    """Write the line that ends the run, and say what it did."""
    from exitgate.cli.events import recorded
    from exitgate.gate.begin import reset
    from exitgate.gate.discover import run_name, state_dir

    request = request_of(given, record=True)
    line = reset(request, given.text("reason") or "asked for")
    if given.word("format") == "json":
        from exitgate.report.json import json_text

        return Answer(json_text(line), events=() if line is None else (recorded(line),))
    if line is None:
        return Answer(f"nothing to reset: `{run_name(request)}` has no run, or was already reset\n")
    from exitgate.gate.breaker import stored
    from exitgate.report.ledger import ended_text

    text = ended_text(line, stored(state_dir(request)).state.state)
    return Answer(text, events=(recorded(line),))


COMMAND = Command(
    "reset",
    "end the current run and start counting again",
    about="Writes one line to the ledger; nothing is removed. The next check begins the next run: its "
    "history, budgets and iterations start at zero. The breaker is not changed, since it belongs to all "
    "runs: `exitgate circuit reset` closes it. There is no prompt.",
    options=(
        RUN,
        STATE_DIR,
        Option("--reason", metavar="TEXT", doc="why, for the ledger"),
        Option("--format", choices=("text", "json"), default="text", doc="output format"),
        COLOR,
    ),
    examples=(
        ("exitgate reset", "start over"),
        ('exitgate reset --run nightly --reason "plan rewritten"', "one of several loops"),
    ),
    codes=(SUCCESS, *TROUBLE, ("75", "another check holds the ledger")),
    run=run,
)
