"""Facts from what was observed: every extraction of the policy, once."""

from __future__ import annotations

from exitgate.facts.registry import load
from exitgate.gate.sources import keeps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.model.evidence import Fact
    from exitgate.model.iteration import Iteration
    from exitgate.policy.compiled import CompiledPolicy


def extract(policy: CompiledPolicy, iteration: Iteration) -> dict[str, Fact]:
    """
    Return the facts that the policy's extractors find in the iteration, by full name. Pure.

    Those of a breaker that the policy keeps itself are not among them.
    """
    return {
        fact.name: fact
        for entry in policy.extractions
        if not keeps(policy, entry)
        for fact in load(entry.extractor).extract(entry.prefix, entry.source, entry.options, iteration)
    }
