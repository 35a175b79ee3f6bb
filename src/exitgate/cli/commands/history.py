"""`exitgate history`: the decisions that were made."""

from __future__ import annotations

from itertools import islice

from exitgate.cli.command import NUMBER, Answer, Command, Option, ParsedArguments, formats
from exitgate.cli.options import RUN, STATE_DIR, request_of
from exitgate.cli.parsing.usage import usage_error
from exitgate.cli.terminal import Terminal
from exitgate.report.terminal import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.ledger.past import Past
    from exitgate.core.ledger.typed import LedgerLine


SHOWN = 20


def run(given: ParsedArguments, terminal: Terminal) -> Answer:
    """Return the newest decisions, oldest first."""
    from exitgate.report.ledger import history_json, history_text

    count = given.number("number")
    if count is not None and count < 1:
        raise usage_error(f"`-n {count}` is less than 1", "write a number of at least 1")
    lines, remarks = past_decisions(given, count or SHOWN)
    if given.word("format") == "json":
        return Answer(history_json(lines), remarks)

    name = given.text("run")
    of = f" of a run `{safe(name)}`" if name is not None else ""
    none = "" if lines or remarks else f"no decisions{of} yet\n"
    return Answer(history_text(lines, terminal.out), remarks + none)


def past_decisions(given: ParsedArguments, count: int) -> tuple[list[LedgerLine], str]:
    """Return the newest `count` decisions, of one run where it is named, and remarks on damaged lines."""
    from exitgate.core.ledger.line import DECISION
    from exitgate.core.ledger.past import Past
    from exitgate.core.ledger.typed import typed
    from exitgate.core.state.discover import state_dir

    with Past(state_dir(request_of(given, record=False))) as ledger:
        lines = (typed(line) for _, line in ledger.newest_first(given.text("run")))
        newest = list(islice((line for line in lines if line.kind == DECISION), count))
        return newest[::-1], remarks_on(ledger)


def remarks_on(ledger: Past) -> str:
    """Return a line for each damaged line of the ledger that was passed over."""
    return "".join(
        f"warning: line {one.number} of the ledger is skipped: {safe(one.reason)}\n"
        for one in ledger.damages()
    )


COMMAND = Command(
    "history",
    "list decisions",
    about="The newest come last; `exitgate explain` takes the number at the start of a line. Times are "
    "UTC. A ? after a decision means that a rule which could not be checked would have changed it.",
    options=(
        RUN,
        Option("--number, -n N", f"show the last N; {SHOWN} by default", kind=NUMBER),
        STATE_DIR,
        formats("text", "json"),
    ),
    examples=(
        ("exitgate history", "the last decisions of all runs"),
        ("exitgate history --run nightly -n 5", "the last five of one run"),
    ),
    run=run,
)
