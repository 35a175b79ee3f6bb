"""`exitgate compare`: policies compared with each other on recorded runs."""

from __future__ import annotations

from exitgate.cli.command import Answer, Argument, Command, Option, ParsedArguments, formats
from exitgate.cli.commands.recorded.selection import (
    CODES,
    EXECUTOR,
    READER,
    SETTINGS,
    executor_of,
    load_policies,
    nothing_to_judge,
    remarks,
    told,
)
from exitgate.cli.parsing.usage import usage_error
from exitgate.cli.progress import progress
from exitgate.cli.terminal import Terminal


def run(given: ParsedArguments, terminal: Terminal) -> Answer:
    """Return how often the policies agree, and where they first part."""
    from exitgate.recordings.reports import comparison as forms
    from exitgate.recordings.scoring.comparison import compare

    paths = given.texts("runs")
    if not paths:
        raise usage_error("`compare` needs recorded runs", "write `exitgate compare bb3 ralph --runs FOLDER`")
    policies = load_policies(given, given.texts("policy"))
    if len(policies) < 2:
        raise usage_error(
            "`compare` needs at least two policies", "write `exitgate compare bb3 ralph --runs ...`"
        )
    with executor_of(given) as executor, progress("reading") as tell:
        found = compare(paths, policies, reader=given.text("reader"), tell=tell, executor=executor)
    if not found.runs:
        raise nothing_to_judge("all runs belong to sub-agents", "", paths, found.unread, found.sub_agents)
    err, code = remarks(found.problems, found.unread, terminal)
    err += told(executor)
    limit = None if given.flag("all") else forms.SHOWN
    if given.word("format") == "json":
        return Answer(forms.compare_json(found), err, code)
    if given.word("format") == "markdown":
        return Answer(forms.compare_markdown(found, limit=limit), err, code)
    return Answer(forms.compare_text(found, terminal.out, limit=limit), err, code)


COMMAND = Command(
    "compare",
    "compare policies on recorded runs",
    about="For each pair: on how many runs both stop at the same iteration with the same class, or "
    "neither stops. Then each run on which two of them differ, at the first iteration where they decide "
    "differently, with the input of each; the iterations between their stops are at stake, and the most "
    "costly run comes first. No labels are needed: the reader judges which policy is right.",
    arguments=(Argument("POLICY...", "two or more: shipped names, paths, `bb3:min_confidence=80`, `all`"),),
    options=(
        Option("--runs, -r PATH...", "transcripts: a file, folder or glob, any number of times"),
        SETTINGS,
        READER,
        Option("--all", "every divergence, not only the most costly ones"),
        *EXECUTOR,
        formats("text", "json", "markdown"),
    ),
    examples=(
        ("exitgate compare bb3-faithful bb3 --runs runs/", "what the repairs of bb3 change"),
        ("exitgate compare bb3 bb3:min_confidence=80 -r runs/", "what another threshold changes"),
        ("exitgate compare recommended ./ours.yaml --runs runs/ --format markdown", "for a pull request"),
    ),
    codes=CODES,
    run=run,
)
