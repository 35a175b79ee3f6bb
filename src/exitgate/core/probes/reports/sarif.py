"""
SARIF 2.1.0, as linters and scanners write it.

Counted are results of the kind `fail` that are neither suppressed nor gone since the baseline; those of the
level `error` have failed. A result without a level has that of its rule, or `warning`. An error of the tool
itself, a notification, has failed as well. A run that did not come to its end says nothing.
"""

from __future__ import annotations

import msgspec
from msgspec import Struct, field

from exitgate.core.probes.figures import NEVER, Figures, ReportError, check_time
from exitgate.core.probes.reports.document import read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

NAME = "sarif"
_ERROR, _DEFAULT = "error", "warning"
_LEVELS = ("none", "note", _DEFAULT, _ERROR)
#: Kinds of results that are not findings.
_KINDS = ("pass", "open", "informational", "notApplicable", "review")
#: Results after which the clock is looked at.
_RESULTS = 4096


class _Configuration(Struct, frozen=True):
    level: str = ""


class _Rule(Struct, frozen=True, rename="camel"):
    id: str = ""
    default_configuration: _Configuration | None = None


class _Component(Struct, frozen=True):
    name: str = ""
    guid: str = ""
    rules: tuple[_Rule, ...] | None = None


class _Tool(Struct, frozen=True):
    driver: _Component = field(default_factory=_Component)
    extensions: tuple[_Component, ...] | None = None


class _ComponentReference(Struct, frozen=True):
    index: int = -1
    name: str = ""
    guid: str = ""


class _RuleReference(Struct, frozen=True, rename="camel"):
    id: str = ""
    index: int = -1
    tool_component: _ComponentReference | None = None


class _Artifact(Struct, frozen=True):
    uri: str | None = None


class _Region(Struct, frozen=True, rename="camel"):
    start_line: int | None = None


class _Physical(Struct, frozen=True, rename="camel"):
    artifact_location: _Artifact | None = None
    region: _Region | None = None


class _Location(Struct, frozen=True, rename="camel"):
    physical_location: _Physical | None = None


class _Suppression(Struct, frozen=True):
    status: str = "accepted"


class _Result(Struct, frozen=True, rename="camel"):
    rule_id: str = ""
    rule_index: int = -1
    rule: _RuleReference | None = None
    level: str = ""
    kind: str = "fail"
    baseline_state: str = ""
    locations: tuple[_Location, ...] | None = None
    suppressions: tuple[_Suppression, ...] | None = None

    @property
    def name(self) -> str:
        """The id of its rule; may be empty."""
        return self.rule_id or (self.rule.id if self.rule is not None else "")


class _Notification(Struct, frozen=True):
    level: str = ""
    descriptor: _RuleReference | None = None


class _Override(Struct, frozen=True):
    descriptor: _RuleReference | None = None
    configuration: _Configuration | None = None


class _Invocation(Struct, frozen=True, rename="camel"):
    execution_successful: bool | None = None
    exit_signal_name: str | None = None
    process_start_failure_message: str | None = None
    tool_execution_notifications: tuple[_Notification, ...] | None = None
    tool_configuration_notifications: tuple[_Notification, ...] | None = None
    rule_configuration_overrides: tuple[_Override, ...] | None = None


class _Elsewhere(Struct, frozen=True):
    results: tuple[msgspec.Raw, ...] | None = None


class _Run(Struct, frozen=True, rename="camel"):
    tool: _Tool = field(default_factory=_Tool)
    results: tuple[_Result, ...] | None = None
    invocations: tuple[_Invocation, ...] | None = None
    external_property_file_references: _Elsewhere | None = None


class _Report(Struct, frozen=True, rename="camel"):
    version: str = ""
    runs: tuple[_Run, ...] | None = None
    inline_external_properties: tuple[_Elsewhere, ...] | None = None


def parse(data: bytes, until: float = NEVER) -> Figures:
    """Return total, failed and failing of a report. Raises `ReportError`."""
    plain = read(data)
    check_time(until)
    try:
        report = msgspec.convert(plain, _Report)
    except (msgspec.ValidationError, UnicodeEncodeError) as error:
        raise ReportError(f"it is not SARIF 2: {error}") from error
    if report.runs is None or not report.version.startswith("2."):
        raise ReportError("it is not SARIF 2: `version` or `runs` is missing")
    if not report.runs:
        raise ReportError("it has no run of a tool")
    elsewhere = [*(report.inline_external_properties or ())]
    elsewhere += [run.external_property_file_references or _Elsewhere() for run in report.runs]
    if any(place.results for place in elsewhere):
        raise ReportError("some of its results are not in its runs")
    total = 0
    failing: list[str] = []
    for run in report.runs:
        failing += _of_tool(run)
        rules = _Rules(run)
        for number, one in enumerate(run.results or (), 1):
            if not number % _RESULTS:
                check_time(until)
            if not _counts(one):
                continue
            total += 1
            if (_level(one.level) or rules.level(one)) == _ERROR:
                failing.append(_name(one))
    return Figures(total=max(total, len(failing)), failed=len(failing), failing=tuple(failing))


