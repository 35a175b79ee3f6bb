"""One iteration of a run as a policy decided on it, to be decided on again."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from msgspec import Struct

from exitgate.analysis.counterfactuals.last_iteration import LastIteration
from exitgate.analysis.counterfactuals.outlook import played, stages_of
from exitgate.core.engine.program import Program
from exitgate.core.engine.record import Record
from exitgate.core.model.decision import Decision
from exitgate.core.policy.compiled import CompiledPolicy
from exitgate.recordings.page.cells import counted
from exitgate.recordings.replay.replay import Decided
from exitgate.surfaces.studio.workspace.asked import column_of
from exitgate.surfaces.studio.workspace.refusal import refusal
from exitgate.surfaces.studio.workspace.run_page import results_of
from exitgate.surfaces.studio.workspace.workspace import Workspace

#: Runs with all their facts that are kept, under one policy each.
KEPT = 3


class DecidedOn(Struct, frozen=True):
    """
    An iteration, and what was decided on it.

    Args:
        policy: As it is drafted.
        records: Of all iterations up to this one, oldest first.
        decision: What was decided.
    """

    policy: CompiledPolicy
    records: tuple[Record, ...]
    decision: Decision

    @property
    def base(self) -> Record:
        """The record of the iteration."""
        return self.records[-1]

    def played(self, policy: CompiledPolicy | None = None) -> LastIteration:
        """
        Return what decides on the iteration, by default the policy itself.

        Another policy finds the iterations before, and the breaker, as they were under this one.
        """
        policy = policy or self.policy
        reach = max(max(one.lookback, one.exit_after_blind or 0) for one in (policy, self.policy)) + 1
        earlier = self.records[:-1][-reach:]
        stages = stages_of(self.decision, self.policy)
        own = played(Program(self.policy), earlier, self.base, stages)
        return own if policy is self.policy else LastIteration(Program(policy), earlier, stages, own.breaker)


#: Number of a run, iteration, policy -> what was decided.
Find = Callable[[int, int, str], DecidedOn]


def finder(workspace: Workspace) -> Find:
    """
    Return what finds an iteration of a workspace.

    It raises ExitgateError if the workspace lacks the run or iteration, or if a transcript has changed.
    """

    @lru_cache(KEPT)
    def run_of(
        n: int, name: str, _version: tuple[int, ...], _grown: int
    ) -> tuple[CompiledPolicy, tuple[Decided, ...]]:
        with workspace.lock:
            line, policy = workspace.lines[n - 1], workspace.columns[name].settled.policy
        try:
            return policy, results_of(line, {name: policy})[0].decided
        except LookupError as error:
            raise refusal(str(error), "start the studio again") from None

    def find(n: int, at: int, name: str) -> DecidedOn:
        column_of(workspace, name)
        if not 0 < n <= len(workspace.lines):
            raise refusal(f"run {n} is not one of these", "go back to the runs")
        policy, decided = run_of(n, name, workspace.version, workspace.grown[n])
        if not 0 < at <= len(decided):
            known = counted(len(decided), "iteration")
            raise refusal(f"run {n} has {known}: {at} is none of them", "load the page again")
        records = tuple(_record(one) for one in decided[:at])
        return DecidedOn(policy, records, decided[at - 1].decision)

    return find


def _record(one: Decided) -> Record:
    return one.record if isinstance(one.record, Record) else Record(one.record)
