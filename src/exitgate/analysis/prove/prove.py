"""Every question about a policy, in order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from exitgate.analysis.prove.backend import Backend
from exitgate.analysis.prove.bound import prove_bound
from exitgate.analysis.prove.invariants import prove_invariants
from exitgate.analysis.prove.overlaps import prove_overlaps
from exitgate.analysis.prove.proof import BOUND, CLASS, GROUPS, INVARIANT, OVERLAP, RULE, Proof
from exitgate.analysis.prove.reachability import prove_classes, prove_rules
from exitgate.core.language.checker.context import Scope
from exitgate.core.language.syntax.advice import understood
from exitgate.core.language.tree import Node
from exitgate.core.policy.compiled import CompiledPolicy


def prove(
    policy: CompiledPolicy,
    backend: Backend,
    groups: Sequence[str] = tuple(GROUPS),
    rule: str | None = None,
    assumed: Sequence[Node] = (),
) -> Iterator[Proof]:
    """
    Yield the proofs of a policy, one after the other.

    Args:
        policy: The policy, its parameters set.
        backend: Who is asked.
        groups: Names in `GROUPS`.
        rule: Questions about rules are asked about this one only, and no others.
        assumed: Conditions that hold in every iteration, for the bound on a run.
    """
    kinds = {kind for group in groups for kind in GROUPS[group]}
    if INVARIANT in kinds and rule is None:
        yield from prove_invariants(policy, backend)
    if RULE in kinds:
        yield from prove_rules(policy, backend, rule)
    if OVERLAP in kinds:
        yield from prove_overlaps(policy, backend, rule)
    if BOUND in kinds and rule is None:
        yield from prove_bound(policy, backend, assumed)
    if CLASS in kinds and rule is None:
        yield from prove_classes(policy, backend)


# A condition over the facts of a policy that the policy itself does not hold.


def condition(policy: CompiledPolicy, text: str) -> Node:
    """Return the checked tree of a condition. Raises `LanguageError` for one the policy could not hold."""
    types = {name: parameter.type for name, parameter in policy.parameters.items()}
    return understood(text, Scope(policy.facts, types, policy.conditions))
