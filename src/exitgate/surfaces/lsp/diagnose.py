"""What is wrong with a text: the same that `exitgate validate` would say of the file."""

from __future__ import annotations

import os

from exitgate.model.diagnostic import ExitgateError
from exitgate.policy.library import load_file
from exitgate.surfaces.lsp.roles import LEXICON, POLICY, SETTINGS, TESTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from exitgate.model.diagnostic import Diagnostic
    from exitgate.surfaces.lsp.desk import Desk


def diagnose(kind: str, path: str, text: str, desk: Desk, quick: bool = False) -> tuple[Diagnostic, ...]:
    """
    Return everything that is wrong with a text, and with what it rests on.

    Args:
        kind: `POLICY`, `LEXICON`, `TESTS` or `SETTINGS`; of anything else nothing is said.
        path: The file, absolute; diagnostics on it name it so.
        text: What the editor shows.
        desk: Other open texts: a parent that is not saved yet counts as it is shown.
        quick: Leave out what takes long : whether the policy is the settings of each case of tests.
    """
    look = _quick_tests if quick and kind == TESTS else _LOOKS.get(kind)
    if look is None:
        return ()

    def ask() -> tuple[Diagnostic, ...]:
        try:
            # What is not a strict YAML is reported alone: the rest would only follow from it.
            load_file(path)
            return look(path, text)
        except ExitgateError as error:
            return error.diagnostics

    return desk.showing(path, text).reading(ask)


def _policy(path: str, text: str) -> tuple[Diagnostic, ...]:
    del text
    from exitgate.policy.compile import load_policy

    policy = load_policy(path, base=os.path.dirname(path))
    return policy.warnings  # type: ignore[return-value]


def _lexicon(path: str, text: str) -> tuple[Diagnostic, ...]:
    del text
    from exitgate.policy import shipped
    from exitgate.policy.findings import Findings
    from exitgate.policy.schema_check import check_schema

    document = load_file(path)
    findings = Findings()
    findings.know(document.lines)
    check_schema(document.root, shipped.schema("lexicon"), findings)
    return findings.sorted()


def _tests(path: str, text: str) -> tuple[Diagnostic, ...]:
    from exitgate.testing.load import load_suite

    load_suite(text, path, os.path.dirname(path))
    return ()


def _quick_tests(path: str, text: str) -> tuple[Diagnostic, ...]:
    from exitgate.testing.load import read_suite

    read_suite(text, path, os.path.dirname(path))
    return ()


def _settings(path: str, text: str) -> tuple[Diagnostic, ...]:
    del text
    from exitgate.gate.discover import DEFAULT_POLICY
    from exitgate.policy.layers.load import problems_of

    return problems_of(path, DEFAULT_POLICY)


_LOOKS: dict[str, Callable[[str, str], tuple[Diagnostic, ...]]] = {
    POLICY: _policy,
    LEXICON: _lexicon,
    TESTS: _tests,
    SETTINGS: _settings,
}
