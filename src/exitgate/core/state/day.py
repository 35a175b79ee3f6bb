"""The sums of the day: what the ledger has of it, and this check's own share."""

from __future__ import annotations

from exitgate.core.ledger.line import DECISION
from exitgate.core.ledger.past import Past
from exitgate.core.ledger.runs import used_up
from exitgate.core.model.fact import Source
from exitgate.core.model.json_object import JsonObject, object_or_none
from exitgate.core.model.value import Value, micro
from exitgate.core.observe.local_time import local

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.ledger.past import Past, Placed
    from exitgate.core.policy.compiled import CompiledPolicy


NAME = "day"
#: From the beginning of a day so many seconds lead into the next, no matter how long it is.
_INTO_NEXT = 36 * 3600


class Days:
    """
    What runs used up on the day of an instant, in each zone that a policy asks for.

    Args:
        policy: Whose entries name the zones.
        directory: The state directory.
        now: Seconds since the epoch.
        run: Id of the run that is checked.

    Raises:
        ExitgateError: 74 when the ledger cannot be read.
    """

    def __init__(self, policy: CompiledPolicy, directory: str, now: float, run: str) -> None:
        self._now = now
        self._found: dict[str, tuple[Day, Sums] | str] = {}
        entries = (entry for entry in policy.extractions if entry.extractor == NAME)
        zones = dict.fromkeys(str(entry.options.get("zone") or "") for entry in entries)
        with Past(directory) as ledger:
            newest = next(iter(ledger.newest_first()), None)
            #: Number of the ledger's newest line then, 0 without any.
            self.sequence = 0 if newest is None else int(str(newest[1]["sequence"]))
            for zone, shown in local(now, zones).items():
                self._found[zone] = _sums(ledger, zone, shown)
            lines = ledger.newest_first(run)
            self._before = next((one for _, one in lines if one.get("kind") == DECISION), None)

    def after(self, before: JsonObject, totals: JsonObject) -> dict[str, Sums | str]:
        """
        Return for each zone the sums with this check's share, or why they are not known.

        Args:
            before: Totals of the run before this check.
            totals: Its totals after it.
        """
        found: dict[str, Sums | str] = {}
        for zone, one in self._found.items():
            if isinstance(one, str):
                found[zone] = one
                continue
            day, sums = one
            found[zone] = sums.plus(used(before, totals, self._now, day, not day.holds(self._before)))
        return found

    def source(self, before: JsonObject, totals: JsonObject) -> Source:
        """Return the source `day`; arguments as for `after`."""
        days = {
            zone: JsonObject(reason=one) if isinstance(one, str) else one.to_plain()
            for zone, one in self.after(before, totals).items()
        }
        return Source(NAME, record={"days": days})

    def carried(self, before: JsonObject, totals: JsonObject) -> list[JsonObject]:
        """Return what the check's line carries; arguments as for `after`."""
        found: dict[int, JsonObject] = {}
        for zone, sums in self.after(before, totals).items():
            one = self._found[zone]
            if not isinstance(one, str) and not isinstance(sums, str):
                found[one[0].midnight] = JsonObject(midnight=one[0].midnight, **sums.to_plain())
        return list(found.values())


def _sums(ledger: Past, zone: str, shown: JsonObject) -> tuple[Day, Sums] | str:
    midnight = shown.whole("midnight")
    if midnight is None:
        return str(shown.get("reason"))
    following = local(midnight + _INTO_NEXT, (zone,))[zone].whole("midnight")
    if following is None:
        return "the instant is out of range"
    day = Day(midnight, following)
    sums = spent(ledger, day)
    return sums if isinstance(sums, str) else (day, sums)


# What all runs of a ledger used up within a day: sums over its decisions, each counted by its own time.
#
# A decision used up what its totals have beyond those of the decision before it in its run. Lines of
# policies that ask for days carry the sums of theirs, so that a check reads back to the newest such line
# and no further.

#: Key of a line under which it carries the sums of days.
DAYS = "days"
#: Lines that are read at most.
LIMIT = 5_000
#: Lines in a row from before a day behind which none of it is looked for: a clock may have been set back.
BEHIND = 20
#: Totals of a run that are summed, and those that are whole numbers.
SUMMED = ("cost", "tokens", "iterations", "elapsed")
_WHOLE = frozenset(("tokens", "iterations"))
_TOO_MANY = f"the day has more than {LIMIT} lines of the ledger without sums"
_DAMAGED = "a damaged line of the ledger may belong to the day"


class Day(Value):
    """A day of a zone: the instants, seconds since the epoch, at which it begins and ends."""

    __slots__ = ("end", "midnight")

    def __init__(self, midnight: int, end: int) -> None:
        self.midnight = midnight
        self.end = end

    def holds(self, line: JsonObject | None) -> bool:
        """Return whether a line was written on this day, by its own time."""
        at = None if line is None else line.number("time")
        return at is not None and self.midnight <= at < self.end


