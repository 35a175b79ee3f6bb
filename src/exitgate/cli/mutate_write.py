"""`exitgate mutate --write-tests`: the survivors' cases in a file of tests."""

from __future__ import annotations

import os

from exitgate import system
from exitgate.model.diagnostic import Diagnostic, ExitgateError
from exitgate.model.verdict import BAD_POLICY, code_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.report.mutants_found import FoundMutants
    from exitgate.testing.suite import Suite


def write_tests(path: str, suite: Suite, found: FoundMutants) -> str:
    """
    Add the cases of survivors to the file at `path`, or begin it, and return what is to be said of it.

    Cases of a name that is there already are left out, and of those that differ in nothing but their name all
    but one. Nothing is written unless every case of the file as it would be passes.

    Raises:
        ExitgateError: 65 where cases cannot be added there, or do not pass; 73, 74.
    """
    from exitgate.report.safe import safe

    exists = os.path.isfile(path)
    text = _read(path) if exists else ""
    cases = _apart([one.example for one in found.left if one.example])
    if exists:
        cases = [case for case in cases if case.partition("\n")[0].strip() not in text]
    if not cases:
        return f"nothing to add to {safe(path)}\n"
    from exitgate.testing.mutation_write import new_file, with_cases

    new = with_cases(text, path, cases) if exists else new_file(_reference(path, suite), cases)
    _check(new, path)
    from exitgate.cli.replace import replace_text

    if exists:
        replace_text(path, new)
    else:
        from exitgate.cli.output_file import write_output

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
        problem = Diagnostic("EP805", f"cannot read `{path}`: {reason}", help="name another file")
        raise ExitgateError([problem], code_of(error)) from error


def _reference(path: str, suite: Suite) -> str:
    """Return how a file of tests at `path` names the policy: a path from its folder, or a name."""
    named = suite.reference
    if not os.path.isfile(named):
        return named
    return system.with_slashes(system.relative(named, os.path.dirname(path) or os.curdir))


def _check(text: str, path: str) -> None:
    """Raise `ExitgateError` (65) where a case of the file as it would be does not pass."""
    from exitgate.testing.load import load_suite
    from exitgate.testing.run import run_case

    suite = load_suite(text, path, os.path.dirname(path) or ".")
    failed = [case for case in suite.cases if run_case(case, suite.program(case)).failures]
    if failed:
        help = "add them to a file for the same policy and settings"
        problems = [
            Diagnostic("EP518", f"`{case.name}` would fail in `{path}`", case.place, help) for case in failed
        ]
        raise ExitgateError(problems, BAD_POLICY)
