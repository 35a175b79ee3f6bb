"""One check from start to end: load, observe, extract, decide, record."""

from __future__ import annotations

from exitgate.core.engine.evaluation import Before, Evaluation
from exitgate.core.engine.program import program_of
from exitgate.core.engine.record import is_blind, signals_of
from exitgate.core.engine.stages import BEFORE, stages_due
from exitgate.core.gate.breaker import plain_after, stopped_by_hand, stored
from exitgate.core.gate.extract import extract
from exitgate.core.gate.notes import is_unchanged, note_on_blindness, notes_on
from exitgate.core.gate.overrides import given_facts, questions
from exitgate.core.gate.result import CheckResult
from exitgate.core.gate.settings import policy_of, remarks_on
from exitgate.core.gate.stale_response import without_left_over, without_stale
from exitgate.core.ledger.runs import set_back
from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.model.fact import Iteration
from exitgate.core.observe.envelope import was_there
from exitgate.core.observe.masking import masked
from exitgate.core.observe.sources import (
    CHANGED_AT,
    PLAN,
    changed_at,
    check_given,
    plan_kept,
    read_made,
    read_texts,
    run_source,
    wanted,
)
from exitgate.core.state import discover, earlier, faults
from exitgate.core.state.history import CONTENT, Reported, last_changed, look_back, reported, totals_after
from exitgate.core.state.tracked import REMARK, for_review, tracked_during

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from exitgate.core.engine.evaluation import Observed
    from exitgate.core.gate.breaker import Stored
    from exitgate.core.model.fact import Fact, Source
    from exitgate.core.observe.sources import Begun
    from exitgate.core.policy.compiled import CompiledPolicy
    from exitgate.core.state.day import Days
    from exitgate.core.state.history import History, Line, Tail
    from exitgate.core.state.request import Request


def check(request: Request, kind: type[OneCheck] | None = None) -> CheckResult:
    """
    Decide on one iteration.

    The policy is loaded before anything is locked. The lock is held while the ledger's tail is read and
    while the line is written, never while sources are read or facts extracted: where another check of the
    run came between, all is looked at again. With `request.record` False nothing is locked or written.

    `kind` takes the place of `OneCheck`: for those who watch a check at work.

    Raises:
        ExitgateError: 64 for a request that does not match the policy, 65 for a policy that cannot be
            used, 66 when a named file is missing, 73 and 74 when something cannot be written or read,
            75 when the ledger stays locked. Nothing is recorded then.
    """
    policy = policy_of(request) if request.program is None else request.program.policy
    check_given(request, policy)
    given = given_facts(request.facts, policy)
    name = discover.run_name(request)
    directory = discover.state_dir(request)
    if not request.record:
        from exitgate.core.ledger import read
        from exitgate.core.ledger.head import look

        now = _now(request)
        last = read.last(directory, name)

        def tail(run: str, limit: int) -> tuple[dict[str, object], ...]:
            return read.tail(directory, run, limit)

        history = look_back(policy, last, name, now, tail, request.iteration)
        tracked = tracked_during(directory, history.standing.new, lambda: look(directory).known)
        kind = kind or OneCheck
        one = kind(request, policy, given, history, now, stored(directory), tracked=tracked)
        return one.again(tail) or one.checked(())
    return _decided(request, policy, given, name, directory, kind or OneCheck)


def _decided(
    request: Request,
    policy: CompiledPolicy,
    given: Mapping[str, Fact],
    name: str,
    directory: str,
    kind: type[OneCheck],
) -> CheckResult:
    """Return the check with its line on the disk, or the one that was recorded on the same iteration."""
    from exitgate.core.gate.recording import Recording
    from exitgate.core.ledger.append import Ledger

    heard: dict[str, Source] = {}
    with Ledger(directory, window=request.window) as ledger:
        while True:
            now = _now(request)
            history = look_back(policy, ledger.last(name), name, now, ledger.back, request.iteration)
            breaker = stored(directory)
            ledger.release()
            tracked = tracked_during(directory, history.standing.new, lambda: ledger.anchor.known)
            one = kind(request, policy, given, history, now, breaker, heard, tracked)
            again = one.again(ledger.tail)
            if again is not None:
                return again
            recording = Recording(one, one.checked(ledger.notes), directory)
            if ledger.retake() or one.holds(ledger.last(name), stored(directory), ledger.newest):
                return recording.appended(ledger)
            ledger.look_again()


