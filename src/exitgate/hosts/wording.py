"""What the agent and the user read of a decision."""

from __future__ import annotations

from exitgate.model.counted import counted
from exitgate.model.verdict import CONTINUE
from exitgate.report.brief import brief, here
from exitgate.report.safe import safe, safe_block

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.gate.checked import Checked
    from exitgate.hosts.waiting import Task

#: Characters of a text for people, and of one for the agent.
NOTE_LIMIT, REASON_LIMIT = 4_000, 16_000
#: What an agent reads of a decision without advice: a message is about the run, not for the agent. It must
#: hold no words that a policy takes for a claim, for agents repeat what they read.
GO_ON = "Continue with the task, or end it in the agreed way."
#: History forms under way that are named.
_PENDING = 3


def reason(checked: Checked, number: int, limit: int) -> str:
    """
    Return what an agent that is held back reads: the policy's advice, else the rule's message and that it
    is to go on; and where the policy is.

    `number` of `limit` blocks in a row is this one.
    """
    decision = checked.decision
    said = (decision.advice or "").strip() or _go_on(decision.message.strip())
    under_way = [f"`{step.rule}` at {one}" for step in decision.steps for one in step.pending][:_PENDING]
    stands = f"; {', '.join(under_way)}" if under_way else ""
    times = counted(limit, "time", "times in a row")
    return f"{said[:REASON_LIMIT]}\n\n{_head(checked)}{stands}; blocked {number} of {times}"


def _go_on(message: str) -> str:
    return f"{message}\n{GO_ON}" if message else GO_ON


def exit_note(checked: Checked) -> str:
    """Return what the user reads when an EXIT lets the agent stop."""
    decision = checked.decision
    lines = [f"{_head(checked)}: {safe(brief(decision.message, here()))}"]
    if decision.retry_at is not None:
        import time

        lines.append(f"go on after {time.strftime('%Y-%m-%d %H:%M:%S', time.gmtime(decision.retry_at))} UTC")
    lines += [f"warning: {safe(brief(one.message, here()))}" for one in decision.warnings]
    if decision.escalation:
        lines += ["", safe_block(decision.escalation)]
    return "\n".join(lines)[:NOTE_LIMIT]


def capped_note(checked: Checked, limit: int) -> str:
    """Return what the user reads when the agent may stop though the decision is CONTINUE."""
    times = counted(limit, "time", "times in a row")
    return (
        f"{_head(checked)}, but the agent was blocked {times} and may stop "
        "now: the run continues with your next prompt"
    )


def waiting_note(waiting: tuple[Task, ...]) -> str:
    """Return what the user reads when nothing is decided because something runs in the background."""
    named = ", ".join(f"`{safe(one.named)}`" for one in waiting[:_PENDING])
    more = f" and {len(waiting) - _PENDING} more" if len(waiting) > _PENDING else ""
    return (
        f"exitgate: no decision yet, the agent waits for {named}{more}; "
        "list programs that never end in the settings: `hooks: {servers: [COMMAND]}`"
    )


def _head(checked: Checked) -> str:
    """Return the decision, who made it and on which iteration."""
    decision, policy, iteration = checked.decision, checked.policy, checked.iteration
    verdict = CONTINUE if decision.verdict == CONTINUE else f"{decision.verdict} {decision.exit_class}"
    return (
        f"exitgate: {verdict} (`{decision.outcome}` of {policy.name} {policy.version}, "
        f"iteration {iteration.number})"
    )
