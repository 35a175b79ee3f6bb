"""Lines of the ledger as plain JSON values, and back."""

from __future__ import annotations

from exitgate.core.model.fact import Evidence, Fact
from exitgate.core.model.json_object import JsonObject, as_object
from exitgate.core.model.value import Unknown
from exitgate.core.system.digest import hex_digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from exitgate.core.model.decision import Alternative, Decision, Step
    from exitgate.core.model.fact import Fact, Source
    from exitgate.core.policy.compiled import CompiledPolicy

    #: What is written as it is.
    Plain = dict[str, object]


RUN_START, DECISION, RESET, BREAKER, EXPIRED = "run_start", "decision", "reset", "breaker", "expired"
#: Member of a breaker's state: how it moved with the line.
MOVED = "moved"


def line_for(
    run: str,
    iteration: int,
    time: float,
    policy: CompiledPolicy,
    facts: Iterable[Fact],
    decision: Decision,
    *,
    totals: JsonObject | None = None,
    breaker: Mapping[str, object] | None = None,
    sources: Iterable[Source] = (),
    baseline: JsonObject | None = None,
    turn: str | None = None,
    retry_at: float | None = None,
    days: Sequence[JsonObject] = (),
    began: str = "",
    probes: Mapping[str, JsonObject] | None = None,
    gate: str = "",
) -> JsonObject:
    """
    Return the line of kind `decision`, ready for `Ledger.append`.

    Args:
        run: Id of the run, ``name#n``.
        iteration: 1-based number within the run.
        time: Seconds since the epoch.
        policy: What decided; its name, version, digest and path are kept.
        facts: All facts of the iteration, derived ones too.
        decision: Decisions.
        totals: Totals of the run after this iteration.
        breaker: State of the breaker after this iteration.
        sources: What was read; kept as path, digest and length, never as text.
        baseline: What git facts of the next iteration compare with.
        turn: The host's id of the turn, which makes a repeated check recognisable.
        retry_at: Instant at which a run that waits may go on, seconds since the epoch; it puts
            off expiry.
        days: What all runs used up today, this iteration included, as `exitgate.core.state.day` has it.
        began: Digest of what the run keeps of its beginning, empty without.
        probes: What each probe that was asked said.
        gate: What changed of what guards the run, where that ended it for review.
    """
    line = _opening(run, DECISION, time)
    line.update(
        iteration=iteration,
        turn=turn,
        policy=_policy(policy),
        facts={fact.name: encode_fact(fact) for fact in facts},
        sources={source.name: _source(source) for source in sources},
        totals=totals or {},
        decision=encode_decision(decision),
        breaker=breaker,
        git=baseline,
    )
    if retry_at is not None:
        line["retry_at"] = retry_at
    some = {"days": list(days), "began": began, "probes": dict(probes or {}), "gate": gate}
    line.update((name, value) for name, value in some.items() if value)
    return line


def start_for(
    run: str,
    time: float,
    policy: CompiledPolicy,
    facts: Iterable[Fact] = (),
    baseline: JsonObject | None = None,
    reason: str = "",
    sources: Iterable[Source] = (),
    began: str = "",
) -> JsonObject:
    """
    Return the line of kind `run_start`: iteration 0, with the facts and the working tree before any work.

    `reason` says why the run begins, for people, or is empty. `sources` are those that an earlier run
    left behind. `began` as for `line_for`.
    """
    line = _opening(run, RUN_START, time)
    line.update(
        iteration=0,
        policy=_policy(policy),
        facts={fact.name: encode_fact(fact) for fact in facts},
        totals={},
        git=baseline,
    )
    if reason:
        line["reason"] = reason
    if kept := {source.name: _source(source) for source in sources}:
        line["sources"] = kept
    if began:
        line["began"] = began
    return line


def end_for(run: str, time: float, kind: str, reason: str) -> JsonObject:
    """Return a line that ends a run without a decision: kind `reset` or `expired`, and why."""
    assert kind in (RESET, EXPIRED)
    line = _opening(run, kind, time)
    line["reason"] = reason
    return line


def breaker_for(
    run: str, iteration: int, time: float, breaker: Mapping[str, object], reason: str
) -> JsonObject:
    """
    Return the line of kind `breaker`: its state after it moved by other means than a decision.

    `iteration` is the run's latest, 0 before the first; the line does not count as one.
    """
    line = _opening(run, BREAKER, time)
    line.update(iteration=iteration, breaker=breaker, reason=reason)
    return line


