"""`exitgate lint`: what works in policies, lexicons and settings and should not stay as it is."""

from __future__ import annotations

from exitgate.cli.answer import Answer
from exitgate.cli.declared import COLOR, FLAG, MANY, REPEAT, TROUBLE, Argument, Command, Option
from exitgate.cli.progress_bar import progress_bar
from exitgate.cli.usage import usage_error
from exitgate.model.verdict import BAD_POLICY, FINDINGS, OK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from exitgate.analysis.lint.finding import Lint
    from exitgate.analysis.lint.reading import Opened
    from exitgate.cli.given import Given
    from exitgate.cli.terminal import Terminal
    from exitgate.model.diagnostic import Diagnostic
    from exitgate.report.lint import Told

SEVERITIES = ("note", "warning", "error")
#: The lint that wants to know how a file was before.
WANTS_BEFORE = "version-not-raised"


def run(given: Given, terminal: Terminal) -> Answer:
    """Return what lints find in every file: 65 with an error in a file, 69 with a finding that fails."""
    from exitgate.analysis.lint.run import chosen
    from exitgate.cli.lint_files import Before, check_ids, opened, wanted

    for option in ("select", "ignore"):
        check_ids(f"--{option}", given.texts(option))
    today = _today(given)
    if given.flag("diff") and not given.flag("fix"):
        raise usage_error("`--diff` shows what `--fix` would do", "write `--fix --diff`")
    least, quick = given.word("min_severity"), given.flag("quick")
    lints = chosen(given.texts("select"), given.texts("ignore"), least, quick)
    asked = any(lint.ID == WANTS_BEFORE for lint in lints)
    before = Before(given.text("against")) if asked else None
    files = wanted(given.texts("path"))
    plain = given.word("format") == "text"
    out, err, every = "", "", []
    refused: list[Diagnostic] = []
    with progress_bar("linting") as tell:
        for number, (file, one) in enumerate(opened(files, before, today)):
            tell(number, len(files), file.path)
            if not given.flag("fix"):
                every.append(one)
                continue
            from exitgate.cli.lint_fix import mend

            mended = mend(file, one, lints, before, today, given.flag("diff"), terminal)
            err += mended.remark
            # a form for machines stays one
            out, err = (out + mended.diff, err) if plain else (out, err + mended.diff)
            refused += mended.refused
            every.append(mended.opened)
    problems, told = _found(every, lints)
    problems += refused
    text = _form(problems, told, len(every), given.word("format"), terminal)
    off = sum(one.reason is not None for one in told)
    if not problems and off == len(told) and plain and not err:
        more = f", {off} turned off" if off else ""
        err += f"{len(every)} file{'' if len(every) == 1 else 's'} linted, nothing found{more}\n"
    return Answer(out + text, err, _code(problems, told, given.word("fail_level")))


def _found(every: Sequence[Opened], lints: Sequence[Lint]) -> tuple[list[Diagnostic], list[Told]]:
    """Return the errors of all files, each once, and what lints find in those that can be read."""
    from exitgate.analysis.lint.run import diagnostic, lint
    from exitgate.report.lint import Told

    problems: dict[Diagnostic, None] = {}
    told = []
    for one in every:
        problems.update(dict.fromkeys(one.problems))
        for placed in lint(one.subject, lints) if one.subject is not None else ():
            reason = placed.suppression.reason if placed.suppression is not None else None
            told.append(Told(diagnostic(placed), bool(placed.finding.edits), reason))
    return list(problems), told


def _code(problems: Sequence[Diagnostic], told: Sequence[Told], fail_level: str) -> int:
    if any(problem.severity == "error" for problem in problems):
        return BAD_POLICY
    fails = SEVERITIES[SEVERITIES.index(fail_level) :]
    found = (one.diagnostic.severity for one in told if one.reason is None)
    return FINDINGS if any(severity in fails for severity in found) else OK


def _today(given: Given) -> str:
    """Return the day given, or that of the clock in UTC."""
    from exitgate.policy.rule_shape import is_date

    today = given.text("today")
    if today is None:
        from time import gmtime, strftime

        return strftime("%Y-%m-%d", gmtime())
    if not is_date(today):
        raise usage_error(f"`--today {today}` is not a date", "write year, month, day: `--today 2027-03-01`")
    return today


def _form(
    problems: Sequence[Diagnostic], told: Sequence[Told], files: int, form: str, terminal: Terminal
) -> str:
    from exitgate.report import lint as report

    if form == "json":
        return report.lint_json(problems, told, files)
    if form == "text":
        return report.lint_text(problems, told, terminal.out)
    if form == "sarif":
        from exitgate.analysis.lint.registry import lints
        from exitgate.report.sarif import SarifRule, sarif_text

        rules = [
            SarifRule(one.ID, one.TITLE, one.DOC.finds, one.SEVERITY, report.page(one.ID)) for one in lints()
        ]
        suppressed = {one.diagnostic: one.reason for one in told if one.reason is not None}
        return sarif_text([*problems, *(one.diagnostic for one in told)], rules, suppressed)
    from exitgate.report.github import diagnostics_github

    return diagnostics_github([*problems, *(one.diagnostic for one in told if one.reason is None)])


COMMAND = Command(
    "lint",
    "report problems in valid policies, lexicons and settings",
    about="Every finding names its lint, which has a page in the reference. A comment with a reason turns "
    "a lint off at its place: `# lint: off ID: reason`, or `# lint: off-file ID: reason` for the whole "
    "file. Files that do not compile are reported as `validate` does, with the lints that need only "
    "the text. In a folder, tests and other kinds of files are skipped.",
    arguments=(Argument("PATH", MANY, "files, folders of them, or names of shipped policies"),),
    options=(
        Option("--select", kind=REPEAT, metavar="ID", doc="run only this lint"),
        Option("--ignore", kind=REPEAT, metavar="ID", doc="skip this lint"),
        Option("--min-severity", choices=SEVERITIES, default="note", doc="skip lints below this severity"),
        Option("--fail-level", choices=SEVERITIES, default="warning", doc="exit 69 from this severity on"),
        Option("--quick", kind=FLAG, doc="skip the lints that try inputs, which take seconds"),
        Option(
            "--fix",
            kind=FLAG,
            doc="fix what can be fixed automatically; decisions and comments do not change",
        ),
        Option("--diff", kind=FLAG, doc="with --fix: only print what would change"),
        Option("--today", metavar="DATE", doc="the date for expiring exceptions; today by default"),
        Option(
            "--against",
            metavar="REV",
            doc="the git revision that versions are compared with; HEAD by default",
        ),
        Option(
            "--format", choices=("text", "json", "sarif", "github"), default="text", doc="form of the report"
        ),
        COLOR,
    ),
    examples=(
        ("exitgate lint policies/", "everything in a folder"),
        ("exitgate lint --fix --diff policy.yaml", "what would be fixed automatically"),
        ("exitgate lint . --format sarif > lint.sarif", "for code scanning"),
        ("exitgate lint bb3 --fail-level note", "a shipped policy, and every note counts"),
    ),
    codes=(
        ("0", "no finding of `--fail-level` or above"),
        *TROUBLE[:2],
        ("66", "a file or revision is missing"),
        ("69", "a finding of `--fail-level` or above"),
        *TROUBLE[2:],
    ),
    run=run,
)
