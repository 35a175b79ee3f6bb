"""What differs between two policies, as JSON: `exitgate/policy-diff@2`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Final, Literal

from msgspec import UNSET, Meta, UnsetType

from exitgate.analysis.results.comparison import Change, Decided, Kind, Result, Side, Unobservable
from exitgate.report.decision.counterfactuals import plain
from exitgate.report.formats.output import Count, Digits, Known, Output, Stage, output_text

SCHEMA: Final = "exitgate/policy-diff@2"


Section = Annotated[
    str,
    Meta(
        extra_json_schema={
            "enum": [
                "policy", "parameters", "profiles", "lists", "facts", "conditions", "circuit", "rules",
                "otherwise", "undetermined", "invariants", "views", "mask",
            ]
        }
    ),
]  # fmt: skip
ChangeKind = Annotated[
    str, Meta(extra_json_schema={"enum": ["added", "removed", "changed", "moved", "renamed"]})
]
Verdict = Annotated[str, Meta(extra_json_schema={"enum": ["CONTINUE", "EXIT"]})]


class SideOutput(Output, frozen=True):
    """
    One of the two policies.

    Args:
        label: What it was called on the command line, or a revision.
        policy: Its name.
        version: Its version.
        digest: Hex digest of all that was read to make it.
    """

    label: str
    policy: str
    version: str
    digest: str


class DetailOutput(Output, frozen=True):
    """
    One property.

    Args:
        property: Its name, a path with dots within options.
        before: Its text in the first policy; null where it has none.
        after: Its text in the second policy; null where it has none.
    """

    property: str
    before: str | None
    after: str | None


class ChangeOutput(Output, frozen=True):
    """
    A part that is written differently.

    Args:
        section: Its place.
        name: Its name there.
        kind: What happened to it.
        was: The former name of what was renamed, the former place of what was moved.
        now: The place in the chain of a rule that was added or moved.
        details: What is different; everything of what was added or removed.
    """

    section: Section
    name: str
    kind: ChangeKind
    was: str | UnsetType
    now: str | UnsetType
    details: tuple[DetailOutput, ...]


class DecidedOutput(Output, frozen=True, rename={"exit_class": "class"}):
    """
    What one policy says to an input.

    Args:
        verdict: The verdict.
        exit_class: The class of an exit.
        outcome: The reason code.
        rule: The rule that decided; null where none did.
        warnings: Ids of rules that warn, sorted.
    """

    verdict: Verdict
    exit_class: str | None
    outcome: str
    rule: str | None
    warnings: tuple[str, ...]


class KindOutput(Output, frozen=True):
    """
    A kind of input that is decided differently.

    Args:
        stage: The stage asked.
        before: What the first policy decides.
        after: What the second one decides.
        points: How many of the points that were looked at are of this kind.
        facts: The example: facts of each iteration, oldest first; missing facts are unknown.
        case: The example as a case of a tests.yaml.
    """

    stage: Stage
    before: DecidedOutput
    after: DecidedOutput
    points: Count
    facts: tuple[dict[str, Any], ...]
    case: str | UnsetType = UNSET


class DecisionsOutput(Output, frozen=True):
    """
    On which inputs the two decide differently, by a walk over the points at which a condition can change.

    Args:
        differ: Whether any input is decided differently; null where that is not decided.
        others: Whether it is proved, on the facts, that no input of another kind is decided differently.
        why: Why that is not decided; null where it is proved.
        settled: Points that were settled region by region, a number that may have many digits.
        points: Points that were looked at one by one to count kinds.
        points_are_all: Whether these are all there are; else they were drawn, always the same ones.
        kinds: Verdict, class or outcome differ; the most frequent first.
        warnings: An example for each warning that only one of the two gives.
        other_warnings: Whether it is proved that no other warning differs.
        why_warnings: Why that is not decided; null where it is proved.
        facts_only_before: Facts that rules of the first policy read and the second cannot have.
        facts_only_after: Facts that rules of the second policy read and the first cannot have.
    """

    differ: bool | None
    others: Known
    why: str | None
    settled: Digits
    points: Count
    points_are_all: bool
    kinds: tuple[KindOutput, ...]
    warnings: tuple[KindOutput, ...]
    other_warnings: Known
    why_warnings: str | None
    facts_only_before: tuple[str, ...]
    facts_only_after: tuple[str, ...]


class UnseenOutput(Output, frozen=True):
    """
    What may change decisions although facts do not show it.

    Args:
        reading: Entries of facts that are read differently.
        breaker: Conditions of the breaker that differ.
        silence: After how many blind decisions a run ends, differs.
    """

    reading: tuple[str, ...]
    breaker: tuple[str, ...]
    silence: bool


class DiffOutput(Output, frozen=True):
    """
    What `exitgate diff --format json` prints: how two policies are written and decide differently.

    Args:
        schema: Name and version of this form.
        before: The first policy.
        after: The second policy.
        changes: What is written differently, section by section.
        decisions: On which inputs they decide differently.
        unseen: What facts cannot show.
        recorded: With --runs, what `exitgate compare --format json` prints of the two.
    """

    schema: Literal["exitgate/policy-diff@2"]
    before: SideOutput
    after: SideOutput
    changes: tuple[ChangeOutput, ...]
    decisions: DecisionsOutput
    unseen: UnseenOutput
    recorded: dict[str, Any] | UnsetType = UNSET


def diff_json(
    sides: tuple[Side, Side],
    changes: Sequence[Change],
    decided: Decided,
    unseen: Unobservable,
    cases: Sequence[str],
    recorded: dict[str, object] | None = None,
) -> str:
    """Return all that differs; `cases` holds a case for each kind, `recorded` plain values or None."""
    return output_text(
        DiffOutput(
            SCHEMA,
            side_output(sides[0]),
            side_output(sides[1]),
            tuple(map(_change, changes)),
            _decisions(decided, cases),
            UnseenOutput(tuple(unseen.reading), tuple(unseen.breaker), unseen.silence),
            UNSET if recorded is None else recorded,
        )
    )


def side_output(side: Side) -> SideOutput:
    """Return what a policy is called and which one it is."""
    policy = side.policy
    return SideOutput(side.label, policy.name, policy.version, policy.digest)


def _change(change: Change) -> ChangeOutput:
    details = tuple(DetailOutput(one.property, one.before, one.after) for one in change.details)
    was, now = change.was or UNSET, change.now or UNSET
    return ChangeOutput(change.section, change.name, change.kind, was, now, details)


def _decisions(decided: Decided, cases: Sequence[str]) -> DecisionsOutput:
    """Return what the walk found; `settled` counts points and may have more digits than a float holds."""
    shown = (cases[at] if at < len(cases) else UNSET for at in range(len(decided.kinds)))
    return DecisionsOutput(
        decided.differ,
        decided.rest.status,
        decided.rest.why or None,
        str(decided.rest.points),
        decided.points,
        decided.every,
        tuple(kind_output(kind, case) for kind, case in zip(decided.kinds, shown, strict=True)),
        tuple(map(kind_output, decided.warned)),
        decided.quiet.status,
        decided.quiet.why or None,
        tuple(decided.only_before),
        tuple(decided.only_after),
    )


def kind_output(kind: Kind, case: str | UnsetType = UNSET) -> KindOutput:
    """Return a kind of input with its example."""
    facts = tuple({name: plain(value) for name, value in sorted(one.items())} for one in kind.run)
    return KindOutput(kind.stage, _result(kind.before), _result(kind.after), kind.points, facts, case)


def _result(result: Result) -> DecidedOutput:
    warnings = tuple(result.warnings)
    return DecidedOutput(result.verdict, result.exit_class, result.outcome, result.rule, warnings)
