"""`exitgate reset`: the current run ends here, and everything counts anew."""

from __future__ import annotations

from exitgate.cli.command import Answer, Command, Option, ParsedArguments, formats
from exitgate.cli.options import RUN, STATE_DIR, request_of
from exitgate.cli.terminal import Terminal


def run(given: ParsedArguments, _: Terminal) -> Answer:
    """Write the line that ends the run, and say what it did."""
    from exitgate.cli.log import ledger_event
    from exitgate.core.gate.new_run import reset
    from exitgate.core.state.discover import run_name, state_dir

    request = request_of(given, record=True)
    line = reset(request, given.text("reason") or "asked for")
    if given.word("format") == "json":
        from exitgate.report.formats.json import json_text

        return Answer(json_text(line), events=() if line is None else (ledger_event(line),))
    if line is None:
        return Answer(f"nothing to reset: `{run_name(request)}` has no run, or was already reset\n")
    from exitgate.core.gate.breaker import stored
    from exitgate.core.ledger.typed import typed
    from exitgate.report.ledger import ended_text

    text = ended_text(typed(line), stored(state_dir(request)).state.state)
    return Answer(text, events=(ledger_event(line),))


COMMAND = Command(
    "reset",
    "end the current run and start counting again",
    about="Writes one line to the ledger; nothing is removed. The next check begins the next run: its "
    "history, budgets and iterations start at zero. The breaker is not changed, since it belongs to all "
    "runs: `exitgate circuit reset` closes it. There is no prompt.",
    options=(RUN, STATE_DIR, Option("--reason TEXT", "why, for the ledger"), formats("text", "json")),
    examples=(
        ("exitgate reset", "start over"),
        ('exitgate reset --run nightly --reason "plan rewritten"', "one of several loops"),
    ),
    codes={"75": "another check holds the ledger"},
    run=run,
)
