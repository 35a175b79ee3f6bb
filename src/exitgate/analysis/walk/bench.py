"""What questions about the same policies share: candidates, units and gates are made once."""

from __future__ import annotations

from functools import lru_cache

from exitgate.analysis.space.domains import Domains, domains, trees
from exitgate.analysis.space.meetings import meetings_of
from exitgate.analysis.space.same import Same
from exitgate.analysis.walk.outlook import Outlook
from exitgate.analysis.walk.rounds import Rounds
from exitgate.analysis.walk.units import Units
from exitgate.engine.program import Program

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from exitgate.language.tree import Node
    from exitgate.policy.compiled import CompiledPolicy

#: So many groups of policies are remembered, the last ones asked about; many are mutants asked about once.
REMEMBERED = 4


class Bench:
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
        self._units: dict[int, Units] = {}
        self._rounds: dict[tuple[int, int], Rounds] = {}
        self._outlooks: dict[tuple[int, int, bool], Outlook] = {}

    def units(self, length: int) -> Units:
        """Return the units of runs of `length` iterations."""
        if length not in self._units:
            self._units[length] = Units(self.policies, length, self.domains)
        return self._units[length]

    def rounds(self, length: int, period: int) -> Rounds:
        """Return the units of runs of `length` iterations that go round every `period` of them."""
        key = (length, period)
        if key not in self._rounds:
            self._rounds[key] = Rounds(self.policies, length, self.domains, period)
        return self._rounds[key]

    def outlook(self, number: int, units: Units, free: bool = False) -> Outlook:
        """
        Return the gates of the policy at place `number` over `units`, which must be of this bench.

        With `free`, tests that may change their answer between the points can be anything.
        """
        key = (number, id(units), free)
        if key not in self._outlooks:
            self._outlooks[key] = Outlook(
                self.policies[number], units, free, lambda: meetings_of(self.policies, self._extra)
            )
        return self._outlooks[key]


class FreeBench(Bench):
    """The same bench with gates that are free where the points do not tell all."""

    def __init__(self, bench: Bench) -> None:
        self.__dict__.update(vars(bench))

    def outlook(self, number: int, units: Units, free: bool = True) -> Outlook:
        """Return the gates of the policy at place `number`, free ones by default."""
        return super().outlook(number, units, free)


def bench_of(policies: Iterable[CompiledPolicy], nodes: Iterable[Node]) -> Bench:
    """Return the bench for questions about `nodes` of these policies, the same one for the same policies."""
    policies = tuple(policies)
    own = {id(tree) for policy in policies for tree in trees(policy)}
    extra = tuple(node for node in nodes if id(node) not in own)
    return _made(Same(*policies), Same(*extra))


@lru_cache(maxsize=REMEMBERED)
def _made(policies: Same, extra: Same) -> Bench:
    return Bench(policies.held, extra.held)  # type: ignore[arg-type]


def program_of(policy: CompiledPolicy) -> Program:
    """Return the policy compiled for the engine, the same one for the same policy."""
    return _compiled(Same(policy))


@lru_cache(maxsize=2 * REMEMBERED)
def _compiled(policy: Same) -> Program:
    return Program(policy.held[0])  # type: ignore[arg-type]
