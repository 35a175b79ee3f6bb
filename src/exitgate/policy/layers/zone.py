"""What layers say under `zone:`: the time zone of facts that name none of their own."""

from __future__ import annotations

from exitgate.facts.zones import fault_of
from exitgate.policy.provenance import Setting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from exitgate.policy.compiled import CompiledPolicy
    from exitgate.policy.findings import Findings
    from exitgate.policy.layers.scopes import Scope
    from exitgate.policy.provenance import Chain

ZONE = "zone"
#: Extractors whose facts depend on the time zone.
LOCAL = ("clock", "day")


def settle_zone(scopes: Sequence[Scope], findings: Findings) -> Chain:
    """
    Return who named the time zone, from low to high; nothing where no layer did.

    Args:
        scopes: Settings from low to high.
        findings: Takes EP507 for a name that no time zone has.
    """
    chain: Chain = ()
    for scope in scopes:
        part = scope.section.get(ZONE)
        if part is None:
            continue
        fault = fault_of(part.text)
        if fault is not None:
            findings.error("EP507", fault[0], part.place, fault[1])
        chain = (*chain, Setting(scope.kind, part.text, part.place))
    return chain


def with_zone(policy: CompiledPolicy, chain: Chain) -> CompiledPolicy:
    """Return the policy with the zone in force in each entry that depends on one and names none."""
    if not chain:
        return policy
    zone = chain[-1].value
    extractions = tuple(
        entry.but(options={**entry.options, ZONE: zone})
        if entry.extractor in LOCAL and ZONE not in entry.options
        else entry
        for entry in policy.extractions
    )
    return policy.but(extractions=extractions)
