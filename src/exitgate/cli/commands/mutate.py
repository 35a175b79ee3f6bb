"""`exitgate mutate`: mistakes made in policies on purpose, to see whether their tests notice."""

from __future__ import annotations

import os
import time

from exitgate.cli.command import Answer, Argument, Command, Option, ParsedArguments, formats
from exitgate.cli.files import check_output, replace_text, write_output, written
from exitgate.cli.parsing.usage import failure, pairs, percentage, usage_error
from exitgate.cli.progress import progress_bar
from exitgate.cli.terminal import Terminal
from exitgate.core.model.decision import FINDINGS, NOTHING_TO_DECIDE, OK, code_of
from exitgate.core.system import portable
from exitgate.report.terminal import Style, safe
from exitgate.testing.cases.discover import find, find_here
from exitgate.testing.keyword import select

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.report.policy.mutation import FoundMutants
    from exitgate.testing.cases.case import Suite
    from exitgate.testing.mutants.runner import MutationOptions


FORMATS = ("text", "json", "markdown")


def run(given: ParsedArguments, terminal: Terminal) -> Answer:
    """Make the mutants and return what became of them; 69 below `--fail-under` and for stale excuses."""
    from exitgate.testing.cases.case import Under
    from exitgate.testing.cases.load import load_file
    from exitgate.testing.mutants.runner import mutate

    asked, least, strict = (
        _options(given),
        percentage("--fail-under", given.text("fail_under")),
        given.flag("strict"),
    )
    settings = pairs("--set", given.texts("set"))
    paths = given.texts("path")
    files = find(paths) if paths else find_here(settings)
    _check_outputs(given, files)
    found: list[FoundMutants] = []
    suites: list[Suite] = []
    took = []
    for file in files:
        begun = time.process_time()
        suites.append(load_file(file, under=Under(given.text("profile"), settings)))
        took.append(time.process_time() - begun)
    _check_settings(suites, settings)
    with progress_bar("mutating") as tell:
        for suite, file, seconds in zip(suites, files, took, strict=True):
            found.append(mutate(suite, file, asked, seconds, tell))
    _check_selected(found, given)
    text = form(found, given.word("format"), terminal.out)
    code = FINDINGS if _fails(found, least, strict) else OK
    told = _below(found, least, strict) if given.word("format") == "text" else ""
    if written(given.text("output"), text):
        text, told = form(found, "text", terminal.out), _below(found, least, strict)
    wrote = ""
    if given.text("write_tests") is not None:
        wrote = write_tests(given.word("write_tests"), suites[0], found[0])
    return Answer(text + told, wrote, code)


def form(found: list[FoundMutants], name: str, style: Style) -> str:
    """Return what became of the mutants in one of `FORMATS`."""
    from exitgate.report.policy import mutation

    if name == "text":
        return mutation.mutation_text(found, style)
    return mutation.mutation_json(found) if name == "json" else mutation.mutation_markdown(found)


def _options(given: ParsedArguments) -> MutationOptions:
    """Return what the command line wants. Raises `ExitgateError` (64)."""
    from exitgate.analysis.mutation.registry import KINDS
    from exitgate.core.model.spelling import suggestion
    from exitgate.testing.mutants.runner import MutationOptions

    kinds = [kind.strip() for text in given.texts("kinds") for kind in text.split(",")]
    for kind in kinds:
        if kind not in KINDS:
            raise usage_error(f"there is no kind of mutants `{kind}`", suggestion(kind, KINDS, "kinds"))
    keyword = given.text("k")
    return MutationOptions(kinds, given.text("rule") or "", None if keyword is None else select(keyword))


def _check_outputs(given: ParsedArguments, files: tuple[str, ...]) -> None:
    """Raise `ExitgateError` (64, 73) before anything takes long."""
    output, tests = given.text("output"), given.text("write_tests")
    if output is not None:
        check_output(output, files)
    if tests is None:
        return
    if len(files) != 1:
        message = f"`--write-tests` writes the cases of one policy, and {len(files)} are named"
        raise usage_error(message, "name one policy")
    if output == tests:
        raise usage_error(f"`--output` and `--write-tests` are both `{tests}`", "name two files")


def _check_settings(suites: list[Suite], settings: dict[str, str]) -> None:
    """Raise `ExitgateError` (65) for a setting that no policy takes: one of them says what it has."""
    taken = {name for suite in suites for name in suite.under.settings}
    left = {name: text for name, text in settings.items() if name not in taken}
    if left:
        from exitgate.core.policy.compile import load_policy

        load_policy(suites[0].reference, settings=left)


def _check_selected(found: list[FoundMutants], given: ParsedArguments) -> None:
    """Raise `ExitgateError` (66) where nothing must be done."""
    subject = given.text("rule")
    if given.text("k") is not None and not any(one.cases for one in found):
        message = f"no case is selected by `-k {given.text('k')}`"
        help = "its words are matched against path and name"
    elif any(one.mutants for one in found):
        return
    elif subject:
        message = f"there is no mutant of `{subject}`"
        help = "name a rule, `@condition`, computed fact, `$parameter` or `circuit.ID` as survivors show them"
    else:
        message, help = "there is no mutant of these kinds", "choose others, or omit `--kinds`"
    raise failure("EP517", message, help, NOTHING_TO_DECIDE)


