"""What a dry run finds: plain values that go between processes and into every form of output."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from exitgate.core.model.decision import CLASSES
from exitgate.core.model.diagnostic import Diagnostic
from exitgate.core.model.value import micro
from exitgate.recordings.incremental.records import RunRecords
from exitgate.recordings.model import Problem, RecordedIteration
from exitgate.recordings.replay.replay import Decided
from exitgate.recordings.unread import Unread


class RecordedRun(Struct, frozen=True):
    """
    A recorded run as a whole.

    Args:
        id: Unique in the dry run: the reader's own id, with the file in front where two are the same.
        file: Where it is.
        reader: Id of its reader.
        granularity: `process`, `turn` or `step`.
        iterations: How many there are.
        cost: USD of all iterations that tell theirs, or None.
        tokens: Of all iterations that tell theirs, or None.
        started_at: Seconds since the epoch, or None.
        ended_at: Seconds since the epoch, or None.
        how: Class of how it really ended, or None.
        why: In the recorder's words.
        title: A few words on it.
        parent: Id of the run whose sub-agent it is, or None.
    """

    id: str
    file: str
    reader: str
    granularity: str
    iterations: int
    cost: float | None = None
    tokens: int | None = None
    started_at: float | None = None
    ended_at: float | None = None
    how: str | None = None
    why: str = ""
    title: str = ""
    parent: str | None = None


class IterationRow(Struct, frozen=True):
    """
    One decision of one policy on one iteration, without its facts.

    Args:
        run: Id of the run.
        policy: The policy as it is called in this dry run.
        iteration: 1-based number.
        verdict, exit_class, outcome, rule, stage, message, firm: As in `model.decision.Decision`.
        alternatives: What it could have been as well: ``rule: EXIT complete``.
        warnings: Their texts.
        cost: USD of this iteration, or None.
        tokens: Of this iteration, or None.
        started_at, ended_at: Seconds since the epoch, or None.
        file, line: Where it is; line 0 where lines mean nothing.
    """

    run: str
    policy: str
    iteration: int
    verdict: str
    exit_class: str | None
    outcome: str
    rule: str | None
    stage: str
    message: str
    firm: bool = True
    alternatives: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    cost: float | None = None
    tokens: int | None = None
    started_at: float | None = None
    ended_at: float | None = None
    file: str = ""
    line: int = 0


class RunResult(Struct, frozen=True):
    """
    One policy on one run.

    Args:
        run: The run.
        policy: As it is called in this dry run: its name, and settings where several share one.
        version: Of the policy.
        rows: A row for each iteration that was decided on: all up to the first EXIT, or all.
        stop: The row of the first EXIT, or None.
        costs: USD of every iteration of the run, decided on or not, None where not reported.
        decided: Of the rows, with facts and steps, where the dry run was to keep them.
        recorded: The iterations as they were read, where it was to keep them.
        records: What rules find, where the dry run was to gather it; then nothing was decided.
        facts: Of each iteration that was decided on, where it was to keep them: number, names and values.
    """

    run: RecordedRun
    policy: str
    version: str
    rows: tuple[IterationRow, ...]
    stop: IterationRow | None
    costs: tuple[float | None, ...]
    decided: tuple[Decided, ...] = ()
    recorded: tuple[RecordedIteration, ...] = ()
    records: RunRecords | None = None
    facts: tuple[tuple[int, tuple[tuple[str, object], ...]], ...] = ()

    @property
    def after(self) -> int | None:
        """Iterations after the stop, which it would have saved or cut off; None without a stop."""
        return None if self.stop is None else self.run.iterations - self.stop.iteration

    @property
    def cost_after(self) -> float | None:
        """USD spent after the stop, None without one and where no cost is reported."""
        if self.stop is None:
            return None
        known = [cost for cost in self.costs[self.stop.iteration :] if cost is not None]
        return micro(sum(known)) if known or any(cost is not None for cost in self.costs) else None


class DryRun(Struct, frozen=True):
    """
    Everything a dry run found, in the order of the runs and, within a run, of the policies.

    Args:
        results: One for each run and policy.
        problems: What could not be read of files that were otherwise read.
        unread: Files and folders that could not be opened or that no reader fits, with why.
        notes: What is said once before the runs: rules that stay undetermined with these formats.
        interrupted: Whether somebody ended it before all was done.
        sub_agents: How many runs of sub-agents were left out.
        unread_files: The same as `unread` as commands tell it, and the files that no reader takes.
        remarks: What is wrong with the cache: no part of the result, which is the same without it.
        reached: How many transcripts were done, and how many were found until then.
    """

    results: tuple[RunResult, ...]
    problems: tuple[Problem, ...] = ()
    unread: tuple[Problem, ...] = ()
    notes: tuple[str, ...] = ()
    interrupted: bool = False
    sub_agents: int = 0
    unread_files: Unread = field(default_factory=Unread)
    remarks: tuple[str, ...] = ()
    reached: tuple[int, int] = (0, 0)

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What could not be read, as commands tell it."""
        return self.unread_files.diagnostics

    @property
    def code(self) -> int:
        """The exit code that it asks for: 74, 65 or 0."""
        return self.unread_files.code

    @property
    def runs(self) -> tuple[RecordedRun, ...]:
        """Every run once, in order."""
        return tuple({result.run.id: result.run for result in self.results}.values())

    @property
    def policies(self) -> tuple[str, ...]:
        """Every policy once, in order, as it is called here."""
        return tuple(dict.fromkeys(result.policy for result in self.results))

    def tables(self) -> dict[str, list[dict[str, object]]]:
        """
        Return `runs`, `stops`, `iterations`, `decisions` and `facts` as lists of rows.

        A row of `stops` is a run under a policy, one of `iterations` an iteration of a run, of `decisions`
        a policy's decision on one, of `facts` a fact of one for a policy. Facts are only there where the dry
        run was to keep them. Times are seconds since the epoch, costs USD; None is not known.
        """
        from exitgate.recordings.replay.tables import tables

        return tables(self)

    def to_polars(self) -> dict[str, Any]:
        """Return `tables()` as polars data frames. Raises ImportError where polars is not installed."""
        from exitgate.recordings.replay.tables import to_polars

        return to_polars(self.tables())

    def to_pandas(self) -> dict[str, Any]:
        """Return `tables()` as pandas data frames. Raises ImportError where pandas is not installed."""
        from exitgate.recordings.replay.tables import to_pandas

        return to_pandas(self.tables())


