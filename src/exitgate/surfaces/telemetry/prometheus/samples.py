"""
What a ledger says, as samples for Prometheus.

Everything is read from the ledger at each writing: it is the only state, so that no process keeps a
counter that another does not know of, and nothing is counted twice. Names follow Prometheus' own
conventions: units in full and in the singular base unit, `_total` behind counters.
"""

from __future__ import annotations

from exitgate.ledger import read
from exitgate.ledger.line import BREAKER, DECISION
from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    Line = Mapping[str, object]

COUNTER, GAUGE = "counter", "gauge"

DECISIONS = "exitgate_decisions_total"
BLIND = "exitgate_decisions_blind_total"
TENTATIVE = "exitgate_decisions_tentative_total"
LAST = "exitgate_last_decision_timestamp_seconds"
BREAKER_STATE = "exitgate_breaker_state"
ITERATIONS = "exitgate_run_iterations"

#: Every family in the order of the file: its type, and its help.
FAMILIES = {
    DECISIONS: (COUNTER, "Decisions in the ledger."),
    BLIND: (COUNTER, "Decisions for which no fact of what the agent said or did was known."),
    TENTATIVE: (COUNTER, "Decisions that an unknown fact could have changed."),
    LAST: (GAUGE, "When the latest decision was made, seconds since the epoch."),
    BREAKER_STATE: (GAUGE, "1 for the state that the circuit breaker is in, 0 for the others."),
    ITERATIONS: (GAUGE, "Iterations of the run so far."),
    "exitgate_run_cost_dollars": (GAUGE, "Cost of the run so far, in US dollars."),
    "exitgate_run_tokens": (GAUGE, "Tokens that the run has used so far."),
    "exitgate_run_elapsed_seconds": (GAUGE, "Time from the run's beginning to its latest decision."),
}
#: Family -> key of a line's totals.
_TOTALS = {
    "exitgate_run_cost_dollars": "cost",
    "exitgate_run_tokens": "tokens",
    "exitgate_run_elapsed_seconds": "elapsed",
}
_STATES = ("CLOSED", "HALF_OPEN", "OPEN")
#: Runs of a ledger that have samples of their own: the latest ones.
RUNS = 20


class Sample(Value):
    """One sample: its family, its labels in order, its value."""

    __slots__ = ("family", "labels", "value")

    def __init__(self, family: str, labels: tuple[tuple[str, str], ...], value: float) -> None:
        self.family = family
        self.labels = labels
        self.value = value


def samples(directory: str) -> tuple[Sample, ...]:
    """
    Return the samples of the ledger in a state directory, label `ledger` first.

    Raises `ExitgateError` (74) where it cannot be read.
    """
    return samples_of(read.lines(directory), directory)


def samples_of(lines: Iterable[Line], directory: str) -> tuple[Sample, ...]:
    """Return the samples of a ledger's lines, oldest first."""
    own = ("ledger", directory)
    counted: dict[tuple[str, tuple[tuple[str, str], ...]], float] = {}
    runs: dict[tuple[str, str], Line] = {}
    breaker: object = None
    for line in lines:
        kind = line.get("kind")
        if kind in (DECISION, BREAKER):
            breaker = line.get("breaker") or breaker
        decision = line.get("decision")
        if kind != DECISION or not isinstance(decision, dict):
            continue
        policy = _policy(line)
        _count(counted, own, policy, decision)
        key = (str(line.get("run", "")), policy)
        runs.pop(key, None)  # the latest ones are last
        runs[key] = line
        if len(runs) > RUNS:
            del runs[next(iter(runs))]
    found = [Sample(family, labels, float(value)) for (family, labels), value in counted.items()]
    for (run, policy), line in runs.items():
        found += _of_run((own, ("policy", policy), ("run", run)), line)
    if isinstance(breaker, dict):
        state = breaker.get("state")
        found += [Sample(BREAKER_STATE, (own, ("state", one)), float(one == state)) for one in _STATES]
    return tuple(found)


def _count(
    counted: dict[tuple[str, tuple[tuple[str, str], ...]], float],
    own: tuple[str, str],
    policy: str,
    decision: Mapping[str, object],
) -> None:
    place = (own, ("policy", policy))
    what = (("verdict", "verdict"), ("class", "class"), ("outcome", "outcome"))
    labels = (*place, *((label, str(decision.get(key) or "")) for label, key in what))
    counted[DECISIONS, labels] = counted.get((DECISIONS, labels), 0) + 1
    # Both begin at 0: a counter that is first seen at 1 has no increase.
    for family, is_so in ((BLIND, decision.get("blind") is True), (TENTATIVE, decision.get("firm") is False)):
        counted[family, place] = counted.get((family, place), 0) + is_so


def _of_run(labels: tuple[tuple[str, str], ...], line: Line) -> list[Sample]:
    totals = line.get("totals")
    values: dict[str, object] = {ITERATIONS: line.get("iteration"), LAST: line.get("time")}
    values |= {
        family: totals.get(key) if isinstance(totals, dict) else None for family, key in _TOTALS.items()
    }
    return [
        Sample(family, labels, float(value))
        for family, value in values.items()
        if isinstance(value, int | float) and not isinstance(value, bool)
    ]


def _policy(line: Line) -> str:
    policy = line.get("policy")
    return str(policy.get("name", "")) if isinstance(policy, dict) else ""
