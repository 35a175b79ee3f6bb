"""
The circuit breaker: a state, what an iteration showed, and the time go in; the next state comes out.

    CLOSED --watch--> HALF_OPEN --close--> CLOSED         any opening: --> OPEN
    OPEN --cooldown--> HALF_OPEN for one iteration        close: --> CLOSED, otherwise --> OPEN

No iteration moves an OPEN breaker, no matter what it shows: only time does, or a person who resets it, and
only a person where one tripped it or the policy names no cooldown. A state belongs to the state directory,
not to a run. Pure: the time is an argument.
"""

from __future__ import annotations

from exitgate.core.engine.record import unread_facts
from exitgate.core.language.evaluation.closures import Compilation, compile_node
from exitgate.core.language.evaluation.unknowns import Strict
from exitgate.core.model.json_object import JsonObject
from exitgate.core.model.value import Unknown, Value, is_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from exitgate.core.model.fact import Fact
    from exitgate.core.policy.compiled import Breaker, CompiledPolicy

    Records = Sequence[Mapping[str, object]]
    Record = Mapping[str, object]
    RecordSeries = Sequence[Record]
    #: Whether it opens, watches, closes.
    Truths = tuple[object, object, object]


#: Reason of a breaker that is HALF_OPEN because its `watch` condition was true.
WATCH = "watch"


class Shown(Value):
    """What an iteration showed: the openings, `watch` and `close`, each if it is definitely true."""

    __slots__ = ("close", "open", "watch")

    def __init__(self, open: tuple[str, ...] = (), watch: bool = False, close: bool = False) -> None:
        self.open = open
        self.watch = watch
        self.close = close


class Move(Value):
    """One change of state, with the reason for people."""

    __slots__ = ("after", "before", "reason")

    def __init__(self, before: str, after: str, reason: str) -> None:
        self.before = before
        self.after = after
        self.reason = reason


class BreakerConditions:
    """The conditions of a breaker, compiled once."""

    def __init__(self, breaker: Breaker, policy: CompiledPolicy) -> None:
        values, unread = policy.values(), unread_facts(policy)
        self.cooldown = breaker.cooldown
        self._openings = tuple(
            (opening.id, compile_node(opening.when, values, policy.conditions, unread))
            for opening in breaker.openings
        )
        self._watch, self._close = (
            compile_node(node, values, policy.conditions, unread) if node is not None else None
            for node in (breaker.watch, breaker.close)
        )

    def shown(self, records: Records) -> Shown:
        """Return what the last of `records` shows; what is unknown moves nothing."""
        return Shown(
            tuple(id for id, test in self._openings if test(records) is True),
            self._watch is not None and self._watch(records) is True,
            self._close is not None and self._close(records) is True,
        )


def move(
    state: BreakerState, shown: Shown | None, now: float, mark: int, cooldown: float | None
) -> tuple[BreakerState, Move | None]:
    """
    Return the state after a check, and how it moved, if it did.

    Args:
        state: Before the check.
        shown: What the iteration showed that ended since the last check; None where none did: then
            only time moves the breaker.
        now: Seconds since the epoch.
        mark: Number from which on lines of the ledger count as history when this check closes a
            breaker that was open.
        cooldown: Seconds that it stays OPEN, or None.
    """
    state = state.at(now)
    if state.state == OPEN:
        return _from_open(state, now, cooldown)
    if shown is None:
        return state, None
    if state.probe:
        if shown.close:
            return _closed(state, mark, "the iteration after the cooldown made progress")
        reason = "no progress in the iteration after the cooldown"
        return state.opened(state.reason, now), Move(HALF_OPEN, OPEN, reason)
    if shown.open:
        reason = ", ".join(shown.open)
        return state.opened(reason, now), Move(state.state, OPEN, reason)
    if state.state == CLOSED and shown.watch:
        return state.watched(WATCH), Move(CLOSED, HALF_OPEN, WATCH)
    if state.state == HALF_OPEN and shown.close:
        # What led here still counts: an error that comes back each time is not undone by progress.
        return state.closed(state.since), Move(HALF_OPEN, CLOSED, "progress")
    return state, None


def _from_open(state: BreakerState, now: float, cooldown: float | None) -> tuple[BreakerState, Move | None]:
    """Return the state of an open breaker: what an iteration shows is not an argument."""
    if not state.by_hand and cooldown is not None and state.waited(now) >= cooldown:
        return state.probed(), Move(OPEN, HALF_OPEN, "the cooldown is over; one iteration is allowed")
    return state, None


def _closed(state: BreakerState, mark: int, reason: str) -> tuple[BreakerState, Move]:
    return state.closed(mark), Move(state.state, CLOSED, reason)


# The state of the breaker as the ledger keeps it, and as facts.

CLOSED, HALF_OPEN, OPEN = "CLOSED", "HALF_OPEN", "OPEN"
STATES = (CLOSED, HALF_OPEN, OPEN)
#: What `facts_of` tells of it.
FACTS = ("circuit.state", "circuit.reason", "circuit.opened_for", "circuit.opened_at")
LOST = "the stored state of the breaker cannot be read; it counts as CLOSED, and an OPEN state may be lost"

#: An instant or number in a stored state beyond this is a mistake.
_LARGEST = 1e11


