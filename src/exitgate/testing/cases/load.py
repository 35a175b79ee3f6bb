"""From the text of a tests.yaml to the cases in it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product

from exitgate.core.model.decision import CANNOT_READ
from exitgate.core.model.diagnostic import Diagnostic, ExitgateError
from exitgate.core.model.display import counted
from exitgate.core.policy.compile import load_policy
from exitgate.core.policy.compiled import CompiledPolicy
from exitgate.core.policy.findings import Findings
from exitgate.core.policy.library import document_of
from exitgate.core.policy.reading import Unreadable, read_bytes
from exitgate.core.policy.schema.check import check_schema
from exitgate.core.policy.shipped import schema
from exitgate.core.policy.values import ask_about_value
from exitgate.core.policy.yaml.document import Document, read_document
from exitgate.testing.cases.case import NOTHING, Case, Problems, Suite, Under
from exitgate.testing.cases.parse import read_case
from exitgate.testing.cases.recordings import Recordings

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
    remarks = Problems(document, findings)
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


def _written(raw: list[dict[str, object]], remarks: Problems) -> Iterator[WrittenCase]:
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


# One case as written becomes the cases to run: a case for each row of its table, each point of its grid.

Path = tuple[str | int, ...]

#: More combinations than this of one grid and table take longer than a test may.
CASE_LIMIT = 10_000
#: Columns that need no prefix: what people most often expect.
SHORT = ("verdict", "class", "outcome", "rule", "message", "firm", "blind")
SECTIONS = ("history", "sources", "set", "expect")
TOP = ("name", "stage", "agent_exit")


class ExpansionError(ValueError):
    """A table or grid that cannot be spread; `path` is where in the document."""

    def __init__(self, message: str, path: Path, advice: str) -> None:
        self.path = path
        self.advice = advice
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class WrittenCase:
    """
    A case as plain YAML data, table and grid spread.

    `spots` maps a path inside the case to the path in the document where it was written, for cells;
    everything else is under `home`.
    """

    case: Mapping[str, object]
    home: Path
    spots: Mapping[Path, Path] = field(default_factory=dict)

    def spot(self, *path: str | int) -> Path:
        """Return the path in the document of what is at `path` in the case."""
        for length in range(len(path), 0, -1):
            found = self.spots.get(path[:length])
            if found is not None:
                return found
        return self.home + path


def column(name: str) -> Path:
    """Return the path inside a case that a column of a table or a name in a grid stands for."""
    if name in SHORT:
        return ("expect", name)
    if name in TOP:
        return (name,)
    if name.startswith("$"):
        return ("set", name[1:])
    section, dot, rest = name.partition(".")
    if not dot or section not in SECTIONS:
        return ("facts", name)
    key, dot, below = rest.partition(".")
    if section == "expect" and dot:
        return (section, key, below)
    return (section, rest)


def expand(case: Mapping[str, object], home: Path) -> Iterator[WrittenCase]:
    """
    Yield the cases that `case`, which is at `home` in the document, is short for.

    Raises `ExpansionError` for a row that is not as long as the columns, for too many cases, and
    where a cell and the case itself say the same thing.
    """
    table, grid = case.get("table"), case.get("grid")
    plain = {key: value for key, value in case.items() if key not in ("table", "grid")}
    rows = list(_rows(table, home)) if isinstance(table, dict) else [()]
    points = list(_points(grid, home)) if isinstance(grid, dict) else [()]
    if len(rows) * len(points) > CASE_LIMIT:
        raise ExpansionError(
            f"this makes {len(rows) * len(points)} cases, at most {CASE_LIMIT} are run",
            home,
            "use fewer values",
        )
    for row, point in product(rows, points):
        yield _placed(plain, home, (*row, *point))


Cell = tuple[str, object, Path]


def _rows(table: Mapping[str, list[object]], home: Path) -> Iterator[tuple[Cell, ...]]:
    columns = [str(name) for name in table["columns"]]
    for number, row in enumerate(table["rows"]):
        at = (*home, "table", "rows", number)
        assert isinstance(row, list)
        if len(row) != len(columns):
            raise ExpansionError(
                f"the row has {counted(len(row), 'cell')} for {counted(len(columns), 'column')}",
                at,
                "write ~ for an empty cell",
            )
        yield tuple((name, cell, (*at, i)) for i, (name, cell) in enumerate(zip(columns, row, strict=True)))


def _points(grid: Mapping[str, list[object]], home: Path) -> Iterator[tuple[Cell, ...]]:
    names = [str(name) for name in grid]
    for choice in product(*(list(enumerate(values)) for values in grid.values())):
        yield tuple(
            (name, value, (*home, "grid", name, i)) for name, (i, value) in zip(names, choice, strict=True)
        )


def _placed(plain: Mapping[str, object], home: Path, cells: tuple[Cell, ...]) -> WrittenCase:
    case = {key: dict(value) if isinstance(value, dict) else value for key, value in plain.items()}
    spots: dict[Path, Path] = {}
    said: list[str] = []
    for name, value, at in cells:
        if value is None:
            continue
        path = column(name)
        _put(case, path, value, at)
        spots[path] = at
        if path[0] not in ("expect", "name"):
            said.append(f"{name} {value}")
    if cells and ("name",) not in spots:
        case["name"] = f"{plain['name']} [{', '.join(said)}]"
    elif cells:
        case["name"] = f"{plain['name']} [{case['name']}]"
    return WrittenCase(case, home, spots)


def _put(case: dict[str, object], path: Path, value: object, at: Path) -> None:
    holder = case
    for key in path[:-1]:
        below = holder.setdefault(str(key), {})
        copied = dict(below) if isinstance(below, dict) else {}
        holder[str(key)] = copied
        holder = copied
    last = str(path[-1])
    if last in holder and path != ("name",):
        raise ExpansionError(f"`{last}` is in the case and in its table or grid", at, "keep one of them")
    holder[last] = value


# Fractions given for percentages in a file of tests: they are asked about, as in policies (EP446).


def fractions(suite: Suite) -> tuple[Diagnostic, ...]:
    """Return a warning for each fact or parameter of type percent that a test gives as a fraction."""
    findings = Findings()
    findings.know(suite.document.lines)
    types = {name: spec.type for name, spec in suite.policy.facts.items()}
    types |= {name: parameter.type for name, parameter in suite.policy.parameters.items()}
    for part in suite.document.root.walk():
        for name, value in part.fields.items():
            if name in types:
                ask_about_value(types[name], value.value, value.text, value.place, findings)
    return findings.sorted()
