"""`exitgate ci`: everything a team asks of its policies before a change is merged, with one summary."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from time import monotonic

from exitgate.cli.command import Answer, Argument, Command, Option, ParsedArguments, formats
from exitgate.cli.commands.validate import files_of, files_of_all
from exitgate.cli.parsing.usage import did_you_mean, usage_error
from exitgate.cli.terminal import Terminal
from exitgate.core.model.decision import BAD_POLICY, CANNOT_WRITE, FINDINGS, NOTHING_TO_DECIDE, OK
from exitgate.core.model.diagnostic import Diagnostic, ExitgateError
from exitgate.report.diagnostics import diagnostics_text
from exitgate.report.terminal import Style
from exitgate.testing.cases.discover import is_policy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.report.policy.ci import Stage


#: In this order: what is invalid need not be looked at any closer.
STEPS = ("validate", "fmt", "lint", "test", "prove", "release-check")
#: Steps that look at files of any kind; the others want policies.
OF_FILES = ("validate",)
#: Steps that can leave a question undecided.
STRICT = ("prove", "release-check")
POLICY = ("policy.yaml", "policy.yml")
FOLDER = "policies"


def run(given: ParsedArguments, terminal: Terminal) -> Answer:
    """Run every step and return what each found, and the worst exit code."""
    from exitgate.cli.progress import progress
    from exitgate.report.policy import ci as forms

    paths = given.texts("path") or ((FOLDER,) if os.path.isdir(FOLDER) else (".",))
    files_of_all(given.texts("path"))  # a path that is misspelt is not one where there is nothing to do
    steps = _steps(given)
    form = given.word("format")
    summary = given.text("summary")
    if summary is not None:
        from exitgate.cli.files import check_output

        check_output(summary, ())
    stages: list[Stage] = []
    with progress("checking") as tell:
        for step in steps:
            tell(step)
            stages.append(_stage(step, paths, given))
            if step == "validate" and stages[-1].code == BAD_POLICY:
                break
    stages += [forms.Stage(step) for step in steps[len(stages) :]]
    code = _worst(stage.code for stage in stages if stage.code is not None)
    err = ""
    if summary is not None:
        err = _append(summary, forms.ci_markdown(stages), terminal)
        code = max(code, CANNOT_WRITE) if err else code
    if form == "json":
        return Answer(forms.ci_json(stages, code), err, code)
    if form == "markdown":
        return Answer(forms.ci_markdown(stages), err, code)
    return Answer(forms.ci_text(stages, terminal.out), err, code)


def _steps(given: ParsedArguments) -> tuple[str, ...]:

    only, skip = given.texts("only"), given.texts("skip")
    for step in (*only, *skip):
        if step not in STEPS:
            help = did_you_mean(step, STEPS, f"it has {', '.join(STEPS)}")
            raise usage_error(f"`ci` has no step `{step}`", help)
    found = tuple(step for step in STEPS if (not only or step in only) and step not in skip)
    if not found:
        raise usage_error("no step is left to run", "omit `--skip`, or name other steps with `--only`")
    return found


def _stage(step: str, paths: Sequence[str], given: ParsedArguments) -> Stage:
    """Run one step as its own command would run, and return what it printed."""
    from exitgate.report.policy.ci import Stage

    targets = tuple(paths) if step in OF_FILES else policies_in(paths)
    if not targets:
        return Stage(step, NOTHING_TO_DECIDE, _no_policy(paths))
    started = monotonic()
    answers = [_answered(words) for words in _lines(step, targets, given)]
    seconds = monotonic() - started
    code = _worst(answer.code for answer in answers)
    out, err = "".join(answer.out for answer in answers), "".join(answer.err for answer in answers)
    open_ = tuple(line for answer in answers for line in answer.undecided)
    return Stage(step, code, out, err, seconds, open_)


def _no_policy(paths: Sequence[str]) -> str:
    """Return that the folders named hold no policy, and which files there must be named to be read."""
    others: list[str] = []
    for path in paths:
        try:
            others += [file for file in files_of(path) if is_policy(file)]
        except ExitgateError:
            continue  # a folder without YAML: `validate` has said so
    text = "no policy.yaml in or below the given paths\n"
    return (
        f"{text}to check a policy with another name, name the file: `exitgate ci {others[0]}`\n"
        if others
        else text
    )


def _lines(step: str, targets: Sequence[str], given: ParsedArguments) -> list[list[str]]:
    """Return the command lines of a step: one for all that was named, or one for each policy."""
    form = given.word("format")
    options = ["--format", form if form in ("json", "github") else "text"]
    against = given.text("against")
    if step == "fmt":
        return [["fmt", "--check", "--diff", *targets]]
    if step in STRICT and given.flag("strict"):
        options.append("--strict")
    if step == "release-check":
        more = ["--against", against] if against is not None else []
        return [["release-check", *options, *more, target] for target in targets]
    return [[step, *options, *targets]]


def _answered(words: list[str]) -> Answer:
    from exitgate.cli.main import answer_to

    try:
        return answer_to([*words, "--color", "never"])
    except ExitgateError as error:
        return Answer(err=diagnostics_text(error.diagnostics, Style()), code=error.exit_code)


def policies_in(paths: Sequence[str]) -> tuple[str, ...]:
    """
    Return each policy.yaml in or below the folders named, sorted by folder, and each policy that is named.

    Files named are policies by their keys, no matter what they are called.
    """
    found: dict[str, None] = {}
    for path in paths:
        try:
            files = files_of(path)
        except ExitgateError:
            continue  # a folder without YAML: `validate` has said so
        named = not os.path.isdir(path)
        found.update(
            dict.fromkeys(
                file for file in files if os.path.basename(file) in POLICY or (named and is_policy(file))
            )
        )
    return tuple(found)


def _worst(codes: Iterable[int]) -> int:
    """Return the code that says most: trouble, then findings, then success, then nothing to look at."""
    found = set(codes)
    trouble = found - {OK, FINDINGS, NOTHING_TO_DECIDE}
    if trouble:
        return max(trouble)
    return FINDINGS if FINDINGS in found else NOTHING_TO_DECIDE if found == {NOTHING_TO_DECIDE} else OK


def _append(path: str, text: str, terminal: Terminal) -> str:
    """Append the summary to the file; return the message to show if that fails."""
    try:
        with open(path, "a", encoding="utf-8", newline="") as file:
            file.write(text)
    except OSError as error:
        problem = Diagnostic("EP805", f"cannot write the summary to `{path}`: {error.strerror}",
                             help="name a file in a folder that can be written")  # fmt: skip
        return diagnostics_text([problem], terminal.err)
    return ""


COMMAND = Command(
    "ci",
    "validate, fmt --check, lint, test, prove and release-check, with one summary",
    about="Each step runs the command of that name on the given paths, by default the folder "
    "`policies`, else this folder. A step runs even if an earlier one found something, except that nothing "
    "runs after `validate` finds an error. What a step found is printed below the summary. A policy without "
    "tests is reported there; lint finds it (`missing-tests`), unless the policy says why it has none. What "
    "`prove` or `release-check` does not decide is shown; it is a finding only with `--strict`.",
    arguments=(Argument("[PATH...]", "policies, or folders of them"),),
    options=(
        Option("--only STEP...", "run this step only", suggests=STEPS),
        Option("--skip STEP...", "skip this step", suggests=STEPS),
        Option("--against REV", "what release-check compares with; the last release by default"),
        Option("--strict", "exit 69 also for what is not decided, and for notes of `prove`"),
        Option("--summary FILE", "append the summary as Markdown to a file"),
        formats(
            "text",
            "json",
            "github",
            "markdown",
            doc="output format; github: annotations of each step, then the summary",
        ),
    ),
    examples=(
        ("exitgate ci", "before a commit"),
        ("exitgate ci policies/ --skip prove", "the quick steps"),
        ('exitgate ci --format github --summary "$GITHUB_STEP_SUMMARY"', "in a workflow"),
    ),
    codes={
        "0": "every step passed, or had nothing to check",
        "66": "there is nothing to check",
        "69": "a step found something",
    },
    run=run,
)
