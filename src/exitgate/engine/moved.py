"""
What a policy's own breaker could have done: its conditions may turn out otherwise where something is unknown.

A condition that is unknown moves nothing. So beside the recorded state there are those that some value of the
unknown conditions leads to, from the recorded state before or from another one that was possible then.
"""

from __future__ import annotations

from exitgate.engine.breaker_state import CLOSED, FACTS, HALF_OPEN, OPEN
from exitgate.engine.record import unread_facts
from exitgate.language.closures import Compilation
from exitgate.language.strict import Strict
from exitgate.model.value import Unknown, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from exitgate.policy.compiled import Breaker, CompiledPolicy

    Record = Mapping[str, object]
    Records = Sequence[Record]
    #: Whether it opens, watches, closes.
    Truths = tuple[object, object, object]

_STATE = FACTS[0]
#: CLOSED after it was open: its history begins there.
ANEW = "closed anew"
_ANYTHING: Truths = (Unknown("it may be anything"),) * 3
_REASON = "a condition of the breaker is unknown, or was"


class States(Value):
    """
    The states that a breaker can be in.

    Args:
        recorded: The recorded one, None before the first record.
        others: Others that it could be in; the same one, too, where it could have come to it at another time.
        opened: Whether it was recorded as anything but CLOSED before.
        doubt: Whether it could have come to the recorded state for another reason, or at another time.
    """

    __slots__ = ("doubt", "opened", "others", "recorded")

    def __init__(
        self,
        recorded: str | None = None,
        others: frozenset[str] = frozenset(),
        opened: bool = False,
        doubt: bool = False,
    ) -> None:
        self.recorded = recorded
        self.others = others
        self.opened = opened
        self.doubt = doubt

    @property
    def is_sure(self) -> bool:
        """Whether it is in one state for all values of the unknown."""
        return all((CLOSED if other == ANEW else other) == self.recorded for other in self.others)

    def lost(self, record: Record) -> dict[str, object]:
        """Return the facts of the breaker that are known in a record and could have another value."""
        names = FACTS if not self.is_sure else FACTS[1:] if self.doubt else ()
        return {n: Unknown(_REASON, n) for n in names if n in record and not isinstance(record[n], Unknown)}


class Moved:
    """The conditions of a breaker, read strictly."""

    #: Before the first record.
    begun = States()

    def __init__(self, breaker: Breaker, policy: CompiledPolicy) -> None:
        settings = policy.values(), policy.conditions, unread_facts(policy)
        plain, strict = Compilation(*settings), Strict(*settings)
        self._cools = breaker.cooldown is not None
        self._opens = tuple(plain.closure(opening.when) for opening in breaker.openings)
        self._openings = tuple(strict.settled(opening.when) for opening in breaker.openings)
        self._watch, self._close = (
            strict.settled(node) if node is not None else None for node in (breaker.watch, breaker.close)
        )

    def after(self, before: States, records: Records, bare: Records, apart: int = 0) -> States:
        """
        Return the states after the last of `records`.

        Args:
            before: Those before it.
            records: Of the run, as they were recorded.
            bare: The same without what is taken for the unknown, up to the breaker in the last.
            apart: So many of the first records are not a history of the breaker: it was closed since.
        """
        recorded = records[-1].get(_STATE)
        if not isinstance(recorded, str):
            return States()
        if getattr(records[-1], "look", False):
            return self._after_look(before, recorded)
        began = before.recorded
        anew = 0 < apart < len(records)
        if anew:
            records, bare = records[apart:], bare[apart:]
            began = CLOSED if len(records) == 1 else began
        if began is None:  # it outlives runs: it had opened before, unless it opens now
            opens = any(test(records) is True for test in self._opens)
            began = OPEN if recorded == OPEN and not opens else CLOSED
        openings = [test(bare) for test in self._openings]
        truths = (
            _any(openings),
            False if self._watch is None else self._watch(bare),
            False if self._close is None else self._close(bare),
        )
        found: set[str] = set()
        for state in before.others:
            other = anew or (self._cools and state in (HALF_OPEN, ANEW))  # of another history, maybe
            found.update(*self._behind(state, _ANYTHING if other else truths))
        if began != OPEN:  # what an iteration shows does not move an open one, and its time is known
            for ways in self._behind(began, truths):
                found.update(ways if len(ways) > 1 else ())
        if recorded == CLOSED and not before.opened:
            found.discard(CLOSED)  # the very same state: none of the two was open before
        unsure = any(isinstance(truth, Unknown) for truth in (*openings, *truths[1:]))
        doubt = bool(found) or (recorded != CLOSED and (before.doubt or (unsure and began != OPEN)))
        return States(recorded, frozenset(found), before.opened or recorded != CLOSED, doubt)

    def _after_look(self, before: States, recorded: str) -> States:
        """Return the states after a look: only time moves an open one, and no condition is asked."""
        found = before.others | ({HALF_OPEN} if self._cools and OPEN in before.others else set())
        doubt = bool(found) or (recorded != CLOSED and before.doubt)
        return States(recorded, found, before.opened or recorded != CLOSED, doubt)

    def _behind(self, state: str, truths: Truths) -> Iterator[set[str]]:
        """Yield the states that can follow one; where two kinds of it are possible, for each of them."""
        if state == OPEN:
            yield {OPEN, HALF_OPEN} if self._cools else {OPEN}
            return
        for probe in (False, True) if state == HALF_OPEN and self._cools else (False,):
            yield {_next(state, probe, *way) for way in _ways(truths)}


def _next(state: str, probe: bool, opens: bool, watches: bool, closes: bool) -> str:
    if probe:
        return ANEW if closes else OPEN
    if opens:
        return OPEN
    if state in (CLOSED, ANEW):
        return HALF_OPEN if watches else state
    return CLOSED if closes else HALF_OPEN


def _any(truths: Iterable[object]) -> object:
    found: object = False
    for truth in truths:
        if truth is True:
            return True
        found = truth if truth is not False else found
    return found


def _ways(truths: Truths) -> Iterator[tuple[bool, bool, bool]]:
    """Yield all that the truths can turn out to be."""
    opens, watches, closes = (
        [value for value in (True, False) if truth is value or isinstance(truth, Unknown)] for truth in truths
    )
    for one in opens:
        for other in watches:
            for third in closes:
                yield one, other, third
