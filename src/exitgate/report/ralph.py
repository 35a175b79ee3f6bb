"""A decision as the analysis object that Ralph's executor reads."""

from __future__ import annotations

from exitgate.model.value import Unknown
from exitgate.model.verdict import CONTINUE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.model.decision import Decision
    from exitgate.model.evidence import Fact

#: Class of exit -> what the executor calls it; the others go by their outcome.
CALLED = {"complete": "project_complete", "blocked": "blocked"}

#: Keys behind `found`, each the fact of that name behind the prefix `status`.
FIELDS = (
    "status",
    "tasks_completed",
    "files_modified",
    "tests_status",
    "work_type",
    "exit_signal",
    "recommendation",
)

#: The rule, or the outcome of one, that tells a stuck loop by the last outputs.
STUCK = "stuck_loop_detected"


def analysis(decision: Decision, facts: Mapping[str, Fact], number: int, time: float) -> dict[str, object]:
    """
    Return the object, ready for `json.dumps`; the schema is `schemas/analysis.schema.json`.

    Args:
        decision: Decisions, by any policy.
        facts: By name. Those of `status`, `indicators.signals` (or `completion.signals`) and
            `circuit.state` are shown; one that the policy does not read, or that is unknown, is null.
        number: Of the iteration.
        time: Seconds since the epoch.
    """
    from time import gmtime, strftime

    return {
        "timestamp": strftime("%Y-%m-%dT%H:%M:%SZ", gmtime(time)),
        "iteration": number,
        "ralph_status": {
            "found": _value(facts, "status.present"),
            **{field: _value(facts, f"status.{field}") for field in FIELDS},
        },
        "completion_indicators": _value(
            facts, "indicators.signals" if "indicators.signals" in facts else "completion.signals"
        ),
        "exit_decision": exit_decision(decision.verdict, decision.exit_class, decision.outcome),
        "stuck_loop_detected": is_stuck(decision),
        "circuit_breaker_state": _value(facts, "circuit.state"),
    }


def exit_decision(verdict: object, exit_class: object, outcome: object) -> str:
    """Return ``continue``, ``project_complete``, ``blocked``, or the outcome of any other exit."""
    if verdict == CONTINUE:
        return "continue"
    return CALLED.get(str(exit_class)) or str(outcome)


def is_stuck(decision: Decision) -> bool:
    """Return whether a rule named, or with the outcome, `STUCK` is true, or the run ends as stuck."""
    warned = any(one.rule == STUCK for one in decision.warnings)
    return warned or decision.outcome == STUCK or decision.exit_class == "stuck"


def _value(facts: Mapping[str, Fact], name: str) -> object:
    fact = facts.get(name)
    if fact is None or isinstance(fact.value, Unknown):
        return None
    value = fact.value
    return int(value) if isinstance(value, float) and value.is_integer() else value
