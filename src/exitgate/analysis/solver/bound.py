"""The longest run without an exit under assumptions, and rounds that go on for ever, by z3."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from time import monotonic
from typing import Any

import z3
from msgspec import Struct
from msgspec.structs import replace

from exitgate.analysis.prove.budgets import ITERATIONS
from exitgate.analysis.prove.cycles import NO_ROUND, holds
from exitgate.analysis.results.answer import REFUTED, UNDECIDED, Answer, proved, refuted, undecided
from exitgate.analysis.simulation import STAGES, iterations_simulated
from exitgate.analysis.solver.claims import decided
from exitgate.analysis.solver.context import Context, TooLateError
from exitgate.analysis.solver.encode import Encoder
from exitgate.analysis.solver.facts import Facts, Reading
from exitgate.analysis.solver.logic import silent
from exitgate.analysis.solver.terms import Amount, Flag, Truth, every, negated, z3_flag
from exitgate.analysis.space.dependencies import consistent
from exitgate.analysis.space.domains import domains
from exitgate.analysis.space.reads import reach
from exitgate.analysis.walk.chain import deciding
from exitgate.analysis.walk.search import Limits
from exitgate.core.engine.record import FAILED
from exitgate.core.language.tree import Node
from exitgate.core.policy.compiled import CompiledPolicy

Run = tuple[Mapping[str, object], ...]


LIMITS = Limits()
#: Longest run that is looked for.
MOST = 60
#: Rounds that the engine must go through, and iterations at most.
ROUNDS, LONGEST = 3, 2000


class Longest(Struct, frozen=True):
    """
    The longest run without an exit.

    Args:
        iterations: Of the longest one that the engine has confirmed.
        answer: To the claim that there is none longer; REFUTED where the longest that is looked for is
            possible, too.
        run: The longest one; None where not even one iteration was found.
    """

    iterations: int
    answer: Answer
    run: Run | None


def of_length(
    policy: CompiledPolicy, assumed: Sequence[Node], length: int, limits: Limits = LIMITS
) -> Answer:
    """Return a run of `length` iterations from the first on in which none exits and all are as assumed."""
    until = monotonic() + limits.seconds

    def goes_on(run: Run) -> bool:
        return iterations_simulated(policy, run) == length and _is_as_assumed(policy, assumed, run)

    try:
        answer = _solved(Unrolled(policy, assumed, length, until), goes_on, until)
    except TooLateError:
        return undecided(f"not decided within {limits.seconds:g} s")
    return answer


def longest(
    policy: CompiledPolicy, assumed: Sequence[Node] = (), limits: Limits = LIMITS, most: int = MOST
) -> Longest:
    """
    Return the longest run without an exit, of up to `most` iterations.

    What continues for n iterations continues for fewer, so the length is found by halving.
    """
    until = monotonic() + limits.seconds
    low, high = 0, 1
    best: Run | None = None
    end: Answer | None = None
    while end is None or high - low > 1:
        tried = high if end is None else (low + high) // 2
        left = replace(limits, seconds=max(0.01, until - monotonic()))
        answer = of_length(policy, assumed, tried, left)
        if answer.status == REFUTED:
            low, best = tried, answer.run
            if end is None:
                if tried == most:
                    return Longest(low, answer, best)
                high = min(2 * tried, most)
            continue
        if answer.status == UNDECIDED:
            return Longest(low, answer, best)
        high, end = tried, answer
    return Longest(low, end, best)


def endless(
    policy: CompiledPolicy, assumed: Sequence[Node] = (), limits: Limits = LIMITS, periods: int = 3
) -> tuple[Answer, int]:
    """
    Return a round of inputs that is repeated for ever without an exit, and its length.

    It has been played on the engine from the first iteration, over several rounds and past every constant
    that the count of iterations meets. It is never PROVED that there is none: longer ones are not looked for.
    """
    until = monotonic() + limits.seconds
    nodes = [*(rule.when for stage in STAGES for rule in deciding(policy, stage)), *assumed]
    window = max((reach(policy, node) for node in nodes), default=0)
    counts = [int(v) for v in domains(policy).get(ITERATIONS, ()) if isinstance(v, int | float)]
    worst = undecided(NO_ROUND)
    for period in range(1, periods + 1):
        length = min(max(ROUNDS * (window + period), max(counts, default=0) + window), LONGEST)

        def goes_on(run: Run, period: int = period, length: int = length) -> bool:
            whole = run[-period:] * -(-length // period)
            return iterations_simulated(policy, whole) == len(whole) and _is_as_assumed(
                policy, assumed, whole
            )

        try:
            found = _solved(Unrolled(policy, assumed, window + period + 1, until, period), goes_on, until)
        except TooLateError:
            return undecided(f"not decided within {limits.seconds:g} s"), 0
        if found.status == REFUTED:
            return found.but(run=(found.run or ())[-period:]), period
        if found.status == UNDECIDED:
            worst = found
    return worst, 0


def _is_as_assumed(policy: CompiledPolicy, assumed: Sequence[Node], run: Run) -> bool:
    return all(consistent(values, policy) for values in run) and holds(policy, assumed, run)


def _solved(unrolled: Unrolled, goes_on: Callable[[Run], bool], until: float) -> Answer:
    solver = z3.Solver()
    solver.add(*unrolled.formulas())
    strict = (unrolled.world.strict,) if unrolled.world.loose else ()
    attempts = [(unrolled.quiet, *strict), strict] if unrolled.policy.breaker is not None else [strict]
    for assumed in attempts:
        if _check(solver, until, *assumed) == z3.sat:
            run = Reading(solver.model(), unrolled.world, unrolled.facts).run
            if goes_on(run):
                return refuted(run, 1)
    if _check(solver, until) == z3.unsat:
        return proved(1)
    why = [*unrolled.world.loose, *(["how the breaker moves"] if unrolled.policy.breaker is not None else [])]
    return undecided(f"not written out exactly: {', '.join(why) or 'rounding of floats'}", 1)


def _check(solver: z3.Solver, until: float, *assumed: object) -> object:
    left = until - monotonic()
    if left <= 0:
        raise TooLateError
    solver.set("timeout", max(1, int(left * 1000)))
    found = solver.check(*assumed)
    if found == z3.unknown:
        raise TooLateError
    return found


# A run from its first iteration on, in which every iteration continues and is as assumed.


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
        self.world = Context((policy,), self._trees(assumed), length, until, fixed=True)
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
        flags += [z3.Implies(self.quiet, z3_flag(flag)) for flag in self._rests()]
        return [z3_flag(flag) for flag in (*flags, *self.world.constraints)]

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
