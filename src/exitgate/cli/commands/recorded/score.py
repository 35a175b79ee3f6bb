"""`exitgate score`: policies compared with labels of recorded runs."""

from __future__ import annotations

from exitgate.cli.command import Answer, Argument, Command, Option, ParsedArguments, formats
from exitgate.cli.commands.recorded.selection import (
    CODES,
    EXECUTOR,
    LABELS,
    POLICIES,
    READER,
    SETTINGS,
    at_least_one,
    executor_of,
    load_policies,
    nothing_to_judge,
    remarks,
    told,
)
from exitgate.cli.progress import progress
from exitgate.cli.terminal import Terminal


def run(given: ParsedArguments, terminal: Terminal) -> Answer:
    """Return how each policy compares with the labels."""
    from exitgate.recordings.reports import scores as forms
    from exitgate.recordings.scoring.labels import load
    from exitgate.recordings.scoring.scored_runs import reading, score_runs

    labels = load(given.word("labels"))
    paths = given.texts("path")
    policies = load_policies(given)
    with executor_of(given) as executor, progress("reading") as tell:
        read = at_least_one(reading(paths, labels, given.text("reader"), tell, executor), paths)
        scored = score_runs(read, labels, policies)
    if not scored.scores and not scored.not_scored:
        help = "label some: `exitgate label PATH -o labels.yaml`"
        left_out = scored.unlabelled + scored.sub_agents
        raise nothing_to_judge("no run has a label", help, paths, scored.unread, left_out)
    err, code = remarks(scored.problems, scored.unread, terminal)
    err += told(executor)
    form, by_run = given.word("format"), given.flag("by_run")
    if form == "json":
        out = forms.score_json(scored)
    elif form == "csv":
        out = forms.score_csv(scored)
    elif form == "markdown":
        out = forms.score_markdown(scored, by_run=by_run)
    else:
        out = forms.score_text(scored, terminal.out, by_run=by_run)
    return Answer(out, err, code)


COMMAND = Command(
    "score",
    "score policies against your labels",
    about="A label says after which iteration a run should have stopped. Iterations after that are "
    "waste; a stop before it is premature and cuts off work; never stopping is a missed stop. On a run "
    "labelled `never` every stop is premature. Each figure has a 95 % interval by bootstrap over the runs.",
    arguments=(Argument("PATH...", "transcripts: files, folders, globs"),),
    options=(
        LABELS,
        POLICIES,
        SETTINGS,
        READER,
        Option("--by-run", "also a line for each run and policy"),
        *EXECUTOR,
        formats("text", "json", "markdown", "csv"),
    ),
    examples=(
        ("exitgate score runs/ -l labels.yaml", "the project's policy, with its settings"),
        ("exitgate score runs/ -l labels.yaml -p bb3 -p ralph --by-run", "two policies, run by run"),
    ),
    codes=CODES,
    run=run,
)
