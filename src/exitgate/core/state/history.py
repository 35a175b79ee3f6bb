"""What the ledger says of the run so far."""

from __future__ import annotations

from exitgate.core.engine.record import record_of
from exitgate.core.facts.records import count
from exitgate.core.ledger.line import DECISION, RUN_START, facts_from_line
from exitgate.core.ledger.runs import (
    GROWING,
    decisions_of,
    faults,
    highest,
    iteration_of,
    longest,
    standing,
    used_up,
)
from exitgate.core.model.decision import COMPLETE, CONTINUE, EXIT
from exitgate.core.model.fact import Fact, Source
from exitgate.core.model.json_object import JsonObject, array_of, number_of, object_or_none
from exitgate.core.model.value import Value, micro
from exitgate.core.observe.sources import Begun, run_source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from exitgate.core.engine.record import Record
    from exitgate.core.facts.extractors.progress import Remembered, Signal
    from exitgate.core.ledger.runs import Standing
    from exitgate.core.policy.compiled import CompiledPolicy

    Tail = Callable[[str, int], tuple[JsonObject, ...]]

    from exitgate.core.model.fact import Fact
    from exitgate.core.observe.sources import Begun
    from exitgate.core.state.request import Request


#: The fact whose evidence names the files that changed, and the place of the excerpt in a piece of evidence.
CONTENT, EXCERPT = "git.content", 5
#: Total of a run: the digest of all that decides whether it completes, where probes have to pass.
STRENGTH = "gate"
#: Kinds of lines that say how things were: they carry totals and what git facts compare with.
STANDING = (RUN_START, DECISION)


class History:
    """
    The run a check belongs to, as far back as its policy can read.

    Args:
        standing: Run, iteration and whether the run is new.
        lines: Lines of the run, newest last; none of a new run.
        last: Newest line of any run of this name, or None.
    """

    __slots__ = ("last", "lines", "standing")

    def __init__(self, standing: Standing, lines: tuple[JsonObject, ...], last: JsonObject | None) -> None:
        self.standing = standing
        self.lines = lines
        self.last = last

    @property
    def begun(self) -> bool:
        """Whether the run has had an iteration: one that was decided on, or one that was let go ahead."""
        return self.standing.iteration > 1 or any(_let_go(line) for line in self.lines)

    def records(self, policy: CompiledPolicy, before: int) -> tuple[Record, ...]:
        """Return the records of the iterations before number `before`, oldest first."""
        found = (line for line in decisions_of(self.lines) if 0 < iteration_of(line) < before)
        return tuple(record_of_line(line, policy) for line in found)

    def apart(self, before: int, since: int) -> int:
        """
        Return how many of the records before iteration `before` are in lines before number `since`.

        The lines of later iterations have larger numbers, so these are the first records.
        """
        found = (line for line in decisions_of(self.lines) if 0 < iteration_of(line) < before)
        return sum(1 for line in found if int(str(line["sequence"])) < since)

    def silent(self) -> int:
        """
        Return how many blind decisions in a row were made before the run's first iteration.

        The first of them does not count: nothing had been done yet, so there was nothing to read.
        """
        early = [line for line in self.lines if line.get("kind") == DECISION and iteration_of(line) == 0]
        count = 0
        for line in reversed(early):
            if not line.object("decision").flag("blind"):
                break
            count += 1
        return max(0, count - 1)

    def begin(self, now: float) -> Begun:
        """Return instants, totals and the state of git when the iteration began."""
        if self.standing.new or not self.lines:
            kept, guard = self._handed_on()
            return Begun(now, elapsed=0.0, totals=guard, kept=kept)
        last = _last_with_totals(self.lines)
        lines = [line for line in self.lines if line.get("kind") in STANDING]
        known = JsonObject(_sound(last.object("totals")), **highest(lines))
        beginning = last.number("time") if last.get("kind") == RUN_START else None
        started = known.number("started_at") if "started_at" in known else beginning
        decided = [line.number("time") for line in self.lines if line.get("kind") == DECISION]
        baseline = object_or_none(last.get("git"))
        return Begun(
            started, decided[-1] if decided else None, known, baseline, longest(lines, now),
            last.text("began", ""),
        )  # fmt: skip

    def _handed_on(self) -> tuple[str, JsonObject]:
        """
        Return what a run that began by itself takes over from one before it that ended without completing.

        That is how things were when that one began, and what guarded it: a review for a change of them does
        not end by being decided on once more, but with `exitgate new-run`.
        """
        last = self.last if self.last is not None else JsonObject()
        decision = last.object("decision")
        if last.get("kind") != DECISION or decision.get("verdict") != EXIT:
            return "", JsonObject()
        if decision.get("class") == COMPLETE:
            return "", JsonObject()
        totals = last.object("totals")
        guard = JsonObject({STRENGTH: totals[STRENGTH]}) if STRENGTH in totals else JsonObject()
        return last.text("began", ""), guard

    def damages(self) -> tuple[str, ...]:
        """Return a remark for each line whose totals are less than they were: they count as they were."""
        lines = [line for line in self.lines if line.get("kind") in STANDING]
        pairs = zip((None, *lines), lines, strict=False)
        return tuple(
            f"line {line.get('sequence')} of the ledger is damaged: {fault}; the earlier counts are used"
            for before, line in pairs
            for fault in faults(before, line)
        )

    def totals(self) -> JsonObject:
        """Return the totals in the newest line that has some, of this run or of the one before it."""
        lines = (*reversed(self.lines), *((self.last,) if self.last is not None else ()))
        return next((totals for line in lines if (totals := line.object("totals"))), JsonObject())

    def remembered(self, signals: Sequence[Signal]) -> Remembered:
        """Return what the run has seen of the signals of progress."""
        return remembered_in(_last_with_totals(self.lines), signals)

    def response_digest(self) -> tuple[str, JsonObject] | None:
        """Return the digest of the newest response on record, of any run of this name, and its line."""
        newest = (self.last, *reversed(self.lines)) if self.last is not None else ()
        for line in newest:
            digest = line.object("sources").object("response").text("digest")
            if digest is not None:
                return digest, line
        return None


