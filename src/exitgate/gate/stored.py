"""Facts and decisions as plain JSON and back, for the ledger."""

from __future__ import annotations

from exitgate.model.decision import Alternative, Decision, Pending, Step, Warned
from exitgate.model.evidence import Evidence, Fact
from exitgate.model.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    Plain = dict[str, Any]

#: Pieces of evidence kept for a fact; a plan of ten thousand ticked items need not be written down whole.
EVIDENCE_LIMIT = 20
_INFINITE = float("inf")


def value_to_plain(value: object) -> object:
    """Return a value as JSON: a list for a tuple, an object with `unknown` and `origin` for unknown."""
    if isinstance(value, Unknown):
        return unknown_to_plain(value)
    if isinstance(value, tuple | list):
        return [value_to_plain(item) for item in value]
    if isinstance(value, float) and not -_INFINITE < value < _INFINITE:
        return {"unknown": "no finite number", "origin": ""}
    return value


def value_from_plain(plain: object) -> object:
    """Return the value that `value_to_plain` wrote."""
    if isinstance(plain, dict):
        return unknown_from_plain(plain)
    return tuple(value_from_plain(item) for item in plain) if isinstance(plain, list) else plain


def unknown_to_plain(unknown: Unknown) -> Plain:
    """Return reason and origin."""
    return {"unknown": unknown.reason, "origin": unknown.origin}


def unknown_from_plain(plain: Mapping[str, object]) -> Unknown:
    """Return the unknown that `unknown_to_plain` wrote."""
    return Unknown(str(plain["unknown"]), str(plain.get("origin", "")))


def fact_to_plain(fact: Fact) -> Plain:
    """Return a fact without its name; what is empty is left out, evidence beyond the limit is counted."""
    plain: Plain = {"value": value_to_plain(fact.value)}
    for key, found in (("evidence", fact.evidence), ("rejected", fact.rejected)):
        if found:
            plain[key] = [_evidence_to_plain(one) for one in found[:EVIDENCE_LIMIT]]
        if len(found) > EVIDENCE_LIMIT:
            plain[f"{key}_left_out"] = len(found) - EVIDENCE_LIMIT
    if fact.note:
        plain["note"] = fact.note
    return plain


def fact_from_plain(name: str, plain: Mapping[str, object]) -> Fact:
    """Return the fact that `fact_to_plain` wrote."""
    return Fact(
        name,
        value_from_plain(plain["value"]),
        tuple(_evidence_from_plain(one) for one in _list(plain, "evidence")),
        tuple(_evidence_from_plain(one) for one in _list(plain, "rejected")),
        str(plain.get("note", "")),
    )


def facts_to_plain(facts: Iterable[Fact]) -> Plain:
    """Return facts by name."""
    return {fact.name: fact_to_plain(fact) for fact in facts}


def facts_from_plain(plain: Mapping[str, Plain]) -> dict[str, Fact]:
    """Return the facts that `facts_to_plain` wrote, by name."""
    return {name: fact_from_plain(name, one) for name, one in plain.items()}


def decision_to_plain(decision: Decision) -> Plain:
    """Return a decision with its steps, complete enough to make it again."""
    return {
        "verdict": decision.verdict,
        "class": decision.exit_class,
        "outcome": decision.outcome,
        "rule": decision.rule,
        "message": decision.message,
        "stage": decision.stage,
        "firm": decision.firm,
        "blind": decision.blind,
        "alternatives": [alternative_to_plain(one) for one in decision.alternatives],
        "warnings": [{"message": one.message, "rule": one.rule} for one in decision.warnings],
        "shadows": list(decision.shadows),
        "steps": [_step_to_plain(step) for step in decision.steps],
        "advice": decision.advice,
        "escalation": decision.escalation,
    }


def decision_from_plain(plain: Mapping[str, object]) -> Decision:
    """Return the decision that `decision_to_plain` wrote."""
    exit_class, rule = plain["class"], plain["rule"]
    return Decision(
        str(plain["verdict"]),
        None if exit_class is None else str(exit_class),
        str(plain["outcome"]),
        None if rule is None else str(rule),
        str(plain["message"]),
        str(plain["stage"]),
        plain["firm"] is True,
        plain["blind"] is True,
        tuple(
            Alternative(one["rule"], one["verdict"], one["class"], one["outcome"])
            for one in _list(plain, "alternatives")
        ),
        tuple(Warned(one["message"], one["rule"]) for one in _list(plain, "warnings")),
        tuple(str(one) for one in _list(plain, "shadows")),
        tuple(_step_from_plain(one) for one in _list(plain, "steps")),
        str(plain["advice"]),
        str(plain["escalation"]),
    )


def alternative_to_plain(one: Alternative) -> Plain:
    """Return what the decision would be if an undetermined rule came out true."""
    return {"rule": one.rule, "verdict": one.verdict, "class": one.exit_class, "outcome": one.outcome}


def pending_to_plain(one: Pending) -> Plain:
    """Return how far a history form has come."""
    return {"form": one.form, "have": one.have, "need": one.need}


def _step_to_plain(step: Step) -> Plain:
    truth = unknown_to_plain(step.truth) if isinstance(step.truth, Unknown) else step.truth
    plain: Plain = {"rule": step.rule, "truth": truth}
    if step.unknowns:
        plain["unknowns"] = [unknown_to_plain(one) for one in step.unknowns]
    if step.pending:
        plain["pending"] = [pending_to_plain(one) for one in step.pending]
    return plain


def _step_from_plain(plain: Plain) -> Step:
    truth = plain["truth"]
    return Step(
        str(plain["rule"]),
        unknown_from_plain(truth) if isinstance(truth, dict) else truth,
        tuple(unknown_from_plain(one) for one in _list(plain, "unknowns")),
        tuple(Pending(one["form"], one["have"], one["need"]) for one in _list(plain, "pending")),
    )


def _evidence_to_plain(one: Evidence) -> Plain:
    plain: Plain = {
        "source": one.source, "line": one.line, "column": one.column,
        "start": one.start, "end": one.end, "excerpt": one.excerpt,
    }  # fmt: skip
    if one.note:
        plain["note"] = one.note
    if one.guard is not None:
        plain["guard"] = one.guard
    return plain


def _evidence_from_plain(plain: Plain) -> Evidence:
    guard = plain.get("guard")
    return Evidence(
        str(plain["source"]),
        int(plain["line"]),
        int(plain["column"]),
        int(plain["start"]),
        int(plain["end"]),
        str(plain["excerpt"]),
        str(plain.get("note", "")),
        None if guard is None else str(guard),
    )


def _list(plain: Mapping[str, object], key: str) -> Sequence[Plain]:
    found = plain.get(key)
    return found if isinstance(found, list) else ()