class BreakerState(Value):
    """
    Where the breaker is.

    Args:
        state: CLOSED, HALF_OPEN or OPEN.
        reason: Ids of the openings, a person's words, ``watch``; empty while it is CLOSED.
        opened_at: When it last opened, seconds since the epoch; None unless OPEN or in its probe.
        latest: The latest time it was looked at while OPEN.
        behind: While the clock shows less than `latest`: the earliest time it has shown since; else None.
        probe: HALF_OPEN for the one iteration after a cooldown.
        by_hand: A person opened it: only a reset closes it.
        since: Lines of the ledger with a smaller number are not a history of its conditions.
    """

    __slots__ = ("behind", "by_hand", "latest", "opened_at", "probe", "reason", "since", "state")

    def __init__(
        self,
        state: str = CLOSED,
        reason: str = "",
        opened_at: float | None = None,
        latest: float | None = None,
        behind: float | None = None,
        probe: bool = False,
        by_hand: bool = False,
        since: int = 0,
    ) -> None:
        self.state = state
        self.reason = reason
        self.opened_at = opened_at
        self.latest = latest
        self.behind = behind
        self.probe = probe
        self.by_hand = by_hand
        self.since = since

    def opened(self, reason: str, now: float, by_hand: bool = False) -> BreakerState:
        """Return it OPEN from `now` on."""
        return BreakerState(OPEN, reason, now, now, None, False, by_hand, self.since)

    def watched(self, reason: str) -> BreakerState:
        """Return it HALF_OPEN, watching."""
        return BreakerState(HALF_OPEN, reason, since=self.since)

    def probed(self) -> BreakerState:
        """Return it HALF_OPEN for one iteration, still knowing why and when it opened."""
        return BreakerState(HALF_OPEN, self.reason, self.opened_at, probe=True, since=self.since)

    def closed(self, since: int) -> BreakerState:
        """Return it CLOSED, with the history that counts beginning at line `since`."""
        return BreakerState(since=since)

    def at(self, now: float) -> BreakerState:
        """Return it looked at at time `now`."""
        if self.state != OPEN or self.latest is None:
            return self
        latest, behind = now, None
        if now < self.latest:
            latest = self.latest
            behind = now if self.behind is None else min(now, self.behind)
        return BreakerState(
            OPEN, self.reason, self.opened_at, latest, behind, False, self.by_hand, self.since
        )

    def waited(self, now: float) -> float:
        """
        Return the seconds it has been OPEN, as far as the clock can be believed.

        A clock set back starts the wait anew, so it neither shortens it nor makes it last until the
        clock has caught up; once it has, the time since the opening counts again.
        """
        start = self.opened_at if self.behind is None else self.behind
        return now - start if start is not None else 0.0

    def to_plain(self) -> dict[str, object]:
        """Return it as JSON; what says nothing is left out."""
        plain: dict[str, object] = {"state": self.state}
        for name in ("reason", "opened_at", "latest", "behind", "probe", "by_hand", "since"):
            value = getattr(self, name)
            if value is not None and value != "" and value is not False and value != 0:
                plain[name] = value
        return plain


def read_state(plain: object) -> tuple[BreakerState, bool]:
    """
    Return the state that `to_plain` wrote, and whether it could be read.

    None is a breaker that never moved. What cannot be read is CLOSED: the caller must say that an
    OPEN state may be lost (`LOST`).
    """
    if plain is None:
        return BreakerState(), True
    if not isinstance(plain, dict) or plain.get("state") not in STATES:
        return BreakerState(), False
    state = plain["state"]
    times = {name: plain.get(name) for name in ("opened_at", "latest", "behind")}
    flags = {name: plain.get(name, False) for name in ("probe", "by_hand")}
    reason, since = plain.get("reason", ""), plain.get("since", 0)
    fits = (
        isinstance(reason, str)
        and _is_number(since)
        and all(value is None or _is_number(value) for value in times.values())
        and all(isinstance(value, bool) for value in flags.values())
        and (state != OPEN or None not in (times["opened_at"], times["latest"]))
        and (state == HALF_OPEN or not flags["probe"])
    )
    if not fits:
        return BreakerState(), False
    return BreakerState(
        str(state), reason, times["opened_at"], times["latest"], times["behind"],
        flags["probe"], flags["by_hand"], int(since),
    ), True  # fmt: skip


def facts_of(state: BreakerState, now: float, prefix: str = "circuit") -> tuple[Fact, ...]:
    """Return the facts of the breaker at time `now`, as the extractor `circuit` makes them of a record."""
    from exitgate.core.facts.extractors import circuit
    from exitgate.core.model.fact import Fact, Iteration, Source

    record: dict[str, object] = {"state": state.state}
    if state.reason:
        record["reason"] = state.reason
    if state.opened_at is not None:
        record["opened_at"] = written(state.opened_at)
    source = Source("circuit", record=record)
    found = circuit.extract(prefix, "circuit", JsonObject(), Iteration(0, "", now, {"circuit": source}))
    return (Fact(found[0].name, found[0].value, note=_note(state)), *found[1:])


def _note(state: BreakerState) -> str:
    """Return what a person wants to know beside the state."""
    if state.probe:
        return f"one iteration is allowed after the cooldown; it had opened because: {state.reason}"
    if state.opened_at is None:
        return state.reason
    by = "by hand, " if state.by_hand else ""
    return f"{by}{state.reason}, since {written(state.opened_at)}"


def written(instant: float) -> str:
    """Return an instant (seconds since the epoch) as ISO 8601 in UTC, cut to the millisecond."""
    from time import gmtime

    seconds = int(instant // 1)
    milliseconds = int((instant - seconds) * 1000)
    year, month, day, hour, minute, second = gmtime(seconds)[:6]
    return f"{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milliseconds:03}+00:00"


def _is_number(value: object) -> bool:
    return is_number(value) and -_LARGEST <= value <= _LARGEST


# What a policy's own breaker could have done: its conditions may turn out otherwise where something is
# unknown.
#
# A condition that is unknown moves nothing. So beside the recorded state there are those that some value of
# the unknown conditions leads to, from the recorded state before or from another one that was possible
# then.

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

    def after(self, before: States, records: RecordSeries, bare: RecordSeries, apart: int = 0) -> States:
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
