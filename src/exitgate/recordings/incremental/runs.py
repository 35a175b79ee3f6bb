"""
Recorded runs under a policy that is changed again and again.

`Runs` holds what was gathered once; `Runs.under` gives the decisions of a changed policy, run by run, as they
are asked for. All is kept that the next change may leave as it was.
"""

from __future__ import annotations

from exitgate.core.engine.program import Program
from exitgate.recordings.incremental.moves import Moves
from exitgate.recordings.incremental.recompute import (
    computed_anew,
    reads_breaker,
    same_breaker,
    same_computing,
    same_extraction,
)
from exitgate.recordings.incremental.records import Run, Values
from exitgate.recordings.incremental.truths import Truths
from exitgate.recordings.incremental.verdicts import Chains

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from exitgate.core.policy.compiled import CompiledPolicy
    from exitgate.recordings.incremental.records import RunRecords
    from exitgate.recordings.incremental.verdicts import Verdicts


class NotKeptError(Exception):
    """A run that has to be read again for the decisions of a policy."""


class Runs:
    """
    Recorded runs, and what a policy found in them.

    Args:
        policy: The policy.
        gathered: Of each run, from a dry run that gathers (`exitgate.recordings.replay.dry_run`).
    """

    #: Ways of computing facts whose records are kept.
    GROUNDS = 8

    def __init__(self, policy: CompiledPolicy, gathered: Sequence[RunRecords]) -> None:
        self._values = Values()
        self._truths = Truths()
        self._first = [Run(records, self._values) for records in gathered]
        self._base = _Ground(policy, self._first, lambda run: run)
        self._grounds = [self._base]

    @property
    def count(self) -> int:
        """How many runs there are."""
        return len(self._first)

    @property
    def policy(self) -> CompiledPolicy:
        """The policy for which they were gathered."""
        return self._base.policy

    def put(self, number: int, records: RunRecords) -> bool:
        """Take a run anew, counted from 0, or the next one; return whether that is another than before."""
        if number < len(self._first) and self._first[number].records == records:
            return False
        self._first[number : number + 1] = [Run(records, self._values)]
        return True

    def under(self, policy: CompiledPolicy) -> Decisions | None:
        """Return the decisions of a policy; None where it extracts something else from transcripts."""
        if not same_extraction(self._base.policy, policy):
            return None
        ground = next((one for one in self._grounds if one.holds(policy)), None)
        if ground is None:
            ground = self._anew(policy)
            self._grounds.append(ground)
            if len(self._grounds) > self.GROUNDS:
                del self._grounds[1]
        return Decisions(policy, ground, self._truths)

    def _anew(self, policy: CompiledPolicy) -> _Ground:
        base, program = self._base, Program(policy)
        moves = None
        if policy.breaker is not None and same_computing(base.policy, policy) and not reads_breaker(policy):
            moves = Moves(policy, self._truths)

        def made(before: Run) -> Run:
            if moves is not None and moves.fits and (moved := moves.through(before)) is not None:
                return moved
            records = computed_anew(before, base.policy, program)
            if records is None:
                raise NotKeptError
            return Run(records, self._values)

        return _Ground(policy, self._first, made)


class _Ground:
    """
    The records of all runs under policies that compute the same; each is made when it is asked for.

    Decisions use it for as long as they are shown, also when `Runs` keeps it no more.
    """

    def __init__(self, policy: CompiledPolicy, first: Sequence[Run], make: Callable[[Run], Run]) -> None:
        self.policy = policy
        self._first = first
        self._make = make
        #: Number -> what was gathered, and what was made of it: a run that grows is gathered anew.
        self._runs: dict[int, tuple[Run, Run]] = {}

    def holds(self, policy: CompiledPolicy) -> bool:
        """Return whether a policy of the same extraction finds these records."""
        return same_computing(self.policy, policy) and same_breaker(self.policy, policy)

    def run(self, number: int) -> Run:
        """Return the records of a run. Raises `NotKeptError` where it has to be read again."""
        first = self._first[number]
        found = self._runs.get(number)
        if found is None or found[0] is not first:
            found = self._runs[number] = first, self._make(first)
        return found[1]


class Decisions:
    """The decisions of one policy on all runs, each found when it is asked for."""

    def __init__(self, policy: CompiledPolicy, ground: _Ground, truths: Truths) -> None:
        self.policy = policy
        self._ground = ground
        self._chains = Chains(policy, truths)
        self._found: dict[int, tuple[Run, Verdicts]] = {}

    def of(self, number: int) -> Verdicts:
        """
        Return what is decided on a run, counted from 0.

        Raises:
            NotKeptError: The run has to be read again for this policy.
        """
        run = self._ground.run(number)
        found = self._found.get(number)
        if found is None or found[0] is not run:
            # A run that is still going on has grown.
            found = self._found[number] = run, self._chains.decide(run)
        return found[1]

    def run(self, number: int) -> Run:
        """Return the records of a run as this policy finds them. Raises `NotKeptError` as `of` does."""
        return self._ground.run(number)
