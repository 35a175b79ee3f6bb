"""One check from start to end: load, observe, extract, decide, record."""

from __future__ import annotations

from exitgate.engine.program import Program
from exitgate.engine.record import record_of
from exitgate.gate import discover
from exitgate.gate.checked import Checked
from exitgate.gate.extract import extract
from exitgate.gate.given import given_facts
from exitgate.gate.history import look_back
from exitgate.gate.notes import notes_on
from exitgate.gate.sources import check_given, read_made, read_texts
from exitgate.gate.stages import BEFORE, decide_stages, stages_due
from exitgate.ledger import read
from exitgate.model.iteration import Iteration
from exitgate.policy.cached import recall_policy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from exitgate.engine.record import Record
    from exitgate.gate.history import History
    from exitgate.gate.request import Request
    from exitgate.gate.sources import Begun
    from exitgate.ledger.append import Ledger
    from exitgate.model.evidence import Fact
    from exitgate.model.iteration import Source
    from exitgate.policy.compiled import CompiledPolicy


def check(request: Request) -> Checked:
    """
    Decide on one iteration.

    The policy is loaded before anything is locked; the lock is held from reading the ledger's tail
    until the line is on the disk. With `request.record` False nothing is locked or written.

    Raises:
        ExitgateError: 64 for a request that does not fit the policy, 65 for a policy that cannot be
            used, 66 when a named file is missing, 73 and 74 when something cannot be written or read,
            75 when the ledger stays locked. Nothing is recorded then.
    """
    policy = recall_policy(request.policy or discover.DEFAULT_POLICY, settings=request.settings).policy
    check_given(request, policy)
    given = given_facts(request.facts, policy)
    name = discover.run_name(request)
    directory = discover.state_dir(request)
    if not request.record:
        now = _now(request)
        history = look_back(
            policy, read.last(directory, name), name, now, lambda run, n: read.tail(directory, run, n)
        )
        return _Check(request, policy, given, history, now).checked(())
    from exitgate.ledger.append import Ledger

    with Ledger(directory) as ledger:
        now = _now(request)
        history = look_back(policy, ledger.last(name), name, now, ledger.tail)
        one = _Check(request, policy, given, history, now)
        checked = one.checked(ledger.notes)
        return _recorded(checked, one, ledger)


class _Check:
    """One check under way: what it was asked, and what the ledger said."""

    def __init__(
        self,
        request: Request,
        policy: CompiledPolicy,
        given: Mapping[str, Fact],
        history: History,
        now: float,
    ) -> None:
        self.request = request
        self.policy = policy
        self.given = given
        self.history = history
        self.now = now
        self.begun: Begun = history.begin(now)

    def checked(self, ledger_notes: Sequence[str]) -> Checked:
        """Return the check with its decision, not yet recorded."""
        iteration, stages = self._observe()
        facts = {**extract(self.policy, iteration), **self.given}
        notes = notes_on(iteration.sources, self.history, ledger_notes)
        record, stand_ins = record_of(facts.values(), self.policy)
        notes += stand_ins
        program = Program(self.policy)
        records = (*self.history.records(self.policy, iteration.number), record)
        facts, record = self._derive(program, records, facts, record)
        records = (*records[:-1], record)
        decision = decide_stages(program, records, stages, notes, self.history.silent())
        return Checked(self.policy, iteration, facts, decision, None, notes, records)

    def _observe(self) -> tuple[Iteration, tuple[str, ...]]:
        """Read every source and say which stages are due."""
        where = self.history.standing
        sources: dict[str, Source] = read_texts(self.request, self.policy)
        stages = stages_due(
            self.request.stage,
            self.request.agent_exit,
            response=sources["response"].text is not None,
            begun=self.history.begun,
        )
        # Before an iteration the one that counts is the last that was, or 0.
        number = where.iteration - 1 if stages == (BEFORE,) else where.iteration
        sources.update(read_made(self.request, self.policy, self.begun, number))
        return Iteration(number, where.run, self.now, sources), stages

    def _derive(
        self, program: Program, records: Sequence[Record], facts: dict[str, Fact], record: Record
    ) -> tuple[dict[str, Fact], Record]:
        """Return facts and record with the derived ones; a fact given by hand stays as given."""
        derived = {name: fact for name, fact in program.derive(records).items() if name not in self.given}
        return {**facts, **derived}, record.with_values({name: fact.value for name, fact in derived.items()})


def _recorded(checked: Checked, one: _Check, ledger: Ledger) -> Checked:
    """Append the check to the ledger, behind the lines that end an expired run and begin a new one."""
    from exitgate.gate.kept import keep
    from exitgate.ledger.line import EXPIRED, end_for, line_for, start_for

    where, iteration = one.history.standing, checked.iteration
    baseline = _baseline(iteration)
    keep(ledger.directory, checked.policy)
    if where.expired is not None:
        ledger.append(end_for(where.expired, one.now, EXPIRED, where.why))
    if where.new:
        # Facts of a run's first check show how it began only when no iteration was before it.
        early = iteration.number == 0
        facts = checked.facts.values() if early else ()
        ledger.append(start_for(where.run, one.now, checked.policy, facts, baseline if early else None))
    line = ledger.append(
        line_for(
            iteration.run,
            iteration.number,
            one.now,
            checked.policy,
            checked.facts.values(),
            checked.decision,
            totals=_totals(one, iteration.number),
            sources=iteration.sources.values(),
            baseline=baseline,
        )
    )
    return Checked(
        checked.policy,
        iteration,
        checked.facts,
        checked.decision,
        line,
        checked.notes,
        checked.records,
    )


def _totals(one: _Check, number: int) -> dict[str, object]:
    totals = {**one.begun.totals, "iterations": number}
    if one.begun.started_at is not None:
        totals["started_at"] = one.begun.started_at
        totals["elapsed"] = max(0.0, one.now - one.begun.started_at)
    return totals


def _baseline(iteration: Iteration) -> dict[str, object] | None:
    """Return what git facts of the next iteration compare with; None where git was not looked at."""
    source = iteration.sources.get("git")
    if source is None or source.record is None:
        return None
    from exitgate.gate.observe.git import baseline_of

    return baseline_of(source.record)


def _now(request: Request) -> float:
    if request.time is not None:
        return request.time
    import time

    return time.time()
