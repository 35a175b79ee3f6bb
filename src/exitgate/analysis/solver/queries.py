"""
Questions about a policy, answered by z3: names and answers are those of `exitgate.analysis.walk.queries`.

PROVED is a proof: for every fact and every history, numbers between those of the boundary walk included.
REFUTED comes with a run that the engine has confirmed. UNDECIDED says which operation could not be written
out exactly, or that the time was over.
"""

from __future__ import annotations

from time import monotonic

from exitgate.analysis.results.answer import PROVED, REFUTED, UNDECIDED, Answer, together, undecided
from exitgate.analysis.solver import claims
from exitgate.analysis.solver.bound import longest
from exitgate.analysis.solver.context import TooLateError
from exitgate.analysis.solver.search import Check, check, length_of
from exitgate.analysis.solver.terms import both, negated
from exitgate.analysis.space.domains import domains
from exitgate.analysis.space.silence import strict
from exitgate.analysis.walk.chain import deciding
from exitgate.analysis.walk.difference import Differ
from exitgate.analysis.walk.gates import FALSE, TRUE, UNKNOWN
from exitgate.analysis.walk.queries import NOT_TRUE, RESULT, RULE
from exitgate.analysis.walk.questions import (
    AFTER_ITERATION,
    Condition,
    Decided,
    Question,
    Winner,
    bit_of,
    breaking,
    results,
)
from exitgate.analysis.walk.search import Limits
from exitgate.core.model.decision import STAGES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from exitgate.analysis.solver.terms import Flag
    from exitgate.analysis.walk.questions import Run
    from exitgate.core.language.tree import Node
    from exitgate.core.policy.compiled import CompiledPolicy, Invariant


__all__ = [
    "PROVED", "REFUTED", "UNDECIDED", "Answer", "Limits", "all_be", "both_true", "breaks", "can_be",
    "can_decide", "can_decide_after", "decides", "differ", "longest", "reaches", "sweep",
]  # fmt: skip

LIMITS = Limits()


def can_be(policy: CompiledPolicy, node: Node, truth: bool | None, limits: Limits = LIMITS) -> Answer:
    """Return an input on which the condition `node` is True, False, or unknown (None)."""
    return _condition(policy, [(node, bit_of(truth))], limits)


def both_true(policy: CompiledPolicy, rule_a: str, rule_b: str, limits: Limits = LIMITS) -> Answer:
    """Return an input on which the conditions of both rules are true. Raises KeyError for no such rule."""
    whens = {rule.id: rule.when for rule in policy.rules}
    return _condition(policy, [(whens[rule_a], TRUE), (whens[rule_b], TRUE)], limits)


def all_be(
    policy: CompiledPolicy, wanted: Iterable[tuple[Node, bool | str | None]], limits: Limits = LIMITS
) -> Answer:
    """Return an input on which each condition has the truth wanted of it; `NOT_TRUE` is false or unknown."""
    bits = [(node, FALSE | UNKNOWN if truth == NOT_TRUE else bit_of(truth)) for node, truth in wanted]
    question = Condition(policy, bits)
    question.from_first = False  # what conditions mean together does not depend on the length of runs
    return check(question, claims.condition(bits), limits)


def can_decide(policy: CompiledPolicy, rule_id: str, limits: Limits = LIMITS) -> Answer:
    """Return an input on which an enforced rule decides its stage. Raises KeyError for no such rule."""
    return _winner(policy, rule_id, None, limits)


def can_decide_after(policy: CompiledPolicy, rule_id: str, node: Node, limits: Limits = LIMITS) -> Answer:
    """Return an input on which the rule decides and the condition `node` is true as well."""
    return _winner(policy, rule_id, node, limits)


def reaches(
    policy: CompiledPolicy, result: str, limits: Limits = LIMITS, stage: str = AFTER_ITERATION
) -> Answer:
    """Return an input on which the stage decides `result`: a verdict, a class, or ``otherwise`` (no rule)."""
    return _decided(policy, results(policy, result, stage), stage, None, limits)


