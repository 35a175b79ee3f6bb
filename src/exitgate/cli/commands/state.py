"""`exitgate state`: where the current run is."""

from __future__ import annotations

from collections.abc import Mapping

from exitgate.cli.command import Answer, Command, ParsedArguments, formats
from exitgate.cli.commands.history import remarks_on
from exitgate.cli.options import RUN, STATE_DIR, request_of
from exitgate.cli.terminal import Terminal
from exitgate.core.model.json_object import JsonObject

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.ledger.typed import LedgerLine
    from exitgate.report.ledger import StateOutput


def run(given: ParsedArguments, terminal: Terminal) -> Answer:
    """Return run, iteration, last decision, counts and breaker."""
    from exitgate.core.state.discover import state_dir

    directory = state_dir(request_of(given, record=False))
    last, counts, remarks = since_reset(directory, given.text("run"))
    shown = status_of(last, counts, directory)
    if given.word("format") == "json":
        from exitgate.report.formats.output import output_text

        return Answer(output_text(shown), remarks)
    from exitgate.report.ledger import state_text

    return Answer(state_text(shown, terminal.out), remarks)


def since_reset(directory: str, wanted: str | None) -> tuple[LedgerLine | None, Mapping[str, int], str]:
    """
    Return the last decision, how many there were since the last reset, and remarks on damaged lines.

    Args:
        directory: The state directory.
        wanted: Name of runs; or the id of one run, then all of its decisions count; None for the name that
            the ledger was last written under.

    Returns:
        None for the decision where there was none; the counts `decisions`, `continue` and `exit`, as each
        line carries them on for its name. Those of one run are counted: a line after the other, none is kept.
    """
    from exitgate.core.ledger.line import DECISION, RESET
    from exitgate.core.ledger.past import Past
    from exitgate.core.ledger.runs import counts_after, counts_in
    from exitgate.core.ledger.typed import typed

    last: LedgerLine | None = None
    counts = counts_in(None)
    with Past(directory) as ledger:
        for _, plain in ledger.newest_first(wanted):
            line = typed(plain)
            one_run = wanted == line.run
            if line.kind == DECISION:
                last = line if last is None else last
                counts = counts_after(JsonObject(counts=counts), plain) if one_run else counts_in(plain)
            if not one_run and line.kind in (DECISION, RESET):
                break
        return last, counts, remarks_on(ledger)


def status_of(last: LedgerLine | None, counts: Mapping[str, int], directory: str) -> StateOutput:
    """
    Return what `state` shows, by name, as in the view `exit_state`.

    Args:
        last: The last decision, or None.
        counts: See `since_reset`.
        directory: The state directory.
    """
    from msgspec import UNSET

    from exitgate.core.gate.breaker import stored
    from exitgate.report.ledger import StateOutput

    breaker = stored(directory).plain
    state = breaker.get("state") if isinstance(breaker, dict) else None
    told = (counts["decisions"], counts["continue"], counts["exit"], state)
    if last is None:
        return StateOutput(directory, None, None, None, None, UNSET, UNSET, UNSET, UNSET, *told)
    return StateOutput(
        directory,
        last.run,
        last.found("iteration"),
        last.found("decision", "verdict"),
        last.found("decision", "message") or last.found("decision", "outcome"),
        last.found("decision", "class"),
        last.found("decision", "outcome"),
        last.found("at"),
        None
        if last.policy is None
        else " ".join(str(last.found("policy", key)) for key in ("name", "version")),
        *told,
    )


COMMAND = Command(
    "state",
    "show the state of the current run",
    about="The run of the last decision, or the one named with --run: its iteration, the last decision and "
    "why, how many decisions there were since the last reset, and the breaker. The keys and values are those "
    "of `.ralph/exit-state.json`, if the policy keeps that file.",
    options=(RUN, STATE_DIR, formats("text", "json")),
    examples=(
        ("exitgate state", "the current state"),
        ("exitgate state --format json | jq -r .decision_reason", "in a script"),
    ),
    run=run,
)