class Sums(Value):
    """
    What was used up.

    Args:
        cost: In USD, None if none was reported.
        tokens, iterations: Counts, None if none was reported.
        elapsed: Seconds, each run's by itself, or None.
        runs: Runs that were decided on.
    """

    __slots__ = ("cost", "elapsed", "iterations", "runs", "tokens")

    def __init__(
        self,
        cost: float | None = None,
        tokens: int | None = None,
        iterations: int | None = None,
        elapsed: float | None = None,
        runs: int = 0,
    ) -> None:
        self.cost = cost
        self.tokens = tokens
        self.iterations = iterations
        self.elapsed = elapsed
        self.runs = runs

    def plus(self, other: Sums) -> Sums:
        """Return both together, amounts to the millionth."""
        pairs = {name: (getattr(self, name), getattr(other, name)) for name in SUMMED}
        known = {name: [one for one in pair if one is not None] for name, pair in pairs.items()}
        added = {name: micro(sum(map(micro, found))) if found else None for name, found in known.items()}
        return Sums(**added, runs=self.runs + other.runs)  # type: ignore[arg-type]

    def to_plain(self) -> JsonObject:
        """Return the sums as a line carries them, without what was never reported."""
        known = {name: getattr(self, name) for name in SUMMED}
        return JsonObject({n: value for n, value in known.items() if value is not None}, runs=self.runs)


def used(before: JsonObject, after: JsonObject, at: float, day: Day, new: bool) -> Sums:
    """
    Return what a decision of a day used up.

    Args:
        before: Totals of the run's decision before it, none for the first.
        after: Its own.
        at: Its time, seconds since the epoch.
        day: The day; time before its beginning belongs to another.
        new: Whether it is the first of its run on this day.
    """
    found: dict[str, float | int] = {}
    for name in SUMMED:
        now = used_up(after.get(name))
        if now is not None:
            more = micro(max(0, now - (used_up(before.get(name)) or 0)))
            found[name] = int(more) if name in _WHOLE else more
    if "elapsed" in found:
        found["elapsed"] = micro(min(found["elapsed"], max(0, at - day.midnight)))
    return Sums(**found, runs=int(new))  # type: ignore[arg-type]


def carried(line: JsonObject, day: Day) -> Sums | None:
    """
    Return the sums of a day that a line carries, its own decision included, or None.

    Sums of which one is damaged or absent are none at all: to leave it out would give back what was used up.
    """
    days = line.objects(DAYS)
    found = [one for one in days if one.get("midnight") == day.midnight]
    if len(found) != 1 or len(days) < len(line.array(DAYS)):
        return None
    (one,) = found
    known = {name: used_up(one[name]) for name in SUMMED if name in one}
    runs = used_up(one.get("runs"))
    whole = [runs, *(value for name, value in known.items() if name in _WHOLE)]
    # what the decision itself reports is in the sums of its day, too
    totals = line.object("totals")
    said = {name for name in SUMMED if name in totals}
    if None in known.values() or any(value is None or value % 1 for value in whole) or not runs:
        return None
    return Sums(**known, runs=int(runs)) if said <= known.keys() else None  # type: ignore[arg-type]


def _is_damaged(line: JsonObject) -> bool:
    """Return whether a total of a decision is none that it can have used up."""
    totals = object_or_none(line.get("totals"))
    if totals is None:
        return line.get("totals") is not None
    return any(name in totals and used_up(totals[name]) is None for name in SUMMED)


def spent(ledger: Past, day: Day) -> Sums | str:
    """
    Return what the decisions in a ledger used up on a day, or why that is not known.

    Reads back to the newest line that carries the sums of this day, else to its beginning; at most `LIMIT`
    lines.
    """
    found, behind = Sums(), 0
    #: Run -> its decision on this day whose predecessor was not met yet.
    open_: dict[str, Placed] = {}
    for read, (offset, line) in enumerate(ledger.newest_first()):
        if read == LIMIT:
            return _TOO_MANY
        inside = day.holds(line)
        if line.get("kind") == DECISION:
            run = str(line["run"])
            later = open_.pop(run, None)
            if later is not None:
                found = found.plus(_of(later[1], line, day))
            kept = carried(line, day) if inside else None
            if kept is not None:
                found = found.plus(kept)
                break
            if inside and _is_damaged(line):
                return _DAMAGED
            if inside:
                open_[run] = (offset, line)
        behind = 0 if inside else behind + (_time(line) < day.midnight)
        if behind > BEHIND:
            break
    for offset, line in open_.values():
        earlier = _decision_before(ledger, offset, line)
        if isinstance(earlier, str):
            return earlier
        if earlier is not None and _is_damaged(earlier):
            return _DAMAGED
        found = found.plus(_of(line, earlier, day))
    return _DAMAGED if ledger.holes else found


def _of(line: JsonObject, before: JsonObject | None, day: Day) -> Sums:
    totals = JsonObject() if before is None else before.object("totals")
    return used(totals, line.object("totals"), _time(line), day, not day.holds(before))


def _decision_before(ledger: Past, offset: int, line: JsonObject) -> JsonObject | str | None:
    """Return the decision before one in its run, None for the first, or why it is not known."""
    last = line
    for earlier in ledger.before(line, offset):
        if earlier.get("kind") == DECISION:
            return earlier
        last = earlier
    return None if last.get("run_prev") is None else _DAMAGED


def _time(line: JsonObject) -> float:
    return line.number("time", 0.0)
