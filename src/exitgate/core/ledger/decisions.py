"""Facts and parts of decisions as plain JSON, and decisions as the ledger keeps them read back."""

from __future__ import annotations

from exitgate.core.model.decision import Alternative, Decision, Pending, Step, Warned
from exitgate.core.model.fact import Evidence, Fact
from exitgate.core.model.json_object import object_of
from exitgate.core.model.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    Plain = dict[str, Any]


#: Pieces of evidence printed for a fact; a plan of ten thousand ticked items need not be written out whole.
EVIDENCE_LIMIT = 20
_INFINITE = float("inf")


def value_to_plain(value: object) -> object:
    """Return a value as JSON: a list for a tuple, an object with `unknown` and `origin` for unknown."""
    if isinstance(value, Unknown):
        return unknown_to_plain(value)
    if isinstance(value, tuple | list):
        return [value_to_plain(item) for item in value]
    if isinstance(value, float) and not -_INFINITE < value < _INFINITE:
        return {"unknown": "not a finite number", "origin": ""}
    return value


def unknown_to_plain(unknown: Unknown) -> Plain:
    """Return reason and origin, and the bounds where there are any; an end that is open is null."""
    plain: Plain = {"unknown": unknown.reason, "origin": unknown.origin}
    if unknown.least is None:
        return plain
    least, most = (None if end in (_INFINITE, -_INFINITE) else end for end in (unknown.least, unknown.most))
    return {**plain, "least": least, "most": most}


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


def facts_to_plain(facts: Iterable[Fact]) -> Plain:
    """Return facts by name."""
    return {fact.name: fact_to_plain(fact) for fact in facts}


def pending_of(plain: Plain) -> Pending:
    """Return what `Pending.to_json` wrote."""
    return Pending(plain["form"], plain["have"], plain["need"], plain.get("of_time", False))


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


def facts_of_line(line: Mapping[str, Any]) -> dict[str, Fact]:
    """Return the facts a line of the ledger holds, by name, with the evidence that was kept."""
    from exitgate.core.ledger.line import decode_fact

    return {name: decode_fact(name, object_of(plain)) for name, plain in (line.get("facts") or {}).items()}


def decision_of_line(line: Mapping[str, Any]) -> Decision:
    """
    Return the decision a line of kind `decision` holds.

    A rule that was unknown has the first of its reasons as truth: the ledger keeps the reasons once.
    """
    kept: Plain = line["decision"]
    return Decision(
        kept["verdict"],
        kept["class"],
        kept["outcome"],
        kept["rule"],
        kept["message"],
        kept["stage"],
        kept["firm"],
        kept["blind"],
        _alternatives(kept["alternatives"]),
        tuple(Warned(one["message"], one["rule"]) for one in kept["warnings"]),
        tuple(kept["shadows"]),
        tuple(_step_of_line(one) for one in kept["steps"]),
        kept["advice"],
        kept["escalation"],
        kept.get("retry_at"),
        _alternatives(kept.get("if_readable", ())),
    )


def _alternatives(kept: Iterable[Plain]) -> tuple[Alternative, ...]:
    return tuple(
        Alternative(
            one["rule"], one["verdict"], one["class"], one["outcome"], one.get("assumed", False),
            tuple(one.get("unreadable", ())),
        )
        for one in kept
    )  # fmt: skip


def _step_of_line(kept: Plain) -> Step:
    unknowns = tuple(Unknown(one["reason"], one["origin"]) for one in kept.get("unknowns", ()))
    truth = kept["truth"]
    if truth == "unknown":
        truth = unknowns[0] if unknowns else Unknown("the reason was not kept", kept["rule"])
    counts = tuple(pending_of(one) for one in kept.get("pending", ()))
    return Step(kept["rule"], truth, unknowns, counts)
