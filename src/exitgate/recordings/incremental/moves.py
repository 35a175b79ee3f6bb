"""
The breaker of a changed policy, moved anew through a run from where its conditions are true.

Between the iterations in which a condition is true nothing moves but an open breaker, and that by time alone.
So most iterations are passed over. Only the facts of the breaker are made anew; all others stay.
"""

from __future__ import annotations

from msgspec.structs import replace

from exitgate.core.engine.breaker import CLOSED, HALF_OPEN, OPEN, BreakerState, Shown, facts_of, move
from exitgate.recordings.incremental.records import Run, column_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.policy.compiled import CompiledPolicy
    from exitgate.recordings.incremental.truths import Condition, Truths

#: Facts of the policy's own breaker begin with it.
CIRCUIT = "circuit."


class Moves:
    """
    The breaker of a policy, ready to move through runs.

    Args:
        policy: It has a breaker, and no computed fact reads that.
        truths: Where its conditions come from.
    """

    def __init__(self, policy: CompiledPolicy, truths: Truths) -> None:
        breaker = policy.breaker
        assert breaker is not None, "a policy without a breaker"
        conditions = list(truths.of(breaker.conditions(), policy))
        self._cooldown = breaker.cooldown
        self._reach = max(policy.lookback, policy.exit_after_blind or 0) + 1
        self._openings = [(opening.id, conditions.pop(0)) for opening in breaker.openings]
        self._watch = conditions.pop(0) if breaker.watch is not None else None
        self._close = conditions.pop(0) if breaker.close is not None else None
        every = [condition for _, condition in self._openings]
        every += [one for one in (self._watch, self._close) if one is not None]
        self._back = max((condition.back for condition in every), default=0)
        #: Whether its conditions can be asked before it moves: none of them asks for all facts.
        self.fits = not any(one.of_all for one in every)

    def through(self, run: Run) -> Run | None:
        """Return a run with the facts of this breaker; None where the run says itself how it moved."""
        records = run.records
        if records.elsewhere:
            return None
        states, since = self._states(run)
        names: dict[str, list[object]] = {}
        known: dict[tuple[str, str], list[tuple[str, object]]] = {}
        for state, now in zip(states, records.nows, strict=True):
            key = state.state, state.reason
            found = known.get(key)
            if found is None:
                found = [(fact.name, fact.value) for fact in facts_of(state, now)]
                if state.opened_at is None:
                    known[key] = found  # no time is in it
            for name, value in found:
                names.setdefault(name, []).append(value)
        columns = {name: column_of(values) for name, values in names.items()}
        begins, by_hand = column_of(since), 0
        same = (records.since, records.by_hand) == (begins, by_hand)
        if same and all(records.columns.get(name) == column for name, column in columns.items()):
            return run
        return run.with_columns(replace(records, since=begins, by_hand=by_hand), columns)

    def _states(self, run: Run) -> tuple[list[BreakerState], list[int]]:
        """Return the state after each iteration, and where the history of the breaker begins before it."""
        state, states, since = BreakerState(), [], []
        nows, count = run.records.nows, run.records.length
        bits = _Bits(run, self)
        at = 0
        while at < count:
            begins = _begins(state, at, min(at, self._reach))
            if state.state != OPEN and not state.probe and (not begins or at - self._back >= begins):
                # until one of these is true, it stays as it is
                end = min(count, _next(bits.moving[state.state], at))
                if end > at:
                    states += [state] * (end - at)
                    since += [_begins(state, one, min(one, self._reach)) for one in range(at, end)]
                    at = end
                    continue
            shown = self._shown(bits, run, at, begins) if state.state != OPEN else None
            state, _ = move(state, shown, nows[at], at + 1, self._cooldown)
            states.append(state)
            since.append(begins)
            at += 1
        return states, since

    def _shown(self, bits: _Bits, run: Run, at: int, begins: int) -> Shown:
        """Return what an iteration shows of the history that begins with another."""

        def is_true(condition: Condition | None, own: int) -> bool:
            if condition is None:
                return False
            if not begins or at - condition.back >= begins:
                return bool(own >> at & 1)
            return condition.at(run, at, begins) is True

        opens = tuple(
            id for (id, one), own in zip(self._openings, bits.openings, strict=True) if is_true(one, own)
        )
        return Shown(opens, is_true(self._watch, bits.watch), is_true(self._close, bits.close))


class _Bits:
    """In which iterations of a run the conditions of a breaker are true, with all of the run before them."""

    def __init__(self, run: Run, moves: Moves) -> None:
        self.openings = [condition.true_in(run) for _, condition in moves._openings]
        self.watch, self.close = (
            0 if one is None else one.true_in(run) for one in (moves._watch, moves._close)
        )
        opening = 0
        for one in self.openings:
            opening |= one
        #: State -> iterations that can move it.
        self.moving = {CLOSED: opening | self.watch, HALF_OPEN: opening | self.close}


def _next(bits: int, at: int) -> int:
    """Return the place of the first bit that is set from `at` on; without one, a place behind all runs."""
    rest = bits >> at
    return at + (rest & -rest).bit_length() - 1 if rest else 1 << 62


def _begins(state: BreakerState, at: int, before: int) -> int:
    """Return the iteration that the history of a breaker begins with, of so many that are kept."""
    first = at - before
    apart = max(0, min(before, state.since - 1 - first)) if state.since else 0
    return first + apart if apart else 0
