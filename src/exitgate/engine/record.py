"""From facts to the record that conditions read."""

from __future__ import annotations

from exitgate.engine.shown import shown
from exitgate.model.decision import Warned
from exitgate.model.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from exitgate.facts.signals import Remembered
    from exitgate.model.evidence import Fact
    from exitgate.policy.compiled import CompiledPolicy


#: The agent is known to have failed.
FAILED = "run.failed"


class Record(dict[str, object]):
    """
    The values of one iteration by fact name; a fact it does not hold was not recorded.

    `stand_ins` names the facts that were unknown and took the value the policy declares under
    `unreadable:`. Conditions read them, but they were not observed: a record of nothing but
    stand-ins is still blind. `remembered` is what the run had seen of the signals of progress before
    the iteration, or None: what other values would have meant is found with it, too. So many of the records
    before it as `apart` says are not a history of the policy's own breaker: it was closed since. In one that
    is a `look`, no iteration ended: only time moved the breaker.
    """

    __slots__ = ("apart", "look", "remembered", "stand_ins")

    def __init__(
        self,
        values: Mapping[str, object],
        stand_ins: frozenset[str] = frozenset(),
        remembered: Remembered | None = None,
        apart: int = 0,
        look: bool = False,
    ) -> None:
        super().__init__(values)
        self.look = look
        self.apart = apart
        self.stand_ins = stand_ins
        self.remembered = remembered

    def with_values(self, values: Mapping[str, object]) -> Record:
        """Return this record with `values` added or put in place of its own."""
        return Record({**self, **values}, self.stand_ins, self.remembered, self.apart, self.look)


def record_of(facts: Iterable[Fact], policy: CompiledPolicy) -> tuple[Record, tuple[Warned, ...]]:
    """
    Return the record of one iteration and a warning for each stand-in.

    Args:
        facts: Of one iteration, as extracted.
        policy: Its `unreadable` values take the place of unknown facts, and of those that no
            extractor gave at all.
    """
    values = {fact.name: fact.value for fact in facts}
    stand_ins: list[str] = []
    warnings: list[Warned] = []
    for name, stand_in in policy.unreadable.items():
        found = values.get(name, _MISSING)
        if isinstance(found, Unknown):
            values[name] = stand_in
            stand_ins.append(name)
            spec = policy.facts.get(name)
            text = shown(stand_in, spec.type if spec is not None else None)
            warnings.append(Warned(f"`{name}` is unknown ({found.reason}); the policy treats it as {text}"))
    return Record(values, frozenset(stand_ins)), tuple(warnings)


def read_facts(policy: CompiledPolicy) -> tuple[str, ...]:
    """Return the facts read from what the agent said or did; computed ones are not read from anything."""
    derived = {fact.name for fact in policy.derived}
    return tuple(n for n, spec in policy.facts.items() if spec.read and n not in derived)


def unread_facts(policy: CompiledPolicy) -> frozenset[str]:
    """Return every other fact of the policy: `nothing is known` passes over them."""
    return frozenset(policy.facts).difference(read_facts(policy))


def is_blind(record: Mapping[str, object], read: Iterable[str]) -> bool:
    """
    Return True when none of the facts `read` is known in `record`; stand-ins do not count.

    An agent that is known to have failed is a decision on that, not on nothing: failures have a bound of
    their own.
    """
    get = record.get
    if get(FAILED) is True:
        return False
    for name in read:
        if get(name, _MISSING).__class__ is not Unknown and name not in getattr(record, "stand_ins", ()):
            return False
    return True


_MISSING = Unknown("not recorded")