def _let_go(line: JsonObject) -> bool:
    """Return whether the line told a loop to go on before its first iteration."""
    early = line.get("kind") == DECISION and iteration_of(line) == 0
    return early and line.object("decision").get("verdict") == CONTINUE


def _sound(totals: JsonObject) -> dict[str, object]:
    """Return the totals without those that cannot be."""
    return {
        name: value for name, value in totals.items() if name not in GROWING or used_up(value) is not None
    }


def _last_with_totals(lines: Sequence[JsonObject]) -> JsonObject:
    return next((line for line in reversed(lines) if line.get("kind") in STANDING), JsonObject())


def remembered_in(line: JsonObject, signals: Sequence[Signal]) -> Remembered:
    """
    Return what a run has seen of the signals of progress, by the last of its lines that has totals.

    A run of which there is only the first line has seen what that line holds: how things were before
    any work.
    """
    from exitgate.core.facts.extractors.progress import Remembered

    found = Remembered.from_plain(line.object("totals"))
    return found.after(signals, facts_from_line(line)) if line.get("kind") == RUN_START else found


def look_back(
    policy: CompiledPolicy,
    last: JsonObject | None,
    name: str,
    now: float,
    tail: Tail,
    iteration: int | None = None,
) -> History:
    """
    Return the history for a check at time `now`.

    Args:
        policy: Says how many iterations back its conditions read.
        last: Newest line of any run called `name`, or None.
        name: Name of the run.
        now: Seconds since the epoch.
        tail: Run id, limit -> the run's newest lines, newest last.
        iteration: Number the caller gave, or None.
    """
    where = standing(name, last, now, iteration)
    if where.new:
        return History(where, (), last)
    need = max(policy.lookback, policy.exit_after_blind or 0) + 1
    limit = need + 2
    while True:
        lines = tail(where.run, limit)
        if len(lines) < limit or len(decisions_of(lines)) > need:
            break
        limit *= 2  # lines of other kinds are between
    reached = max((*(iteration_of(line) for line in lines), int(highest(lines).get("iterations", 0))))
    if last is not None and reached > iteration_of(last):  # its number is less than it was: damage
        where = standing(name, JsonObject(last, iteration=reached), now, iteration)
        lines = () if where.new else lines
    return History(where, lines, last)


def last_changed(lines: Sequence[JsonObject]) -> str:
    """Return the path of a file that the newest of the lines with a change names, or the empty text."""
    for line in reversed(lines):
        evidence = line.object("facts").object(CONTENT).array("e")
        first = array_of(evidence[0]) if evidence else ()
        if len(first) > EXCERPT:
            return str(first[EXCERPT])
    return ""


def record_of_line(line: JsonObject, policy: CompiledPolicy) -> Record:
    """Return the record of the iteration that a line of the ledger stands for; a kept line keeps it, too."""
    made = getattr(line, "record", None)
    if made is not None and made[0] is policy:
        record: Record = made[1]
        return record
    facts = (Fact(name, value) for name, value in facts_from_line(line).items())
    record = record_of(facts, policy)[0]
    if hasattr(line, "record"):
        line.record = policy, record
    return record