def _fails(found: list[FoundMutants], least: float | None, strict: bool) -> bool:
    from exitgate.report.policy.mutation import score

    return any(one.stale or (least is not None and score([one], strict) < least) for one in found)


def _below(found: list[FoundMutants], least: float | None, strict: bool) -> str:
    """Return a line for each policy that does not reach `--fail-under`."""
    from exitgate.report.policy.mutation import score, share_text

    return "".join(
        f"{safe(one.file)}: {share_text([one], strict)} killed, and `--fail-under` asks for {least:g}%\n"
        for one in found
        if least is not None and score([one], strict) < least
    )


COMMAND = Command(
    "mutate",
    "make small mistakes in policies and see whether their tests catch them",
    about="Every mistake is a policy of its own, a mutant: a threshold one off, `<` for `<=`, `and` for "
    "`or`, a rule left out, two in the wrong order, unknown treated as true. A mutant is killed when a case "
    "fails under it, or an invariant is broken. Mutants that are proved to decide the same are listed "
    "separately and do not count. Each survivor is shown with facts that distinguish it from the policy, as "
    "a case.\n\nAcceptable survivors are excused in tests.yaml, with a reason: "
    "`mutants: {excused: [{id: ..., why: ...}]}`.",
    arguments=(
        Argument(
            "[PATH...]",
            "files of tests or policies, folders of them, names of shipped policies; by default as for "
            "`exitgate test`",
        ),
    ),
    options=(
        Option(
            "--kinds KINDS...",
            "only these kinds of mutants, separated by commas: boundary, comparison, connective, "
            "dropped_part, negation, window, unknown, member, arithmetic, dropped_rule, swapped_rules, "
            "effect, points",
        ),
        Option("--rule ID", "only mutants of this rule, @condition, computed fact or $parameter"),
        Option("-k EXPR", "only cases with these words in their file's path or name"),
        Option("--profile NAME", "a profile of the policy, instead of the file's"),
        Option("--set NAME=VALUE...", "set a parameter, unless a case sets it"),
        Option("--write-tests FILE", "add the survivors' cases to this file, or create it"),
        Option("--fail-under PERCENT", "fail if fewer of a policy's mutants are killed"),
        Option("--strict", "mutants that are not decided count as not killed"),
        formats(*FORMATS),
        Option("--output, -o FILE", "write the result there, and the text form to stdout"),
    ),
    examples=(
        ("exitgate mutate policies/ours", "which mistakes the tests would miss"),
        ("exitgate mutate bb3 --rule low_confidence", "those in one rule"),
        ("exitgate mutate bb3 --kinds boundary,comparison", "only thresholds"),
        ("exitgate mutate policies/ours --write-tests policies/ours/tests.yaml", "add what is missing"),
        ("exitgate mutate policies/ --fail-under 100", "in CI: every mistake must be caught"),
    ),
    codes={
        "0": "done, even if mutants survived",
        "65": "a file of tests or its policy is wrong",
        "66": "there are no tests, or nothing is selected",
        "69": "a case fails without any mutant, too few mutants are killed, or an excuse is not needed",
    },
    run=run,
)


# `exitgate mutate --write-tests`: the survivors' cases in a file of tests.


def write_tests(path: str, suite: Suite, found: FoundMutants) -> str:
    """
    Add the cases of survivors to the file at `path`, or begin it, and return what is to be said of it.

    Cases of a name that is there already are left out, and of those that differ in nothing but their name all
    but one. Nothing is written unless every case of the file as it would be passes.

    Raises:
        ExitgateError: 65 where cases cannot be added there, or do not pass; 73, 74.
    """
    exists = os.path.isfile(path)
    text = _read(path) if exists else ""
    cases = _apart([one.example for one in found.left if one.example])
    if exists:
        cases = [case for case in cases if case.partition("\n")[0].strip() not in text]
    if not cases:
        return f"nothing to add to {safe(path)}\n"
    from exitgate.testing.mutants.examples import check_cases, new_file, with_cases

    new = with_cases(text, path, cases) if exists else new_file(_reference(path, suite), cases)
    check_cases(new, path)
    if exists:
        replace_text(path, new)
    else:
        write_output(path, new.encode())
    added = f"{len(cases)} case{'' if len(cases) == 1 else 's'}"
    return f"added {added} to {safe(path)}\n" if exists else f"wrote {added} to {safe(path)}\n"


def _apart(cases: list[str]) -> list[str]:
    """Return the cases, one of those that differ in nothing but their name."""
    found: dict[str, str] = {}
    for case in cases:
        found.setdefault(case.partition("\n")[2], case)
    return list(found.values())


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8", newline="") as file:
            return file.read()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise failure(
            "EP805", f"cannot read `{path}`: {reason}", "name another file", code_of(error)
        ) from error


def _reference(path: str, suite: Suite) -> str:
    """Return how a file of tests at `path` names the policy: a path from its folder, or a name."""
    named = suite.reference
    if not os.path.isfile(named):
        return named
    return portable.with_slashes(portable.relative(named, os.path.dirname(path) or os.curdir))
