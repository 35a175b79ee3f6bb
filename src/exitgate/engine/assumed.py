"""
Records without what is taken for the unknown.

Some facts are known only because of what is taken where something is not: values under `unreadable:`,
progress while a signal is unknown, the state of a breaker that an unknown condition could have moved,
formulas and rows of points that are definite because something is unknown (`or else`, `is unknown`), points
whose unknown rows add nothing. Another value for what is unknown could change them.
"""

from __future__ import annotations

from exitgate.engine.breaker_state import FACTS
from exitgate.engine.derive import DerivedFact
from exitgate.engine.record import Record
from exitgate.language.measure import facts_of
from exitgate.language.strict import STAND_IN, asks
from exitgate.model.value import Unknown
from exitgate.policy.points import ADD_NOTHING, OPEN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from exitgate.engine.moved import Moved
    from exitgate.facts.signals import Remembered
    from exitgate.policy.compiled import CompiledPolicy, Derived

    Records = Sequence[Mapping[str, object]]

NO_NAMES: frozenset[str] = frozenset()


class Assumed:
    """What one policy takes for the unknown, found once."""

    def __init__(self, policy: CompiledPolicy) -> None:
        #: What the policy's own breaker could have done, None where it has none.
        self._moved: Moved | None = None
        taken = set(policy.unreadable)
        if policy.breaker is not None:
            from exitgate.engine import moved

            self._moved = moved.Moved(policy.breaker, policy)
            taken.update(FACTS)
        made = []
        for fact in policy.derived:
            if fact.signals:
                taken.add(fact.name)
            elif _takes(fact, policy, taken):
                taken.add(fact.name)
                open_ = fact.but(unknown_rows=OPEN)
                made.append((DerivedFact(fact, policy), DerivedFact(open_, policy, strict=True)))
        self._derived = tuple(made)
        self._progress = tuple(DerivedFact(fact, policy) for fact in policy.derived if fact.signals)

    def without(self, records: Records, unreadable: frozenset[str] = NO_NAMES) -> Records:
        """
        Return `records` with these facts unknown where they could have another value.

        A computed fact that is not what it comes to was given by hand: it stays. `unreadable` names the facts
        whose value under `unreadable:` counts as unknown as well; others keep theirs.
        """
        if not (unreadable or self._derived or self._progress or self._moved is not None):
            return records
        found: list[Mapping[str, object]] = []
        states = self._moved.begun if self._moved is not None else None
        seen = _Seen(self._progress)
        apart: int = getattr(records[-1], "apart", 0)
        changed = False
        for number, record in enumerate(records):
            stand_ins = unreadable & getattr(record, "stand_ins", NO_NAMES)
            bare = {**record, **{name: Unknown(STAND_IN, name) for name in stand_ins}}
            self._compute(records[:number], record, found, bare)
            if self._progress:  # a signal may be computed, and what is computed may rest on progress
                seen.without(records[: number + 1], bare)
                self._compute(records[:number], record, found, bare)
            if self._moved is not None and states is not None:
                states = self._moved.after(states, records[: number + 1], (*found, bare), apart)
                lost = states.lost(record)
                if lost:
                    bare.update(lost)
                    self._compute(records[:number], record, found, bare)
            if any(bare[name] is not value for name, value in record.items()):
                changed = True
                found.append(Record(bare, getattr(record, "stand_ins", NO_NAMES)))
            else:
                found.append(record)
        return tuple(found) if changed else records

    def _compute(
        self, before: Records, record: Mapping[str, object], found: Records, bare: dict[str, object]
    ) -> None:
        """Make the computed facts of `bare` unknown that could have another value than in `record`."""
        for plain, strict in self._derived:
            name = plain.name
            if name not in record or isinstance(bare[name], Unknown):
                continue
            if plain.fact((*before, record)).value != record[name]:
                continue
            value = strict.fact((*found, bare)).value
            if isinstance(value, Unknown):
                bare[name] = value


class _Seen:
    """What a run has seen of the signals of progress, and of which of them an earlier value is unknown."""

    def __init__(self, progress: tuple[DerivedFact, ...]) -> None:
        self._progress = progress
        self._before: dict[str, Remembered] = {}
        self._doubts: dict[str, Unknown] = {}

    def without(self, records: Records, bare: dict[str, object]) -> None:
        """Make the progress of `bare`, the last of `records`, unknown where it could be another one."""
        *earlier, record = records if getattr(records[-1], "remembered", None) else records[-1:]
        for fact in self._progress:
            before = self._before.get(fact.name)
            if earlier:
                before = getattr(record, "remembered", None)
                for one in earlier:
                    before = fact.after(before, one)
            before = before or fact.nothing_seen()
            known = record.get(fact.name)
            is_known = known is not None and not isinstance(known, Unknown)
            # what it does not come to was given by hand
            if is_known and fact.fact((record,), before, whole=True).value == known:
                value = fact.surely(bare, before, self._doubts)
                bare[fact.name] = known if value is None else value
            self._before[fact.name] = fact.after(before, record)
        for fact in self._progress:
            self._doubts.update(fact.doubtful(bare))


def _takes(fact: Derived, policy: CompiledPolicy, taken: set[str]) -> bool:
    if fact.rows and fact.unknown_rows == ADD_NOTHING:
        return True
    trees = [row.when for row in fact.rows] + ([fact.formula] if fact.formula is not None else [])
    names = {name for tree in trees for name in facts_of(tree, policy.conditions)}
    return not names.isdisjoint(taken) or any(asks(tree, policy.conditions) for tree in trees)
