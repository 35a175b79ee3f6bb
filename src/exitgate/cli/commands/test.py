"""`exitgate test`: the tests of policies."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

from exitgate.analysis.results.coverage import Coverage
from exitgate.cli.command import NUMBER, Answer, Argument, Command, Option, ParsedArguments, formats
from exitgate.cli.files import can_ask, check_output, confirmed, is_stdout, replace_text, written
from exitgate.cli.parsing.usage import at_least, failure, pairs, percentage, usage_error
from exitgate.cli.progress import progress_bar
from exitgate.cli.terminal import Terminal, write
from exitgate.core.model.decision import FINDINGS, NOTHING_TO_DECIDE, OK
from exitgate.core.model.display import counted
from exitgate.core.policy import shipped
from exitgate.report.diagnostics import diagnostics_text
from exitgate.report.policy.coverage import below_text, coverage_text
from exitgate.report.terminal import Style, safe, safe_block
from exitgate.testing.cases.discover import find, find_here
from exitgate.testing.keyword import select

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.report.policy.tests import RanAll
    from exitgate.testing.coverage import Watcher
    from exitgate.testing.runner import Session, Watch
    from exitgate.testing.update import Updated


# `exitgate test --update`: expectations rewritten to what was found, shown first.


def check_own(given: ParsedArguments) -> None:
    """Raise `ExitgateError` (64) for the tests of a shipped policy that is named."""
    for path in given.texts("path"):
        if not os.path.exists(path) and path in shipped.policies():
            message = f"`{path}` comes with exitgate: its tests are not updated"
            raise usage_error(message, f"copy it first: `exitgate policies eject {path}`")


def update(sitting: Session, found: RanAll, terminal: Terminal, given: ParsedArguments) -> Answer:
    """
    Return the diff of what would change, and write it where the user says so.

    The code is that of files that cannot be used; else 69 where something stays as it was: not written,
    expectations that cannot be updated, broken invariants.
    """
    from exitgate.testing.update import update as updated_of

    yes = given.flag("yes")
    updates = [updated_of(suite, results) for suite, results in sitting.by_file()]
    changed = [one for one in updates if one.count]
    diff = "".join(_diff(one, terminal) for one in changed)
    refused = [d for one in updates for d in one.refused]
    trouble = [d for file in found.unusable for d in file.diagnostics]
    told = diagnostics_text([*trouble, *refused], terminal.err) + _broken(found)
    codes = [file.code for file in found.unusable]
    left = FINDINGS if refused or any(one.broken for one in found.failed) else OK
    if not changed:
        nothing = "" if told else "every expectation already holds\n"
        return Answer(err=told + nothing, code=max(codes) if codes else left)
    if not yes and can_ask():
        write(Answer(diff, told))
        diff = told = ""
        yes = confirmed(f"write {_counted(changed)}? [y/N] ")
    if not yes:
        hint = f"nothing is written: {_counted(changed)} would change; `--yes` writes it\n"
        return Answer(diff, told + hint, max(codes) if codes else FINDINGS)
    for one in changed:
        replace_text(one.path, one.new)
    return Answer(diff, f"{told}wrote {_counted(changed)}\n", max(codes) if codes else left)


def _diff(one: Updated, terminal: Terminal) -> str:
    from exitgate.report.formats.unified_diff import change_text

    return change_text(one.path, one.old, one.new, "as it was found", terminal.out)


def _broken(found: RanAll) -> str:
    lines = [line for one in found.failed for line in one.broken]
    return safe_block("".join(f"{line}\n" for line in lines))


def _counted(changed: Sequence[Updated]) -> str:
    count = sum(one.count for one in changed)
    files = ", ".join(safe(one.path) for one in changed)
    return f"{count} expectation{'' if count == 1 else 's'} in {files}"


# `exitgate test --coverage`: what the cases that ran have shown of their policies.

#: Codes of this package, one line each; `docs` reads them.
CODES = {"EP513": "`--fail-under` is not a percentage"}

COVERAGE_FORMATS = ("text", "json", "html")
#: End of a file's name -> the form that is written to it where no form was asked for.
_ENDINGS = {".html": "html", ".htm": "html", ".json": "json"}
OPTIONS = (
    Option("--coverage", "show which rules decided, and which parts of conditions were true and false"),
    Option(
        "--coverage-format",
        "its format; by default by the file's extension, else text",
        choices=COVERAGE_FORMATS,
    ),
    Option(
        "--coverage-output FILE",
        "write it there; on stdout, a format other than text replaces the test results",
    ),
    Option("--coverage-unknown", "also require parts to be unknown, if they can be"),
    Option("--fail-under PERCENT", "fail if a policy's coverage is lower"),
)


def watching(given: ParsedArguments) -> Watcher | None:
    """
    Return what watches the cases, or None where no coverage was asked for.

    Any option of coverage asks for it. Raises `ExitgateError` (64) before anything takes long.
    """
    asked = [o.key for o in OPTIONS if given.flag(o.key) or given.text(o.key) is not None]
    if not asked:
        return None
    if given.flag("update"):
        raise usage_error(
            "`--update` and `--coverage` in one command", "run the tests again after `--update`"
        )
    _least(given)
    from exitgate.testing.coverage import Watcher

    return Watcher()


def check_file(given: ParsedArguments, read: Iterable[str]) -> None:
    """Raise `ExitgateError` where the coverage cannot be written (73), or would go over what is read (64)."""
    output = given.text("coverage_output")
    if output is None:
        return

    check_output(output, read)
    if output == given.text("output") and not is_stdout(output):
        raise usage_error(f"`--output` and `--coverage-output` are both `{output}`", "name two files")


def covered(answer: Answer, watcher: Watcher, given: ParsedArguments, terminal: Terminal) -> Answer:
    """
    Return the answer to a run of tests with the coverage behind it.

    The exit code is that of the tests where they failed, else 69 where an excuse does not hold or a policy
    stays below `--fail-under`.
    """
    found = watcher.coverages(unknown=given.flag("coverage_unknown"))
    code = answer.code or (FINDINGS if _fails(found, given) else 0)
    output = given.text("coverage_output")
    name = _form_name(given, output)
    tests_text = given.word("format") == "text" or given.text("output") is not None
    text, below = coverage_form(found, name, terminal.out), _gate(found, given, terminal)
    if written(output, text):
        return _with(answer, below, code, tests_text)
    if name != "text":
        return Answer(text, answer.out + answer.err, code, answer.events)
    return _with(answer, f"\n{text}{below}", code, tests_text)


def coverage_form(found: Sequence[Coverage], name: str, style: Style) -> str:
    """Return the coverage in one of `COVERAGE_FORMATS`."""
    if name == "json":
        from exitgate.report.policy.coverage_output import coverage_json

        return coverage_json(found)
    if name == "html":
        from exitgate.report.policy.coverage_html import coverage_html

        return coverage_html(found)

    return coverage_text(found, style)


def _with(answer: Answer, text: str, code: int, tests_text: bool) -> Answer:
    """Return the answer with `text` behind the tests' result, beside it where that is for programs."""
    if tests_text:
        return Answer(answer.out + text, answer.err, code, answer.events)
    return Answer(answer.out, answer.err + text, code, answer.events)


