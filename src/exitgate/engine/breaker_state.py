"""The state of the breaker as the ledger keeps it, and as facts."""

from __future__ import annotations

from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.model.evidence import Fact

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
    from exitgate.facts.extractors import circuit
    from exitgate.model.evidence import Fact
    from exitgate.model.iteration import Iteration, Source

    record: dict[str, object] = {"state": state.state}
    if state.reason:
        record["reason"] = state.reason
    if state.opened_at is not None:
        record["opened_at"] = written(state.opened_at)
    source = Source("circuit", record=record)
    found = circuit.extract(prefix, "circuit", {}, Iteration(0, "", now, {"circuit": source}))
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
    return isinstance(value, int | float) and not isinstance(value, bool) and -_LARGEST <= value <= _LARGEST
