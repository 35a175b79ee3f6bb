"""
The one step of the loop: the facts of an iteration go in, its decision comes out.

A check, a hook, a replay, a policy test, a proof and a counterfactual all take this step, and none decides
in another way: what one of them says is what the others would.
"""

from __future__ import annotations

from exitgate.core.engine.breaker import BreakerState, facts_of
from exitgate.core.engine.record import Record, record_of, signals_of
from exitgate.core.engine.stages import AFTER, decide_stages
from exitgate.core.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from exitgate.core.engine.breaker import Move
    from exitgate.core.engine.program import Program
    from exitgate.core.facts.extractors.progress import Remembered
    from exitgate.core.model.decision import Decision, Warned
    from exitgate.core.model.fact import Fact

    Records = tuple[Mapping[str, object], ...]


_CLOSED = BreakerState()


class Before(Value):
    """
    What was there before an iteration.

    Args:
        records: Of earlier iterations of the run, oldest first.
        remembered: What the run had seen of the signals of progress besides them, or None.
        breaker: State of the breaker.
        apart: How many of the first `records` are not a history of the breaker, as it was reset since.
        mark: Number of the iteration's line in the ledger; 1 for the first of a run that is not recorded.
        whole: Whether what is remembered holds all that `records` tell of the signals of progress.
        silent: How many iterations without a known fact come right before `records`.
    """

    __slots__ = ("apart", "breaker", "mark", "records", "remembered", "silent", "whole")

    def __init__(
        self,
        records: Sequence[Mapping[str, object]] = (),
        remembered: Remembered | None = None,
        breaker: BreakerState = _CLOSED,
        apart: int = 0,
        mark: int = 1,
        whole: bool = False,
        silent: int = 0,
    ) -> None:
        self.records = tuple(records)
        self.remembered = remembered
        self.breaker = breaker
        self.apart = apart
        self.mark = mark
        self.whole = whole
        self.silent = silent


class Observed(Value):
    """
    What follows from the facts of an iteration before any rule is asked.

    Args:
        facts: Computed facts and those of the breaker, by name; those given by hand are not among them.
        record: The record with their values.
        breaker: State of the breaker after the iteration.
        move: How it moved, or None.
        notes: Remarks on values that were taken for unreadable ones.
    """

    __slots__ = ("breaker", "facts", "move", "notes", "record")

    def __init__(
        self,
        facts: Mapping[str, Fact],
        record: Record,
        breaker: BreakerState,
        move: Move | None,
        notes: tuple[Warned, ...] = (),
    ) -> None:
        self.facts = facts
        self.record = record
        self.breaker = breaker
        self.move = move
        self.notes = notes


