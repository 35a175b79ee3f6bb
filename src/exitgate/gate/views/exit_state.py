"""`exit-state.json`: the last decision, the latest values, and how many decisions there were."""

from __future__ import annotations

from exitgate.gate.views.fields import decided, decision_in, instant_of, value_in
from exitgate.ledger.counts import counts_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Line = Mapping[str, object]

#: A file that has this key may be replaced.
MARK = "last_decision"


def exit_state(
    lines: Sequence[Line], fields: Mapping[str, str], parameters: Mapping[str, object]
) -> dict[str, object]:
    """
    Return the content of the view.

    Args:
        lines: The newest lines of the name since its last reset, oldest first, at most 50 decisions.
        fields: `confidence`, `completion` and `errors` name the values whose histories are kept; a
            value that was unknown is null. `stagnation` names a fact: see `stagnation_count`.
        parameters: Effective values by name.

    Counts are those the newest line carries; none without a line.
    """
    decisions = decided(lines)
    last = decisions[-1] if decisions else {}
    decision = decision_in(last)
    counts = counts_in(lines[-1] if lines else None)

    def history(field: str) -> list[object]:
        fact = fields.get(field)
        return [value_in(line, fact, parameters) for line in decisions] if fact is not None else []

    return {
        MARK: decision.get("verdict"),
        "decision_reason": decision.get("message") or decision.get("outcome"),
        "confidence_history": history("confidence"),
        "completion_history": history("completion"),
        "error_history": history("errors"),
        "stagnation_count": stagnation_count(decisions, fields.get("stagnation"), parameters),
        "total_decisions": counts["decisions"],
        "continue_count": counts["continue"],
        "exit_count": counts["exit"],
        "exit_class": decision.get("class"),
        "outcome": decision.get("outcome"),
        "run": last.get("run"),
        "iteration": last.get("iteration"),
        "updated_at": instant_of(last) or None,
    }


def stagnation_count(decisions: Sequence[Line], fact: str | None, parameters: Mapping[str, object]) -> int:
    """
    Return how many of the latest iterations of the last run brought nothing new, at most 49.

    A number, a text or the like brought something when it differs from the one before; a fact that
    is true or false did when it is true. An unknown one says nothing and ends the count.
    """
    if fact is None or not decisions:
        return 0
    run = decisions[-1].get("run")
    values = [value_in(line, fact, parameters) for line in decisions if line.get("run") == run]
    count = 0
    for place in range(len(values) - 1, -1, -1):
        value = values[place]
        before = values[place - 1] if place else None
        still = value is False if isinstance(value, bool) else value is not None and value == before
        if not still:
            break
        count += 1
    return count
