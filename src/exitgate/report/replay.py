"""Decisions made again beside those on record, as people and programs read them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from exitgate.report.decision.summary import verdict_text
from exitgate.report.formats.output import Count, Output
from exitgate.report.terminal import Style, safe, wrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.ledger.typed import LedgerLine

    Plain = Mapping[str, object]


#: What an answer consists of for a program that acts on it.
ANSWER = ("verdict", "class", "outcome")


class AnswerOutput(Output, frozen=True, rename={"exit_class": "class"}):
    """
    A decision, for a program that acts on it.

    Args:
        verdict: CONTINUE or EXIT.
        exit_class: The class of an exit.
        outcome: The reason code.
    """

    verdict: Any
    exit_class: Any
    outcome: Any

    def text(self) -> str:
        """Return ``EXIT stuck · stagnation``."""
        exit_class = self.exit_class if isinstance(self.exit_class, str) else None
        return f"{verdict_text(str(self.verdict), exit_class)} · {self.outcome}"


class DifferenceOutput(Output, frozen=True):
    """
    A decision that does not come out as it is recorded.

    Args:
        sequence: Number of its line.
        run: Id of its run.
        iteration: Its iteration.
        recorded: The decision on record.
        now: The decision made again; null where it cannot be made.
        difference: The first place at which they differ, or why it cannot be made.
    """

    sequence: int
    run: str
    iteration: Any
    recorded: AnswerOutput
    now: AnswerOutput | None
    difference: str


class ReplayOutput(Output, frozen=True):
    """
    What `exitgate replay --format json` prints.

    Args:
        reproduced: Decisions that come out as recorded.
        differ: How many of them do not.
        differences: Those that do not.
        warnings: Remarks on damaged lines.
    """

    reproduced: Count
    differ: Count
    differences: tuple[DifferenceOutput, ...]
    warnings: tuple[str, ...]


def replayed(same: int, different: Sequence[DifferenceOutput], told: Sequence[str]) -> ReplayOutput:
    """Return how a replay came out: how many decisions are the same, the others, remarks on damaged lines."""
    return ReplayOutput(same, len(different), tuple(different), tuple(told))


def answer_text(decision: Plain) -> str:
    """Return ``EXIT stuck · stagnation``."""
    return _answer(decision).text()


def difference_of(line: LedgerLine, decision: Plain | None, why: str) -> DifferenceOutput:
    """
    Return one difference.

    Args:
        line: The ledger's line.
        decision: As it came out now, or None where it could not be made.
        why: The first place at which they differ, or why it could not be made.
    """
    recorded = AnswerOutput(*(line.found("decision", key) for key in ANSWER))
    now = None if decision is None else _answer(decision)
    return DifferenceOutput(line.sequence, line.run, line.found("iteration"), recorded, now, why)


def replay_text(counted: ReplayOutput, style: Style) -> str:
    """Return the differences, a paragraph each, and the counts as the last line."""
    lines: list[str] = []
    for one in counted.differences:
        lines += _difference(one, style)
    glyph = style.paint("error", "✗") if counted.differ else style.paint("true", "●")
    return "\n".join([*lines, f"{glyph} {counted.reproduced} reproduced, {counted.differ} differ"]) + "\n"


def _answer(decision: Plain) -> AnswerOutput:
    return AnswerOutput(*(decision.get(key) for key in ANSWER))


def _difference(one: DifferenceOutput, style: Style) -> list[str]:
    recorded, now = one.recorded, one.now
    head = f"✗ {one.sequence} {one.run} iteration {one.iteration}: "
    if now is None:
        said = f"was {recorded.text()}, cannot be reproduced: {one.difference}"
    elif now != recorded:
        said = f"was {recorded.text()}, now {now.text()}"
    else:
        said = f"{recorded.text()}, but {one.difference}"
    first, *rest = wrap(safe(said), style.width, safe(head), "    ")
    return [style.paint("error", "✗") + first[1:], *rest]
