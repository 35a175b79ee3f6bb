"""A check as the JSON document of `schemas/decision.schema.json`."""

from __future__ import annotations

from exitgate.core.gate.decision import CheckResult
from exitgate.core.ledger.decisions import facts_to_plain, unknown_to_plain
from exitgate.core.ledger.line import encode_alternatives
from exitgate.core.model.decision import CLASS_CODES, OK, Decision

SCHEMA = "exitgate/decision/1"


def exit_code(decision: Decision) -> int:
    """Return the exit code of the process: 0 for CONTINUE, else the code of the class."""
    return OK if decision.exit_class is None else CLASS_CODES[decision.exit_class]


def printed(checked: CheckResult, code: int | None = None) -> dict[str, object]:
    """
    Return the document, ready for `json.dumps`.

    Args:
        checked: The check.
        code: Exit code the process will have, where it is not the one of the class.
    """
    decision, policy, line = checked.decision, checked.policy, checked.line
    return {
        "schema": SCHEMA,
        "verdict": decision.verdict,
        "class": decision.exit_class,
        "outcome": decision.outcome,
        "rule": decision.rule,
        "message": decision.message,
        "stage": decision.stage,
        "firm": decision.firm,
        "alternatives": encode_alternatives(decision.alternatives),
        **({"if_readable": encode_alternatives(decision.if_readable)} if decision.if_readable else {}),
        "blind": decision.blind,
        "warnings": [{"message": one.message, "rule": one.rule} for one in decision.warnings],
        "undetermined": [
            {"rule": step.rule, "unknowns": [unknown_to_plain(one) for one in step.unknowns]}
            for step in decision.undetermined
        ],
        "pending": [{"rule": step.rule, **one.to_json()} for step in decision.steps for one in step.pending],
        "shadows": list(decision.shadows),
        "advice": decision.advice,
        "escalation": decision.escalation,
        "retry_at": decision.retry_at,
        "facts": facts_to_plain(checked.facts.values()),
        **({"probes": dict(checked.probes)} if checked.probes else {}),
        "policy": {"name": policy.name, "version": policy.version, "digest": policy.digest},
        "run": checked.iteration.run,
        "iteration": checked.iteration.number,
        "sequence": line["sequence"] if line is not None else None,
        "exit_code": exit_code(decision) if code is None else code,
    }
