"""What the agent's result reports of cost, tokens and failure, as this iteration's share."""

from __future__ import annotations

from exitgate.facts.record_values import count
from exitgate.ledger.totals import used_up
from exitgate.model.iteration import Source
from exitgate.model.type import micro
from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

#: Total of a run under which the agent's session is kept, with what it reported last.
SESSION = "session"


class Reported(Value):
    """
    What one iteration used up and whether it failed, as its agent's result says.

    Args:
        cost: USD of this iteration, or None when not reported.
        tokens: Its tokens, or None.
        is_error: Whether the result is an error, or None if it is not recorded.
        session: What the run keeps: `id`, `cost` (USD as reported last) and, where the costs of the
            session are known not to add up, `apart`; None when there is no session.
    """

    __slots__ = ("cost", "is_error", "session", "tokens")

    def __init__(
        self,
        cost: float | None = None,
        tokens: int | None = None,
        is_error: bool | None = None,
        session: Mapping[str, object] | None = None,
    ) -> None:
        self.cost = cost
        self.tokens = tokens
        self.is_error = is_error
        self.session = session


def reported(
    sources: Mapping[str, Source], totals: Mapping[str, object], unchanged: bool
) -> tuple[Mapping[str, Source], Reported]:
    """
    Return the sources, `cost` in `result` as that of this iteration alone, and what was reported.

    Some versions of an agent report what a resumed session has cost so far, others what this call
    did. Where a session comes again with a larger cost, the difference is this iteration's; once it
    came with a smaller one, its costs are taken each for itself.

    Args:
        sources: What was read.
        totals: Totals of the run before, or of the run before it where this one is new: a session may
            go on in the next run.
        unchanged: Whether the response is that of the last decision: a session that is reported again
            has used up nothing new.
    """
    result = sources.get("result")
    if result is None or result.record is None:
        return sources, Reported()
    record = result.record
    failed = record.get("is_error")
    is_error = failed if isinstance(failed, bool) else None
    cost, tokens, id = _dollars(record.get("cost")), count(record.get("tokens")), record.get("session")
    if not isinstance(id, str):
        return sources, Reported(cost, tokens, is_error)
    before = totals.get(SESSION)
    known = before if isinstance(before, dict) and before.get("id") == id else {}
    kept: dict[str, object] = {**known, "id": id}
    if unchanged:
        return sources, Reported(None, None, is_error, kept)
    if cost is None:
        return sources, Reported(None, tokens, is_error, kept)
    last = _dollars(known.get("cost"))
    kept["cost"] = cost
    if last is not None and cost < last:
        kept["apart"] = True
    elif last is not None and kept.get("apart") is not True:
        cost = micro(cost - last)
        record = {**record, "cost": cost}
        sources = {**sources, "result": Source("result", record=record, path=result.path)}
    return sources, Reported(cost, tokens, is_error, kept)


def _dollars(value: object) -> float | None:
    amount = used_up(value)
    return None if amount is None else micro(amount)
