"""A decision as the record that telemetry is made of: plain values, and no text of agent, plan or file."""

from __future__ import annotations

import os

from exitgate.gate import discover
from exitgate.ledger.names import name_of
from exitgate.ledger.runs import DEFAULT_NAME
from exitgate.model.digest import hex_digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.gate.checked import Checked
    from exitgate.gate.request import Request
    from exitgate.model.diagnostic import ExitgateError

    Record = dict[str, object]

#: Evaluations of one decision beside the decision itself, at most.
SCORES = 32
_MESSAGE_LIMIT = 1024
_CONTEXT_LIMIT = 512


def record_of(
    checked: Checked,
    directory: str,
    start: int,
    duration: int,
    environment: Mapping[str, str],
    messages: bool,
) -> Record:
    """
    Return the record of a decision that is in the ledger.

    Args:
        checked: The check; `line` is there.
        directory: The state directory.
        start: When it began, nanoseconds since the epoch.
        duration: How long it took, nanoseconds.
        environment: Says which span it belongs to: TRACEPARENT, TRACESTATE.
        messages: Whether the message is part of it.
    """
    decision, policy, line = checked.decision, checked.policy, checked.line
    assert line is not None
    totals, breaker = line.get("totals"), line.get("breaker")
    totals = totals if isinstance(totals, dict) else {}
    counted = {name: totals[name] for name in ("cost", "tokens", "elapsed") if _is_number(totals.get(name))}
    name = name_of(checked.iteration.run)
    return {
        **_opening(directory, start, duration, environment),
        "policy": policy.name,
        "version": policy.version,
        "digest": policy.digest,
        "sequence": line.get("sequence"),
        "run": checked.iteration.run,
        "iteration": checked.iteration.number,
        **counted,
        "stage": decision.stage,
        "verdict": decision.verdict,
        "class": decision.exit_class,
        "outcome": decision.outcome,
        "rule": decision.rule,
        "firm": decision.firm,
        "blind": decision.blind,
        "warnings": len(decision.warnings),
        "breaker": breaker.get("state") if isinstance(breaker, dict) else None,
        # The host's session is the run's name: the agent's own telemetry calls it the conversation.
        "conversation": None if name == DEFAULT_NAME else name,
        "scores": _scores(checked),
        "message": decision.message[:_MESSAGE_LIMIT] if messages else None,
    }


def failure_of(
    error: ExitgateError, directory: str, start: int, duration: int, environment: Mapping[str, str]
) -> Record:
    """Return the record of a check that came to no decision: the first code alone says why."""
    code = error.diagnostics[0].code if error.diagnostics else str(error.exit_code)
    return {**_opening(directory, start, duration, environment), "error": code}


def directory_of(request: Request) -> str | None:
    """Return the state directory as an absolute path; None where the gate refuses it."""
    from exitgate.model.diagnostic import ExitgateError

    try:
        return os.path.abspath(discover.state_dir(request))
    except ExitgateError:
        return None


def _opening(directory: str, start: int, duration: int, environment: Mapping[str, str]) -> Record:
    real = os.path.realpath(directory).encode("utf-8", "surrogateescape")
    return {
        "directory": directory,
        "trace": os.urandom(16).hex(),
        "span": os.urandom(8).hex(),
        "traceparent": environment.get("TRACEPARENT", "")[:_CONTEXT_LIMIT],
        "tracestate": environment.get("TRACESTATE", "")[:_CONTEXT_LIMIT],
        "start": start,
        "duration": duration,
        "ledger": hex_digest(real)[:12],
    }


def _scores(checked: Checked) -> dict[str, object]:
    """Return name and value of what a policy counts: points, formulas, and every percentage."""
    types, facts = checked.policy.facts, checked.facts
    names = [one.name for one in checked.policy.derived if one.rows or one.formula is not None]
    names += [name for name, spec in types.items() if spec.type.kind == "percent"]
    values = ((name, facts[name].value) for name in dict.fromkeys(names) if name in facts)
    return dict([(name, value) for name, value in values if _is_number(value)][:SCORES])


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < float("inf")
