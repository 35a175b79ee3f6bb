"""The sources `clock` and `run`: instants and totals, taken from the run's last line."""

from __future__ import annotations

from exitgate.core.facts.records import count
from exitgate.core.ledger.runs import used_up
from exitgate.core.model.fact import Source
from exitgate.core.model.json_object import JsonObject
from exitgate.core.model.value import micro

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    pass


def clock(
    started_at: float | None,
    last_at: float | None,
    elapsed: float | None = None,
    local: Mapping[str, object] | None = None,
) -> Source:
    """
    Return the source `clock`.

    Args:
        started_at: Start of the run, seconds since the epoch; None when nothing says it.
        last_at: The run's last decision, or None before the first.
        elapsed: Seconds of the run so far, as `exitgate.core.ledger.runs.elapsed_at` counts them.
        local: What clocks show, by zone, as `exitgate.core.observe.local_time` has it; None where nothing
        asks.
    """
    record = JsonObject(started_at=started_at, last_at=last_at)
    if elapsed is not None:
        record["elapsed"] = elapsed
    if local:
        record["local"] = local
    return Source("clock", record=record)


def run(
    number: int,
    totals: Mapping[str, object],
    started_at: float | None,
    agent_exit: int | None = None,
    cost: float | None = None,
    tokens: int | None = None,
    elapsed: float | None = None,
    is_error: bool | None = None,
) -> Source:
    """
    Return the source `run`.

    Args:
        number: The iteration's number within the run.
        totals: Totals of the run's last line (`cost`, `tokens`), empty for a new run.
        started_at: Start of the run, seconds since the epoch, or None.
        agent_exit: The agent's exit status in this iteration, or None.
        cost: What this iteration cost in USD, or None when not reported.
        tokens: Tokens of this iteration, or None.
        elapsed: Seconds of the run so far, or None.
        is_error: Whether the agent's result is an error, or None if it is not recorded.
    """
    record = JsonObject(iterations=number, started_at=started_at)
    if elapsed is not None:
        record["elapsed"] = elapsed
    for name, now in (("cost", cost), ("tokens", tokens)):
        known = [value for value in (used_up(totals.get(name)), used_up(now)) if value is not None]
        if known:
            record[name] = micro(sum(map(micro, known)))
    failures = count(totals.get("failures_in_row"))
    if agent_exit is not None:
        from exitgate.core.facts.extractors.run import INTERRUPTED

        record["agent_exit"] = agent_exit
        record["interrupted"] = agent_exit in INTERRUPTED
    if agent_exit is not None or is_error is not None:
        failed = bool(agent_exit) or is_error is True
        if is_error is not None:
            record["failed"] = failed
        # An agent that somebody interrupted has not failed: the row is neither longer nor over.
        if not record.flag("interrupted"):
            failures = (failures or 0) + 1 if failed else 0
        failures = failures or 0
    if failures is not None:
        record["failures_in_row"] = failures
    return Source("run", record=record)
