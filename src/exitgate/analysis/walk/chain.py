"""The chain of one stage, region by region."""

from __future__ import annotations

from functools import lru_cache

from exitgate.analysis.space.counters import SUSPENDING
from exitgate.analysis.space.domains import IdentityKey
from exitgate.analysis.space.reads import reach
from exitgate.analysis.walk.gates import ANY, TRUE, Fixed, all_are

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from exitgate.analysis.walk.abstract_eval import AbstractPolicy
    from exitgate.analysis.walk.gates import Gate, Judged
    from exitgate.analysis.walk.search import Judge
    from exitgate.analysis.walk.variables import Region
    from exitgate.core.policy.compiled import CompiledPolicy, Rule


#: A condition of which nothing is known.
ANYTHING = Fixed(ANY)


def deciding(policy: CompiledPolicy, stage: str) -> tuple[Rule, ...]:
    """Return the enforced exit and continue rules of a stage, in chain order."""
    return _deciding(IdentityKey(policy), stage)


@lru_cache(maxsize=16)
def _deciding(asked: IdentityKey, stage: str) -> tuple[Rule, ...]:
    policy: CompiledPolicy
    (policy,) = asked.held  # type: ignore[assignment]
    return tuple(r for r in policy.rules if r.stage == stage and r.effect != "warn" and r.mode == "enforce")


class Chain:
    """
    The deciding rules of one stage of a policy as gates, `back` iterations before the last.

    With `suspended`, a run continues after a rule that only suspends it. With `older`, iterations may have
    come before those of the abstract_policy: a rule that looks further back can be anything.
    """

    def __init__(
        self,
        policy: CompiledPolicy,
        stage: str,
        abstract_policy: AbstractPolicy,
        back: int = 0,
        suspended: bool = False,
        older: bool = False,
    ) -> None:
        self.rules = deciding(policy, stage)
        self._older = older
        self._going_on = {
            -1,
            *(
                number
                for number, rule in enumerate(self.rules)
                if rule.effect != "exit" or (suspended and rule.exit_class in SUSPENDING)
            ),
        }
        self._gates = [
            ANYTHING
            if older and back + reach(policy, rule.when) >= abstract_policy.length
            else abstract_policy.gate(rule.when, back)
            for rule in self.rules
        ]

    def winners(self, region: Region) -> tuple[list[int], Gate | None]:
        """Return the rules that may decide, -1 for none, and the first that is not settled."""
        found: list[int] = []
        open_: Gate | None = None
        for number, gate in enumerate(self._gates):
            truths = gate.truths(region)
            if truths & TRUE:
                found.append(number)
                if truths == TRUE:
                    return found, open_
                open_ = open_ or (None if gate is ANYTHING else gate)
        return [*found, -1], open_

    def decided_by(self, wanted: Container[int], region: Region) -> Judged:
        """Judge whether one of the rules in `wanted` decides, -1 being none of them."""
        winners, open_ = self.winners(region)
        fitting = [winner in wanted for winner in winners]
        if all(fitting):
            return True
        if not any(fitting):
            return False
        return self._older if open_ is None else open_.split(region, TRUE)

    def goes_on(self, region: Region) -> Judged:
        """Judge whether the stage decides CONTINUE."""
        return self.decided_by(self._going_on, region)

    def suspends(self, region: Region) -> Judged:
        """Judge whether the stage decides an exit after which the same run continues."""
        wanted = {n for n, rule in enumerate(self.rules) if rule.exit_class in SUSPENDING}
        return self.decided_by(wanted, region)


def going_on(steps: Sequence[tuple[Sequence[tuple[Gate, int]], Sequence[Chain]]]) -> Judge:
    """Return a judge: step by step, each gate has one of its truths, and then each chain decides CONTINUE."""

    def judge(region: Region) -> Judged:
        for wanted, chains in steps:
            found = all_are(wanted, region)
            if found is not True:
                return found
            for chain in chains:
                found = chain.goes_on(region)
                if found is not True:
                    return found
        return True

    return judge
