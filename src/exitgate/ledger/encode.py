"""Facts, evidence and decisions as plain JSON values, and back."""

from __future__ import annotations

from exitgate.model.evidence import Evidence, Fact
from exitgate.model.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from exitgate.model.decision import Alternative, Decision, Step

_INFINITY = float("inf")

#: Keys of a fact in a line that hold its value: known, or unknown with reason, origin and bounds.
OF_VALUE = ("v", "u", "o", "b")
#: Pieces of evidence of one kind that a line keeps of a fact.
EVIDENCE_LIMIT = 5


def encode_fact(fact: Fact) -> dict[str, object]:
    """
    Return ``{"v": value}`` or ``{"u": reason, "o": origin}``, with evidence where there is any.

    An unknown number of which bounds are known has them as ``b``: least and most, null where an end is open.

    ``e`` holds the first pieces of evidence, ``r`` the first that were refused, ``more`` how many
    pieces were left out, ``n`` the note. A number that JSON cannot hold becomes unknown.
    """
    plain = _encode_value(fact.name, fact.value)
    if fact.evidence:
        plain["e"] = [_encode_evidence(piece) for piece in fact.evidence[:EVIDENCE_LIMIT]]
    if fact.rejected:
        plain["r"] = [_encode_evidence(piece) for piece in fact.rejected[:EVIDENCE_LIMIT]]
    left_out = max(0, len(fact.evidence) - EVIDENCE_LIMIT) + max(0, len(fact.rejected) - EVIDENCE_LIMIT)
    if left_out:
        plain["more"] = left_out
    if fact.note:
        plain["n"] = fact.note
    return plain


def decode_fact(name: str, plain: dict[str, object]) -> Fact:
    """Return the fact that `encode_fact` wrote, with the evidence that was kept."""
    return Fact(
        name,
        restore_value(plain["v"]) if "v" in plain else restore_unknown(name, plain),
        tuple(_decode_evidence(piece) for piece in _list(plain.get("e"))),
        tuple(_decode_evidence(piece) for piece in _list(plain.get("r"))),
        str(plain.get("n", "")),
    )


def restore_value(plain: object) -> object:
    """Return a value as it was before JSON: lists become tuples."""
    return tuple(restore_value(item) for item in plain) if isinstance(plain, list) else plain


def restore_unknown(name: str, plain: Mapping[str, object]) -> Unknown:
    """Return the unknown that `encode_fact` wrote; an end of its bounds that is open is null."""
    least, most = (None, None)
    bounds = plain.get("b")
    if isinstance(bounds, list) and len(bounds) == 2:
        least = -_INFINITY if bounds[0] is None else bounds[0]
        most = _INFINITY if bounds[1] is None else bounds[1]
    return Unknown(str(plain["u"]), str(plain.get("o", name)), least, most)


def encode_decision(decision: Decision) -> dict[str, object]:
    """
    Return a decision with its steps; `truth` is true, false, ``"unknown"`` or, when not asked, null.

    `retry_at` is only there where it is known, `if_readable` where there is any.
    """
    waits: dict[str, object] = {} if decision.retry_at is None else {"retry_at": decision.retry_at}
    return {
        "verdict": decision.verdict,
        "class": decision.exit_class,
        "outcome": decision.outcome,
        "rule": decision.rule,
        "message": decision.message,
        "stage": decision.stage,
        "firm": decision.firm,
        "blind": decision.blind,
        "alternatives": encode_alternatives(decision.alternatives),
        **({"if_readable": encode_alternatives(decision.if_readable)} if decision.if_readable else {}),
        "warnings": [{"rule": warned.rule, "message": warned.message} for warned in decision.warnings],
        "shadows": list(decision.shadows),
        "advice": decision.advice,
        "escalation": decision.escalation,
        **waits,
        "steps": [_encode_step(step) for step in decision.steps],
    }


def encode_alternatives(found: Iterable[Alternative]) -> list[dict[str, object]]:
    """Return what a decision could be as well."""
    return [
        {"rule": one.rule, "verdict": one.verdict, "class": one.exit_class, "outcome": one.outcome}
        | ({"assumed": True} if one.assumed else {})
        | ({"unreadable": [*one.unreadable]} if one.unreadable else {})
        for one in found
    ]


def _encode_step(step: Step) -> dict[str, object]:
    truth = "unknown" if isinstance(step.truth, Unknown) else step.truth
    plain: dict[str, object] = {"rule": step.rule, "truth": truth}
    if step.unknowns:
        plain["unknowns"] = [{"origin": u.origin, "reason": u.reason} for u in step.unknowns]
    if step.pending:
        plain["pending"] = [pending.to_json() for pending in step.pending]
    return plain


def _encode_value(name: str, value: object) -> dict[str, object]:
    if isinstance(value, Unknown):
        bounds = {} if value.least is None else {"b": [_end(value.least), _end(value.most)]}
        return {"u": value.reason, "o": value.origin or name, **bounds}
    plain, fits = _plain(value)
    return {"v": plain} if fits else {"u": "the value cannot be recorded", "o": name}


def _end(bound: object) -> object:
    return None if bound in (_INFINITY, -_INFINITY) else bound


def _plain(value: object) -> tuple[object, bool]:
    """Return the value for JSON, and whether it fits."""
    if isinstance(value, tuple | list):
        items = [_plain(item) for item in value]
        return [item for item, _ in items], all(fits for _, fits in items)
    if isinstance(value, float):
        return value, value - value == 0  # false for infinities and for what is not a number
    return value, isinstance(value, str | bool | int) or value is None


def _encode_evidence(piece: Evidence) -> list[object]:
    return [
        piece.source,
        piece.line,
        piece.column,
        piece.start,
        piece.end,
        piece.excerpt,
        piece.note,
        piece.guard,
    ]


def _decode_evidence(plain: object) -> Evidence:
    assert isinstance(plain, list)
    return Evidence(*plain)


def _list(value: object) -> Iterable[object]:
    return value if isinstance(value, list) else ()
