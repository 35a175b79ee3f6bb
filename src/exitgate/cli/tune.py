"""`exitgate tune`: parameters chosen by labelled runs."""

from __future__ import annotations

from exitgate.cli.answer import Answer
from exitgate.cli.declared import COLOR, MANY, NUMBER, REPEAT, SUCCESS, TROUBLE, Argument, Command, Option
from exitgate.cli.judging import DEFAULT, LABELS, NOTHING_THERE, READER, remarks, some
from exitgate.cli.usage import at_least, pairs, usage_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.cli.given import Given
    from exitgate.cli.terminal import Terminal


def run(given: Given, terminal: Terminal) -> Answer:
    """Return the best point of the grid, and how sure that is."""
    from exitgate.dryrun.forms import tune as forms
    from exitgate.dryrun.labels import load
    from exitgate.dryrun.scores_runs import reading
    from exitgate.dryrun.tune import tune
    from exitgate.dryrun.tune_grid import POINTS, grid
    from exitgate.dryrun.tune_patch import patch
    from exitgate.policy.compile import load_policy

    sweeps = pairs("--parameter", given.texts("parameter"))
    if not sweeps:
        raise usage_error("`tune` wants a parameter to sweep", "write `--parameter min_confidence=50..90:5`")
    name = given.text("policy") or DEFAULT[0]
    fixed = pairs("--set", given.texts("set"))
    both = [one for one in fixed if one in sweeps]
    if both:
        raise usage_error(f"`{both[0]}` is both swept and set", f"remove `--set {both[0]}=...`")
    policy = load_policy(name, settings=fixed)
    most = at_least("--points", given.number("points"), 1) or POINTS
    seed = at_least("--seed", given.number("seed"), 0) or 0
    points = grid(policy, sweeps, points=most, seed=seed)
    paths, waste = given.texts("path"), given.word("waste")
    labels = load(given.word("labels"))
    found = tune(
        some(reading(paths, labels, given.text("reader")), paths),
        labels,
        name,
        points,
        settings=fixed,
        in_usd=None if waste == "auto" else waste == "usd",
        fold_count=at_least("--folds", given.number("folds"), 2),
        seed=seed,
    )
    err, code = remarks(found.gathered.problems, found.gathered.unread, terminal)
    why = {key: f"default {found.default[key]}" for key in found.chosen.point}
    text = patch(policy, name, found.chosen.point, why)
    if given.word("format") == "json":
        return Answer(forms.tune_json(found, text), err, code)
    if given.word("format") == "markdown":
        return Answer(forms.tune_markdown(found, text), err, code)
    if given.word("format") == "config":
        return Answer(text, err, code)
    return Answer(forms.tune_text(found, text, terminal.out), err, code)


COMMAND = Command(
    "tune",
    "choose parameters by labelled runs",
    about="Decides every labelled run at every point of a grid, without extracting facts again unless a "
    "parameter changes what is extracted. The best point has the fewest premature stops, then the least "
    "waste; of equal ones the nearest to the policy's own values.\n\n"
    "A point that was chosen on some runs looks better on these than on others. So it is chosen again "
    "without each run and judged on that one: believe these figures, not the fitted ones above them.",
    arguments=(Argument("PATH", MANY, "transcripts: files, folders, globs"),),
    options=(
        LABELS,
        Option(
            "--parameter",
            "-P",
            kind=REPEAT,
            metavar="NAME=VALUES",
            doc="what to sweep: `50..90:5` (from, to, step) or `2,3,4`; any number of times",
        ),
        Option("--policy", "-p", metavar="NAME|PATH", doc="the policy; `recommended` by default"),
        Option("--set", kind=REPEAT, metavar="NAME=VALUE", doc="set a parameter at all points"),
        Option("--folds", kind=NUMBER, metavar="K", doc="leave out a K-th of the runs at a time, not one"),
        Option(
            "--waste", choices=("auto", "usd", "iterations"), default="auto", doc="what waste is counted in"
        ),
        Option("--points", kind=NUMBER, metavar="N", doc="most points to try, drawn at random; 256"),
        Option("--seed", kind=NUMBER, metavar="N", doc="of that draw and of the folds; 0"),
        READER,
        Option(
            "--format",
            choices=("text", "json", "markdown", "config"),
            default="text",
            doc="form of the result; `config` is the patch alone",
        ),
        COLOR,
    ),
    examples=(
        ("exitgate tune runs/ -l labels.yaml -P min_confidence=50..90:5", "one parameter"),
        ("exitgate tune runs/ -P idle_loops=1..4 -P claim_loops=2..5 --folds 5", "two, five folds"),
    ),
    codes=(SUCCESS, NOTHING_THERE, *TROUBLE),
    run=run,
)
