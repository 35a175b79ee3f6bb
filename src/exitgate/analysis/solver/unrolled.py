"""A run from its first iteration on, in which every iteration continues and is as assumed."""

from __future__ import annotations

import z3

from exitgate.analysis.played import STAGES
from exitgate.analysis.prove.budgets import ITERATIONS
from exitgate.analysis.solver.chain import decided
from exitgate.analysis.solver.encode import Encoder
from exitgate.analysis.solver.facts import Facts
from exitgate.analysis.solver.flags import every, negated
from exitgate.analysis.solver.logic import silent
from exitgate.analysis.solver.terms import Amount, Truth
from exitgate.analysis.solver.world import World
from exitgate.analysis.space.reach import reach
from exitgate.analysis.walk.chain import deciding
from exitgate.engine.record import FAILED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from exitgate.analysis.solver.flags import Flag
    from exitgate.language.tree import Node
    from exitgate.policy.compiled import CompiledPolicy


class Unrolled:
    """
    A run of `length` iterations that all go on.

    Args:
        policy: The policy.
        assumed: Conditions that hold in every iteration; those that look back, from the second one on.
        length: Iterations.
        until: When to give up, on the clock of `time.monotonic`.
        period: The facts of the run repeat after so many iterations; 0 where they do not.

    The policy's own breaker may say anything, unless `quiet` is assumed: then it stays CLOSED and it has no
    opening parenthesis. So more runs go on than with the real one, and that there is none is a proof.
    """

    def __init__(
        self, policy: CompiledPolicy, assumed: Sequence[Node], length: int, until: float, period: int = 0
    ) -> None:
        self.policy = policy
        self.length = length
        self.world = World((policy,), self._trees(assumed), length, until, fixed=True)
        self.facts = Facts(self.world, (policy,), period)
        self.quiet = z3.Bool("quiet")
        self._encoder = Encoder(policy, self.world, self.facts)
        self._assumed = tuple((node, reach(policy, node) > 0) for node in assumed)

    def formulas(self) -> list[Any]:
        """Return what holds of the run."""
        goes_on = [self._goes_on(at) for at in range(self.length)]
        flags = [
            *goes_on,
            *(self._is_as_assumed(at) for at in range(self.length)),
            *self._speaks(),
            *self._counts(),
        ]
        flags += [z3.Implies(self.quiet, _boolean(flag)) for flag in self._rests()]
        return [_boolean(flag) for flag in (*flags, *self.world.constraints)]

    def _trees(self, assumed: Sequence[Node]) -> list[Node]:
        policy = self.policy
        found = [*assumed, *(rule.when for rule in policy.rules), *policy.conditions.values()]
        found += [row.when for fact in policy.derived for row in fact.rows]
        return found + [fact.formula for fact in policy.derived if fact.formula is not None]

    def _goes_on(self, at: int) -> Flag:
        parts = []
        for stage in STAGES:
            on = [n for n, rule in enumerate(deciding(self.policy, stage)) if rule.effect == "continue"]
            parts.append(decided(self._encoder, stage, (*on, -1), at))
        return every(parts)

    def _is_as_assumed(self, at: int) -> Flag:
        first = at == self.length - 1
        wanted = [node for node, looks_back in self._assumed if not (first and looks_back)]
        return every(self._encoder.truth(node, at).yes for node in wanted)

    def _speaks(self) -> list[Flag]:
        """Return that the run is never blind for as long as ends it."""
        limit = self.policy.exit_after_blind
        if limit is None:
            return []
        blind = [every((silent(self._encoder, at), *self._sound(at))) for at in range(self.length)]
        return [negated(every(blind[at : at + limit])) for at in range(self.length - limit + 1)]

    def _sound(self, at: int) -> list[Flag]:
        """Return that the agent is not known to have failed, where the policy asks for it."""
        group = FAILED.partition(".")[0]
        if all(extraction.prefix != group for extraction in self.policy.extractions):
            return []
        failed = self._encoder.facts.term(self.policy.facts[FAILED], at)
        assert isinstance(failed, Truth)
        return [negated(failed.yes)]

    def _counts(self) -> list[Flag]:
        """Return that the count of iterations is what it is; unknown in a round, where it has no end."""
        found = []
        for (name, at), term in self.facts.names().items():
            if name == ITERATIONS and isinstance(term, Amount) and not self.facts.period:
                found += [term.known, term.value == self.length - at]
        return found

    def _rests(self) -> list[Flag]:
        breaker = self.policy.breaker
        if breaker is None:
            return []
        nodes = [one.when for one in breaker.openings] + (
            [breaker.watch] if breaker.watch is not None else []
        )
        found = [negated(self._encoder.truth(node, at).yes) for node in nodes for at in range(self.length)]
        closed = self.world.atoms.add("CLOSED", "enum")
        for (name, _), term in self.facts.names().items():
            if name == "circuit.state":
                found += [term.known, term.number == closed]  # type: ignore[union-attr]
            elif name.startswith("circuit."):
                found.append(negated(term.known))
        return found


def _boolean(flag: Flag) -> Any:
    return z3.BoolVal(flag) if isinstance(flag, bool) else flag
