"""Cases ready to be compared with many mutants: what mutants do not change is found out once."""

from __future__ import annotations

from exitgate.analysis.mutation.places import places
from exitgate.engine.program import Program
from exitgate.engine.record import unread_facts
from exitgate.language.closures import Compilation
from exitgate.model.value import Unknown
from exitgate.testing.given import extract, follow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from exitgate.analysis.mutation.places import Where
    from exitgate.engine.record import Record
    from exitgate.policy.compiled import CompiledPolicy
    from exitgate.testing.case import Case, Want

    Records = Sequence[Mapping[str, object]]
    Evaluator = Callable[[Records], object]


class Variant:
    """A policy, or a mutant of it, under the settings of some cases; compiled as far as it is asked for."""

    def __init__(self, policy: CompiledPolicy) -> None:
        self.policy = policy
        self._compilation = Compilation(policy.values(), policy.conditions, unread_facts(policy))
        self._trees = {where.key: tree for where, tree in places(policy)}
        self._made: dict[tuple[str, str, int], Evaluator] = {}
        self._program: Program | None = None

    @property
    def program(self) -> Program:
        """The policy ready to decide."""
        if self._program is None:
            self._program = Program(self.policy)
        return self._program

    def evaluator(self, where: Where) -> Evaluator:
        """Return what evaluates the condition or formula at a place."""
        found = self._made.get(where.key)
        if found is None:
            found = self._made[where.key] = self._compilation.recorded(self._trees[where.key])
        return found


class ReadyCase:
    """
    One case: its facts extracted, what follows from them, and what is wanted of which iteration.

    Args:
        case: It.
        original: The policy under the settings of the case.
    """

    def __init__(self, case: Case, original: Variant) -> None:
        self.case = case
        self.original = original
        self.said = extract(case, original.policy)
        self.observed = follow(self.said, original.program)
        self.records: tuple[Record, ...] = tuple(one.record for one in self.observed)
        self.iterations = range(1, len(self.records) + 1)
        self.wants: dict[int, list[Want]] = {}
        for want in case.wants:
            self.wants.setdefault(want.iteration, []).append(want)
        self._values: dict[tuple[tuple[str, str, int], int], object] = {}

    def stages(self, iteration: int) -> tuple[str, ...]:
        """Return the stages to decide at an iteration, counted from 1."""
        return self.case.stages(iteration, is_error=self.said[iteration - 1].is_error)

    def value(self, where: Where, iteration: int) -> object:
        """Return what a condition or formula of the original comes to at an iteration, counted from 1."""
        key = (where.key, iteration)
        if key not in self._values:
            self._values[key] = self.original.evaluator(where)(self.records[:iteration])
        return self._values[key]

    def differs(self, where: Where, mutant: Variant, iterations: Collection[int]) -> bool:
        """Return whether a condition or formula comes to something else in the mutant on these records."""
        evaluate = mutant.evaluator(where)
        return any(
            not alike(self.value(where, number), evaluate(self.records[:number])) for number in iterations
        )


def alike(one: object, other: object) -> bool:
    """Return whether two values are the same to every condition; unknowns are, where their bounds are."""
    if isinstance(one, Unknown) or isinstance(other, Unknown):
        return isinstance(one, Unknown) and one.like(other)
    return one == other and isinstance(one, bool) == isinstance(other, bool)