# Totals of a run: what every line of the ledger carries, so that the whole run need not be read.

#: Totals that can be given as facts by hand; then those count.
_GIVEN = ("cost", "tokens")


def totals_after(
    request: Request,
    begun: Begun,
    number: int,
    given: Mapping[str, Fact],
    record: Mapping[str, object],
    remembered: Remembered | None,
    signals: Sequence[Signal],
    reported: Reported | None = None,
) -> JsonObject:
    """
    Return the totals of the run once an iteration was decided on.

    Args:
        request: Says how the agent ended, and what the iteration cost.
        begun: The run before it.
        number: Of the iteration.
        given: Facts given by hand.
        record: Values of the iteration.
        remembered: What the run had seen of the signals of progress before.
        signals: Those signals.
        reported: What the agent's result says it used up, or None.
    """
    counted = run_source(request, begun, number, reported).record or JsonObject()
    totals = JsonObject(begun.totals)
    totals.update((name, value) for name, value in counted.items() if name in _COUNTED)
    for name in _GIVEN:
        fact = given.get(f"run.{name}")
        if fact is not None and number_of(fact.value) is not None:
            before = used_up(begun.totals.get(name)) or 0
            totals[name] = micro(max(before, used_up(fact.value) or 0))
    if begun.started_at is None:
        totals.pop("started_at", None)
        totals.pop("elapsed", None)
    if reported is not None and reported.session is not None:
        totals[SESSION] = reported.session
    if remembered is not None:
        totals |= remembered.after(signals, record).to_plain()
    return totals


#: Fields of the source `run` that are totals.
_COUNTED = frozenset(("iterations", "started_at", "elapsed", "cost", "tokens", "failures_in_row"))


# What the agent's result reports of cost, tokens and failure, as this iteration's share.

#: Total of a run under which the agent's session is kept, with what it reported last.
SESSION = "session"


class Reported(Value):
    """
    What one iteration used up and whether it failed, as its agent's result says.

    Args:
        cost: USD of this iteration, or None when not reported.
        tokens: Its tokens, or None.
        is_error: Whether the result is an error, or None if it is not recorded.
        session: What the run keeps: `id`, `cost` (USD as reported last) and, where the costs of the
            session are known not to add up, `apart`; None when there is no session.
    """

    __slots__ = ("cost", "is_error", "session", "tokens")

    def __init__(
        self,
        cost: float | None = None,
        tokens: int | None = None,
        is_error: bool | None = None,
        session: JsonObject | None = None,
    ) -> None:
        self.cost = cost
        self.tokens = tokens
        self.is_error = is_error
        self.session = session


def reported(
    sources: Mapping[str, Source], totals: JsonObject, unchanged: bool
) -> tuple[Mapping[str, Source], Reported]:
    """
    Return the sources, `cost` in `result` as that of this iteration alone, and what was reported.

    Some versions of an agent report what a resumed session has cost so far, others what this call
    did. Where a session comes again with a larger cost, the difference is this iteration's; once it
    came with a smaller one, its costs are taken each for itself.

    Args:
        sources: What was read.
        totals: Totals of the run before, or of the run before it where this one is new: a session may
            go on in the next run.
        unchanged: Whether the response is that of the last decision: a session that is reported again
            has used up nothing new.
    """
    result = sources.get("result")
    if result is None or result.record is None:
        return sources, Reported()
    record = result.record
    is_error, id = record.flag("is_error"), record.text("session")
    cost, tokens = _dollars(record.get("cost")), count(record.get("tokens"))
    if id is None:
        return sources, Reported(cost, tokens, is_error)
    known = totals.object(SESSION)
    kept = JsonObject(known) if known.get("id") == id else JsonObject(id=id)
    if unchanged:
        return sources, Reported(None, None, is_error, kept)
    if cost is None:
        return sources, Reported(None, tokens, is_error, kept)
    last = _dollars(kept.get("cost"))
    kept["cost"] = cost
    if last is not None and cost < last:
        kept["apart"] = True
    elif last is not None and not kept.flag("apart"):
        cost = micro(cost - last)
        sources = {**sources, "result": Source("result", record={**record, "cost": cost}, path=result.path)}
    return sources, Reported(cost, tokens, is_error, kept)


def _dollars(value: object) -> float | None:
    amount = used_up(value)
    return None if amount is None else micro(amount)
