"""How a run of OpenHands before its SDK ended, by what the recorder says."""

from __future__ import annotations

from exitgate.transcripts.run import End
from exitgate.transcripts.values import number_at, object_at, sum_at, text_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from exitgate.transcripts.readers.openhands_events import Taken
    from exitgate.transcripts.values import Event

#: State of the agent, as its controller names it -> class.
_STATES = {
    "finished": "complete",
    "rejected": None,
    "error": "failed",
    "stopped": "interrupted",
    "paused": "interrupted",
    "user_rejected": "interrupted",
    "awaiting_user_input": "blocked",
    "awaiting_user_confirmation": "blocked",
    "rate_limited": "wait",
}
#: Words of the controller's own errors -> class; every other error is `failed`.
_ERRORS = (
    ("AgentStuckInLoopError", "stuck"),
    ("reached maximum iteration", "exhausted"),
    ("reached maximum budget", "exhausted"),
)
_LONGEST = 120


def end_of(row: Event, events: Sequence[Event], taken: Taken) -> End:
    """
    Return the end of a run: by the row's error, the resolver's verdict, the last state.

    `complete` is the controller's word: the run was handed in. Whether its task is solved is unknown.
    """
    how, why = _how(row, events, taken)
    metrics = object_at(row, "metrics")
    told = any("cost" in step.record for step in taken.steps)
    used = any("tokens" in step.record for step in taken.steps)
    return End(
        how,
        why[:_LONGEST],
        taken.ended_at,
        None if told else (number_at(metrics, "accumulated_cost") or None),
        None if used else _tokens(metrics),
    )


def _how(row: Event, events: Sequence[Event], taken: Taken) -> tuple[str | None, str]:
    error = text_at(row, "error")
    if error:
        first = error.strip().split("\n", 1)[0]
        return next((how for mark, how in _ERRORS if mark in error), "failed"), first
    if row.get("success") is True:
        return "complete", "success"
    if row.get("success") is False:
        return None, "no success"
    if taken.state is not None:
        return _STATES.get(taken.state), taken.state
    last = next((event for event in reversed(events) if event.get("observation") != "null"), {})
    if last.get("action") == "finish":
        return None, "finish"  # what the agent claims; nothing says that the run was over
    return None, ""


def _tokens(metrics: Event) -> int | None:
    usage = object_at(metrics, "accumulated_token_usage")
    return sum_at(usage, "prompt_tokens", "completion_tokens")