def _read(
    request: Request, policy: CompiledPolicy, plan: str, history: History, heard: dict[str, Source]
) -> tuple[Mapping[str, Source], Reported]:
    """Return the sources that are files, without what an earlier iteration left, and what they report."""
    texts: Mapping[str, Source] = read_texts(request, policy, plan, heard)
    try:
        texts = without_stale(without_left_over(texts, history, request), history, request)
        return reported(texts, history.totals(), is_unchanged(texts, history))
    except ExitgateError:
        raise
    except Exception as error:  # what is left over could not be known from what is new
        return {**texts, "response": faults.unread("response", error)}, Reported()


class OneCheck:
    """One check under way: what it was asked, and what the ledger said."""

    def __init__(
        self,
        request: Request,
        policy: CompiledPolicy,
        given: Mapping[str, Fact],
        history: History,
        now: float,
        breaker: Stored,
        heard: dict[str, Source] | None = None,
        tracked: bool = False,
    ) -> None:
        self.request = request
        self.policy = policy
        self.given = given
        self.history = history
        self.now = now
        self.stored = breaker
        self.tracked = tracked
        self.needed = earlier.needs(policy)
        self.begun: Begun = history.begin(now)
        kept = str(self.begun.totals.get(PLAN, ""))
        self.texts, self.reported = _read(request, policy, kept, history, {} if heard is None else heard)
        self.totals: dict[str, object] = {}
        self.lost: tuple[str, ...] = ()
        self.ended = True
        self.breaker: dict[str, object] | None = None
        self.numbered = False
        self.days: Days | None = None
        self.carried: list[dict[str, object]] | None = None

    def holds(self, last: Line | None, breaker: Stored, newest: Callable[[], int]) -> bool:
        """
        Return whether the check is what it would be if the ledger were looked at now.

        Args:
            last: The newest line of any run of this name as it is now.
            breaker: What the ledger says of the breaker now.
            newest: Returns the number of its newest line now.

        Lines of other names alone change nothing, unless the breaker keeps the number of this check's line,
        or the policy asks for what all runs of the day used up.
        """
        if self.days is not None and self.days.sequence != newest():
            return False
        same = last == self.history.last and breaker.plain == self.stored.plain
        return same and (not self.numbered or breaker.sequence == self.stored.sequence)

    def again(self, tail: Tail) -> CheckResult | None:
        """Return the recorded check on the same iteration or turn, None for a new one."""
        asked, turn = self.request.iteration, self.request.turn
        if (asked is None and turn is None) or self.request.stage == BEFORE:
            return None
        from exitgate.core.gate.idempotency import decided_before

        now = Iteration(self.history.standing.iteration, self.history.standing.run, self.now, self.texts)
        given = masked(self.given, self.texts, self.policy)
        return decided_before(self.policy, now, self.history.last, tail, asked, turn, given)

    def checked(self, ledger_notes: Sequence[str]) -> CheckResult:
        """Return the check with its decision, not yet recorded."""
        iteration, stages = self._observe()
        policy, state = self.policy, self.stored.state
        compared = earlier.comparable(iteration, self.needed, policy) if self.needed else None
        failed: list[str] = []
        facts = self._extract(iteration, compared, failed)
        if policy.breaker is not None:
            ledger_notes = (*ledger_notes, *([self.stored.remark] if self.stored.remark else []))
        facts = masked({**facts, **self.given}, iteration.sources, policy)
        behind = set_back(self.history.last, self.now)
        told = (
            *remarks_on(policy, self.now),
            *questions(self.request.facts, policy),
            *([behind] if behind else []),
            *([REMARK] if self.tracked else []),
            *self.history.damages(),
            *self.lost,
            *failed,
            *ledger_notes,
        )
        notes = notes_on(iteration.sources, self.history, told)
        before = self._before(iteration.number)
        evaluation = Evaluation(self.request.program or program_of(policy), before)
        observed = evaluation.observe(
            facts.values(), self.now, given=self.given, ended=self._ended(iteration, stages)
        )
        notes += observed.notes
        if self.ended and is_blind(observed.record, evaluation.program.read):
            notes += (note_on_blindness(iteration.sources, policy.exit_after_blind),)
        self._conclude(iteration, before, observed)
        decision = evaluation.decide(stages, notes, self.now)
        decision = for_review(stopped_by_hand(decision, state), self.tracked)
        content = facts.get(CONTENT)
        now = content.evidence[0].excerpt if content is not None and content.evidence else ""
        changed = now or last_changed(self.history.lines)
        facts |= observed.facts
        return CheckResult(policy, iteration, facts, decision, None, notes, evaluation.records, changed)

    def _extract(
        self, iteration: Iteration, compared: Iteration | None, failed: list[str]
    ) -> dict[str, Fact]:
        return extract(self.policy, iteration, compared, failed)

    def _observe(self) -> tuple[Iteration, tuple[str, ...]]:
        """Read every source and say which stages are due."""
        where = self.history.standing
        sources: dict[str, Source] = dict(self.texts)
        stages = stages_due(
            self.request.stage,
            self._agent_exit(),
            response=was_there(sources["response"]),
            begun=self.history.begun or self.request.ended,
            is_error=self.reported.is_error is True,
        )
        # Before an iteration the one that counts is the last that was, or 0.
        number = where.iteration - 1 if stages == (BEFORE,) else where.iteration
        sources.update(read_made(self.request, self.policy, self.begun, number, self.now, self.reported))
        if "day" in wanted(self.policy):
            from exitgate.core.state.day import Days

            totals = run_source(self.request, self.begun, number, self.reported).record or {}
            self.days = Days(self.policy, discover.state_dir(self.request), self.now, where.run)
            sources["day"] = self.days.source(self.begun.totals, totals)
        recalled = earlier.recall(
            discover.state_dir(self.request), self.needed, where.run, number, self.history.lines
        )
        self.lost = recalled.remarks
        self.ended = tuple(stages) != (BEFORE,)
        return Iteration(number, where.run, self.now, sources, recalled.texts), stages

    def _agent_exit(self) -> int | None:
        """Return the agent's exit status; None for the 0 that a loop begins with, before any agent ran."""
        status = self.request.agent_exit
        return None if status == 0 and self.history.standing.new else status

    def _before(self, number: int) -> Before:
        """Return what was there before iteration `number`."""
        signals = signals_of(self.policy)
        state = self.stored.state
        return Before(
            self.history.records(self.policy, number),
            self.history.remembered(signals) if signals else None,
            state,
            self.history.apart(number, state.since) if state.since else 0,
            self.stored.sequence + 1,
            silent=self.history.silent(),
        )

    def _ended(self, iteration: Iteration, stages: Sequence[str]) -> bool:
        """
        Return whether an iteration ended since the last decision.

        None did when only the stage before an iteration is asked, nor when a run begins with the
        response that an earlier run was decided on.
        """
        if tuple(stages) == (BEFORE,):
            return False
        return not (self.history.standing.new and is_unchanged(iteration.sources, self.history))

    def _conclude(self, iteration: Iteration, before: Before, observed: Observed) -> None:
        """Keep what the ledger's line needs beside facts and decision."""
        self.totals = totals_after(
            self.request,
            self.begun,
            iteration.number,
            self.given,
            observed.record,
            before.remembered,
            signals_of(self.policy),
            self.reported,
        )
        self.totals.pop(CHANGED_AT, None)
        self.totals |= changed_at(iteration.sources.get("git"), self.begun)
        plan = plan_kept(self.request, self.policy, self.begun, iteration.sources.get("plan"))
        if plan:
            self.totals[PLAN] = plan
        session = self.policy.views.get("session")
        if isinstance(session, dict):
            from exitgate.core.views.session import sums_after

            self.totals["sums"] = sums_after(self.begun.totals, session, observed.record)
        if self.days is not None:
            self.carried = self.days.carried(self.begun.totals, self.totals)
        self.numbered = observed.breaker.since != self.stored.state.since
        own = self.policy.breaker is not None
        self.breaker = plain_after(observed.breaker, observed.move) if own else self.stored.kept()


def _now(request: Request) -> float:
    if request.time is not None:
        return request.time
    import time

    return time.time()
