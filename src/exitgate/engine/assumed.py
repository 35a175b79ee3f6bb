"""
Records without what a policy takes for the unknown.

Some computed facts are known only because the policy says what to take where something is not: formulas and
rows of points that are definite because something is unknown (`or else`, `is unknown`), points whose unknown
rows add nothing. Another value for what is unknown could change them. Values under `unreadable:` count as
known: each gives a warning.
"""

from __future__ import annotations

from exitgate.engine.derive import DerivedFact
from exitgate.engine.record import Record
from exitgate.language.measure import facts_of
from exitgate.language.strict import asks
from exitgate.model.value import Unknown
from exitgate.policy.points import ADD_NOTHING, OPEN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from exitgate.policy.compiled import CompiledPolicy, Derived

    Records = Sequence[Mapping[str, object]]


class Assumed:
    """What one policy takes for the unknown, found once."""

    def __init__(self, policy: CompiledPolicy) -> None:
        made = []
        taken: set[str] = set()
        for fact in policy.derived:
            if not fact.signals and _takes(fact, policy, taken):
                taken.add(fact.name)
                open_ = fact.but(unknown_rows=OPEN)
                made.append((DerivedFact(fact, policy), DerivedFact(open_, policy, strict=True)))
        self._derived = tuple(made)

    def without(self, records: Records) -> Records:
        """
        Return `records` with these facts unknown where they could have another value.

        A computed fact that is not what it comes to was given by hand: it stays.
        """
        if not self._derived:
            return records
        found: list[Mapping[str, object]] = []
        changed = False
        for number, record in enumerate(records):
            lost = dict(self._lost(records[:number], record))
            changed = changed or bool(lost)
            stand_ins: frozenset[str] = getattr(record, "stand_ins", frozenset())
            found.append(Record({**record, **lost}, stand_ins) if lost else record)
        return tuple(found) if changed else records

    def _lost(self, before: Records, record: Mapping[str, object]) -> Iterator[tuple[str, object]]:
        now = dict(record)
        for plain, strict in self._derived:
            if plain.name not in record or isinstance(record[plain.name], Unknown):
                continue
            if plain.fact((*before, record)).value != record[plain.name]:
                continue
            value = strict.fact((*before, now)).value
            if isinstance(value, Unknown):
                now[plain.name] = value
                yield plain.name, value


def _takes(fact: Derived, policy: CompiledPolicy, taken: set[str]) -> bool:
    if fact.rows and fact.unknown_rows == ADD_NOTHING:
        return True
    trees = [row.when for row in fact.rows] + ([fact.formula] if fact.formula is not None else [])
    names = {name for tree in trees for name in facts_of(tree, policy.conditions)}
    return not names.isdisjoint(taken) or any(asks(tree, policy.conditions) for tree in trees)
