"""The sources `clock` and `run`: instants and totals, taken from the run's last line."""

from __future__ import annotations

from exitgate.model.iteration import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def clock(started_at: float | None, last_at: float | None) -> Source:
    """
    Return the source `clock`.

    Args:
        started_at: Start of the run, seconds since the epoch; None when nothing says it.
        last_at: The run's last decision, or None before the first.
    """
    return Source("clock", record={"started_at": started_at, "last_at": last_at})


def run(
    number: int,
    totals: Mapping[str, object],
    started_at: float | None,
    agent_exit: int | None = None,
    cost: float | None = None,
    tokens: int | None = None,
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
    """
    record: dict[str, object] = {"iterations": number, "started_at": started_at}
    for name, now in (("cost", cost), ("tokens", tokens)):
        before = totals.get(name)
        known = [value for value in (before, now) if isinstance(value, int | float)]
        if known:
            record[name] = sum(known)
    if agent_exit is not None:
        record["agent_exit"] = agent_exit
    return Source("run", record=record)
