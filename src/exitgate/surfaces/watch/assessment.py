"""What the policy of the newest decision has to say beside it: thresholds, budgets, what comes next."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from time import perf_counter

from msgspec import Struct
from msgspec.structs import replace

from exitgate.analysis.counterfactuals.distances import distances
from exitgate.analysis.counterfactuals.forecast import forecast
from exitgate.analysis.counterfactuals.last_iteration import LastIteration, breaker_in, deciding
from exitgate.analysis.counterfactuals.outlook import BEFORE, stages_of
from exitgate.analysis.counterfactuals.search import Limits
from exitgate.analysis.results.counterfactual import Distance
from exitgate.core.engine.program import Program
from exitgate.core.engine.record import Record, signals_of, unread_facts
from exitgate.core.language.evaluation.closures import compile_node
from exitgate.core.language.tree import Node
from exitgate.core.language.unparse import unparse
from exitgate.core.ledger.decisions import decision_of_line
from exitgate.core.ledger.runs import decisions_of
from exitgate.core.model.decision import CONTINUE, Decision
from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.model.json_object import JsonObject
from exitgate.core.model.value import Type, is_number
from exitgate.core.policy.compiled import CompiledPolicy
from exitgate.core.state.history import STANDING, record_of_line, remembered_in
from exitgate.core.state.policy_snapshots import kept
from exitgate.report.decision.counterfactuals import is_used, same_text
from exitgate.report.decision.explanation import names_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.ledger.typed import LedgerLine
    from exitgate.surfaces.watch.run_state import RunState

    Records = Sequence[Mapping[str, object]]
    Ask = Callable[[Node], object]


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


class Assessment(Struct, frozen=True):
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

    policy: CompiledPolicy | None = None
    order: tuple[str, ...] = ()
    budgets: tuple[Budget, ...] = ()
    distances: tuple[Distance, ...] = ()
    next: str = ""
    left_out: str = ""


NOT_JUDGED = Assessment()


class Assessor:
    """Judges the newest decision of a sight, once for each line; keeps the policy it read last."""

    def __init__(
        self, directory: str, seconds: float = SECONDS, clock: Callable[[], float] = perf_counter
    ) -> None:
        self._directory = directory
        self._seconds = seconds
        self._clock = clock
        self._line: LedgerLine | None = None
        self._judged = NOT_JUDGED
        self._digest = ""
        self._program: Program | None = None
        self._order: tuple[str, ...] = ()
        self._slow = ""

    def of(self, sight: RunState) -> Assessment:
        """Return what the policy of the newest decision says of it. Never raises for what a line holds."""
        line = sight.now
        if line is None:
            return NOT_JUDGED
        if line is not self._line:
            self._line = line
            self._judged = self._judge(sight, line)
        return self._judged

    def _judge(self, sight: RunState, line: LedgerLine) -> Assessment:
        try:
            program = self._program_of(line.decided_by.digest or "")
        except ExitgateError:
            return Assessment(left_out="the policy of this decision is no longer kept")
        judged = Assessment(program.policy, self._order)
        if self._slow:
            return replace(judged, left_out=self._slow)
        began = self._clock()
        try:
            return self._described(program, sight, line, judged, began)
        except _NOT_MEANT as error:
            return replace(judged, left_out=f"the line does not match its policy ({type(error).__name__})")

    def _described(
        self, program: Program, sight: RunState, line: LedgerLine, judged: Assessment, began: float
    ) -> Assessment:
        policy, decision = program.policy, decision_of_line(line.plain)
        records = _records(policy, sight, line)
        if records is None:
            return replace(judged, left_out="the rules look back further than lines are kept here")
        judged = replace(judged, budgets=budgets(policy, records))
        stages = [stage for stage in stages_of(decision, policy) if stage != BEFORE]
        judged = replace(judged, distances=distances(policy, records, stages))
        if self._clock() - began <= self._seconds and decision.verdict == CONTINUE and stages:
            judged = replace(judged, next=_next(program, records, decision))
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


def _records(policy: CompiledPolicy, sight: RunState, line: LedgerLine) -> tuple[Record, ...] | None:
    """Return what conditions read, oldest first; None where that is more than is at hand."""
    need = max(policy.lookback, policy.exit_after_blind or 0) + 1
    before = [one.plain for one in sight.earlier if 0 < one.number < line.number]
    history = decisions_of(before)[-need:]
    first = not sight.earlier or sight.earlier[0].kind == STANDING[0]
    if len(history) < need and not first:
        return None
    standing = next((one.plain for one in reversed(sight.earlier) if one.kind in STANDING), JsonObject())
    now = record_of_line(line.plain, policy)
    now = Record(now, now.stand_ins, remembered_in(standing, signals_of(policy)))
    return (*(record_of_line(one, policy) for one in history), now)


def _next(program: Program, records: tuple[Record, ...], decision: Decision) -> str:
    last = records[-1]
    breaker = breaker_in(last) if program.policy.breaker is not None else None
    stages = stages_of(decision, program.policy)
    return same_text(forecast(LastIteration(program, records[:-1], stages, breaker), last, _NO_SEARCH))


# What a run has used up, compared with the limits that rules before an iteration set. Pure.

_TURNED = {">=": "<=", ">": "<", "<=": ">=", "<": ">"}


class Budget(Struct, frozen=True):
    """
    One limit.

    Args:
        rule: The rule that ends the run at it.
        fact: What is counted, ``run.cost``.
        value: How much is used.
        limit: How much there is; more than 0.
        type: Type of both, or None.
        setter: The limit as the rule has it: ``$max_cost``, or a constant.
    """

    rule: str
    fact: str
    value: float
    limit: float
    type: Type | None
    setter: str

    @property
    def share(self) -> float:
        """How much of it is used: 0 to 1."""
        return max(0.0, min(1.0, self.value / self.limit))


def budgets(policy: CompiledPolicy, records: Records) -> tuple[Budget, ...]:
    """
    Return the limits of a policy on what a run uses up, in the order of its rules.

    A limit that is not above 0 is none, and one on something unknown is left out; of two on the same
    fact the one that is nearer to its end counts.
    """
    parameters, unread = policy.values(), unread_facts(policy)

    def ask(node: Node) -> object:
        return compile_node(node, parameters, policy.conditions, unread)(records)

    found: dict[str, Budget] = {}
    for rule in deciding(policy, BEFORE):
        for one in _in(rule.id, rule.when, ask, policy):
            known = found.get(one.fact)
            if known is None or one.share > known.share:
                found[one.fact] = one
    return tuple(found.values())


def _in(rule: str, when: Node, ask: Ask, policy: CompiledPolicy) -> Iterator[Budget]:
    for node in when.walk():
        if node.op == "condition" and str(node.args[0]) in policy.conditions:
            yield from _in(rule, policy.conditions[str(node.args[0])], ask, policy)
        if node.op != "compare":
            continue
        sign = str(node.args[0])
        left, right = node.children()
        if not _facts(left):
            left, right, sign = right, left, _TURNED.get(sign, sign)
        names = _facts(left)
        counts = bool(names) and all(map(is_used, names))
        if sign not in (">=", ">") or _facts(right) or not counts:
            continue
        value, limit = ask(left), ask(right)
        if _is_number(value) and _is_number(limit) and limit > 0:  # type: ignore[operator]
            setter = unparse(right) if right.op == "parameter" else ""
            yield Budget(rule, names[0], value, limit, left.type, setter)  # type: ignore[arg-type]


def _facts(node: Node) -> tuple[str, ...]:
    return tuple(str(part.args[0]) for part in node.walk() if part.op in ("fact", "condition"))


def _is_number(value: object) -> bool:
    return is_number(value) and value - value == 0
