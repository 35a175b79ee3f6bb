"""What follows from the facts of an iteration before the chain is asked: computed facts, then the breaker."""

from __future__ import annotations

from exitgate.engine.breaker_state import BreakerState, facts_of
from exitgate.engine.record import Record
from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from exitgate.engine.breaker import Move
    from exitgate.engine.program import Program
    from exitgate.facts.signals import Remembered
    from exitgate.model.evidence import Fact

_CLOSED = BreakerState()


class Before(Value):
    """
    What was there before an iteration.

    Args:
        records: Of earlier iterations of the run, oldest first.
        remembered: What the run had seen of the signals of progress besides them, or None.
        breaker: State of the breaker.
        apart: How many of the first `records` are not a history of the breaker, as it was reset since.
        mark: Number of the ledger's next line.
        whole: Whether what is remembered holds all that `records` tell of the signals of progress.
    """

    __slots__ = ("apart", "breaker", "mark", "records", "remembered", "whole")

    def __init__(
        self,
        records: Sequence[Mapping[str, object]] = (),
        remembered: Remembered | None = None,
        breaker: BreakerState = _CLOSED,
        apart: int = 0,
        mark: int = 0,
        whole: bool = False,
    ) -> None:
        self.records = records
        self.remembered = remembered
        self.breaker = breaker
        self.apart = apart
        self.mark = mark
        self.whole = whole


class Settled(Value):
    """
    What `settle` found.

    Args:
        facts: Computed facts and those of the breaker, by name; those given by hand are not among them.
        record: The record with their values.
        breaker: State of the breaker after the iteration.
        move: How it moved, or None.
    """

    __slots__ = ("breaker", "facts", "move", "record")

    def __init__(
        self, facts: Mapping[str, Fact], record: Record, breaker: BreakerState, move: Move | None
    ) -> None:
        self.facts = facts
        self.record = record
        self.breaker = breaker
        self.move = move


def settle(
    program: Program,
    record: Record,
    before: Before,
    now: float,
    *,
    given: Collection[str] = (),
    ended: bool = True,
) -> Settled:
    """
    Return what follows from the facts of an iteration.

    Args:
        program: The policy.
        record: What was extracted and given.
        before: What was there.
        now: Time of the check, seconds since the epoch.
        given: Facts of `record` that stay as they are.
        ended: False when no iteration ended since the last decision. Then progress is unknown, and
            only time moves the breaker.
    """
    record = Record(record, record.stand_ins, before.remembered)
    records = (*before.records, record)
    derived = program.derive(records, before.remembered, ended, given, whole=before.whole)
    facts = {name: fact for name, fact in derived.items() if name not in given}
    whole = record.with_values({name: fact.value for name, fact in facts.items()})
    conditions = program.breaker
    if conditions is None:
        return Settled(facts, whole, before.breaker, None)
    from exitgate.engine.breaker import move

    shown = conditions.shown((*before.records[before.apart :], whole)) if ended else None
    state, moved = move(before.breaker, shown, now, before.mark, conditions.cooldown)
    circuit = {fact.name: fact for fact in facts_of(state, now) if fact.name not in given}
    record = record.with_values({name: fact.value for name, fact in circuit.items()})
    if program.derives_from_breaker:
        # Again, for facts that are computed from its state; its conditions use none of them.
        records = (*before.records, record)
        derived = program.derive(records, before.remembered, ended, given, whole=before.whole)
    facts = {**circuit, **{name: fact for name, fact in derived.items() if name not in given}}
    whole = record.with_values({name: fact.value for name, fact in facts.items()})
    return Settled(facts, whole, state, moved)
