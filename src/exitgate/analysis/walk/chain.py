"""The chain of one stage, region by region."""

from __future__ import annotations

from exitgate.analysis.walk.gates import TRUE, all_are

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from exitgate.analysis.walk.gates import Gate, Judged
    from exitgate.analysis.walk.outlook import Outlook
    from exitgate.analysis.walk.search import Judge
    from exitgate.analysis.walk.units import Region
    from exitgate.policy.compiled import CompiledPolicy, Rule


def deciding(policy: CompiledPolicy, stage: str) -> tuple[Rule, ...]:
    """Return the enforced exit and continue rules of a stage, in chain order."""
    return tuple(r for r in policy.rules if r.stage == stage and r.effect != "warn" and r.mode == "enforce")


class Chain:
    """The deciding rules of one stage of a policy as gates, `back` iterations before the last."""

    def __init__(self, policy: CompiledPolicy, stage: str, outlook: Outlook, back: int = 0) -> None:
        self.rules = deciding(policy, stage)
        self._going_on = {-1, *(n for n, rule in enumerate(self.rules) if rule.effect != "exit")}
        self._gates = [outlook.gate(rule.when, back) for rule in self.rules]

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
                open_ = open_ or gate
        return [*found, -1], open_

    def decided_by(self, wanted: Container[int], region: Region) -> Judged:
        """Judge whether one of the rules in `wanted` decides, -1 being none of them."""
        winners, open_ = self.winners(region)
        fitting = [winner in wanted for winner in winners]
        if all(fitting):
            return True
        if not any(fitting) or open_ is None:
            return False
        return open_.split(region, TRUE)

    def goes_on(self, region: Region) -> Judged:
        """Judge whether the stage decides CONTINUE."""
        return self.decided_by(self._going_on, region)


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
