"""What a mutant computes from the facts of a case."""

from __future__ import annotations

from exitgate.analysis.mutation.reach import computed_anew, moves_breaker
from exitgate.engine.derive import DerivedFact
from exitgate.testing.given import Observed, follow
from exitgate.testing.mutation_cases import alike

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from exitgate.analysis.mutation.changes import Change
    from exitgate.analysis.mutation.places import Where
    from exitgate.engine.record import Record
    from exitgate.policy.compiled import CompiledPolicy
    from exitgate.testing.mutation_cases import ReadyCase, Variant


class Following:
    """
    What one change makes of the computed facts and the breaker.

    Args:
        change: It.
        touched: Its `sites`.
        policy: The original.
    """

    def __init__(self, change: Change, touched: tuple[Where, ...], policy: CompiledPolicy) -> None:
        #: Computed facts that may come to something else.
        self.facts = computed_anew(change, touched, policy)
        signals = {signal for fact in policy.derived for signal in fact.signals}
        self._whole = moves_breaker(change, touched, self.facts, policy) or not self.facts.isdisjoint(signals)
        self._made: dict[int, tuple[tuple[str, DerivedFact], ...]] = {}

    def reaches(self, names: Collection[str]) -> bool:
        """Return whether any of these facts may come to something else."""
        return self._whole or not self.facts.isdisjoint(names)

    def observed(self, ready: ReadyCase, mutant: Variant) -> tuple[Observed, ...] | None:
        """Return the iterations as the mutant computes them; None where every value is as in the original."""
        found = follow(ready.said, mutant.program) if self._whole else self._again(ready, mutant)
        pairs = zip(ready.observed, found, strict=True)
        return None if all(_same(one.record, other.record) for one, other in pairs) else found

    def _again(self, ready: ReadyCase, mutant: Variant) -> tuple[Observed, ...]:
        """Return the iterations with only the facts that may have changed computed again."""
        computed = self._made.get(id(mutant))
        if computed is None:
            computed = tuple(
                (fact.name, DerivedFact(fact, mutant.policy))
                for fact in mutant.policy.derived
                if fact.name in self.facts
            )
            self._made[id(mutant)] = computed
        found: list[Observed] = []
        records: list[Record] = []
        for said, before in zip(ready.said, ready.observed, strict=True):
            record, facts = before.record, dict(before.facts)
            for name, fact in computed:
                if name not in said.own:
                    facts[name] = fact.fact([*records, record])
                    record = record.with_values({name: facts[name].value})
            records.append(record)
            found.append(Observed(facts, record, before.notes, before.moment, before.is_error))
        return tuple(found)


def _same(one: Mapping[str, object], other: Mapping[str, object]) -> bool:
    return one.keys() == other.keys() and all(alike(value, other[name]) for name, value in one.items())
