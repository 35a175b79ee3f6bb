"""What a mutant computes from the facts of a case."""

from __future__ import annotations

from exitgate.analysis.mutation.places import CLOSE, OPENING, WATCH
from exitgate.engine.derive import DerivedFact
from exitgate.language.measure import facts_of
from exitgate.testing.given import Observed, follow
from exitgate.testing.mutation_cases import alike

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from exitgate.analysis.mutation.places import Where
    from exitgate.engine.record import Record
    from exitgate.policy.compiled import CompiledPolicy, Derived
    from exitgate.testing.mutation_cases import ReadyCase, Variant

BREAKER = (OPENING, WATCH, CLOSE)
CIRCUIT = "circuit."


class Following:
    """
    What one change makes of the computed facts and the breaker.

    Args:
        policy: The original.
        touched: Places whose conditions or formulas the change touches, those of rules left out.
        changed: Computed facts that it changes in another way.
        moves_breaker: Whether it changes the breaker in another way.
    """

    def __init__(
        self,
        policy: CompiledPolicy,
        touched: Iterable[Where],
        changed: Collection[str] = (),
        moves_breaker: bool = False,
    ) -> None:
        touched = tuple(touched)
        own = {where.name for where in touched if where.section not in BREAKER} | set(changed)
        #: Computed facts that may come to something else, and all that rest on them.
        self.facts = _resting(own, policy)
        breaker = policy.breaker.conditions() if policy.breaker is not None else ()
        read = {name for tree in breaker for name in facts_of(tree, policy.conditions)}
        signals = {signal for fact in policy.derived for signal in fact.signals}
        self._whole = (
            moves_breaker
            or any(where.section in BREAKER for where in touched)
            or not self.facts.isdisjoint(read | signals)
        )
        self._made: dict[int, tuple[tuple[str, DerivedFact], ...]] = {}

    def reaches(self, names: Collection[str]) -> bool:
        """Return whether any of these facts may come to something else."""
        if self._whole and any(name.startswith(CIRCUIT) for name in names):
            return True
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
            found.append(Observed(facts, record, before.notes))
        return tuple(found)


def _resting(names: set[str], policy: CompiledPolicy) -> frozenset[str]:
    """Return the names and those of computed facts that rest on one of them."""
    found = set(names)
    for fact in policy.derived:
        if not found.isdisjoint(_uses(fact, policy)):
            found.add(fact.name)
    return frozenset(found)


def _uses(fact: Derived, policy: CompiledPolicy) -> set[str]:
    trees = [row.when for row in fact.rows] + ([fact.formula] if fact.formula is not None else [])
    return {name for tree in trees for name in facts_of(tree, policy.conditions)} | set(fact.signals)


def _same(one: Mapping[str, object], other: Mapping[str, object]) -> bool:
    return one.keys() == other.keys() and all(alike(value, other[name]) for name, value in one.items())