def _form_name(given: ParsedArguments, output: str | None) -> str:
    asked = given.text("coverage_format")
    if asked is not None:
        return asked
    return next(
        (form for ending, form in _ENDINGS.items() if (output or "").lower().endswith(ending)), "text"
    )


def _fails(found: Iterable[Coverage], given: ParsedArguments) -> bool:
    least = _least(given)
    return any(one.problems or (least is not None and not one.share.reaches(least)) for one in found)


def _gate(found: Iterable[Coverage], given: ParsedArguments, terminal: Terminal) -> str:
    """Return a line for each policy that does not reach `--fail-under`."""
    least = _least(given)
    if least is None:
        return ""

    return "".join(below_text(one, least, terminal.out) for one in found if not one.share.reaches(least))


def _least(given: ParsedArguments) -> float | None:
    """Return the percentage that each policy is to reach, from 0 to 100, or None."""
    return percentage("--fail-under", given.text("fail_under"), "EP513")


FORMATS = ("text", "junit", "tap", "github", "json")


def run(given: ParsedArguments, terminal: Terminal) -> Answer:
    """Run the tests and return what came of them; 69 when one failed, 65 for a file that cannot be used."""
    output = given.text("output")
    durations = at_least("--durations", given.number("durations"), 1) or 0
    if given.flag("yes") and not given.flag("update"):
        raise usage_error("`--yes` has no effect without `--update`", "leave it out")
    if given.flag("update"):
        check_own(given)
    watcher = watching(given)
    sitting = runner_of(given, watcher.watch if watcher is not None else None)
    check_file(given, sitting.files)
    if output is not None:
        check_output(output, sitting.files)
    with progress_bar("testing") as tell:
        found = sitting.run(tell)
    check_selected(found, given.text("k"))
    if given.flag("update"):
        return update(sitting, found, terminal, given)
    text = form(found, given.word("format"), terminal.out, durations)
    if written(output, text):
        text = form(found, "text", terminal.out, durations)
    answer = Answer(text, code=code_of(found))
    return answer if watcher is None else covered(answer, watcher, given, terminal)


