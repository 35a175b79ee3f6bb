"""An EXIT as services hear of it: a line of text, and the JSON object of a webhook."""

from __future__ import annotations

from typing import Literal

from exitgate.core.facts.text.secrets import Mask
from exitgate.core.ledger.runs import name_of
from exitgate.core.ledger.typed import LedgerLine
from exitgate.report.formats.output import Count, Output
from exitgate.report.terminal import safe

#: Characters of a text that others wrote.
TEXT = 1000


class NotificationOutput(Output, frozen=True, kw_only=True, rename={"exit_class": "class"}):
    """
    What a webhook of `exitgate watch --notify webhook=URL` receives, once for each EXIT.

    Args:
        schema: Name and version of this format.
        run: Id of the run, name#n.
        name: Name of the run.
        iteration: Number of the iteration.
        at: When it was decided, as ISO 8601.
        verdict: What the loop should do.
        exit_class: Class of the exit.
        outcome: Reason code.
        rule: Id of the rule that decided, or null.
        message: The rule's message, its secrets hidden, at most 1000 characters.
        firm: False when some value for what is unknown could change the decision.
        policy: Name of the policy that decided.
    """

    schema: Literal["exitgate/notification/1"] = "exitgate/notification/1"
    run: str
    name: str
    iteration: Count
    at: str | None
    verdict: str
    exit_class: str
    outcome: str
    rule: str | None
    message: str
    firm: bool
    policy: str | None


def notification(line: LedgerLine, mask: Mask) -> NotificationOutput:
    """Return what services hear of an EXIT: texts on one line, safe, without the secrets of the mask."""
    decision = line.decided

    def told(text: str) -> str:
        return safe(mask.mask(text))[:TEXT]

    return NotificationOutput(
        run=told(line.run),
        name=told(name_of(line.run)),
        iteration=line.number,
        at=None if line.at is None else told(line.at),
        verdict=told(decision.verdict),
        exit_class=told(line.exit_class or ""),
        outcome=told(decision.outcome),
        rule=None if decision.rule is None else told(decision.rule),
        message=told(decision.message),
        firm=decision.firm is not False,
        policy=None if line.decided_by.name is None else told(line.decided_by.name),
    )


def title_of(one: NotificationOutput) -> str:
    """Return a heading: ``nightly: EXIT complete``."""
    return f"{one.name}: {one.verdict} {one.exit_class}"


def sentence_of(one: NotificationOutput) -> str:
    """Return one line on it."""
    return f"{title_of(one)} in iteration {one.iteration}: {one.message or one.outcome}"
