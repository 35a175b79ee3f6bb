"""A decision as `check` prints it for people: the verdict first, then only what matters about it."""

from __future__ import annotations

from exitgate.report.safe import safe
from exitgate.report.summary import escalation_lines, head_lines, open_rows, tail_rows
from exitgate.report.width import wrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.model.decision import Decision
    from exitgate.report.style import Style


def decision_text(
    decision: Decision,
    style: Style,
    *,
    policy: str = "",
    run: str = "",
    number: int = 0,
    now: float | None = None,
) -> str:
    """
    Return a few lines with a line end behind the last.

    Args:
        decision: Decisions.
        style: Colour and width.
        policy: Name and version of the policy.
        run: Id of the run.
        number: Number of the iteration in it.
        now: Seconds since the epoch, for how long to wait.
    """
    lines = head_lines(decision, style)
    origin = [part for part in (policy, f"{run} iteration {number}" if run else "") if part]
    origin.append("firm" if decision.firm else "tentative")
    if decision.blind and number:
        origin.append("blind: nothing from the agent could be read")
    lines += [style.paint("quiet", line) for line in wrap(safe(" · ".join(origin)), style.width)]
    rows = tail_rows(decision, style, now) + open_rows(decision, style)
    below = ["", *rows] if rows else []
    return "\n".join([*lines, *below, *escalation_lines(decision)]) + "\n"
