"""A policy's tests compared with its mutants: which of them somebody would notice."""

from __future__ import annotations

import time

from exitgate.analysis.mutation import equivalence
from exitgate.analysis.mutation.registry import mutants
from exitgate.engine.program import Program
from exitgate.model.answer import PROVED, UNDECIDED
from exitgate.model.diagnostic import Diagnostic, ExitgateError
from exitgate.model.value import Value
from exitgate.model.verdict import FINDINGS
from exitgate.report.mutants_found import (
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
    from collections.abc import Callable, Collection, Mapping, Sequence

    from exitgate.analysis.mutation.mutant import Mutant
    from exitgate.analysis.walk.search import Limits
    from exitgate.model.answer import Answer
    from exitgate.model.place import Place
    from exitgate.policy.compiled import CompiledPolicy, Invariant
    from exitgate.testing.case import Case
    from exitgate.testing.suite import Suite

    Run = tuple[Mapping[str, object], ...]

    Tell = Callable[[int, int, str], None]
    Locate = Callable[[str], Place | None]

#: Codes of this room, one line each; `docs` reads them.
CODES = {
    "EP515": "a case fails without any mutant",
    "EP516": "an excuse for a mutant that does not survive",
    "EP517": "no mutant or no case is selected",
    "EP518": "cases cannot be added to a file",
}

#: Of a mutant in the breaker that may be one in name only.
UNMOVED = "its condition has another result, but no run was found on which that moves the breaker"


class Asked(Value):
    """
    Which mutants are made, and what they are compared with.

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
    whether it decides anything otherwise, within `BUDGET` times the time of the tests: questions that are not
    put any more are open.

    Args:
        suite: The tests.
        file: Their path, as it is reported.
        asked: Which mutants, and which cases.
        loaded_in: Seconds of the processor that reading the suite took: part of the time of the tests.
        tell: Called with how many mutants are done, how many there are, and the next one's subject.

    Raises:
        ExitgateError: 69, where a case fails on the policy as it is.
    """
    begun = time.process_time() - loaded_in
    cases = [one for one in suite.cases if asked.select is None or asked.select(f"{file} {one.name}")]
    _check(suite, cases)
    own = time.process_time() - begun
    made = mutants(suite.policy, asked.kinds, asked.subject)
    watchdogs = Watchdogs(suite, cases)
    noticed: dict[str, Case | None] = {}
    for number, mutant in enumerate(made):
        if tell is not None:
            tell(number, len(made), mutant.subject)
        noticed[mutant.id] = watchdogs.first_to_notice(mutant)
    left = [mutant for mutant in made if noticed[mutant.id] is None]
    judged = _Judging(suite.policy, Budget(begun, own)).all_judged(left, tell)
    places, excuses = Places(suite.policy), excuses_of(suite)
    found = []
    for mutant in made:
        case = noticed[mutant.id]
        one = _found(mutant, KILLED, by=case.name) if case is not None else judged[mutant.id]
        excuse = excuses.get(mutant.id) if one.status in (SURVIVED, OPEN) else None
        found.append(one.but(place=places.of(mutant), excuse=excuse.why if excuse is not None else ""))
    told = stale(excuses, found, made_all=not (asked.kinds or asked.subject or asked.select))
    policy = suite.policy
    seconds = time.process_time() - begun
    return FoundMutants(file, policy.name, policy.version, len(cases), tuple(found), told, own, seconds)


def _check(suite: Suite, cases: Sequence[Case]) -> None:
    """Raise `ExitgateError` (69) where a case fails: it would notice every mutant."""
    failing = [case for case in cases if run_case(case, suite.program(case)).failures]
    if failing:
        help = "fix the policy or the tests first; `exitgate test` says what is wrong"
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

    def all_judged(self, mutants: Sequence[Mutant], tell: Tell | None) -> dict[str, FoundMutant]:
        """Return what becomes of mutants that pass every case: all quickly, then what is open again."""
        found: dict[str, FoundMutant] = {}
        for limits, is_last in ((self._budget.quick, False), (self._budget.thorough, True)):
            open_ = [one for one in mutants if one.id not in found or found[one.id].status == OPEN]
            for number, mutant in enumerate(open_):
                if tell is not None:
                    tell(number, len(open_), mutant.subject)
                if not self._budget.is_used_up:
                    found[mutant.id] = self._judged(mutant, limits, is_last)
        for mutant in mutants:
            found.setdefault(mutant.id, _found(mutant, OPEN, why=self._budget.why))
        return found

    def _judged(self, mutant: Mutant, limits: Limits, is_last: bool) -> FoundMutant:
        judged = equivalence.judge(self._policy, mutant, limits, draws=is_last)
        if judged.status == PROVED:
            return _found(mutant, EQUIVALENT, points=judged.points)
        if judged.status == UNDECIDED and not is_last:
            return _found(mutant, OPEN, points=judged.points, why=judged.why)
        invariant = self._broken_by(mutant)
        if invariant is not None:
            return _found(mutant, KILLED, by=f"invariant {invariant.id}", points=judged.points)
        if judged.status == UNDECIDED:
            return _found(mutant, OPEN, points=judged.points, why=judged.why)
        case = self._example(mutant, judged)
        if judged.kind == equivalence.IN_BREAKER and not case:
            return _found(mutant, OPEN, points=judged.points, why=UNMOVED)
        return _found(mutant, SURVIVED, points=judged.points, example=case)

    def _broken_by(self, mutant: Mutant) -> Invariant | None:
        """Return an invariant that a mutant breaks on a run on which the policy keeps it."""
        from exitgate.analysis.ask import REFUTED, breaks

        if self._kept is None:
            limits = self._budget.small
            self._kept = [
                i for i in self._policy.invariants if breaks(self._policy, i, limits).status != REFUTED
            ]
        changed = mutant.of(self._policy)
        for invariant in tuple(self._kept):
            run = breaks(changed, invariant, self._budget.small).run
            if run is None:
                continue
            if not self._breaks_itself(invariant, run):
                return invariant
            self._kept.remove(invariant)  # it was not decided that the policy keeps it: it does not
        return None

    def _breaks_itself(self, invariant: Invariant, run: Run) -> bool:
        """Return whether the policy breaks an invariant on a run, too."""
        from exitgate.analysis.prove.invariants import completed
        from exitgate.testing.invariants import Promise

        promise, whole = Promise(invariant, self._program), completed(self._policy, run)
        return promise.applies(whole) and promise.fails(whole)

    def _example(self, mutant: Mutant, judged: Answer) -> str:
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
