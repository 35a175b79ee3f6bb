"""Lines of the ledger as plain JSON values, and back."""

from __future__ import annotations

from exitgate.ledger.encode import encode_decision, encode_fact, restore_unknown, restore_value
from exitgate.model.digest import hex_digest
from exitgate.model.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from exitgate.model.decision import Decision
    from exitgate.model.evidence import Fact
    from exitgate.model.iteration import Source
    from exitgate.policy.compiled import CompiledPolicy

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
    totals: Mapping[str, object] | None = None,
    breaker: Mapping[str, object] | None = None,
    sources: Iterable[Source] = (),
    baseline: Mapping[str, object] | None = None,
    turn: str | None = None,
    retry_at: float | None = None,
    days: Sequence[Mapping[str, object]] | None = None,
) -> dict[str, object]:
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
        days: What all runs used up today, this iteration included, as `exitgate.ledger.days` has it.
    """
    waits: dict[str, object] = {} if retry_at is None else {"retry_at": retry_at}
    if days:
        waits["days"] = [dict(one) for one in days]
    return {
        **_opening(run, DECISION, time),
        "iteration": iteration,
        "turn": turn,
        "policy": _policy(policy),
        "facts": {fact.name: encode_fact(fact) for fact in facts},
        "sources": {source.name: _source(source) for source in sources},
        "totals": dict(totals or {}),
        "decision": encode_decision(decision),
        "breaker": None if breaker is None else dict(breaker),
        "git": None if baseline is None else dict(baseline),
        **waits,
    }


def start_for(
    run: str,
    time: float,
    policy: CompiledPolicy,
    facts: Iterable[Fact] = (),
    baseline: Mapping[str, object] | None = None,
    reason: str = "",
    sources: Iterable[Source] = (),
) -> dict[str, object]:
    """
    Return the line of kind `run_start`: iteration 0, with the facts and the working tree before any work.

    `reason` says why the run begins, for people, or is empty. `sources` are those that an earlier run
    left behind.
    """
    return {
        **_opening(run, RUN_START, time),
        "iteration": 0,
        "policy": _policy(policy),
        "facts": {fact.name: encode_fact(fact) for fact in facts},
        "totals": {},
        "git": None if baseline is None else dict(baseline),
        **({"reason": reason} if reason else {}),
        **({"sources": kept} if (kept := {source.name: _source(source) for source in sources}) else {}),
    }


def end_for(run: str, time: float, kind: str, reason: str) -> dict[str, object]:
    """Return a line that ends a run without a decision: kind `reset` or `expired`, and why."""
    assert kind in (RESET, EXPIRED)
    return {**_opening(run, kind, time), "reason": reason}


def breaker_for(
    run: str, iteration: int, time: float, breaker: Mapping[str, object], reason: str
) -> dict[str, object]:
    """
    Return the line of kind `breaker`: its state after it moved by other means than a decision.

    `iteration` is the run's latest, 0 before the first; the line does not count as one.
    """
    return {
        **_opening(run, BREAKER, time),
        "iteration": iteration,
        "breaker": dict(breaker),
        "reason": reason,
    }


def facts_from_line(line: Mapping[str, object]) -> dict[str, object]:
    """
    Return fact name -> value or `Unknown`, as the engine reads records.

    A line without facts gives an empty record; a fact that is not well formed gives `Unknown`.
    """
    facts = line.get("facts")
    if not isinstance(facts, dict):
        return {}
    return {str(name): _restore(str(name), plain) for name, plain in facts.items()}


def _restore(name: str, plain: object) -> object:
    if isinstance(plain, dict):
        if "v" in plain:
            return restore_value(plain["v"])
        if "u" in plain:
            return restore_unknown(name, plain)
    return Unknown("the ledger's entry cannot be read", name)


def _opening(run: str, kind: str, instant: float) -> dict[str, object]:
    return {"run": run, "kind": kind, "time": instant, "at": _written(instant)}


def _written(instant: float) -> str:
    """Return an instant as ISO 8601 in UTC, to the millisecond."""
    from time import gmtime

    milliseconds = round(instant * 1000)
    year, month, day, hour, minute, second = gmtime(milliseconds // 1000)[:6]
    rest = milliseconds % 1000
    return f"{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{rest:03}+00:00"


def _policy(policy: CompiledPolicy) -> dict[str, object]:
    layers = _layers(policy)
    return {
        "name": policy.name,
        "version": policy.version,
        "digest": policy.digest,
        "path": policy.path,
        **({"layers": layers} if layers else {}),
    }


def _layers(policy: CompiledPolicy) -> list[dict[str, object]]:
    """Return layer, file and digest of each file of settings that counted, from low to high."""
    read = policy.layers.get("read", [])
    assert isinstance(read, list)
    return [{"layer": layer, "file": file, "digest": digest} for layer, file, digest in read]


def _source(source: Source) -> dict[str, object]:
    kept: dict[str, object] = {"path": source.path}
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
