"""`exitgate test`: the tests of policies."""

from __future__ import annotations

from exitgate.cli.answer import Answer
from exitgate.cli.declared import ANY, COLOR, FLAG, NUMBER, REPEAT, TROUBLE, Argument, Command, Option
from exitgate.cli.progress_bar import progress_bar
from exitgate.cli.test_coverage import OPTIONS, check_file, covered, watching
from exitgate.cli.usage import at_least, pairs, usage_error
from exitgate.model.counted import counted
from exitgate.model.verdict import FINDINGS, OK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.cli.given import Given
    from exitgate.cli.terminal import Terminal
    from exitgate.report.style import Style
    from exitgate.report.tests_ran import RanAll
    from exitgate.testing.sitting import Sitting, Watch

FORMATS = ("text", "junit", "tap", "github", "json")


def run(given: Given, terminal: Terminal) -> Answer:
    """Run the tests and return what came of them; 69 when one failed, 65 for a file that cannot be used."""
    output = given.text("output")
    durations = at_least("--durations", given.number("durations"), 1) or 0
    if given.flag("yes") and not given.flag("update"):
        raise usage_error("`--yes` has no effect without `--update`", "leave it out")
    if given.flag("update"):
        from exitgate.cli.test_update import check_own

        check_own(given)
    watcher = watching(given)
    sitting = sitting_of(given, watcher.watch if watcher is not None else None)
    check_file(given, sitting.files)
    if output is not None:
        from exitgate.cli.output_file import check_output

        check_output(output, sitting.files)
    with progress_bar("testing") as tell:
        found = sitting.run(tell)
    check_selected(found, given.text("k"))
    if given.flag("update"):
        from exitgate.cli.test_update import update

        return update(sitting, found, terminal, given)
    text = form(found, given.word("format"), terminal.out, durations)
    if output is not None:
        from exitgate.cli.output_file import is_stdout, write_output

        if not is_stdout(output):
            write_output(output, text.encode("utf-8", "backslashreplace"))
            text = form(found, "text", terminal.out, durations)
    answer = Answer(text, code=code_of(found))
    return answer if watcher is None else covered(answer, watcher, given, terminal)


def sitting_of(given: Given, watch: Watch | None = None) -> Sitting:
    """Return the files that the command line means, ready to be run. Raises `ExitgateError` (64, 66)."""
    from exitgate.testing.find import find, find_here
    from exitgate.testing.keyword import select
    from exitgate.testing.sitting import Sitting, Wanted
    from exitgate.testing.suite import Under

    settings = pairs("--set", given.texts("set"))
    keyword = given.text("k")
    wanted = Wanted(
        Under(given.text("profile"), settings),
        None if keyword is None else select(keyword),
        invariants=not given.flag("no_invariants"),
        first_failure=given.flag("first_failure"),
    )
    paths = given.texts("path")
    return Sitting(find(paths) if paths else find_here(settings), wanted, watch)


def check_selected(found: RanAll, keyword: str | None) -> None:
    """Raise `ExitgateError` (66) where no case and no invariant was selected."""
    if found.ran or found.unusable:
        return
    from exitgate.model.diagnostic import Diagnostic, ExitgateError
    from exitgate.model.verdict import NOTHING_TO_DECIDE

    message = (
        f"nothing is selected by `-k {keyword}`: {counted(found.left_out, 'name does', 'names do')} not fit"
    )
    help = "words are matched against the path of the file and the name of the case"
    raise ExitgateError([Diagnostic("EP502", message, help=help)], NOTHING_TO_DECIDE)


def code_of(found: RanAll) -> int:
    """Return the exit code: that of a file that cannot be used, 69 for a failure, else 0."""
    codes = [file.code for file in found.unusable]
    return max(codes) if codes else FINDINGS if found.failed else OK


def form(found: RanAll, name: str, style: Style, durations: int = 0) -> str:
    """Return what ran in one of `FORMATS`."""
    if name == "junit":
        from exitgate.report.tests_junit import tests_junit

        return tests_junit(found)
    if name == "tap":
        from exitgate.report.tests_tap import tests_tap

        return tests_tap(found)
    if name == "github":
        from exitgate.report.tests_github import tests_github

        return tests_github(found)
    if name == "json":
        from exitgate.report.tests_json import tests_json

        return tests_json(found)
    from exitgate.report.tests_text import tests_text

    return tests_text(found, style, durations)


COMMAND = Command(
    "test",
    "run the tests of policies",
    about="Cases are in a tests.yaml beside the policy: the input (facts, histories, texts, a "
    "recorded run), and what the policy must decide. The policy's invariants are also checked on every "
    "input. All errors of a file that cannot be used are reported, and the other files still run.",
    arguments=(
        Argument(
            "PATH",
            ANY,
            "files of tests or policies, folders of them, names of shipped policies; by default tests.yaml, "
            "policies/, or the tests beside the policy in force",
        ),
    ),
    options=(
        Option(
            "-k",
            metavar="EXPR",
            doc="run the cases with these words in their file's path or name: `stagnation and not 'two "
            "words'`",
        ),
        Option("--profile", metavar="NAME", doc="a profile of the policy, instead of the file's"),
        Option(
            "--set",
            kind=REPEAT,
            metavar="NAME=VALUE",
            doc="set a parameter, unless the case or its table sets it",
        ),
        Option("--no-invariants", kind=FLAG, doc="skip the policies' invariants"),
        Option("--first-failure", "-x", kind=FLAG, doc="stop at the first failure"),
        Option(
            "--update",
            kind=FLAG,
            doc="show the changes that would make failed expectations match the results; on a terminal, "
            "ask whether to write them",
        ),
        Option("--yes", kind=FLAG, doc="--update: write without asking"),
        Option("--durations", kind=NUMBER, metavar="N", doc="list the N slowest"),
        Option("--format", choices=FORMATS, default="text", doc="output format"),
        Option("--output", "-o", metavar="FILE", doc="write the result there, and the text form to stdout"),
        *OPTIONS,
        COLOR,
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
    codes=(
        ("0", "everything passed"),
        TROUBLE[0],
        ("65", "a file of tests or its policy is wrong"),
        ("66", "there are no tests, or none are selected"),
        ("69", "a case failed, an invariant is broken, coverage is too low; --update: not written"),
        *TROUBLE[2:],
    ),
    run=run,
)
