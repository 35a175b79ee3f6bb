"""
The form of a decision that `exitgate check --format json` prints, for its schema.

A check prints plain mappings (`exitgate.report.decision.plain`): a loop waits for it, and importing `msgspec`
takes longer than the check. `tests/report/test_decision_output.py` holds the two equal.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, UnsetType

from exitgate.core.ledger.decisions import EVIDENCE_LIMIT
from exitgate.core.model.decision import CLASSES, CONTINUE, EXIT
from exitgate.report.formats.output import Count, Output, Position, Stage

Verdict = Annotated[str, Meta(extra_json_schema={"enum": [CONTINUE, EXIT]})]
Class = Annotated[str, Meta(extra_json_schema={"enum": [*CLASSES]})]
Excerpt = Annotated[str, Meta(max_length=200)]


class EvidenceOutput(Output, frozen=True):
    """
    The stretch of a source a fact rests on.

    Args:
        source: Name of the source.
        line: 1-based line in the source.
        column: 1-based column in characters.
        start: Offset in characters of the match.
        end: Offset behind the match.
        excerpt: The text of the match or around it.
        note: What was seen there.
        guard: Guard that kept the match from counting.
    """

    source: str
    line: Position
    column: Position
    start: Count
    end: Count
    excerpt: Excerpt
    note: str | UnsetType = UNSET
    guard: str | UnsetType = UNSET


class UnknownOutput(Output, frozen=True):
    """
    A value that is not known.

    Args:
        unknown: The reason.
        origin: Fact, operator or extractor where the unknown was born.
        least: The least that an unknown number can be, as far as that is known; null for no bound.
        most: The most that it can be, as far as that is known; null for no bound.
    """

    unknown: str
    origin: str
    least: int | float | UnsetType | None = UNSET
    most: int | float | UnsetType | None = UNSET


class FactOutput(Output, frozen=True):
    """
    A fact with its evidence.

    Args:
        value: Its value, or an object with the reason why it is unknown.
        evidence: What the value rests on.
        evidence_left_out: Further pieces of evidence that are not listed.
        rejected: Matches that did not count, each with the guard that refused it.
        rejected_left_out: Further matches that are not listed.
        note: A remark on how the value came about.
    """

    value: bool | int | float | str | tuple[Any, ...] | UnknownOutput
    evidence: Annotated[tuple[EvidenceOutput, ...], Meta(max_length=EVIDENCE_LIMIT)] | UnsetType = UNSET
    evidence_left_out: Position | UnsetType = UNSET
    rejected: Annotated[tuple[EvidenceOutput, ...], Meta(max_length=EVIDENCE_LIMIT)] | UnsetType = UNSET
    rejected_left_out: Position | UnsetType = UNSET
    note: str | UnsetType = UNSET


class FileFactsOutput(Output, frozen=True):
    """
    What was found in one file.

    Args:
        file: Its path.
        warnings: Remarks on reading it.
        facts: Every fact of the policy that is found in a text, by name.
    """

    file: str | None
    warnings: tuple[str, ...]
    facts: dict[str, FactOutput]


class FactsOutput(Output, frozen=True):
    """
    What `exitgate facts --format json` prints.

    Args:
        policy: Name of the policy whose extractors read the files.
        files: In the order in which they were named.
    """

    policy: str
    files: tuple[FileFactsOutput, ...]


class AlternativeOutput(Output, frozen=True, rename={"exit_class": "class"}):
    """
    What the decision could be as well.

    Args:
        rule: Id of a rule that is undetermined, or definite only by what it takes for unknown values.
        verdict: What the agent loop should do.
        exit_class: Class of the exit; null for CONTINUE. Only `complete` is success.
        outcome: Its reason code.
        assumed: The rule is definite by what it takes for unknown values (`or else`, `is unknown`).
        unreadable: In `if_readable`, names of the facts that would need another value.
    """

    rule: str
    verdict: Verdict
    exit_class: Class | None
    outcome: str
    assumed: bool | UnsetType = UNSET
    unreadable: tuple[str, ...] | UnsetType = UNSET


class WarningOutput(Output, frozen=True):
    """
    A warning.

    Args:
        message: The warning.
        rule: Id of the rule that warns, or null for a remark on sources.
    """

    message: str
    rule: str | None


class UndeterminedOutput(Output, frozen=True):
    """
    A rule whose condition is neither true nor false.

    Args:
        rule: Its id.
        unknowns: What made it so.
    """

    rule: str
    unknowns: tuple[UnknownOutput, ...]


class PendingOutput(Output, frozen=True):
    """
    A history form on its way to being true.

    Args:
        rule: Id of the rule.
        form: The form as written.
        have: Iterations or times so far; whole seconds with `of_time`.
        need: Iterations or times it takes; whole seconds with `of_time`.
        of_time: Whether the form lasts for a time, and does not count.
    """

    rule: str
    form: str
    have: Count
    need: Position
    of_time: bool | UnsetType = UNSET


class DecidedByOutput(Output, frozen=True):
    """
    The policy that decided.

    Args:
        name: Its name.
        version: Its version.
        digest: Digest over all that was read to compile it.
    """

    name: str
    version: str
    digest: str


class DecisionOutput(Output, frozen=True, kw_only=True, rename={"exit_class": "class"}):
    """
    One decision as `exitgate check --format json` prints it.

    Args:
        schema: Name and version of this format.
        verdict: What the agent loop should do.
        exit_class: Class of the exit; null for CONTINUE. Only `complete` is success.
        outcome: Stable reason code; by default the id of the rule, `otherwise` when none decided.
        rule: Id of the rule that decided, or null when none did.
        message: The rule's message with values filled in.
        stage: Stage whose rules decided.
        firm: False when some value for what is unknown could change verdict or class.
        alternatives: What the decision could be as well, for each rule that leaves it open.
        if_readable: What the decision could be if facts had another value than the policy declares for them
            under `unreadable:`; only there where there is any. It does not make a decision tentative.
        blind: True when nothing that the agent said or did could be read.
        warnings: Warnings beside the decision; they never change it.
        undetermined: Rules whose condition is neither true nor false.
        pending: History forms on their way to being true.
        shadows: Rules in shadow mode that would have decided.
        advice: For the agent's next prompt, or empty.
        escalation: Markdown for a person, or empty.
        retry_at: For class `wait`: when the run may continue, in seconds since the epoch; null if not known.
        facts: Every fact of the iteration by name.
        policy: The policy that decided.
        run: Id of the run, name#n.
        iteration: Number of the iteration in the run; 0 before the first.
        sequence: Sequence number of the ledger's line; null when nothing was recorded.
        exit_code: Exit code of the process.
    """

    schema: Literal["exitgate/decision/1"]
    verdict: Verdict
    exit_class: Class | None
    outcome: str
    rule: str | None
    message: str
    stage: Stage
    firm: bool
    alternatives: tuple[AlternativeOutput, ...]
    if_readable: tuple[AlternativeOutput, ...] | UnsetType = UNSET
    blind: bool
    warnings: tuple[WarningOutput, ...]
    undetermined: tuple[UndeterminedOutput, ...]
    pending: tuple[PendingOutput, ...]
    shadows: tuple[str, ...]
    advice: str
    escalation: str
    retry_at: int | float | None
    facts: dict[str, FactOutput]
    policy: DecidedByOutput
    run: str
    iteration: Count
    sequence: Count | None
    exit_code: Count
