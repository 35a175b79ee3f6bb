"""What questions about the same policies share: candidates, variables and gates are made once."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from exitgate.analysis.space.domains import Domains, IdentityKey, comparisons_of, domains, trees
from exitgate.analysis.walk.abstract_eval import AbstractPolicy
from exitgate.analysis.walk.variables import CyclicVariables, Variables
from exitgate.core.engine.program import Program
from exitgate.core.language.tree import Node
from exitgate.core.policy.compiled import CompiledPolicy

#: So many groups of policies are remembered, the last ones asked about; many are mutants asked about once.
REMEMBERED = 4


class QueryCache:
    """
    Units and gates of some policies.

    Args:
        policies: Those asked about.
        extra: Conditions asked about that none of the policies has.
    """

    def __init__(self, policies: tuple[CompiledPolicy, ...], extra: tuple[Node, ...]) -> None:
        self.policies = policies
        self._extra = extra
        self.domains: Domains = domains(policies[0], *policies[1:], extra=extra)
        self._variables: dict[int, Variables] = {}
        self._rounds: dict[tuple[int, int], CyclicVariables] = {}
        self._outlooks: dict[tuple[int, int, bool], AbstractPolicy] = {}

    def variables(self, length: int) -> Variables:
        """Return the variables of runs of `length` iterations."""
        if length not in self._variables:
            self._variables[length] = Variables(self.policies, length, self.domains)
        return self._variables[length]

    def rounds(self, length: int, period: int) -> CyclicVariables:
        """Return the variables of runs of `length` iterations that go round every `period` of them."""
        key = (length, period)
        if key not in self._rounds:
            self._rounds[key] = CyclicVariables(self.policies, length, self.domains, period)
        return self._rounds[key]

    def abstract_policy(self, number: int, variables: Variables, free: bool = False) -> AbstractPolicy:
        """
        Return the gates of the policy at place `number` over `variables`, which must be of this cache.

        With `free`, tests that may change their answer between the points can be anything.
        """
        key = (number, id(variables), free)
        if key not in self._outlooks:
            self._outlooks[key] = AbstractPolicy(
                self.policies[number], variables, free, lambda: comparisons_of(self.policies, self._extra)
            )
        return self._outlooks[key]


class FreeQueryCache(QueryCache):
    """The same cache with gates that are free where the points do not tell all."""

    def __init__(self, cache: QueryCache) -> None:
        self.__dict__.update(vars(cache))

    def abstract_policy(self, number: int, variables: Variables, free: bool = True) -> AbstractPolicy:
        """Return the gates of the policy at place `number`, free ones by default."""
        return super().abstract_policy(number, variables, free)


def query_cache_of(policies: Iterable[CompiledPolicy], nodes: Iterable[Node]) -> QueryCache:
    """Return the cache for questions about `nodes` of these policies, the same one for the same policies."""
    policies = tuple(policies)
    own = {id(tree) for policy in policies for tree in trees(policy)}
    extra = tuple(node for node in nodes if id(node) not in own)
    return _made(IdentityKey(*policies), IdentityKey(*extra))


@lru_cache(maxsize=REMEMBERED)
def _made(policies: IdentityKey, extra: IdentityKey) -> QueryCache:
    return QueryCache(policies.held, extra.held)  # type: ignore[arg-type]


def program_of(policy: CompiledPolicy) -> Program:
    """Return the policy compiled for the engine, the same one for the same policy."""
    return _compiled(IdentityKey(policy))


@lru_cache(maxsize=2 * REMEMBERED)
def _compiled(policy: IdentityKey) -> Program:
    return Program(policy.held[0])  # type: ignore[arg-type]
