"""`exitgate new-run`: the next run begins now, with what is there before any work."""

from __future__ import annotations

from exitgate.cli.command import Answer, Argument, Command, Option, ParsedArguments, formats
from exitgate.cli.command import ParsedArguments as Values
from exitgate.cli.options import STATE_DIR, request_of
from exitgate.cli.terminal import Terminal


def run(given: ParsedArguments, _: Terminal) -> Answer:
    """Write the line that begins the run, and say which it is."""
    from exitgate.cli.log import ledger_event
    from exitgate.core.gate.new_run import new_run

    named = Values({**given.values, "run": given.text("name")})
    line = new_run(request_of(named, record=True))
    if given.word("format") == "json":
        from exitgate.report.formats.json import json_text

        return Answer(json_text(line), events=(ledger_event(line),))
    from exitgate.core.ledger.typed import typed
    from exitgate.report.ledger import begun_text

    return Answer(begun_text(typed(line)), events=(ledger_event(line),))


COMMAND = Command(
    "new-run",
    "begin a new run, even if the last one has not ended",
    about="The first check also begins a run; this command marks its beginning before any work: "
    "facts of the plan, HEAD and changed files are recorded as iteration 0, and a response left by an "
    "earlier loop is ignored. The signals of a killed loop never end the next one.",
    arguments=(Argument("[NAME]", "name of the run; EXITGATE_RUN, or a default"),),
    options=(
        Option("--policy, -p NAME|PATH", "the policy that decides"),
        Option("--set NAME=VALUE...", "set a parameter of the policy"),
        Option("--plan PATH", "the task list"),
        Option("--task PATH", "the agent's task"),
        Option("--source NAME=PATH...", "an additional source"),
        STATE_DIR,
        formats("text", "json"),
    ),
    examples=(
        ("exitgate new-run nightly", "at the start of a loop called nightly"),
        ("exitgate new-run --plan TODO.md", "with the plan elsewhere"),
    ),
    codes={"66": "a named file is missing", "75": "another check holds the ledger"},
    run=run,
)
