"""What the short forms of `check` and `explain` need beside the decision: why, and what comes next."""

from __future__ import annotations

from exitgate.report.brief import here
from exitgate.report.short import Setting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from exitgate.gate.checked import Checked
    from exitgate.model.decision import Decision
    from exitgate.model.evidence import Fact
    from exitgate.policy.compiled import CompiledPolicy


def setting_of(
    policy: CompiledPolicy,
    decision: Decision,
    facts: Mapping[str, Fact],
    records: Sequence[Mapping[str, object]],
    *,
    number: int,
    unread: str = "",
    changed: str = "",
    now: float | None = None,
) -> Setting:
    """Return the setting of a decision; `number` is that of the iteration, the rest as in `Setting`."""
    from exitgate.gate.coming import coming, iterations_left, ticks_left

    soon, left = coming(policy, decision, records), iterations_left(policy, number)
    ticks = ticks_left(policy, decision, records) if soon is None else None
    return Setting(policy, facts, number, unread, changed, soon, left, now, here(), ticks)


def unread_response(checked: Checked) -> str:
    """Return why an iteration has no response; the empty text if it has one or needs none."""
    decision, response = checked.decision, checked.iteration.sources.get("response")
    if response is None or response.text is not None or checked.iteration.number < 1:
        return ""
    if decision.stage == "before_iteration" and not decision.blind:
        return ""
    return response.reason or "no response"