def _of_tool(run: _Run) -> Iterator[str]:
    """Yield the errors that a tool had itself. Raises `ReportError` where it did not come to its end."""
    if run.results is None:
        raise ReportError("a run of it has no results: the tool did not come to its end")
    for invocation in run.invocations or ():
        if (
            invocation.execution_successful is False
            or invocation.exit_signal_name
            or invocation.process_start_failure_message
        ):
            raise ReportError("it says that the tool did not come to its end")
        for one in (
            *(invocation.tool_execution_notifications or ()),
            *(invocation.tool_configuration_notifications or ()),
        ):
            if _level(one.level) == _ERROR:
                named = one.descriptor.id if one.descriptor is not None else ""
                yield f"the tool itself: {named or 'an error'}"


def _counts(result: _Result) -> bool:
    """Return whether a result is a finding: one that says so by its kind, or by a level of its own."""
    if result.kind in _KINDS and _level(result.level) != _ERROR:
        return False
    if result.baseline_state == "absent":
        return False
    waived = result.suppressions or ()  # each of them has to be accepted
    return not waived or any(one.status != "accepted" for one in waived)


def _level(text: str) -> str:
    """Return a level; empty where there is none. Raises `ReportError` for any other text."""
    found = text.lower()
    if found and found not in _LEVELS:
        raise ReportError(f"it has a level that SARIF has not: `{text[:40]}`")
    return found


class _Rules:
    """The levels that the rules of a run have."""

    def __init__(self, run: _Run) -> None:
        self._driver = run.tool.driver
        self._extensions = run.tool.extensions or ()
        self._levels: dict[str, list[str]] = {}
        for component in (self._driver, *self._extensions):
            for rule in component.rules or ():
                self._levels.setdefault(rule.id, []).append(_of(rule))
        for invocation in run.invocations or ():
            for one in invocation.rule_configuration_overrides or ():
                level = _level(one.configuration.level) if one.configuration is not None else ""
                if level and one.descriptor is not None:
                    named = self._at(one.descriptor.index, one.descriptor)
                    name = one.descriptor.id or (named.id if named is not None else "")
                    self._levels.setdefault(name, []).append(level)

    def level(self, result: _Result) -> str:
        """
        Return the level of a result that has none of its own: the highest of the rules that it names.

        Raises:
            ReportError: It names one by a number that there is not.
        """
        index = result.rule_index
        if index < 0 and result.rule is not None:
            index = result.rule.index
        found: list[str] = []
        rule = self._at(index, result.rule)
        if rule is not None:
            found += [_of(rule), *self._levels.get(rule.id, ())]
        name = result.name
        while name and name not in self._levels:  # `R1/sub` is a part of R1
            name = name.rpartition("/")[0]
        found += self._levels.get(name, ()) if name else ()
        if index >= 0 and not found:
            raise ReportError(f"a result has rule {index}, which the report does not have")
        return max(found, key=_LEVELS.index, default=_DEFAULT)

    def _at(self, index: int, reference: _RuleReference | None) -> _Rule | None:
        """Return the rule of a number: of the component that is named, or the first that has so many."""
        if index < 0:
            return None
        named = reference.tool_component if reference is not None else None
        components = (self._driver, *self._extensions)
        if named is not None and 0 <= named.index < len(self._extensions):
            components = (self._extensions[named.index],)
        elif named is not None and (named.guid or named.name):
            components = tuple(
                one for one in components if (one.guid or None) == named.guid or one.name == named.name
            )
        return next((one.rules[index] for one in components if one.rules and index < len(one.rules)), None)


def _of(rule: _Rule) -> str:
    return _level(rule.default_configuration.level if rule.default_configuration else "") or _DEFAULT


def _name(result: _Result) -> str:
    """Return `rule at file:line`, or as much as there is."""
    rule = result.name or "a result without a rule"
    place = result.locations[0].physical_location if result.locations else None
    uri = place.artifact_location.uri if place is not None and place.artifact_location is not None else None
    line = place.region.start_line if place is not None and place.region is not None else None
    return f"{rule} at {uri}" + (f":{line}" if line is not None else "") if uri else rule
