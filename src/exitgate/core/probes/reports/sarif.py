"""
SARIF 2.1.0, as linters and scanners write it.

Counted are results of the kind `fail` that are neither suppressed nor gone since the baseline; those of the
level `error` have failed. A result without a level has that of its rule, or `warning`.
"""

from __future__ import annotations

from msgspec import Struct, field

from exitgate.core.probes.figures import Figures, ReportError
from exitgate.core.probes.reports.document import read
from exitgate.core.system.lenient import read_as

NAME = "sarif"


class _Configuration(Struct, frozen=True):
    level: str = ""


class _Rule(Struct, frozen=True, rename="camel"):
    id: str = ""
    default_configuration: _Configuration = field(default_factory=_Configuration)


class _Driver(Struct, frozen=True):
    rules: tuple[_Rule, ...] = ()


class _Tool(Struct, frozen=True):
    driver: _Driver = field(default_factory=_Driver)


class _Artifact(Struct, frozen=True):
    uri: str = ""


class _Region(Struct, frozen=True, rename="camel"):
    start_line: int | None = None


class _Physical(Struct, frozen=True, rename="camel"):
    artifact_location: _Artifact = field(default_factory=_Artifact)
    region: _Region = field(default_factory=_Region)


class _Location(Struct, frozen=True, rename="camel"):
    physical_location: _Physical = field(default_factory=_Physical)


class _Suppression(Struct, frozen=True):
    status: str = "accepted"


class _Result(Struct, frozen=True, rename="camel"):
    rule_id: str = ""
    level: str = ""
    kind: str = "fail"
    baseline_state: str = ""
    locations: tuple[_Location, ...] = ()
    suppressions: tuple[_Suppression, ...] = ()


class _Run(Struct, frozen=True):
    tool: _Tool = field(default_factory=_Tool)
    results: tuple[_Result, ...] | None = None


class _Report(Struct, frozen=True):
    version: str = ""
    runs: tuple[_Run, ...] | None = None


def parse(data: bytes) -> Figures:
    """Return total, failed and failing of a report. Raises `ReportError`."""
    report = read_as(_Report, read(data))
    if report.runs is None or not report.version.startswith("2."):
        raise ReportError("it is not SARIF 2: `version` or `runs` is missing")
    if any(run.results is None for run in report.runs):
        raise ReportError("a run of it has no results: the tool did not come to its end")
    total, failing = 0, []
    for run in report.runs:
        levels = {rule.id: rule.default_configuration.level for rule in run.tool.driver.rules}
        for one in run.results or ():
            if one.kind != "fail" or one.baseline_state == "absent":
                continue
            if any(suppression.status == "accepted" for suppression in one.suppressions):
                continue
            total += 1
            if (one.level or levels.get(one.rule_id) or "warning") == "error":
                failing.append(_name(one))
    return Figures(total=total, failed=len(failing), failing=tuple(failing))


def _name(result: _Result) -> str:
    """Return `rule at file:line`, or as much as there is."""
    rule = result.rule_id or "a result without a rule"
    if not result.locations:
        return rule
    place = result.locations[0].physical_location
    line = place.region.start_line
    where = place.artifact_location.uri + (f":{line}" if line is not None else "")
    return f"{rule} at {where}" if where else rule
