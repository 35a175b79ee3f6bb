"""`exitgate calibrate`: whether a fact means anything."""

from __future__ import annotations

from exitgate.cli.command import Answer, Argument, Command, Option, ParsedArguments, formats
from exitgate.cli.commands.recorded.selection import (
    CODES,
    EXECUTOR,
    READER,
    at_least_one,
    executor_of,
    load_policy,
    remarks,
    told,
)
from exitgate.cli.parsing.usage import usage_error
from exitgate.cli.progress import progress
from exitgate.cli.terminal import Terminal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.recordings.replay.executors import Executor
    from exitgate.recordings.replay.loaded_runs import Read, Tell
    from exitgate.recordings.scoring.calibration import Outcomes
    from exitgate.recordings.scoring.labels import Labels


def run(given: ParsedArguments, terminal: Terminal) -> Answer:
    """Return what the values of the fact are worth."""
    from exitgate.recordings.replay.replay_pool import PolicyReplay
    from exitgate.recordings.reports import calibration as forms
    from exitgate.recordings.scoring.calibration import calibrate

    name, policy = load_policy(given)
    with executor_of(given) as executor, progress("reading") as tell:
        read, right = _right(given, tell, executor)
        found = calibrate(read, right, PolicyReplay(name, policy), given.word("fact"))
    err, code = remarks(found.gathered.problems, found.gathered.unread, terminal)
    err += told(executor)
    if given.word("format") == "json":
        return Answer(forms.calibrate_json(found), err, code)
    if given.word("format") == "markdown":
        return Answer(forms.calibrate_markdown(found), err, code)
    return Answer(forms.calibrate_text(found, terminal.out), err, code)


def _right(given: ParsedArguments, tell: Tell, executor: Executor | None) -> tuple[Read, Labels | Outcomes]:
    """Return what is compared with the fact, and what reads the runs for it."""
    from functools import partial

    from exitgate.recordings.replay.loaded_runs import is_own, load_runs
    from exitgate.recordings.scoring.calibration import load_outcomes
    from exitgate.recordings.scoring.labels import load
    from exitgate.recordings.scoring.scored_runs import reading

    paths, reader = given.texts("path"), given.text("reader")
    labels, outcomes = given.text("labels"), given.text("outcomes")
    if (labels is None) == (outcomes is None):
        raise usage_error(
            "`calibrate` needs labels or outcomes", "write `--labels labels.yaml`, or `--outcomes FILE.csv`"
        )
    if labels is not None:
        found = load(labels)
        return at_least_one(reading(paths, found, reader, tell, executor), paths), found
    columns = given.text("run_column"), given.text("outcome_column")
    if columns[0] is None or columns[1] is None:
        raise usage_error(
            "the columns of the outcomes are not named", "add `--run-column TITLE --outcome-column TITLE`"
        )
    assert outcomes is not None
    table = load_outcomes(outcomes, columns[0], columns[1])
    read = partial(load_runs, paths, reader=reader, wanted=is_own, tell=tell, executor=executor)
    return at_least_one(read, paths), table


COMMAND = Command(
    "calibrate",
    "measure whether a fact such as confidence means anything",
    about="With labels, every iteration counts: is the fact higher where a stop is right? With a table "
    "of outcomes, every run counts: is the last known value higher in runs that went well? Percentages, "
    "bools and numbers with bounds are also read as probabilities: the table shows how often claims of "
    "about the same probability came true.",
    arguments=(Argument("PATH...", "transcripts: files, folders, globs"),),
    options=(
        Option("--labels, -l FILE", "labels to compare with the fact"),
        Option("--outcomes FILE", "a CSV file of outcomes, instead of labels"),
        Option("--run-column TITLE", "its column with the ids of runs, or endings of them"),
        Option("--outcome-column TITLE", "its column with true or false"),
        Option("--fact, -f NAME", "the fact; `confidence` by default", default="confidence"),
        Option("--policy, -p NAME|PATH", "the policy that has it; the project's by default"),
        Option("--set NAME=VALUE...", "set a parameter of the policy"),
        READER,
        *EXECUTOR,
        formats("text", "json", "markdown"),
    ),
    examples=(
        ("exitgate calibrate runs/ -l labels.yaml", "is confidence higher where a stop is right?"),
        (
            "exitgate calibrate runs --outcomes o.csv --run-column id --outcome-column ok",
            "is it higher in runs that solved their task?",
        ),
    ),
    codes=CODES,
    run=run,
)