def facts_from_line(line: JsonObject) -> dict[str, object]:
    """
    Return fact name -> value or `Unknown`, as the engine reads records.

    A line without facts gives an empty record; a fact that is not well formed gives `Unknown`.
    """
    return {name: _restore(name, plain) for name, plain in line.object("facts").items()}


def _restore(name: str, plain: object) -> object:
    if isinstance(plain, dict):
        if "v" in plain:
            return restore_value(plain["v"])
        if "u" in plain:
            return restore_unknown(name, as_object(plain))
    return Unknown("the ledger's entry cannot be read", name)


def _opening(run: str, kind: str, instant: float) -> JsonObject:
    return JsonObject(run=run, kind=kind, time=instant, at=_written(instant))


def _written(instant: float) -> str:
    """Return an instant as ISO 8601 in UTC, to the millisecond."""
    from time import gmtime

    milliseconds = round(instant * 1000)
    year, month, day, hour, minute, second = gmtime(milliseconds // 1000)[:6]
    rest = milliseconds % 1000
    return f"{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{rest:03}+00:00"


def _policy(policy: CompiledPolicy) -> Plain:
    """Return what decided, with layer, file and digest of each file of settings that counted, low to high."""
    shown: Plain = {
        "name": policy.name,
        "version": policy.version,
        "digest": policy.digest,
        "path": policy.path,
    }
    read: Any = policy.layers.get("read")
    if read:
        shown["layers"] = [{"layer": layer, "file": file, "digest": digest} for layer, file, digest in read]
    return shown


def _source(source: Source) -> Plain:
    kept: Plain = {"path": source.path}
    if source.text is not None:
        # The digest is that of what was read: it says whether anything new was written there.
        raw = source.text.encode("utf-8", "surrogatepass")
        kept["digest"] = source.digest or hex_digest(raw)
        kept["length"] = len(source.text)
        if source.written:
            kept["written"] = source.written
    elif source.record is None:
        kept["reason"] = source.reason
    return kept


# Facts, evidence and decisions as plain JSON values, and back.

_INFINITY = float("inf")

#: Keys of a fact in a line that hold its value: known, or unknown with reason, origin and bounds.
OF_VALUE = ("v", "u", "o", "b")
#: Pieces of evidence of one kind that a line keeps of a fact.
EVIDENCE_LIMIT = 5


def encode_fact(fact: Fact) -> Plain:
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


def decode_fact(name: str, plain: JsonObject) -> Fact:
    """Return the fact that `encode_fact` wrote, with the evidence that was kept."""
    counting: Any = plain.array("e")
    refused: Any = plain.array("r")
    return Fact(
        name,
        restore_value(plain["v"]) if "v" in plain else restore_unknown(name, plain),
        tuple(Evidence(*piece) for piece in counting),
        tuple(Evidence(*piece) for piece in refused),
        str(plain.get("n", "")),
    )


def restore_value(plain: object) -> object:
    """Return a value as it was before JSON: lists become tuples."""
    return tuple(restore_value(item) for item in plain) if isinstance(plain, list) else plain


def restore_unknown(name: str, plain: JsonObject) -> Unknown:
    """Return the unknown that `encode_fact` wrote; an end of its bounds that is open is null."""
    least, most = (None, None)
    bounds: Any = plain.array("b")
    if len(bounds) == 2:
        least = -_INFINITY if bounds[0] is None else bounds[0]
        most = _INFINITY if bounds[1] is None else bounds[1]
    return Unknown(str(plain["u"]), str(plain.get("o", name)), least, most)


def encode_decision(decision: Decision) -> Plain:
    """
    Return a decision with its steps; `truth` is true, false, ``"unknown"`` or, when not asked, null.

    `retry_at` is only there where it is known, `if_readable` where there is any.
    """
    waits: Plain = {} if decision.retry_at is None else {"retry_at": decision.retry_at}
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


def encode_alternatives(found: Iterable[Alternative]) -> list[Plain]:
    """Return what a decision could be as well."""
    return [
        {"rule": one.rule, "verdict": one.verdict, "class": one.exit_class, "outcome": one.outcome}
        | ({"assumed": True} if one.assumed else {})
        | ({"unreadable": [*one.unreadable]} if one.unreadable else {})
        for one in found
    ]


def _encode_step(step: Step) -> Plain:
    truth = "unknown" if isinstance(step.truth, Unknown) else step.truth
    plain: Plain = {"rule": step.rule, "truth": truth}
    if step.unknowns:
        plain["unknowns"] = [{"origin": u.origin, "reason": u.reason} for u in step.unknowns]
    if step.pending:
        plain["pending"] = [pending.to_json() for pending in step.pending]
    return plain


def _encode_value(name: str, value: object) -> Plain:
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