def runner_of(given: ParsedArguments, watch: Watch | None = None) -> Session:
    """Return the files that the command line means, ready to be run. Raises `ExitgateError` (64, 66)."""
    from exitgate.testing.cases.case import Under
    from exitgate.testing.runner import Session, Wanted

    settings = pairs("--set", given.texts("set"))
    keyword = given.text("k")
    wanted = Wanted(
        Under(given.text("profile"), settings),
        None if keyword is None else select(keyword),
        invariants=not given.flag("no_invariants"),
        first_failure=given.flag("first_failure"),
    )
    paths = given.texts("path")
    return Session(find(paths) if paths else find_here(settings), wanted, watch)


def check_selected(found: RanAll, keyword: str | None) -> None:
    """Raise `ExitgateError` (66) where no case and no invariant was selected."""
    if found.ran or found.unusable:
        return

    message = (
        f"nothing is selected by `-k {keyword}`: {counted(found.left_out, 'name does', 'names do')} not fit"
    )
    help = "words are matched against the path of the file and the name of the case"
    raise failure("EP502", message, help, NOTHING_TO_DECIDE)


def code_of(found: RanAll) -> int:
    """Return the exit code: that of a file that cannot be used, 69 for a failure, else 0."""
    codes = [file.code for file in found.unusable]
    return max(codes) if codes else FINDINGS if found.failed else OK


def form(found: RanAll, name: str, style: Style, durations: int = 0) -> str:
    """Return what ran in one of `FORMATS`."""
    from exitgate.report.formats import junit, tap
    from exitgate.report.policy import test_results, tests

    if name == "text":
        return tests.tests_text(found, style, durations)
    forms = {
        "junit": junit.tests_junit,
        "tap": tap.tests_tap,
        "github": tests.tests_github,
        "json": test_results.tests_json,
    }
    return forms[name](found)


COMMAND = Command(
    "test",
    "run the tests of policies",
    about="Cases are in a tests.yaml beside the policy: the input (facts, histories, texts, a "
    "recorded run), and what the policy must decide. The policy's invariants are also checked on every "
    "input. All errors of a file that cannot be used are reported, and the other files still run.",
    arguments=(
        Argument(
            "[PATH...]",
            "files of tests or policies, folders of them, names of shipped policies; by default tests.yaml, "
            "policies/, or the tests beside the policy in force",
        ),
    ),
    options=(
        Option(
            "-k EXPR",
            "run the cases with these words in their file's path or name: `stagnation and not 'two words'`",
        ),
        Option("--profile NAME", "a profile of the policy, instead of the file's"),
        Option("--set NAME=VALUE...", "set a parameter, unless the case or its table sets it"),
        Option("--no-invariants", "skip the policies' invariants"),
        Option("--first-failure, -x", "stop at the first failure"),
        Option(
            "--update",
            "show the changes that would make failed expectations match the results; on a terminal, "
            "ask whether to write them",
        ),
        Option("--yes", "--update: write without asking"),
        Option("--durations N", "list the N slowest", kind=NUMBER),
        formats(*FORMATS),
        Option("--output, -o FILE", "write the result there, and the text form to stdout"),
        *OPTIONS,
    ),
    examples=(
        ("exitgate test", "everything in policies/"),
        ("exitgate test policies/ours -k 'stagnation and not breaker'", "some of it"),
        ("exitgate test policies/ --format junit -o tests.xml", "for a CI server"),
        ("exitgate test bb3 --set min_completion=95", "which of a policy's cases depend on a parameter"),
        (
            "exitgate test policies/ours --coverage-output coverage.html --fail-under 100",
            "what the cases do not cover",
        ),
        ("exitgate test policies/ours --update", "new expectations after an intended change"),
    ),
    codes={
        "0": "everything passed",
        "65": "a file of tests or its policy is wrong",
        "66": "there are no tests, or none are selected",
        "69": "a case failed, an invariant is broken, coverage is too low; --update: not written",
    },
    run=run,
)
