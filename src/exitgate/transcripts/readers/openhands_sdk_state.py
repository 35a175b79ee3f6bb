"""State of a conversation in OpenHands' SDK: what it has cost so far, and how it ended."""

from __future__ import annotations

from exitgate.transcripts.run import End
from exitgate.transcripts.values import number_at, object_at, sum_at, text_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.transcripts.steps import Step
    from exitgate.transcripts.values import Event

#: Status of the conversation -> class. Idle and running ones go on.
_ENDS = {
    "finished": "complete",
    "error": "failed",
    "stuck": "stuck",
    "paused": "interrupted",
    "waiting_for_confirmation": "blocked",
}
_STATUS = ("execution_status", "agent_status")
#: Code of the error for a conversation that reached its limit of iterations.
_LIMITS = ("MaxIterationsReached", "MaxBudgetReached")
_LONGEST = 120


class State:
    """The state according to the events so far."""

    def __init__(self) -> None:
        self._status: str | None = None
        self._error: tuple[str, str] | None = None
        self._cost: float | None = None
        self._tokens: int | None = None
        self._cost_given = 0.0
        self._tokens_given = 0
        self._last: Step | None = None

    def take(self, event: Event) -> None:
        """Add what an event says that is not a doing of the agent's."""
        kind = event.get("kind")
        if kind == "ConversationErrorEvent":
            self._error = (text_at(event, "code") or "", text_at(event, "detail") or "")
        elif kind in ("PauseEvent", "InterruptEvent"):
            self._status = "paused"
        elif kind == "ConversationStateUpdateEvent":
            key, value = event.get("key"), event.get("value")
            told = value if isinstance(value, dict) else {}
            if key in _STATUS and isinstance(value, str):
                self._status = value
            elif key == "stats":
                self._sums(told)
            elif key == "full_state":
                self._status = text_at(told, *_STATUS) or self._status
                self._sums(object_at(told, "stats"))

    def share(self, step: Step) -> None:
        """Give a step what was used up since the step before it."""
        self._last = step
        if self._tokens is not None:
            step.add("tokens", max(0, self._tokens - self._tokens_given))
            self._tokens_given = max(self._tokens, self._tokens_given)
        if self._cost:
            step.add("cost", max(0.0, self._cost - self._cost_given))
            self._cost_given = max(self._cost, self._cost_given)

    def end(self, ended_at: float | None) -> End:
        """Return the end. What was used up behind the last step is reported as the sum of the run."""
        late_cost = self._cost if self._cost and self._cost > self._cost_given else None
        late_tokens = self._tokens if self._tokens and self._tokens > self._tokens_given else None
        how = _ENDS.get(self._status or "")
        why = self._status or ""
        if self._error is not None and how in (None, "failed"):
            code, detail = self._error
            how = "exhausted" if code in _LIMITS else "failed"
            why = f"{code}: {detail}" if detail else code
        return End(how, why[:_LONGEST], ended_at, late_cost, late_tokens)

    def _sums(self, stats: Event) -> None:
        uses = object_at(stats, "usage_to_metrics", "service_to_metrics")
        tokens: int | None = None
        cost: float | None = None
        for name in uses:
            use = object_at(uses, name)
            used = sum_at(object_at(use, "accumulated_token_usage"), "prompt_tokens", "completion_tokens")
            tokens = tokens if used is None else used + (tokens or 0)
            spent = number_at(use, "accumulated_cost")
            cost = cost if spent is None else spent + (cost or 0.0)
        self._tokens = tokens if tokens is not None else self._tokens
        self._cost = cost if cost is not None else self._cost
