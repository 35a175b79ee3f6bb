"""What the engine makes of a last iteration: what follows from its facts, and the decision."""

from __future__ import annotations

from exitgate.core.engine.breaker import FACTS, OPEN, BreakerState
from exitgate.core.engine.evaluation import Before, Evaluation, Observed
from exitgate.core.language.measure import facts_of
from exitgate.core.model.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from exitgate.core.engine.program import Program
    from exitgate.core.engine.record import Record
    from exitgate.core.model.decision import Decision
    from exitgate.core.policy.compiled import CompiledPolicy, Rule

    Records = Sequence[Mapping[str, object]]
    from exitgate.core.language.tree import Node


HALF_OPEN = "HALF_OPEN"


class LastIteration:
    """
    A policy behind some iterations, asked about the next one.

    Args:
        program: The policy.
        earlier: Records of the iterations before, oldest first.
        stages: Stages asked, in order; each only where those before it go on.
        breaker: The policy's own breaker before the iteration, if its facts shall follow from the
            others; None where they are facts like all others.
    """

    def __init__(
        self, program: Program, earlier: Records, stages: Sequence[str], breaker: BreakerState | None = None
    ) -> None:
        self.program = program
        self.policy: CompiledPolicy = program.policy
        self.earlier = tuple(earlier)
        self.stages = tuple(stages)
        self.breaker = breaker if program.policy.breaker is not None else None
        follow = BREAKER if self.breaker is not None else frozenset()
        self._asked: tuple[object, Evaluation] | None = None
        #: Facts that follow from the others.
        self.computed = follow | {fact.name for fact in self.policy.derived}

    def following(self, record: Record) -> Mapping[str, object]:
        """Return the values of the facts that follow from a record."""
        whole = self.behind(record).record
        return {name: whole[name] for name in self.computed if name in whole}

    def some_following(self, record: Record, names: frozenset[str]) -> Mapping[str, object]:
        """
        Return the values of some of the facts that follow from a record.

        Args:
            record: Of the iteration.
            names: The facts, and all computed ones that they read; none rests on the policy's own breaker.
        """
        kept = self._asked
        if kept is None or kept[0] is not record.remembered:
            # what was seen before is the same for all records of the iteration
            evaluation = Evaluation(self.program, Before((), record.remembered))
            for one in self.earlier:
                evaluation.remember(one)
            seen = evaluation.before.remembered
            before = Before(self.earlier, seen, whole=seen is not None)
            kept = self._asked = record.remembered, Evaluation(self.program, before)
        return kept[1].computed(record, names)

    def behind(self, record: Record) -> Observed:
        """Return the record with what follows from it, and the breaker behind it."""
        before = Before(self.earlier, record.remembered, self.breaker or BreakerState())
        given = () if self.breaker is not None else FACTS
        return Evaluation(self.program, before).observe(record, given=given)

    def whole(self, record: Record) -> Record:
        """Return a record with what follows from it."""
        return record.with_values(self.following(record)) if self.computed else record

    def decide(self, whole: Record) -> Decision:
        """Return what the engine decides on a whole record; of several stages the decision that counts."""
        return Evaluation.of_records(self.program, (*self.earlier, whole)).decide(self.stages)


def deciding(policy: CompiledPolicy, stage: str) -> tuple[Rule, ...]:
    """Return the enforced exit and continue rules of a stage, in chain order."""
    return tuple(r for r in policy.rules if r.stage == stage and r.effect != "warn" and r.mode == "enforce")


def breaker_in(record: Mapping[str, object]) -> BreakerState | None:
    """
    Return the state of the breaker as the facts of a record tell it, or None where they do not.

    No time passes for it: an OPEN one stays so until there is progress. Who opened it is not among
    the facts.
    """
    state, reason, opened = (record.get(f"circuit.{part}") for part in ("state", "reason", "opened_at"))
    if not isinstance(state, str):
        return None
    why = reason if isinstance(reason, str) else ""
    if state == OPEN:
        return BreakerState(state, why, 0.0, 0.0)
    probing = state == HALF_OPEN and opened is not None and not isinstance(opened, Unknown)
    return BreakerState(state, why, probe=probing, opened_at=0.0 if probing else None)


# Which facts that are read from somewhere a condition rests on in the end.

#: Facts that the policy's own breaker sets.
BREAKER = frozenset(("circuit.state", "circuit.reason"))


class Dependencies:
    """
    What computed facts rest on.

    Args:
        policy: The policy.
        own_breaker: Whether the facts of the breaker follow from its conditions.
    """

    def __init__(self, policy: CompiledPolicy, own_breaker: bool) -> None:
        self._policy = policy
        self._derived = {fact.name: fact for fact in policy.derived}
        self._own_breaker = own_breaker and policy.breaker is not None
        self._found: dict[str, frozenset[str]] = {}

    def of(self, node: Node) -> frozenset[str]:
        """Return the facts that the truth of a condition rests on, computed ones replaced by theirs."""
        if any(part.op == "silence" for part in node.walk()):
            return frozenset(n for n in self._policy.facts if n not in self._derived)
        names = facts_of(node, self._policy.conditions)
        return frozenset(below for name in names for below in self.of_fact(name))

    def computed(self, node: Node) -> frozenset[str] | None:
        """
        Return the computed facts that a condition reads, with those that they read.

        None where it may read all, or where one of them rests on the policy's own breaker.
        """
        if any(part.op == "silence" for part in node.walk()):
            return None
        found: set[str] = set()
        left = set(facts_of(node, self._policy.conditions))
        while left:
            name = left.pop()
            if self._own_breaker and name in FACTS:
                return None
            fact = self._derived.get(name)
            if fact is not None and name not in found:
                found.add(name)
                left.update(fact.signals)
                for tree in fact.trees():
                    if any(part.op == "silence" for part in tree.walk()):
                        return None
                    left |= facts_of(tree, self._policy.conditions)
        return frozenset(found)

    def of_fact(self, name: str) -> frozenset[str]:
        """Return the facts that one fact rests on: itself where it is not computed."""
        if name not in self._found:
            self._found[name] = frozenset()  # a fact never rests on itself
            self._found[name] = self._below(name)
        return self._found[name]

    def _below(self, name: str) -> frozenset[str]:
        if self._own_breaker and name in BREAKER:
            return frozenset(below for node in self._breaker_nodes() for below in self.of(node))
        fact = self._derived.get(name)
        if fact is None:
            return frozenset((name,))
        nodes = fact.trees()

        found = {below for node in nodes for below in self.of(node)}
        found |= {below for signal in fact.signals for below in self.of_fact(signal)}
        return frozenset(found)

    def _breaker_nodes(self) -> list[Node]:
        breaker = self._policy.breaker
        if breaker is None:
            return []
        return [o.when for o in breaker.openings] + [
            n for n in (breaker.watch, breaker.close) if n is not None
        ]
