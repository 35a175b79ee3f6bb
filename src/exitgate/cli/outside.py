"""The breaker that another program keeps in a file, in the words of our own."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.gate.request import Request
    from exitgate.policy.compiled import CompiledPolicy


def outside(request: Request, policy: CompiledPolicy) -> dict[str, object]:
    """
    Return the status of the breaker whose file `policy` reads, keys as in `exitgate.gate.circuit.status`.

    `state` is ``UNKNOWN``, with the reason, where the file does not exist or says none.
    """
    import time

    from exitgate.facts.extractors import circuit
    from exitgate.gate.circuit import FILE
    from exitgate.gate.discover import circuit_place
    from exitgate.gate.observe.circuit import read
    from exitgate.model.iteration import Iteration
    from exitgate.model.value import Unknown

    (entry,) = (entry for entry in policy.extractions if entry.prefix == "circuit")
    place = circuit_place(request, policy, entry.source)
    source = read(place.path, named=place.named)
    iteration = Iteration(0, "", time.time(), {entry.source: source})
    facts = {
        fact.name: fact.value
        for fact in circuit.extract(entry.prefix, entry.source, entry.options, iteration)
    }

    def known(name: str) -> object:
        value = facts[f"circuit.{name}"]
        return None if isinstance(value, Unknown) else value

    state = facts["circuit.state"]
    # A policy may say what a missing file means; that it is missing is worth telling all the same.
    said = known("reason") or ("" if source.record is not None else source.reason)
    return {
        "state": "UNKNOWN" if isinstance(state, Unknown) else state,
        "reason": state.reason if isinstance(state, Unknown) else said,
        "opened_at": known("opened_at"),
        "opened_for": known("opened_for"),
        "cooldown_left": None,
        "by_hand": False,
        "probe": False,
        "kept_by": FILE,
        "path": place.path,
        "warning": "; ".join(source.warnings),
    }
