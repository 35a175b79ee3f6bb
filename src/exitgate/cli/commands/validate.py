"""`exitgate validate`: everything that is wrong in policies, lexicons and policy tests."""

from __future__ import annotations

import os
from collections.abc import Iterable

from exitgate.cli.command import Answer, Argument, Command, ParsedArguments, formats
from exitgate.cli.parsing.usage import failure
from exitgate.cli.terminal import Terminal
from exitgate.core.model.decision import NOTHING_TO_DECIDE, OK
from exitgate.core.model.diagnostic import Diagnostic, ExitgateError
from exitgate.core.policy import shipped
from exitgate.core.policy.findings import Findings
from exitgate.report.diagnostics import diagnostics_text

ENDINGS = (".yaml", ".yml")

#: The one hidden folder that is looked into on the way; `.github` and its like hold files of others.
SETTINGS = ".bb3"
#: Where a project has its settings and policies: what is checked when no path is named.
USUAL = (SETTINGS, "policies")
TESTS = "tests.yaml"


def run(given: ParsedArguments, terminal: Terminal) -> Answer:
    """Check each file and return all diagnostics; 65 when one of them is an error."""
    files, problems = files_and_problems(given.texts("path") or _usual())
    if not files:
        raise ExitgateError(problems, NOTHING_TO_DECIDE)
    found: dict[Diagnostic, None] = dict.fromkeys(problems)
    code = NOTHING_TO_DECIDE if problems else OK
    for file in files:
        diagnostics, worst = problems_of(file)
        found.update(dict.fromkeys(diagnostics))
        code = code or worst
    text = _form(list(found), given.word("format"), terminal)
    note = f"{len(files)} file{'' if len(files) == 1 else 's'} checked, nothing wrong\n"
    return Answer(text, "" if found or given.word("format") == "json" else note, code)


def _usual() -> tuple[str, ...]:
    """Return the folders here that hold settings and policies. Raises `ExitgateError` (66) without any."""
    found = tuple(folder for folder in USUAL if os.path.isdir(folder))
    if not found:
        where = " or ".join(f"`{folder}/`" for folder in USUAL)
        message = f"no PATH is named, and there is no {where} here"
        raise failure("EP805", message, "name files or folders", NOTHING_TO_DECIDE)
    return found


def files_of(path: str) -> tuple[str, ...]:
    """
    Return the file itself, or the YAML files in and below a folder, sorted.

    Hidden folders below it are passed over, except the one of settings.

    Raises `ExitgateError` (66) for a folder without any.
    """
    if not os.path.isdir(path) or _is_settings(os.path.abspath(path)):
        return (path,)
    files = []
    for folder, below, names in os.walk(path):
        # a folder in place of the settings stops every check, so it is not passed over here
        here = os.path.abspath(folder)
        files += [os.path.join(folder, name) for name in below if _is_settings(os.path.join(here, name))]
        below[:] = [name for name in below if name == SETTINGS or not name.startswith(".")]
        files += [os.path.join(folder, name) for name in names if name.endswith(ENDINGS)]
    files.sort()
    if not files:
        raise failure(
            "EP805", f"no YAML file in or below `{path}`", "name a file or another folder", NOTHING_TO_DECIDE
        )
    return tuple(files)


def _is_settings(path: str) -> bool:
    """Return whether a project has its settings at a path, be it a file or a folder."""
    return path.endswith(os.path.join(os.sep, SETTINGS, "config.yaml"))


def files_and_problems(paths: Iterable[str]) -> tuple[tuple[str, ...], tuple[Diagnostic, ...]]:
    """Return the files that paths mean, see `files_of`, and a diagnostic for each folder without any."""
    files: list[str] = []
    problems: list[Diagnostic] = []
    for path in paths:
        try:
            files += files_of(path)
        except ExitgateError as error:
            problems += error.diagnostics
    return tuple(files), tuple(problems)


def files_of_all(paths: Iterable[str]) -> tuple[str, ...]:
    """Return the files that paths mean. Raises `ExitgateError` (66) with every path that means none."""
    files, problems = files_and_problems(paths)
    missing = tuple(
        Diagnostic("EP811", f"there is no file `{file}`", help="check the path")
        for file in files
        if not os.path.lexists(file)
    )
    if problems or missing:
        raise ExitgateError(problems + missing, NOTHING_TO_DECIDE)
    return files


def problems_of(path: str) -> tuple[tuple[Diagnostic, ...], int]:
    """
    Return what is wrong in one file, and the exit code for it.

    What kind of file it is, its keys say: `lexicon:`, `tests:`, `exit_decision:`, else it is a policy. A
    `tests.yaml` is one of tests even if its `tests:` is missing.
    """
    from exitgate.core.policy.library import load_file
    from exitgate.testing.cases.load import fractions
    from exitgate.testing.cases.load import load_file as load_tests

    try:
        keys = load_file(path).data
        assert isinstance(keys, dict)
        if "lexicon" in keys:
            return _lexicon_problems(path), OK
        if "tests" in keys or os.path.basename(path) == TESTS:
            return fractions(load_tests(path)), OK
        if "exit_decision" in keys:
            from exitgate.core.settings import load
            from exitgate.core.state.discover import DEFAULT_POLICY

            return load.problems_of(path, DEFAULT_POLICY), OK
        from exitgate.core.policy.compile import load_policy

        warnings = load_policy(path).warnings
        return tuple(w for w in warnings if isinstance(w, Diagnostic)), OK
    except ExitgateError as error:
        return error.diagnostics, error.exit_code


def _lexicon_problems(path: str) -> tuple[Diagnostic, ...]:
    """Return the warnings on a lexicon. Raises `ExitgateError` with its errors."""
    from exitgate.core.policy.library import load_file
    from exitgate.core.policy.schema.check import check_schema

    document = load_file(path)
    findings = Findings()
    findings.know(document.lines)
    check_schema(document.root, shipped.schema("lexicon"), findings)
    findings.raise_errors()
    return findings.sorted()


def _form(diagnostics: list[Diagnostic], form: str, terminal: Terminal) -> str:
    if form == "json":
        from exitgate.report.formats.output import diagnostic_outputs, output_text

        return output_text(diagnostic_outputs(diagnostics))
    if form == "github":
        from exitgate.report.formats.github import diagnostics_github

        return diagnostics_github(diagnostics)

    return diagnostics_text(diagnostics, terminal.out)


COMMAND = Command(
    "validate",
    "report everything that is wrong in policies, lexicons, tests and settings",
    about="All problems of all files are reported at once, each with its place, "
    "its line and how to fix it. The report goes to stdout. In a folder, every YAML file is "
    "checked, but none in hidden folders below it other than `.bb3`.",
    arguments=(Argument("[PATH...]", "files, or folders of them; `.bb3` and `policies` by default"),),
    options=(formats("text", "json", "github", doc="form of the report"),),
    examples=(
        ("exitgate validate policies/", "everything in a folder"),
        ("exitgate validate policy.yaml --format github", "annotations in a workflow"),
    ),
    codes={
        "0": "nothing is wrong, or there are only warnings",
        "65": "there is an error",
        "66": "a file is missing",
    },
    run=run,
)
