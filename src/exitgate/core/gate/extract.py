"""Facts from what was observed: every extraction of the policy, once."""

from __future__ import annotations

from exitgate.core.facts.registry import ASKING, load
from exitgate.core.model.fact import Fact
from exitgate.core.model.value import Unknown
from exitgate.core.observe.sources import keeps
from exitgate.core.state.faults import FAULT, said

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from exitgate.core.model.fact import FactSpec, Iteration
    from exitgate.core.policy.compiled import CompiledPolicy, Extraction


def extract(
    policy: CompiledPolicy,
    iteration: Iteration,
    compared: Iteration | None = None,
    faults: list[str] | None = None,
) -> dict[str, Fact]:
    """
    Return the facts that the policy's extractors find in the iteration, by full name. Pure.

    Extractors that compare with earlier texts see `compared` where it is given: the same with secrets
    hidden, as they are in those. Facts of a breaker that the policy keeps itself are not among them.
    A fault of an extractor makes its facts unknown and is remarked on in `faults`; without that it is raised.
    """
    found: dict[str, Fact] = {}
    for entry in policy.extractions:
        if keeps(policy, entry):
            continue
        found.update((f.name, f) for f in facts_of(entry, iteration, compared, faults))
    return found


def asked(policy: CompiledPolicy, iteration: Iteration) -> dict[str, Fact]:
    """Return the facts that say what probes answered; of other sources nothing is read again."""
    entries = (entry for entry in policy.extractions if entry.extractor in ASKING)
    return {fact.name: fact for entry in entries for fact in facts_of(entry, iteration)}


def facts_of(
    entry: Extraction,
    iteration: Iteration,
    compared: Iteration | None = None,
    faults: list[str] | None = None,
) -> Sequence[Fact]:
    """Return the facts of one extraction; as for `extract`."""
    module = load(entry.extractor)
    seen = compared if compared is not None and hasattr(module, "earlier") else iteration
    try:
        return wanted(entry, module.extract(entry.prefix, entry.source, entry.options, seen))
    except Exception as error:
        if faults is None:
            raise
        specs = [spec for spec in module.specs(entry.options) if entry.asks(spec.name)]
        return _set_aside(entry, specs, error, faults)


def wanted(entry: Extraction, facts: tuple[Fact, ...]) -> tuple[Fact, ...]:
    """Return the facts of an extraction that its policy wants: others were not observed."""
    if not entry.unasked:
        return facts
    left_out = {f"{entry.prefix}.{name}" for name in entry.unasked}
    return tuple(fact for fact in facts if fact.name not in left_out)


def _set_aside(
    entry: Extraction, specs: Sequence[FactSpec], error: Exception, faults: list[str]
) -> tuple[Fact, ...]:
    """Return the facts of an extraction that failed, unknown but for what its module says of that."""
    reason = f"{FAULT} in `{entry.extractor}`: {said(error)}"
    faults.append(f"`{entry.prefix}` is unknown: {reason}")
    known: dict[str, object] = getattr(load(entry.extractor), "ON_FAULT", {})
    names = {spec.name: f"{entry.prefix}.{spec.name}" if spec.name else entry.prefix for spec in specs}
    return tuple(Fact(full, known.get(name, Unknown(reason, full))) for name, full in names.items())