# A result under another id of its run.


def with_run_id(result: RunResult, id: str) -> RunResult:
    """Return the result with `id` in place of its run's own, in its rows too."""
    if result.run.id == id:
        return result
    rows = tuple(replace(row, run=id) for row in result.rows)
    stop = None if result.stop is None else replace(result.stop, run=id)
    return replace(result, run=replace(result.run, id=id), rows=rows, stop=stop)


# What each policy did over all runs of a dry run.


class Sum(Struct, frozen=True):
    """
    One policy over all runs.

    Args:
        policy: As it is called in the dry run.
        version: Of it.
        runs: How many there are.
        stops: How many it stops.
        tentative: How many of the stops some value for what is unknown could change.
        classes: Class of exit -> how many stops have it, in the order of the classes.
        after: Iterations after its stops.
        cost_after: USD after its stops, None where no run tells costs.
    """

    policy: str
    version: str
    runs: int
    stops: int
    tentative: int
    classes: Mapping[str, int]
    after: int
    cost_after: float | None


def sums(found: DryRun) -> tuple[Sum, ...]:
    """Return the sum of each policy, in order."""
    return tuple(_sum(found, policy) for policy in found.policies)


def _sum(found: DryRun, policy: str) -> Sum:
    results = [result for result in found.results if result.policy == policy]
    stops = [result.stop for result in results if result.stop is not None]
    counts = {name: sum(stop.exit_class == name for stop in stops) for name in CLASSES}
    costs = [result.cost_after for result in results if result.cost_after is not None]
    told = any(result.run.cost is not None for result in results)
    return Sum(
        policy,
        results[0].version,
        len(results),
        len(stops),
        sum(not stop.firm for stop in stops),
        {name: count for name, count in counts.items() if count},
        sum(result.after or 0 for result in results),
        micro(sum(costs)) if told else None,
    )
