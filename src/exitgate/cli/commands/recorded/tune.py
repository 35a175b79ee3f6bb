"""`exitgate tune`: parameters chosen by labelled runs."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from exitgate.cli.command import NUMBER, Answer, Argument, Command, Option, ParsedArguments, formats
from exitgate.cli.commands.recorded.selection import (
    CODES,
    EXECUTOR,
    LABELS,
    READER,
    at_least_one,
    executor_of,
    remarks,
    told,
)
from exitgate.cli.parsing.usage import at_least, pairs, usage_error
from exitgate.cli.progress import progress
from exitgate.cli.terminal import Terminal
from exitgate.core.model.diagnostic import Location
from exitgate.core.policy.compiled import CompiledPolicy
from exitgate.core.policy.findings import Findings
from exitgate.core.state.request import Request
from exitgate.report.diagnostics import diagnostics_text


def run(given: ParsedArguments, terminal: Terminal) -> Answer:
    """Return the best point of the grid, and how sure that is."""
    from exitgate.recordings.reports import tuning as forms
    from exitgate.recordings.scoring.grid import POINTS, grid, patch
    from exitgate.recordings.scoring.labels import load
    from exitgate.recordings.scoring.scored_runs import reading
    from exitgate.recordings.scoring.tuning import tune

    sweeps, fixed = _sweeps(given), pairs("--set", given.texts("set"))
    both = [one for one in fixed if one in sweeps]
    if both:
        raise usage_error(f"`{both[0]}` is both swept and set", f"remove `--set {both[0]}=...`")
    make = partial(_made, given.text("policy"))
    policy = make(fixed)
    name = given.text("policy") or policy.name
    most = at_least("--points", given.number("points"), 1) or POINTS
    seed = at_least("--seed", given.number("seed"), 0) or 0
    jobs = at_least("--jobs", given.number("jobs"), 1) or 1
    points = grid(policy, sweeps, points=most, seed=seed)
    paths, waste = given.texts("path"), given.word("waste")
    labels = load(given.word("labels"))
    with executor_of(given) as executor, progress("trying") as tell:
        found = tune(
            at_least_one(reading(paths, labels, given.text("reader"), tell, executor), paths),
            labels,
            name,
            points,
            settings=fixed,
            in_usd=None if waste == "auto" else waste == "usd",
            fold_count=at_least("--folds", given.number("folds"), 2),
            seed=seed,
            load=make,
            tell=tell,
            jobs=jobs,
        )
    err, code = remarks(found.gathered.problems, found.gathered.unread, terminal)
    err += told(executor)
    err = _unit_warnings(policy, sweeps, terminal) + err
    why = dict.fromkeys(fixed, "as set")
    why |= {key: f"default {found.default[key]}" for key in found.chosen.point}
    text = patch(policy, _reference(given, policy), {**fixed, **found.chosen.point}, why)
    if given.word("format") == "json":
        return Answer(forms.tune_json(found, text), err, code)
    if given.word("format") == "markdown":
        return Answer(forms.tune_markdown(found, text), err, code)
    if given.word("format") == "config":
        return Answer(text, err, code)
    return Answer(forms.tune_text(found, text, terminal.out), err, code)


#: What the path of a shipped policy begins with.
SHIPPED = "shipped:"


def _sweeps(given: ParsedArguments) -> dict[str, str]:
    texts = given.texts("parameter")
    names = [text.partition("=")[0].strip() for text in texts]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        help = f"write all of its values into one: `--parameter {twice}=2,4..8:2`"
        raise usage_error(f"`{twice}` is swept twice", help)
    sweeps = pairs("--parameter", texts)
    if not sweeps:
        raise usage_error("`tune` needs a parameter to sweep", "write `--parameter min_confidence=50..90:5`")
    return sweeps


def _unit_warnings(policy: CompiledPolicy, sweeps: Mapping[str, str], terminal: Terminal) -> str:
    """Return a warning for each percentage that is swept over fractions; the empty text without any."""
    from exitgate.core.policy.values import Unfit, ask_about_value, from_text

    findings = Findings()
    for name, text in sweeps.items():
        type = policy.parameters[name].type
        ends = text.partition(":")[0].replace("..", ",").split(",")
        for end in ends if type.kind == "percent" else ():
            try:
                value = from_text(type, end)
            except Unfit:
                continue
            ask_about_value(type, value, end, Location("<command line>"), findings)
    return diagnostics_text(findings.sorted(), terminal.err) if findings.sorted() else ""


def _made(name: str | None, settings: Mapping[str, str]) -> CompiledPolicy:
    """Return a policy with settings: the one of that name as it was written, or the project's."""
    if name is not None:
        from exitgate.core.policy.compile import load_policy

        return load_policy(name, settings=settings)
    from exitgate.core.gate.settings import asked_of
    from exitgate.core.settings.load import load_settled

    return load_settled(asked_of(Request(settings=settings))).policy


def _reference(given: ParsedArguments, policy: CompiledPolicy) -> str:
    """Return how the project's settings name the policy."""
    return given.text("policy") or policy.path.removeprefix(SHIPPED)


COMMAND = Command(
    "tune",
    "choose parameters by labelled runs",
    about="Decides every labelled run at every point of a grid, without extracting facts again unless a "
    "parameter changes what is extracted. The best point has the fewest premature stops, then the least "
    "waste; among equals, it is the nearest to the policy's own values.\n\n"
    "A point looks better on the runs it was chosen on than on others. So the choice is repeated "
    "without each run in turn and judged on that run: rely on these figures, not the fitted ones above them.",
    arguments=(Argument("PATH...", "transcripts: files, folders, globs"),),
    options=(
        LABELS,
        Option(
            "--parameter, -P NAME=VALUES...",
            "what to sweep: `50..90:5` (from, to, step) or `2,3,4`; any number of times",
        ),
        Option("--policy, -p NAME|PATH", "the policy; the project's by default"),
        Option("--set NAME=VALUE...", "set a parameter at all points"),
        Option("--folds K", "use K folds instead of leaving out one run at a time", kind=NUMBER),
        Option("--waste", "the unit of waste", choices=("auto", "usd", "iterations"), default="auto"),
        Option("--points N", "most points to try, drawn at random; 256 by default", kind=NUMBER),
        Option("--seed N", "seed of the draw and the folds; 0 by default", kind=NUMBER),
        Option("--jobs N", "processes that try points; 1 by default, the same result", kind=NUMBER),
        READER,
        *EXECUTOR,
        formats(
            "text", "json", "markdown", "config", doc="output format; `config` is the settings patch alone"
        ),
    ),
    examples=(
        ("exitgate tune runs/ -l labels.yaml -P min_confidence=50..90:5", "one parameter"),
        ("exitgate tune runs/ -P idle_loops=1..4 -P claim_loops=2..5 --folds 5", "two, five folds"),
    ),
    codes=CODES,
    run=run,
)
