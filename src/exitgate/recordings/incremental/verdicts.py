"""
From where conditions are true to what is decided: the chain is walked for all iterations of a run at once.

Sets of iterations are whole numbers with a bit for each, the first iteration lowest. The answers are those of
`exitgate.recordings.replay.replay.Replay`: verdict, class, outcome and rule of every iteration.
"""

from __future__ import annotations

from msgspec import Struct

from exitgate.core.engine.program import OTHERWISE, UNDETERMINED
from exitgate.core.gate.breaker import OUTCOME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from exitgate.core.policy.compiled import CompiledPolicy
    from exitgate.recordings.incremental.records import Column, Run
    from exitgate.recordings.incremental.truths import Truths

    #: Class, outcome, rule and iterations.
    Decision = tuple[str | None, str, str | None, int]


class Owned(Struct, frozen=True):
    """
    Iterations that one thing decides.

    Args:
        exit_class: Of the EXIT; None for CONTINUE.
        outcome: As in `exitgate.core.model.decision.Decision`.
        rule: Id of the rule; None where none decides.
        bits: The iterations.
    """

    exit_class: str | None
    outcome: str
    rule: str | None
    bits: int


class Verdicts(Struct, frozen=True):
    """
    The decisions on a run.

    Args:
        length: How many iterations there are.
        owned: What decides, in no order that means anything; each iteration is in one of them.
    """

    length: int
    owned: tuple[Owned, ...]

    @property
    def stop(self) -> int | None:
        """Number of the iteration that a policy would have ended the run with, from 1; None for none."""
        exits = 0
        for one in self.owned:
            if one.exit_class is not None:
                exits |= one.bits
        return (exits & -exits).bit_length() if exits else None

    def at(self, iteration: int) -> Owned:
        """Return what decides an iteration, counted from 1."""
        bit = 1 << (iteration - 1)
        return next(one for one in self.owned if one.bits & bit)

    def each(self) -> list[Owned]:
        """Return what decides each iteration."""
        found: list[Owned | None] = [None] * self.length
        for one in self.owned:
            for at in places(one.bits):
                found[at] = one
        return [one for one in found if one is not None]


def places(bits: int) -> Iterator[int]:
    """Yield the places of the bits that are set, the lowest first."""
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest


class Chains:
    """
    The rules of a policy by stage, ready to be walked.

    Args:
        policy: The policy.
        truths: Where its conditions come from.
    """

    def __init__(self, policy: CompiledPolicy, truths: Truths) -> None:
        self._conditions = truths.of([rule.when for rule in policy.rules], policy)
        self._limit = policy.exit_after_blind
        self._rules = policy.rules
        self._stages: dict[str, list[int]] = {}
        for number, rule in enumerate(policy.rules):
            found = self._stages.setdefault(rule.stage, [])
            if rule.effect != "warn" and rule.mode == "enforce":
                found.append(number)

    def decide(self, run: Run) -> Verdicts:
        """Return what is decided on a run."""
        owned: list[Owned] = []
        records = run.records
        every = (1 << records.length) - 1
        silent = self._silent(records.blind, every)
        for stages, at in _grouped(records.stages, every):
            for exit_class, outcome, rule, bits in self._decided(stages, at, silent, run):
                # a breaker that a person opened ends what goes on
                halted = bits & records.by_hand if exit_class is None else 0
                if halted:
                    owned.append(Owned("halted", OUTCOME, None, halted))
                if bits ^ halted:
                    owned.append(Owned(exit_class, outcome, rule, bits ^ halted))
        return Verdicts(records.length, tuple(owned))

    def _decided(self, stages: Sequence[str], at: int, silent: int, run: Run) -> Iterator[Decision]:
        """Yield class, outcome, rule and iterations: of the first stage that says EXIT, or of the first."""
        goes_on: list[Decision] = []
        open_ = at
        for place, stage in enumerate(stages):
            if place and stage not in self._stages:
                continue
            left = open_
            for index in self._stages.get(stage, ()):
                if not left:
                    break
                hits = self._conditions[index].true_in(run) & left
                left &= ~hits
                rule = self._rules[index]
                if hits and rule.effect == "exit":
                    open_ &= ~hits
                    yield rule.exit_class, rule.outcome, rule.id, hits
                elif hits and not place:
                    goes_on.append((None, rule.outcome, rule.id, hits))
            if not place:
                goes_on.append((None, OTHERWISE, None, left))
                if open_ & silent:
                    yield UNDETERMINED, UNDETERMINED, None, open_ & silent
                    open_ &= ~silent
        for exit_class, outcome, rule_id, bits in goes_on:
            if bits & open_:
                yield exit_class, outcome, rule_id, bits & open_

    def _silent(self, blind: int, every: int) -> int:
        """Return the iterations with which so many in a row were blind that a run ends."""
        if self._limit is None:
            return 0
        found = blind
        for back in range(1, self._limit):
            found &= blind << back
        return found & every


def _grouped(column: Column, every: int) -> Iterator[tuple[tuple[str, ...], int]]:
    """Yield each value of a column of stages with the iterations that have it."""
    if column.numbers is None:
        if every:
            yield column.values[0], every  # type: ignore[misc]
        return
    found = [0] * len(column.values)
    for at, number in enumerate(column.numbers):
        found[number] |= 1 << at
    yield from zip(column.values, found, strict=True)