def decides(
    policy: CompiledPolicy, result: str, given: Node, limits: Limits = LIMITS, stage: str = AFTER_ITERATION
) -> Answer:
    """Return an input on which the condition `given` is true and the stage decides `result`."""
    wanted = results(policy, result, stage)
    question = Decided(policy, wanted, stage, given)
    question.from_first = False  # no run may pass it, whether one gets there or not
    return check(question, claims.result(stage, wanted, given), limits)


def breaks(policy: CompiledPolicy, invariant: Invariant, limits: Limits = LIMITS) -> Answer:
    """Return an input that breaks the invariant."""
    given = strict(invariant.given, domains(policy), policy)
    wanted = breaking(policy, invariant.claim, invariant.verdict, invariant.stage)
    return _decided(policy, wanted, invariant.stage, given, limits)


def differ(a: CompiledPolicy, b: CompiledPolicy, limits: Limits = LIMITS, key: str = RESULT) -> Answer:
    """Return an input on which the two decide differently in some stage, as `key` counts it."""
    answers = []
    for stage in STAGES:
        question = Differ(a, b, stage, key == RULE)
        answers.append(check(question, claims.difference(stage, key == RULE), limits).but(stage=stage))
        if answers[-1].status == REFUTED:
            return answers[-1]
    return together(answers)


def _condition(policy: CompiledPolicy, wanted: list[tuple[Node, int]], limits: Limits) -> Answer:
    return check(Condition(policy, wanted), claims.condition(wanted), limits)


def _winner(policy: CompiledPolicy, rule_id: str, also: Node | None, limits: Limits) -> Answer:
    question = Winner(policy, rule_id, also)
    number = next((n for n, one in enumerate(deciding(policy, question.stage)) if one.id == rule_id), None)
    return check(question, claims.winner(question.stage, number, also), limits)


def _decided(
    policy: CompiledPolicy, wanted: set[int], stage: str, given: Node | None, limits: Limits
) -> Answer:
    return check(Decided(policy, wanted, stage, given), claims.result(stage, wanted, given), limits)


# Can each rule of a chain decide? All of them on the same ground.

RULE_LIMITS = Limits()


class _Chain(Question):
    """Whether the rule in a certain place wins; the place is set anew for each of them."""

    def __init__(self, policy: CompiledPolicy, stage: str) -> None:
        super().__init__([policy], [rule.when for rule in deciding(policy, stage)], stage)
        self.place = 0

    def answers(self, records: Sequence[Run]) -> bool:
        """Return whether the engine lets this rule win."""
        return self.programs[0].winner(records[0], self.stage) == self.place


def sweep(
    policy: CompiledPolicy, limits: Limits = RULE_LIMITS, stage: str = AFTER_ITERATION
) -> dict[str, Answer]:
    """
    Return for each deciding rule of a stage, by id, what `can_decide` answers.

    The chain is written out once, so that it costs little more to ask for all rules than for the last.
    `limits` are for each rule.
    """

    rules = deciding(policy, stage)
    found: dict[str, Answer] = {}
    if not rules:
        return found
    question = _Chain(policy, stage)
    asked = Check(question, limits, length_of(question), monotonic() + limits.seconds * len(rules))
    none_before: Flag = True
    late = undecided(f"not decided within {limits.seconds:g} s")
    for number, rule in enumerate(rules):
        question.place = number
        try:
            true = asked.encoders[0].truth(rule.when, 0).yes
            found[rule.id] = asked.in_turn(both(none_before, true), monotonic() + limits.seconds)
            none_before = both(none_before, negated(true))
        except TooLateError:
            found[rule.id] = late
        if found[rule.id].status == UNDECIDED:
            # Which models a solver gives depends on what it was asked before: once more, by itself.
            found[rule.id] = can_decide(policy, rule.id, limits)
    return found