class Evaluation:
    """
    A run under a policy, iteration after iteration.

    Args:
        program: The policy.
        before: What was there before the iteration that comes next; by default the beginning of a run.
    """

    def __init__(self, program: Program, before: Before | None = None) -> None:
        self.program = program
        policy = program.policy
        self._signals = signals_of(policy)
        self._reach = max(policy.lookback, policy.exit_after_blind or 0) + 1
        if before is None:
            before = Before(remembered=_nothing_remembered() if self._signals else None, whole=True)
        #: What was there before the iteration that comes next.
        self.before = before
        #: Records as far back as the policy reads, that of the newest iteration last.
        self.records: Records = before.records
        self._notes: tuple[Warned, ...] = ()

    @classmethod
    def of_records(cls, program: Program, records: Sequence[Mapping[str, object]]) -> Evaluation:
        """Return a run whose records are made, the newest last: it can be decided on as it is."""
        found = cls(program, Before(records[:-1]))
        found.records = tuple(records)
        return found

    def under(self, program: Program) -> Evaluation:
        """Return the same run under another policy, which must compute the same from its facts."""
        found = self.copy()
        found.program = program
        return found

    def copy(self) -> Evaluation:
        """Return the same run, to go on with apart from this one."""
        found = Evaluation.__new__(Evaluation)
        found.__dict__.update(self.__dict__)  # what it holds is replaced, never changed
        return found

    def looking(self) -> Evaluation:
        """Return the same run for a look at its newest iteration, in place of whose record the look comes."""
        found, before = self.copy(), self.before
        records, mark = before.records[:-1], before.mark - 1
        apart = _apart(before.breaker, mark, len(records))
        found.before = before.but(records=records, mark=mark, apart=apart)
        return found

    def remember(self, values: Mapping[str, object]) -> None:
        """Take in what the signals of progress were before any work."""
        if self._signals:
            seen = self.before.remembered or _nothing_remembered()
            self.before = self.before.but(remembered=seen.after(self._signals, values))

    def set_breaker(self, state: BreakerState) -> None:
        """Take another state of the breaker, as a reset or another run leaves it."""
        before = self.before
        apart = _apart(state, before.mark, len(before.records))
        self.before = before.but(breaker=state, apart=apart)

    def step(
        self,
        facts: Iterable[Fact] | Record,
        now: float = 0.0,
        stages: Sequence[str] = (AFTER,),
        *,
        given: Collection[str] = (),
    ) -> Decision:
        """Return the decision on the next iteration; arguments are as for `observe` and `decide`."""
        self.observe(facts, now, given=given)
        return self.decide(stages, moment=now)

    def observe(
        self,
        facts: Iterable[Fact] | Record,
        now: float = 0.0,
        *,
        given: Collection[str] = (),
        ended: bool = True,
    ) -> Observed:
        """
        Add the next iteration, and return what follows from its facts: computed facts, then the breaker.

        Args:
            facts: What was extracted and given, or the record of it.
            now: Time of the check, seconds since the epoch.
            given: Names of facts that stay as they are.
            ended: False when no iteration ended since the last decision. Then progress is unknown, and
                only time moves the breaker.
        """
        before, policy = self.before, self.program.policy
        if isinstance(facts, Record):
            record, self._notes = facts, ()
        else:
            if policy.breaker is not None:
                state = [fact for fact in facts_of(before.breaker, now) if fact.name not in given]
                facts = {fact.name: fact for fact in (*state, *facts)}.values()
            record, self._notes = record_of(facts, policy)
        found = self._advanced(record, before, now, given, ended)
        self.records = (*before.records, found.record)
        self._continue(found)
        return found

    def computed(self, record: Record, names: Collection[str]) -> dict[str, object]:
        """
        Return some of the computed facts that the next iteration has with a record; nothing is added.

        Args:
            record: What was extracted and given.
            names: The facts, and all computed ones that they read; none rests on the breaker.
        """
        before = self.before
        records = (*before.records, record)
        facts = self.program.derive(records, before.remembered, whole=before.whole, only=names)
        return {name: fact.value for name, fact in facts.items()}

    def decide(
        self,
        stages: Sequence[str] = (AFTER,),
        notes: Sequence[Warned] | None = None,
        moment: float | None = None,
    ) -> Decision:
        """
        Return the decision on the newest iteration: that of the first stage that says EXIT, or of the first.

        Args:
            stages: Each is asked only where those before it say CONTINUE.
            notes: Remarks that become warnings; by default those of `observe`.
            moment: When it was checked, seconds since the epoch; None where that is not known.
        """
        said = self._notes if notes is None else notes
        return decide_stages(self.program, self.records, stages, said, self.before.silent, moment)

    def unasked(self, stages: Sequence[str] = (AFTER,)) -> tuple[str, frozenset[str]]:
        """Return a rule, and the facts of which one has to be asked for to settle whether it decides."""
        return self.program.unasked(self.records, stages, self.before.silent)

    def _advanced(
        self, record: Record, before: Before, now: float, given: Collection[str], ended: bool
    ) -> Observed:
        program = self.program
        stand_ins, seen = record.stand_ins, before.remembered
        record = Record(record, stand_ins, seen, before.apart, not ended, before.whole)

        def derived(record: Record) -> dict[str, Fact]:
            records = (*before.records, record)
            found = program.derive(records, before.remembered, ended, given, whole=before.whole)
            return {name: fact for name, fact in found.items() if name not in given}

        facts = derived(record)
        whole = record.with_values({name: fact.value for name, fact in facts.items()})
        conditions = program.breaker
        if conditions is None:
            return Observed(facts, whole, before.breaker, None, self._notes)
        from exitgate.core.engine.breaker import move

        shown = conditions.shown((*before.records[before.apart :], whole)) if ended else None
        state, moved = move(before.breaker, shown, now, before.mark, conditions.cooldown)
        circuit = {fact.name: fact for fact in facts_of(state, now) if fact.name not in given}
        record = record.with_values({name: fact.value for name, fact in circuit.items()})
        if program.derives_from_breaker:
            facts = derived(record)  # again, from its state; the breaker's conditions use none of them
        facts = {**circuit, **facts}
        whole = record.with_values({name: fact.value for name, fact in facts.items()})
        return Observed(facts, whole, state, moved, self._notes)

    def _continue(self, found: Observed) -> None:
        """Let the newest iteration be one before the next."""
        before, kept = self.before, self.records[-self._reach :]
        remembered = before.remembered
        if self._signals and remembered is not None:
            remembered = remembered.after(self._signals, found.record)
        self.before = Before(
            kept,
            remembered,
            found.breaker,
            _apart(found.breaker, before.mark + 1, len(kept)),
            before.mark + 1,
            before.whole,
            before.silent if len(kept) == len(self.records) else 0,
        )


def _apart(state: BreakerState, mark: int, records: int) -> int:
    """Return how many of the records before `mark` a breaker that was reset since does not count."""
    return max(0, min(records, state.since - (mark - records))) if state.since else 0


def _nothing_remembered() -> Remembered:
    from exitgate.core.facts.extractors.progress import Remembered

    return Remembered()
