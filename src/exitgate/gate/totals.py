"""Totals of a run: what every line of the ledger carries, so that the whole run need not be read."""

from __future__ import annotations

from exitgate.gate.reported import SESSION
from exitgate.gate.sources import run_source
from exitgate.ledger.totals import used_up
from exitgate.model.type import micro

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from exitgate.facts.signals import Remembered, Signal
    from exitgate.gate.reported import Reported
    from exitgate.gate.request import Request
    from exitgate.gate.sources import Begun
    from exitgate.model.evidence import Fact

#: Totals that can be given as facts by hand; then those count.
_GIVEN = ("cost", "tokens")


def totals_after(
    request: Request,
    begun: Begun,
    number: int,
    given: Mapping[str, Fact],
    record: Mapping[str, object],
    remembered: Remembered | None,
    signals: Sequence[Signal],
    reported: Reported | None = None,
) -> dict[str, object]:
    """
    Return the totals of the run once an iteration was decided on.

    Args:
        request: Says how the agent ended, and what the iteration cost.
        begun: The run before it.
        number: Of the iteration.
        given: Facts given by hand.
        record: Values of the iteration.
        remembered: What the run had seen of the signals of progress before.
        signals: Those signals.
        reported: What the agent's result says it used up, or None.
    """
    counted = run_source(request, begun, number, reported).record or {}
    totals = {**begun.totals, **{name: value for name, value in counted.items() if name in _COUNTED}}
    for name in _GIVEN:
        fact = given.get(f"run.{name}")
        if fact is not None and isinstance(fact.value, int | float):
            before = used_up(begun.totals.get(name)) or 0
            totals[name] = micro(max(before, used_up(fact.value) or 0))
    if begun.started_at is None:
        totals.pop("started_at", None)
        totals.pop("elapsed", None)
    if reported is not None and reported.session is not None:
        totals[SESSION] = reported.session
    if remembered is not None:
        totals |= remembered.after(signals, record).to_plain()
    return totals


#: Fields of the source `run` that are totals.
_COUNTED = frozenset(("iterations", "started_at", "elapsed", "cost", "tokens", "failures_in_row"))
