"""Facts from what was observed: every extraction of the policy, once."""

from __future__ import annotations

from exitgate.facts.registry import load
from exitgate.gate.sources import keeps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.model.evidence import Fact
    from exitgate.model.iteration import Iteration
    from exitgate.policy.compiled import CompiledPolicy


def extract(
    policy: CompiledPolicy, iteration: Iteration, compared: Iteration | None = None
) -> dict[str, Fact]:
    """
    Return the facts that the policy's extractors find in the iteration, by full name. Pure.

    Extractors that compare with earlier texts see `compared` where it is given: the same with secrets
    hidden, as they are in those. Facts of a breaker that the policy keeps itself are not among them.
    """
    found: dict[str, Fact] = {}
    for entry in policy.extractions:
        if keeps(policy, entry):
            continue
        module = load(entry.extractor)
        seen = compared if compared is not None and hasattr(module, "earlier") else iteration
        found.update((f.name, f) for f in module.extract(entry.prefix, entry.source, entry.options, seen))
    return found
