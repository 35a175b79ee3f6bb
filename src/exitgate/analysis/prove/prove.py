"""Every question about a policy, in order."""

from __future__ import annotations

from exitgate.analysis.prove.bound import prove_bound
from exitgate.analysis.prove.classes import prove_classes
from exitgate.analysis.prove.invariants import prove_invariants
from exitgate.analysis.prove.overlaps import prove_overlaps
from exitgate.analysis.prove.proof import BOUND, CLASS, GROUPS, INVARIANT, OVERLAP, RULE
from exitgate.analysis.prove.rules import prove_rules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from exitgate.analysis.prove.asker import Asker
    from exitgate.analysis.prove.proof import Proof
    from exitgate.language.tree import Node
    from exitgate.policy.compiled import CompiledPolicy


def prove(
    policy: CompiledPolicy,
    asker: Asker,
    groups: Sequence[str] = tuple(GROUPS),
    rule: str | None = None,
    assumed: Sequence[Node] = (),
) -> Iterator[Proof]:
    """
    Yield the proofs of a policy, one after the other.

    Args:
        policy: The policy, its parameters set.
        asker: Who is asked.
        groups: Names in `GROUPS`.
        rule: Questions about rules are asked about this one only, and no others.
        assumed: Conditions that hold in every iteration, for the bound on a run.
    """
    kinds = {kind for group in groups for kind in GROUPS[group]}
    if INVARIANT in kinds and rule is None:
        yield from prove_invariants(policy, asker)
    if RULE in kinds:
        yield from prove_rules(policy, asker, rule)
    if OVERLAP in kinds:
        yield from prove_overlaps(policy, asker, rule)
    if BOUND in kinds and rule is None:
        yield from prove_bound(policy, asker, assumed)
    if CLASS in kinds and rule is None:
        yield from prove_classes(policy, asker)
