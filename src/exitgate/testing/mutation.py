"""A policy's tests held against its mutants: which of them somebody would notice."""

from __future__ import annotations

import time

from exitgate.analysis.mutation import equivalence
from exitgate.analysis.mutation.registry import mutants
from exitgate.engine.program import Program
from exitgate.model.diagnostic import Diagnostic, ExitgateError
from exitgate.model.value import Value
from exitgate.model.verdict import FINDINGS
from exitgate.report.mutants_found import (
    ALIKE,
    EQUIVALENT,
    KILLED,
    OPEN,
    SURVIVED,
    FoundMutant,
    FoundMutants,
)
from exitgate.testing.mutation_budget import Budget
from exitgate.testing.mutation_example import example
from exitgate.testing.mutation_excuses import excuses_of, stale
from exitgate.testing.mutation_kill import Watchdogs
from exitgate.testing.mutation_lead import leads
from exitgate.testing.mutation_places import Places
from exitgate.testing.run import run_case

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from exitgate.analysis.mutation.equivalence import Judged
    from exitgate.analysis.mutation.mutant import Mutant
    from exitgate.model.place import Place
    from exitgate.policy.compiled import CompiledPolicy, Invariant
    from exitgate.testing.case import Case
    from exitgate.testing.suite import Suite

    Tell = Callable[[int, int, str], None]
    Locate = Callable[[str], Place | None]

#: Codes of this room, one line each; `docs` reads them.
CODES = {
    "EP515": "a case fails before anything was mutated",
    "EP516": "an excuse for a mutant that does not survive",
    "EP517": "no mutant or no case is selected",
    "EP518": "cases cannot be added to a file",
}


class Asked(Value):
    """
    Which mutants are made, and what they are held against.

    Args:
        kinds: Kinds of `exitgate.analysis.mutation.registry.KINDS`; none for all.
        subject: One rule, ``@condition``, computed fact, ``$parameter`` or ``circuit.ID``; empty for all.
        select: Whether a case counts, by the path of its file and its name; None for every case.
    """

    __slots__ = ("kinds", "select", "subject")

    def __init__(
        self,
        kinds: Collection[str] = (),
        subject: str = "",
        select: Callable[[str], bool] | None = None,
    ) -> None:
        self.kinds = tuple(kinds)
        self.subject = subject
        self.select = select


EVERYTHING = Asked()


def mutate(
    suite: Suite, file: str, asked: Asked = EVERYTHING, loaded_in: float = 0.0, tell: Tell | None = None
) -> FoundMutants:
    """
    Return what becomes of the mutants of a suite's policy.

    Cases come first, then the policy's invariants; what neither notices goes to the analysis, which says
    whether it decides anything otherwise, within `BUDGET` times the time of the tests.

    Args:
        suite: The tests.
        file: Their path, as it is told.
        asked: Which mutants, and which cases.
        loaded_in: Seconds that reading the suite took: part of the time of the tests.
        tell: Called with how many mutants are done, how many there are, and the next one's subject.

    Raises:
        ExitgateError: 69, where a case fails on the policy as it is.
    """
    begun = time.perf_counter() - loaded_in
    cases = [one for one in suite.cases if asked.select is None or asked.select(f"{file} {one.name}")]
    _check(suite, cases)
    own = time.perf_counter() - begun
    made = mutants(suite.policy, asked.kinds, asked.subject)
    watchdogs = Watchdogs(suite, cases)
    noticed: dict[str, Case | None] = {}
    for number, mutant in enumerate(made):
        if tell is not None:
            tell(number, len(made), mutant.subject)
        noticed[mutant.id] = watchdogs.first_to_notice(mutant)
    left = [mutant for mutant in made if noticed[mutant.id] is None]
    places = Places(suite.policy)
    judging = _Judging(suite.policy, Budget(begun, own, len(left)))
    excuses = excuses_of(suite)
    found = []
    for mutant in (one.but(place=places.of(one)) for one in made):
        case = noticed[mutant.id]
        if case is not None:
            found.append(_found(mutant, KILLED, by=case.name))
            continue
        if tell is not None:
            tell(len(found), len(made), mutant.subject)
        one = judging.judged(mutant)
        excuse = excuses.get(mutant.id)
        found.append(one.but(excuse=excuse.why) if excuse and one.status in (SURVIVED, OPEN) else one)
    told = stale(excuses, found, made_all=not (asked.kinds or asked.subject or asked.select))
    policy = suite.policy
    seconds = time.perf_counter() - begun
    return FoundMutants(file, policy.name, policy.version, len(cases), tuple(found), told, own, seconds)


def _check(suite: Suite, cases: Sequence[Case]) -> None:
    """Raise `ExitgateError` (69) where a case fails: it would notice every mutant."""
    failing = [case for case in cases if run_case(case, suite.program(case)).failures]
    if failing:
        help = "mend the policy or the tests first; `exitgate test` says what is wrong"
        raise ExitgateError(
            [
                Diagnostic("EP515", f"`{case.name}` fails without any mutant", case.place, help)
                for case in failing
            ],
            FINDINGS,
        )


class _Judging:
    """What is said of mutants that no case noticed."""

    def __init__(self, policy: CompiledPolicy, budget: Budget) -> None:
        self._policy = policy
        self._program = Program(policy)
        self._budget = budget
        self._kept: list[Invariant] | None = None

    def judged(self, mutant: Mutant) -> FoundMutant:
        """Return what becomes of a mutant that passes every case."""
        limits = self._budget.next()
        if limits is None:
            return _found(mutant, OPEN, why=self._budget.why)
        judged = equivalence.judge(self._policy, mutant, limits)
        if judged.status == equivalence.SAME:
            return _found(mutant, EQUIVALENT, points=judged.points)
        if judged.status == equivalence.ALIKE:
            return _found(mutant, ALIKE, points=judged.points)
        invariant = self._broken_by(mutant)
        if invariant is not None:
            return _found(mutant, KILLED, by=f"invariant {invariant.id}", points=judged.points)
        if judged.status == equivalence.OPEN:
            return _found(mutant, OPEN, points=judged.points, why=judged.why)
        return _found(mutant, SURVIVED, points=judged.points, example=self._example(mutant, judged))

    def _broken_by(self, mutant: Mutant) -> Invariant | None:
        from exitgate.analysis.ask import FOUND, breaks

        if self._kept is None:
            limits = self._budget.small
            self._kept = [
                i for i in self._policy.invariants if breaks(self._policy, i, limits).status != FOUND
            ]
        changed = mutant.of(self._policy)
        for invariant in self._kept:
            limits = self._budget.small
            if limits.seconds > 0 and breaks(changed, invariant, limits).status == FOUND:
                return invariant
        return None

    def _example(self, mutant: Mutant, judged: Judged) -> str:
        runs = leads(self._policy, judged, self._budget.small)
        changed = Program(mutant.of(self._policy))
        return example(f"notices {mutant.id}", runs, judged.stage, self._program, changed)


def _found(mutant: Mutant, status: str, **more: object) -> FoundMutant:
    return FoundMutant(
        mutant.id,
        mutant.kind,
        mutant.subject,
        mutant.place,
        mutant.before,
        mutant.after,
        status,
        **more,  # type: ignore[arg-type]
    )
