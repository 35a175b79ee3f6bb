"""`exitgate calibrate`: whether a fact means anything."""

from __future__ import annotations

from exitgate.cli.answer import Answer
from exitgate.cli.declared import COLOR, MANY, REPEAT, SUCCESS, TROUBLE, Argument, Command, Option
from exitgate.cli.judging import NOTHING_THERE, READER, loaded_one, remarks, some
from exitgate.cli.progress import progress
from exitgate.cli.usage import usage_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.cli.given import Given
    from exitgate.cli.terminal import Terminal
    from exitgate.dryrun.calibrate_outcomes import Outcomes
    from exitgate.dryrun.gathered_runs import Read, Tell
    from exitgate.dryrun.labels import Labels


def run(given: Given, terminal: Terminal) -> Answer:
    """Return what the values of the fact are worth."""
    from exitgate.dryrun.calibrate import calibrate
    from exitgate.dryrun.forms import calibrate as forms
    from exitgate.dryrun.players import Player

    name, policy = loaded_one(given)
    with progress("reading") as tell:
        read, right = _right(given, tell)
        found = calibrate(read, right, Player(name, policy), given.word("fact"))
    err, code = remarks(found.gathered.problems, found.gathered.unread, terminal)
    if given.word("format") == "json":
        return Answer(forms.calibrate_json(found), err, code)
    if given.word("format") == "markdown":
        return Answer(forms.calibrate_markdown(found), err, code)
    return Answer(forms.calibrate_text(found, terminal.out), err, code)


def _right(given: Given, tell: Tell) -> tuple[Read, Labels | Outcomes]:
    """Return what is compared with the fact, and what reads the runs for it."""
    from functools import partial

    from exitgate.dryrun.calibrate_outcomes import load_outcomes
    from exitgate.dryrun.gathered_runs import gather
    from exitgate.dryrun.labels import load
    from exitgate.dryrun.scores_runs import reading

    paths, reader = given.texts("path"), given.text("reader")
    labels, outcomes = given.text("labels"), given.text("outcomes")
    if (labels is None) == (outcomes is None):
        raise usage_error(
            "`calibrate` needs labels or outcomes", "write `--labels labels.yaml`, or `--outcomes FILE.csv`"
        )
    if labels is not None:
        found = load(labels)
        return some(reading(paths, found, reader, tell), paths), found
    columns = given.text("run_column"), given.text("outcome_column")
    if columns[0] is None or columns[1] is None:
        raise usage_error(
            "the columns of the outcomes are not named", "add `--run-column TITLE --outcome-column TITLE`"
        )
    assert outcomes is not None
    table = load_outcomes(outcomes, columns[0], columns[1])
    read = partial(gather, paths, reader=reader, wanted=lambda begin: begin.parent is None, tell=tell)
    return some(read, paths), table


COMMAND = Command(
    "calibrate",
    "measure whether a fact such as confidence means anything",
    about="With labels, every iteration counts: is the fact higher where a stop is right? With a table "
    "of outcomes, every run counts: is the last known value higher in runs that went well? Percentages, "
    "bools and numbers with bounds are also read as probabilities: the table shows how often claims of "
    "about the same probability came true.",
    arguments=(Argument("PATH", MANY, "transcripts: files, folders, globs"),),
    options=(
        Option("--labels", "-l", metavar="FILE", doc="labels to compare with the fact"),
        Option("--outcomes", metavar="FILE", doc="a CSV file of outcomes, instead of labels"),
        Option("--run-column", metavar="TITLE", doc="its column with the ids of runs, or endings of them"),
        Option("--outcome-column", metavar="TITLE", doc="its column with true or false"),
        Option("--fact", "-f", metavar="NAME", default="confidence", doc="the fact; `confidence` by default"),
        Option("--policy", "-p", metavar="NAME|PATH", doc="the policy that has it; the project's by default"),
        Option("--set", kind=REPEAT, metavar="NAME=VALUE", doc="set a parameter of the policy"),
        READER,
        Option("--format", choices=("text", "json", "markdown"), default="text", doc="output format"),
        COLOR,
    ),
    examples=(
        ("exitgate calibrate runs/ -l labels.yaml", "is confidence higher where a stop is right?"),
        (
            "exitgate calibrate runs --outcomes o.csv --run-column id --outcome-column ok",
            "is it higher in runs that solved their task?",
        ),
    ),
    codes=(SUCCESS, NOTHING_THERE, *TROUBLE),
    run=run,
)
