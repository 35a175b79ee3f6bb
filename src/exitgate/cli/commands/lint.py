"""`exitgate lint`: what works in policies, lexicons and settings and should not stay as it is."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from msgspec import Struct

from exitgate.analysis.lint.registry import IDS
from exitgate.cli.command import Answer, Argument, Command, Option, ParsedArguments, formats
from exitgate.cli.commands.validate import files_of, files_of_all
from exitgate.cli.files import replace_text
from exitgate.cli.parsing.usage import failure, usage_error
from exitgate.cli.progress import progress_bar
from exitgate.cli.terminal import Terminal
from exitgate.core.model.decision import BAD_POLICY, FINDINGS, OK, USAGE
from exitgate.core.model.diagnostic import WARNING, Diagnostic, ExitgateError
from exitgate.core.policy import shipped as shipped_module
from exitgate.report.terminal import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.analysis.diff.revisions import Repository
    from exitgate.analysis.lint.finding import Lint
    from exitgate.analysis.lint.loader import Opened
    from exitgate.report.policy.lint import LintFinding


SEVERITIES = ("note", "warning", "error")
#: The lint that wants to know how a file was before.
WANTS_BEFORE = "version-not-raised"


def run(given: ParsedArguments, terminal: Terminal) -> Answer:
    """Return what lints find in every file: 65 with an error in a file, 69 with a finding that fails."""
    from exitgate.analysis.lint.run import chosen

    for option in ("select", "ignore"):
        check_ids(f"--{option}", given.texts(option))
    today = _today(given)
    if given.flag("diff") and not given.flag("fix"):
        raise usage_error("`--diff` shows what `--fix` would do", "write `--fix --diff`")
    least, quick = given.word("min_severity"), given.flag("quick")
    lints = chosen(given.texts("select"), given.texts("ignore"), least, quick)
    asked = any(lint.ID == WANTS_BEFORE for lint in lints)
    before = Before(given.text("against")) if asked else None
    files = files_to_lint(given.texts("path"))
    plain = given.word("format") == "text"
    out, err, every = "", "", []
    refused: list[Diagnostic] = []
    with progress_bar("linting") as tell:
        for number, (file, one) in enumerate(opened(files, before, today)):
            tell(number, len(files), file.path)
            if not given.flag("fix"):
                every.append(one)
                continue

            mended = fix(file, one, lints, before, today, given.flag("diff"), terminal)
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


def _found(every: Sequence[Opened], lints: Sequence[Lint]) -> tuple[list[Diagnostic], list[LintFinding]]:
    """Return the errors of all files, each once, and what lints find in those that can be read."""
    from exitgate.analysis.lint.run import diagnostic, lint
    from exitgate.report.policy.lint import LintFinding

    problems: dict[Diagnostic, None] = {}
    told = []
    for one in every:
        problems.update(dict.fromkeys(one.problems))
        for placed in lint(one.subject, lints) if one.subject is not None else ():
            reason = placed.suppression.reason if placed.suppression is not None else None
            told.append(LintFinding(diagnostic(placed), bool(placed.finding.edits), reason))
    return list(problems), told


def _code(problems: Sequence[Diagnostic], told: Sequence[LintFinding], fail_level: str) -> int:
    if any(problem.severity == "error" for problem in problems):
        return BAD_POLICY
    fails = SEVERITIES[SEVERITIES.index(fail_level) :]
    found = (one.diagnostic.severity for one in told if one.reason is None)
    return FINDINGS if any(severity in fails for severity in found) else OK


def _today(given: ParsedArguments) -> str:
    """Return the day given, or that of the clock in UTC."""
    from exitgate.core.policy.extending.rule_chain import is_date

    today = given.text("today")
    if today is None:
        from time import gmtime, strftime

        return strftime("%Y-%m-%d", gmtime())
    if not is_date(today):
        raise usage_error(f"`--today {today}` is not a date", "write year, month, day: `--today 2027-03-01`")
    return today


def _form(
    problems: Sequence[Diagnostic], told: Sequence[LintFinding], files: int, form: str, terminal: Terminal
) -> str:
    from exitgate.report.policy import lint as report

    if form == "json":
        return report.lint_json(problems, told, files)
    if form == "text":
        return report.lint_text(problems, told, terminal.out)
    if form == "sarif":
        from exitgate.analysis.lint.doc import doc_of
        from exitgate.analysis.lint.registry import lints
        from exitgate.report.formats.sarif import SarifRule, sarif_text

        rules = [
            SarifRule(one.ID, one.TITLE, doc_of(one).finds, one.SEVERITY, report.page_path(one.ID))
            for one in lints()
        ]
        suppressed = {one.diagnostic: one.reason for one in told if one.reason is not None}
        return sarif_text([*problems, *(one.diagnostic for one in told)], rules, suppressed)
    from exitgate.report.formats.github import diagnostics_github

    return diagnostics_github([*problems, *(one.diagnostic for one in told if one.reason is None)])


COMMAND = Command(
    "lint",
    "report problems in valid policies, lexicons and settings",
    about="Every finding names its lint, which has a page in the reference. A comment with a reason turns "
    "a lint off at its place: `# lint: off ID: reason`, or `# lint: off-file ID: reason` for the whole "
    "file. Files that do not compile are reported as `validate` does, with the lints that need only "
    "the text. In a folder, tests and other kinds of files are skipped.",
    arguments=(Argument("PATH...", "files, folders of them, or names of shipped policies"),),
    options=(
        Option("--select ID...", "run only this lint"),
        Option("--ignore ID...", "skip this lint"),
        Option("--min-severity", "skip lints below this severity", choices=SEVERITIES, default="note"),
        Option("--fail-level", "exit 69 from this severity on", choices=SEVERITIES, default="warning"),
        Option("--quick", "skip the lints that try inputs, which take seconds"),
        Option("--fix", "fix what can be fixed automatically; decisions and comments do not change"),
        Option("--diff", "with --fix: only print what would change"),
        Option("--today DATE", "the date for expiring exceptions; today by default"),
        Option("--against REV", "the git revision that versions are compared with; HEAD by default"),
        formats("text", "json", "sarif", "github", doc="form of the report"),
    ),
    examples=(
        ("exitgate lint policies/", "everything in a folder"),
        ("exitgate lint --fix --diff policy.yaml", "what would be fixed automatically"),
        ("exitgate lint . --format sarif > lint.sarif", "for code scanning"),
        ("exitgate lint bb3 --fail-level note", "a shipped policy, and every note counts"),
    ),
    codes={
        "0": "no finding of `--fail-level` or above",
        "66": "a file or revision is missing",
        "69": "a finding of `--fail-level` or above",
    },
    run=run,
)


# The files that `exitgate lint` looks at: which they are, how they were before, what is in them.

#: Codes of this package, one line each; `docs` reads them.
CODES = {
    "EP520": "there is no lint of that name",
    "EP521": "a shipped file is not fixed in place",
    "EP522": "a finding is not fixed because the fix would change the file's meaning",
}
#: The revision that a policy is compared with by default.
HEAD = "HEAD"


class LintTarget(Struct, frozen=True):
    """
    A file to lint.

    Args:
        path: As it is named in the report.
        named: The user named it, or its policy, and did not find it in a folder.
        shipped: It comes with exitgate and was named by its name.
    """

    path: str
    named: bool
    shipped: bool = False


def files_to_lint(arguments: Sequence[str]) -> tuple[LintTarget, ...]:
    """
    Return the files that arguments mean, each once: a file, the YAML files below a folder, a shipped name.

    Raises `ExitgateError` (66) with every path that does not exist and every folder without any.
    """
    found: dict[str, LintTarget] = {}
    names = shipped_module.policies()
    files_of_all(one for one in arguments if os.path.exists(one) or one not in names)
    for argument in arguments:
        if not os.path.exists(argument) and argument in names:
            found.setdefault(argument, LintTarget(shipped_module.path(argument), True, True))
            continue
        for path in files_of(argument):
            found.setdefault(os.path.realpath(path), LintTarget(path, not os.path.isdir(argument)))
    return tuple(found.values())


class Before:
    """Files as they were in git; nothing outside of a work tree or if there is no commit."""

    def __init__(self, revision: str | None) -> None:
        """Take a revision that must be there, or None for the last commit, which may be missing."""
        self._revision = revision
        self._repositories: dict[str, Repository] = {}

    def text(self, path: str) -> str | None:
        """
        Return a file's text at the revision, or None where it was missing or was not text.

        Raises `ExitgateError`: 66 where the named revision does not exist, 74 where git cannot answer.
        """
        from exitgate.analysis.diff.revisions import not_there, repository_of

        found = repository_of(path)
        if found is None:
            if self._revision is not None:
                message = f"`{path}` is not in a git work tree"
                raise not_there(message, "omit `--against`, or lint it where it is tracked")
            return None
        repository = self._repositories.setdefault(found[0].top, found[0])
        commit = repository.commit(self._revision or HEAD)
        if commit is None:
            if self._revision is not None:
                message = f"there is no revision `{self._revision}` in {repository.top}"
                raise not_there(message, "see `git log`, `git tag`, `git branch`")
            return None
        content = repository.content(commit, found[1])
        try:
            return content.decode("utf-8") if content is not None else None
        except UnicodeDecodeError:
            return None  # it cannot have been a policy


def opened(
    files: Sequence[LintTarget], before: Before | None, today: str
) -> Iterator[tuple[LintTarget, Opened]]:
    """
    Yield each file with what lints look at; files of other kinds in folders are passed over.

    Args:
        files: What to open.
        before: How policies were; None where that is not asked.
        today: The day, ``2027-03-01``.
    """
    for file in files:
        one = reopen(file, before, today)
        if one.subject is not None or one.problems:
            yield file, one


def reopen(file: LintTarget, before: Before | None, today: str, text: str | None = None) -> Opened:
    """Return one file opened, with `text` in place of what it holds where that is given."""
    from exitgate.analysis.lint.finding import POLICY
    from exitgate.analysis.lint.loader import kind_of, open_subject
    from exitgate.core.policy.library import load_file
    from exitgate.core.state.discover import DEFAULT_POLICY

    earlier = None
    if before is not None:
        try:
            earlier = before.text(file.path) if kind_of(load_file(file.path)) == POLICY else None
        except ExitgateError as error:
            if error.exit_code != ExitgateError.exit_code:
                raise
    return open_subject(file.path, DEFAULT_POLICY, today, earlier, text, file.named)


def check_ids(option: str, ids: Sequence[str]) -> None:
    """Raise `ExitgateError` (64) for an id that no lint has."""
    from exitgate.core.model.spelling import suggestion

    for id in ids:
        if id not in IDS:
            raise usage_error(
                f"`{option} {id}`: there is no such lint", suggestion(id, IDS, "lints"), "EP520"
            )


# `exitgate lint --fix`: what can be fixed without a person, written or shown.


class Fixed(Struct, frozen=True):
    """
    A file that `--fix` looked at.

    Args:
        opened: As it is then.
        refused: Warnings on what was not fixed.
        diff: What changed, painted; empty where nothing did.
        remark: One line for stderr, or the empty text.
    """

    opened: Opened
    refused: tuple[Diagnostic, ...] = ()
    diff: str = ""
    remark: str = ""


def fix(
    file: LintTarget,
    opened: Opened,
    lints: Sequence[Lint],
    before: Before | None,
    today: str,
    only_show: bool,
    terminal: Terminal,
) -> Fixed:
    """
    Fix one file and write it, or only show what would change.

    A file with errors is left as it is. Raises `ExitgateError`: 64 for what comes with exitgate, 73 where
    it cannot be written.
    """
    from exitgate.analysis.lint.fix import fix
    from exitgate.analysis.lint.run import diagnostic
    from exitgate.report.formats.unified_diff import change_text

    if opened.subject is None or opened.problems:
        return Fixed(opened)
    old = opened.subject.document.lines.text
    fixed = fix(opened, lints, lambda text: reopen(file, before, today, text))
    refused = tuple(_refused(diagnostic(placed)) for placed in fixed.refused)
    if fixed.text == old:
        return Fixed(opened, refused)
    shown = change_text(file.path, old, fixed.text, "fixed", terminal.out) if only_show else ""
    if not only_show:
        if file.shipped:
            raise _not_ours(file.path)
        replace_text(file.path, fixed.text)
    verb = "would fix" if only_show else "fixed"
    remark = f"{verb} {safe(file.path)} in {fixed.fixed} place{'' if fixed.fixed == 1 else 's'}\n"
    return Fixed(reopen(file, before, today, fixed.text), refused, shown, remark)


def _refused(found: Diagnostic) -> Diagnostic:
    message = f"not fixed: {found.message}"
    help = "fix it by hand: the edit would have changed what the file means"
    return Diagnostic("EP522", message, found.place, help, WARNING, found.source)


def _not_ours(path: str) -> ExitgateError:
    help = "copy it first: `exitgate policies eject NAME FOLDER`"
    return failure("EP521", f"`{path}` comes with exitgate", help, USAGE)
