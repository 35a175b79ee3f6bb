"""From the text of a tests.yaml to the cases in it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from exitgate.engine.program import Program
from exitgate.model.diagnostic import Diagnostic, ExitgateError
from exitgate.model.verdict import CANNOT_READ
from exitgate.policy.compile import load_policy
from exitgate.policy.document import read_document
from exitgate.policy.findings import Findings
from exitgate.policy.schema_check import check_schema
from exitgate.policy.shipped import schema
from exitgate.testing.expand import ExpansionError, expand
from exitgate.testing.reading import read_case
from exitgate.testing.remarks import Remarks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.policy.compiled import CompiledPolicy
    from exitgate.testing.case import Case
    from exitgate.testing.expand import Written

POLICY_FILE = "policy.yaml"


class Suite:
    """The cases of one file with the policy they are for; programs are compiled once for each setting."""

    def __init__(self, reference: str, policy: CompiledPolicy, cases: tuple[Case, ...]) -> None:
        self.policy = policy
        self.cases = cases
        self._reference = reference
        self._programs: dict[tuple[tuple[str, str], ...], Program] = {(): Program(policy)}

    @property
    def unset(self) -> Program:
        """The policy's program with its own parameters."""
        return self._programs[()]

    def program(self, case: Case) -> Program:
        """Return the policy's program under the case's settings. Raises `ExitgateError`."""
        key = tuple(sorted(case.settings.items()))
        found = self._programs.get(key)
        if found is None:
            policy = load_policy(self._reference, settings=case.settings)
            found = self._programs[key] = Program(policy)
        return found


def load_file(path: str, shown: str | None = None) -> Suite:
    """
    Return the suite of the file at `path`, told about as `shown`.

    Raises `ExitgateError` with every diagnostic: 74 when it cannot be read, 65 for anything wrong in
    it or in its policy.
    """
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        message = f"`{path}` cannot be read: {reason}"
        raise ExitgateError([Diagnostic("EP811", message, help="name a tests.yaml")], CANNOT_READ) from error
    return load_suite(text, shown or path, os.path.dirname(path) or ".")


def load_suite(text: str, file: str, folder: str) -> Suite:
    """
    Return the suite that `text`, to be told about as `file`, holds.

    The policy is the one the text names (a path relative to `folder`, or a name), else the
    policy.yaml in `folder`. Raises `ExitgateError` with every diagnostic.
    """
    findings = Findings()
    suite = _read(text, file, folder, findings)
    for case in suite.cases:
        _try_settings(suite, case, findings)
    findings.raise_errors()
    return suite


def read_suite(text: str, file: str, folder: str) -> Suite:
    """Do as `load_suite`, but compile the policy under no settings of a case before it is asked for."""
    return _read(text, file, folder, Findings())


def _read(text: str, file: str, folder: str, findings: Findings) -> Suite:
    document = read_document(text, file, findings)
    findings.raise_errors()
    assert document is not None
    check_schema(document.root, schema("tests"), findings)
    findings.raise_errors()
    data = document.data
    assert isinstance(data, dict)
    reference = _reference(str(data.get("policy") or POLICY_FILE), folder)
    policy = load_policy(reference)
    remarks = Remarks(document, findings)
    cases = tuple(
        read_case(written, policy, document, remarks) for written in _written(data["tests"], remarks)
    )
    findings.raise_errors()
    return Suite(reference, policy, cases)


def _try_settings(suite: Suite, case: Case, findings: Findings) -> None:
    """Compile the policy under the settings of a case, and tell at the case what is wrong with them."""
    try:
        suite.program(case)
    except ExitgateError as error:
        for diagnostic in error.diagnostics:
            findings.error("EP491", diagnostic.message, case.place, diagnostic.help)


def _reference(named: str, folder: str) -> str:
    """Return the path of the file that `named` is in `folder`; a name that is no file there stays a name."""
    path = os.path.join(folder, named)
    return path if named == POLICY_FILE or os.path.isfile(path) else named


def _written(raw: list[dict[str, object]], remarks: Remarks) -> Iterator[Written]:
    """Yield every case, tables and grids spread, with a remark on each that cannot be."""
    seen: set[str] = set()
    for number, case in enumerate(raw):
        try:
            spread = list(expand(case, ("tests", number)))
        except ExpansionError as error:
            remarks.add("EP498", str(error), error.path, error.advice)
            continue
        for written in spread:
            name = str(written.case["name"])
            if name in seen:
                remarks.add(
                    "EP499", f"a second case `{name}`", written.spot("name"), "give each a name of its own"
                )
            seen.add(name)
            yield written
