"""From the text of a tests.yaml to the cases in it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from exitgate.model.diagnostic import Diagnostic, ExitgateError
from exitgate.model.verdict import CANNOT_READ
from exitgate.policy.compile import load_policy
from exitgate.policy.document import read_document
from exitgate.policy.findings import Findings
from exitgate.policy.library import Unreadable, document_of, read_bytes
from exitgate.policy.schema_check import check_schema
from exitgate.policy.shipped import schema
from exitgate.testing.expand import ExpansionError, expand
from exitgate.testing.reading import read_case
from exitgate.testing.recordings import Recordings
from exitgate.testing.remarks import Remarks
from exitgate.testing.suite import NOTHING, Suite, Under

if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.policy.compiled import CompiledPolicy
    from exitgate.policy.document import Document
    from exitgate.testing.case import Case
    from exitgate.testing.expand import Written

POLICY_FILE = "policy.yaml"


def load_file(path: str, shown: str | None = None, under: Under = NOTHING) -> Suite:
    """
    Return the suite of the file at `path`, reported as `shown`.

    `under` is what the caller asks for beside the file: its profile takes the place of the file's, and its
    settings are for parameters that the policy has; a case's own win over both.

    Raises `ExitgateError` with every diagnostic: 74 when it cannot be read, 65 for anything wrong in
    it or in its policy.
    """
    try:
        content = read_bytes(path)
    except (FileNotFoundError, Unreadable) as error:
        reason = getattr(error, "strerror", None) or str(error)
        message = f"`{path}` cannot be read: {reason}"
        raise ExitgateError([Diagnostic("EP811", message, help="name a tests.yaml")], CANNOT_READ) from error
    findings = Findings()
    document = document_of(content, shown or path, findings)
    findings.raise_errors()
    assert document is not None
    return load_suite(document.lines.text, shown or path, os.path.dirname(path) or ".", under)


def load_suite(text: str, file: str, folder: str, under: Under = NOTHING) -> Suite:
    """
    Return the suite that `text`, reported as `file`, holds.

    The policy is the one the text names (a path relative to `folder`, or a name), else the
    policy.yaml in `folder`; `under` is as for `load_file`. Raises `ExitgateError` with every diagnostic.
    """
    findings = Findings()
    suite = _read(text, file, folder, findings, under)
    for case in suite.cases:
        _try_settings(suite, case, findings)
    findings.raise_errors()
    return suite


def read_suite(text: str, file: str, folder: str) -> Suite:
    """Do as `load_suite`, but compile the policy under no settings of a case before it is asked for."""
    return _read(text, file, folder, Findings())


def _read(text: str, file: str, folder: str, findings: Findings, under: Under = NOTHING) -> Suite:
    document = read_document(text, file, findings)
    findings.raise_errors()
    assert document is not None
    check_schema(document.root, schema("tests"), findings)
    findings.raise_errors()
    data = document.data
    assert isinstance(data, dict)
    reference = _reference(str(data.get("policy") or POLICY_FILE), folder)
    policy = load_policy(reference)
    fitting = {name: value for name, value in under.settings.items() if name in policy.parameters}
    under = Under(under.profile or data.get("profile"), fitting)
    if under.profile or fitting:
        policy = _settled(reference, under, document, findings)
    remarks = Remarks(document, findings)
    recordings = Recordings(folder)
    cases = tuple(
        read_case(written, policy, document, remarks, recordings)
        for written in _written(data["tests"], remarks)
    )
    findings.raise_errors()
    return Suite(reference, policy, cases, document, under)


def _settled(reference: str, under: Under, document: Document, findings: Findings) -> CompiledPolicy:
    """Return the policy under profile and settings, a faulty profile of the file reported there."""
    try:
        return load_policy(reference, settings=under.settings, profile=under.profile)
    except ExitgateError as error:
        part = document.root.get("profile")
        if part is None or part.value != under.profile:
            raise
        for diagnostic in error.diagnostics:
            findings.error(
                diagnostic.code, diagnostic.message, diagnostic.place or part.place, diagnostic.help
            )
        findings.raise_errors()
        raise


def _try_settings(suite: Suite, case: Case, findings: Findings) -> None:
    """Compile the policy under the settings of a case, and tell at the case what is wrong with them."""
    try:
        suite.program(case)
    except ExitgateError as error:
        for diagnostic in error.diagnostics:
            code = diagnostic.code if diagnostic.code == "EP478" else "EP491"
            findings.error(code, diagnostic.message, case.place, diagnostic.help)


def _reference(named: str, folder: str) -> str:
    """
    Return the path of the file that `named` is in `folder`; a name that is not a file there stays a name.
    """
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
                    "EP499", f"a duplicate case `{name}`", written.spot("name"), "give each case its own name"
                )
            seen.add(name)
            yield written
