"""One decided iteration of a case, and what can be said about its rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from exitgate.language.closures import compile_node
from exitgate.language.written import written
from exitgate.model.counted import counted
from exitgate.model.value import Unknown
from exitgate.testing.values import shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from exitgate.engine.program import Program
    from exitgate.engine.record import Record
    from exitgate.language.tree import Node
    from exitgate.model.decision import Decision, Step
    from exitgate.testing.given import Observed

#: Rules reported where no single one is in question.
RULES_SHOWN = 8


@dataclass(frozen=True, slots=True)
class View:
    """
    A decision with all it was made from.

    `stage` is the one that was asked first; `also` are those that would be, where it says CONTINUE.
    """

    program: Program
    stage: str
    observed: Observed
    records: Sequence[Record]
    decision: Decision
    also: tuple[str, ...] = ()

    def step(self, rule: str) -> Step | None:
        """Return the step of a rule, asked even if it follows the winner; None in another stage."""
        steps = (s for stage in (self.stage, *self.also) for s in self.program.trace(self.records, stage))
        return next((s for s in steps if s.rule == rule), None)

    def truth(self, node: Node) -> str:
        """Return how a condition came out: ``true``, ``false`` or ``unknown``."""
        policy = self.program.policy
        return _truth(compile_node(node, policy.values(), policy.conditions)(self.records))

    def about_rule(self, rule: str) -> list[str]:
        """Return lines on how the condition of `rule` came out and what kept it from deciding."""
        step = self.step(rule)
        found = next((r for r in self.program.policy.rules if r.id == rule), None)
        if found is None:
            return [f"the policy has no rule `{rule}`"]
        if step is None:
            return [f"rule `{rule}` belongs to stage {found.stage}, this case tests {self.stage}"]
        policy = self.program.policy
        text = written(found.when, self.records, policy.values(), policy.conditions)
        lines = [f"rule `{rule}` is {_truth(step.truth)}: {text}"]
        lines += [
            f"  unknown: {u.origin}, {u.reason}" if u.origin else f"  {u.reason}" for u in step.unknowns
        ]
        lines += [f"  pending {p}: {p.form}" for p in step.pending]
        if step.truth is True and self.decision.rule != rule:
            lines.append(self._overruled(rule, found.mode))
        return lines

    def _overruled(self, rule: str, mode: str) -> str:
        order = [r.id for r in self.program.policy.rules]
        winner = self.decision.rule
        if winner is not None and order.index(winner) < order.index(rule):
            return f"  but `{winner}`, which comes before it, decided"
        return (
            f"  but its mode is {mode}, so it decides nothing" if mode != "enforce" else "  but it only warns"
        )

    def about_decision(self) -> list[str]:
        """Return lines on why the decision is what it is: the rule that decided, else every rule."""
        if self.decision.rule is not None:
            return self.about_rule(self.decision.rule)
        stages = (self.stage, *self.also)
        rules = [r.id for r in self.program.policy.rules if r.stage in stages]
        lines = [line for rule in rules[:RULES_SHOWN] for line in self.about_rule(rule)]
        more = len(rules) - RULES_SHOWN
        return [*lines, f"and {counted(more, 'more rule')}"] if more > 0 else lines

    def about_fact(self, name: str) -> list[str]:
        """Return lines on what a fact rests on and which matches did not count."""
        fact = self.observed.facts.get(name)
        if fact is None:
            return [f"`{name}` was not given"]
        spec = self.program.policy.facts.get(name)
        lines = [f"`{name}` is {shown(fact.value, spec.type if spec else None)}"]
        lines += [f"  {fact.note}"] if fact.note else []
        lines += [f"  {e.source}:{e.line}:{e.column}: {e.excerpt.strip()}" for e in fact.evidence]
        lines += [
            f"  did not count ({e.guard}): {e.source}:{e.line}:{e.column}: {e.excerpt.strip()}"
            for e in fact.rejected
        ]
        return lines


def _truth(truth: object) -> str:
    if isinstance(truth, Unknown):
        return "unknown"
    return str(truth).lower()
