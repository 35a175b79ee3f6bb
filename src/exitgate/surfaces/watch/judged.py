"""What the policy of the newest decision has to say beside it: thresholds, budgets, what comes next."""

from __future__ import annotations

from time import perf_counter

from exitgate.analysis.distances import distances
from exitgate.analysis.nearest.ahead import ahead
from exitgate.analysis.nearest.played import Played, breaker_in
from exitgate.analysis.nearest.search import Limits
from exitgate.analysis.outlook import BEFORE, stages_of
from exitgate.engine.derive import signals_of
from exitgate.engine.program import Program
from exitgate.engine.record import Record
from exitgate.gate.history import STANDING, record_of_line, remembered_in
from exitgate.gate.kept import kept
from exitgate.gate.stored import decision_of_line
from exitgate.ledger.runs import decisions_of, iteration_of
from exitgate.model.diagnostic import ExitgateError
from exitgate.model.value import Value
from exitgate.model.verdict import CONTINUE
from exitgate.report.explanation import names_of
from exitgate.report.outlook import same_text
from exitgate.surfaces.watch.budgets import budgets
from exitgate.surfaces.watch.parts import part, word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from exitgate.model.decision import Decision
    from exitgate.model.outlook import Distance
    from exitgate.policy.compiled import CompiledPolicy
    from exitgate.surfaces.watch.budgets import Budget
    from exitgate.surfaces.watch.sight import Sight

    Line = Mapping[str, object]

#: Seconds that all this may take for one line; where it took longer it is left out from then on.
SECONDS = 1.0
#: No search: only what comes if the next iterations show the same facts.
_NO_SEARCH = Limits(changes=0)
#: What an evaluation may raise on lines that no check wrote.
_NOT_MEANT = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)


class Judged(Value):
    """
    What the policy says of a decision.

    Args:
        policy: The policy, or None where it is not kept.
        order: Facts in the order in which its rules read them.
        budgets: Limits on what the run uses up.
        distances: How far thresholds are, the nearest first.
        next: What comes if the next iteration shows the same, or the empty text.
        left_out: Why some of it is left out, or the empty text.
    """

    __slots__ = ("budgets", "distances", "left_out", "next", "order", "policy")

    def __init__(
        self,
        policy: CompiledPolicy | None = None,
        order: tuple[str, ...] = (),
        budgets: tuple[Budget, ...] = (),
        distances: tuple[Distance, ...] = (),
        next: str = "",
        left_out: str = "",
    ) -> None:
        self.policy = policy
        self.order = order
        self.budgets = budgets
        self.distances = distances
        self.next = next
        self.left_out = left_out


NOT_JUDGED = Judged()


class Judge:
    """Judges the newest decision of a sight, once for each line; keeps the policy it read last."""

    def __init__(
        self, directory: str, seconds: float = SECONDS, clock: Callable[[], float] = perf_counter
    ) -> None:
        self._directory = directory
        self._seconds = seconds
        self._clock = clock
        self._line: Line | None = None
        self._judged = NOT_JUDGED
        self._digest = ""
        self._program: Program | None = None
        self._order: tuple[str, ...] = ()
        self._slow = ""

    def of(self, sight: Sight) -> Judged:
        """Return what the policy of the newest decision says of it. Never raises for what a line holds."""
        line = sight.now
        if line is None:
            return NOT_JUDGED
        if line is not self._line:
            self._line = line
            self._judged = self._judge(sight, line)
        return self._judged

    def _judge(self, sight: Sight, line: Line) -> Judged:
        try:
            program = self._program_of(word(part(line, "policy"), "digest"))
        except ExitgateError:
            return Judged(left_out="the policy of this decision is no longer kept")
        judged = Judged(program.policy, self._order)
        if self._slow:
            return judged.but(left_out=self._slow)
        began = self._clock()
        try:
            return self._told(program, sight, line, judged, began)
        except _NOT_MEANT as error:
            return judged.but(left_out=f"the line does not match its policy ({type(error).__name__})")

    def _told(self, program: Program, sight: Sight, line: Line, judged: Judged, began: float) -> Judged:
        policy, decision = program.policy, decision_of_line(line)
        records = _records(policy, sight, line)
        if records is None:
            return judged.but(left_out="the rules look back further than lines are kept here")
        judged = judged.but(budgets=budgets(policy, records))
        stages = [stage for stage in stages_of(decision, policy) if stage != BEFORE]
        judged = judged.but(distances=distances(policy, records, stages))
        if self._clock() - began <= self._seconds and decision.verdict == CONTINUE and stages:
            judged = judged.but(next=_next(program, records, decision))
        taken = self._clock() - began
        if taken > self._seconds:
            self._slow = f"it took {taken:.1f} s for the decision before; `exitgate explain` shows it"
        return judged

    def _program_of(self, digest: str) -> Program:
        if self._program is None or digest != self._digest:
            policy = kept(self._directory, digest)
            self._program, self._digest, self._slow = Program(policy), digest, ""
            names = (name for rule in policy.rules for name in names_of(rule.when, policy))
            self._order = tuple(dict.fromkeys(names))
        return self._program


def _records(policy: CompiledPolicy, sight: Sight, line: Line) -> tuple[Record, ...] | None:
    """Return what conditions read, oldest first; None where that is more than is at hand."""
    need = max(policy.lookback, policy.exit_after_blind or 0) + 1
    before = [one for one in sight.earlier if 0 < iteration_of(one) < iteration_of(line)]
    history = decisions_of(before)[-need:]
    first = not sight.earlier or sight.earlier[0].get("kind") == STANDING[0]
    if len(history) < need and not first:
        return None
    standing: Line = next((one for one in reversed(sight.earlier) if one.get("kind") in STANDING), {})
    now = record_of_line(line, policy)
    now = Record(now, now.stand_ins, remembered_in(standing, signals_of(policy)))
    return (*(record_of_line(one, policy) for one in history), now)


def _next(program: Program, records: tuple[Record, ...], decision: Decision) -> str:
    last = records[-1]
    breaker = breaker_in(last) if program.policy.breaker is not None else None
    stages = stages_of(decision, program.policy)
    return same_text(ahead(Played(program, records[:-1], stages, breaker), last, _NO_SEARCH))
