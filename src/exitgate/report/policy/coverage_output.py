"""Coverage of policies as JSON: `exitgate/coverage@1`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final, Literal

from msgspec import Meta

from exitgate.analysis.results.coverage import Aim, Coverage, Leaf, Part, Share
from exitgate.core.model.diagnostic import Location
from exitgate.report.formats.output import (
    Count,
    DiagnosticOutput,
    Output,
    Percent,
    Position,
    diagnostic_outputs,
    output_text,
)
from exitgate.report.policy.coverage import whole

COVERAGE_SCHEMA: Final = "exitgate/coverage@1"


PartKind = Annotated[
    str, Meta(extra_json_schema={"enum": ["rule", "condition", "points", "formula", "circuit"]})
]
RuleAim = Annotated[str, Meta(extra_json_schema={"enum": ["decides", "true"]})]


class AimOutput(Output, frozen=True):
    """
    A truth that a case can show.

    Args:
        shown_by: Name of the first case that shows it, or null.
        excused: Why no case can, as the tests say, or null.
        wanted: Whether it counts; if not, it is only reported.
    """

    shown_by: str | None
    excused: str | None
    wanted: bool


class RuleAimOutput(Output, frozen=True):
    """
    What a rule is to show.

    Args:
        what: What is to be shown.
        shown_by: Name of the first case that shows it, or null.
        excused: Why no case can, as the tests say, or null.
        wanted: Whether it counts; if not, it is only reported.
    """

    what: RuleAim
    shown_by: str | None
    excused: str | None
    wanted: bool


class CoveredResultOutput(Output, frozen=True):
    """
    How a decision can come out.

    Args:
        result: A class of exit, `undetermined` or `otherwise`.
        shown_by: Name of the first case that shows it, or null.
        excused: Why no case can, as the tests say, or null.
        wanted: Whether it counts; if not, it is only reported.
    """

    result: str
    shown_by: str | None
    excused: str | None
    wanted: bool


class ShareOutput(Output, frozen=True):
    """
    How many of the aims that count are shown.

    Args:
        percent: With one decimal, rounded down: 100 only where everything is shown.
        shown: Aims that a case shows.
        whole: Aims that count.
        excused: Aims left out of both.
    """

    percent: Percent
    shown: Count
    whole: Count
    excused: Count


class LeafPlaceOutput(Output, frozen=True):
    """
    Where a leaf is written.

    Args:
        file: The file, as the user would name it, or `shipped:NAME`.
        line: From 1.
        column: From 1, in characters.
    """

    file: str | None
    line: Position | None
    column: Position | None


class LeafOutput(Output, frozen=True):
    """
    A leaf of a condition.

    Args:
        text: Canonical text.
        places: Every place in its part where it is written.
        true: Whether a case shows it true.
        false: Whether a case shows it false.
        unknown: Whether a case shows it unknown.
    """

    text: str
    places: tuple[LeafPlaceOutput, ...]
    true: AimOutput
    false: AimOutput
    unknown: AimOutput


class PartOutput(Output, frozen=True):
    """
    A part of the policy with conditions.

    Args:
        kind: What it is.
        name: Id of the rule; name of the condition or fact; `open ID`, `watch` or `close`.
        says: What a rule does: `exit CLASS`, `continue`, `warn`, with its mode; else null.
        file: The file, as the user would name it, or `shipped:NAME`.
        line: From 1.
        column: From 1, in characters.
        aim: That the rule decides, or is true where it only warns; null for other parts.
        leaves: From left to right, each text once.
    """

    kind: PartKind
    name: str
    says: str | None
    file: str | None
    line: Position | None
    column: Position | None
    aim: RuleAimOutput | None
    leaves: tuple[LeafOutput, ...]


class CoveredPolicyOutput(Output, frozen=True):
    """
    A policy and its cases.

    Args:
        policy: Its name.
        version: Its version.
        tests: The file of tests.
        cases: How many cases ran.
        total: How much of it is shown.
        parts: Rules in chain order, then conditions, computed facts and the breaker.
        results: Classes of exit, `undetermined` where blind runs end, and `otherwise`.
        problems: Excuses that do not hold, as diagnostics.
    """

    policy: str
    version: str
    tests: str
    cases: Count
    total: ShareOutput
    parts: tuple[PartOutput, ...]
    results: tuple[CoveredResultOutput, ...]
    problems: tuple[DiagnosticOutput, ...]


class CoverageOutput(Output, frozen=True):
    """
    What `exitgate test --coverage-format json` prints: what the cases that ran have shown of their policies.

    Args:
        schema: Name and version of this form.
        total: How much of all policies is shown.
        policies: One for each file of tests in which something ran.
    """

    schema: Literal["exitgate/coverage@1"]
    total: ShareOutput
    policies: tuple[CoveredPolicyOutput, ...]


def coverage_json(found: Sequence[Coverage]) -> str:
    """Return everything: for each policy its parts and leaves with the first case that shows each truth."""
    return output_text(
        CoverageOutput(COVERAGE_SCHEMA, _share(whole(found)), tuple(map(_policy_output, found)))
    )


def _policy_output(found: Coverage) -> CoveredPolicyOutput:
    return CoveredPolicyOutput(
        found.policy,
        found.version,
        found.tests,
        found.cases,
        _share(found.share),
        tuple(map(_part, found.parts)),
        tuple(CoveredResultOutput(name, *_told(aim)) for name, aim in found.results.items()),
        diagnostic_outputs(found.problems),
    )


def _part(part: Part) -> PartOutput:
    aim = None if part.aim is None else RuleAimOutput(part.aim.what, *_told(part.aim))
    at = _place(part.place)
    leaves = tuple(map(_leaf, part.leaves))
    return PartOutput(part.kind, part.name, part.says or None, at.file, at.line, at.column, aim, leaves)


def _leaf(leaf: Leaf) -> LeafOutput:
    aims = {aim.what: AimOutput(*_told(aim)) for aim in leaf.aims}
    return LeafOutput(leaf.text, tuple(map(_place, leaf.places)), **aims)


def _told(aim: Aim) -> tuple[str | None, str | None, bool]:
    return aim.shown_by or None, aim.excused or None, aim.wanted


def _place(place: Location | None) -> LeafPlaceOutput:
    if place is None:
        return LeafPlaceOutput(None, None, None)
    return LeafPlaceOutput(place.file, place.line, place.column)


def _share(share: Share) -> ShareOutput:
    return ShareOutput(share.percent, share.shown, share.whole, share.excused)
