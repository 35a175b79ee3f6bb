"""Can each rule of a chain decide? All of them on the same ground."""

from __future__ import annotations

from time import monotonic

from exitgate.analysis.solver.flags import both, negated
from exitgate.analysis.solver.search import Asked, length_of
from exitgate.analysis.solver.world import TooLateError
from exitgate.analysis.walk.chain import deciding
from exitgate.analysis.walk.questions import AFTER_ITERATION, Question
from exitgate.analysis.walk.search import Limits
from exitgate.model.answer import UNDECIDED, Answer, undecided

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from exitgate.analysis.solver.flags import Flag
    from exitgate.analysis.walk.questions import Run
    from exitgate.policy.compiled import CompiledPolicy

LIMITS = Limits()


class _Chain(Question):
    """Whether the rule in a certain place wins; the place is set anew for each of them."""

    def __init__(self, policy: CompiledPolicy, stage: str) -> None:
        super().__init__([policy], [rule.when for rule in deciding(policy, stage)], stage)
        self.place = 0

    def answers(self, records: Sequence[Run]) -> bool:
        """Return whether the engine lets this rule win."""
        return self.programs[0].winner(records[0], self.stage) == self.place


def sweep(policy: CompiledPolicy, limits: Limits = LIMITS, stage: str = AFTER_ITERATION) -> dict[str, Answer]:
    """
    Return for each deciding rule of a stage, by id, what `ask.can_decide` answers.

    The chain is written out once, so that it costs little more to ask for all rules than for the last.
    `limits` are for each rule.
    """
    from exitgate.analysis.solver.ask import can_decide

    rules = deciding(policy, stage)
    found: dict[str, Answer] = {}
    if not rules:
        return found
    question = _Chain(policy, stage)
    asked = Asked(question, limits, length_of(question), monotonic() + limits.seconds * len(rules))
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
