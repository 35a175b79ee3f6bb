"""Time that has gone by, as `observe` measured it."""

from __future__ import annotations

from exitgate.facts.record_values import amount
from exitgate.model.evidence import Fact
from exitgate.model.fact_spec import FactSpec
from exitgate.model.type import DURATION, micro
from exitgate.model.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.model.iteration import Iteration

NAME = "clock"
SOURCE = "clock"
OPTIONS: dict[str, object] = {}

_SPECS = (
    FactSpec(
        "elapsed", DURATION, "Time since the run started.", "if the start is not known", low=0, read=False
    ),
    FactSpec(
        "since_last",
        DURATION,
        "Time since the run's last decision.",
        "at the first decision of a run",
        low=0,
        read=False,
    ),
)

#: Fact -> field of the record with the earlier instant, and why it may be missing.
_SINCE = (
    ("elapsed", "started_at", "the start of the run is not known"),
    ("since_last", "last_at", "this is the run's first decision"),
)


def specs(options: Mapping[str, object]) -> tuple[FactSpec, ...]:  # noqa: ARG001
    """Return the facts behind the prefix."""
    return _SPECS


def extract(
    prefix: str,
    source: str,
    options: Mapping[str, object],  # noqa: ARG001
    iteration: Iteration,
) -> tuple[Fact, ...]:
    """
    Return the time from each instant in the source's record to the iteration's own.

    The record holds `started_at` and `last_at`, seconds since the epoch. An instant after the
    iteration (a clock that was set back) gives unknown, never a negative time; but where the record
    holds `elapsed`, seconds as they were counted from decision to decision, those count.
    """
    given = iteration.source(source)
    return tuple(
        Fact(f"{prefix}.{name}", _since(given.record, field, iteration.time, missing, f"{prefix}.{name}"))
        if given.record is not None
        else Fact(f"{prefix}.{name}", Unknown(given.reason, f"{prefix}.{name}"))
        for name, field, missing in _SINCE
    )


def _since(
    record: Mapping[str, object], field: str, now: float, missing: str, origin: str
) -> float | int | Unknown:
    counted = amount(record.get("elapsed")) if field == "started_at" else None
    if counted is not None and counted >= 0:
        return micro(counted)
    instant = amount(record.get(field))
    if instant is None:
        return Unknown(missing, origin)
    if instant > now:
        return Unknown("the clock was set back", origin)
    return micro(now - instant)
