"""A policy's tests compared with its mutants: which of them somebody would notice."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from exitgate.analysis.mutation import equivalence
from exitgate.analysis.mutation.mutant import Mutant
from exitgate.analysis.mutation.registry import mutants
from exitgate.analysis.prove.invariants import completed
from exitgate.analysis.results.answer import PROVED, UNDECIDED, Answer
from exitgate.analysis.walk.queries import REFUTED, breaks
from exitgate.analysis.walk.search import Limits
from exitgate.core.engine.program import Program
from exitgate.core.model.decision import FINDINGS
from exitgate.core.model.diagnostic import Diagnostic, ExitgateError, Location
from exitgate.core.model.value import Value
from exitgate.core.policy.compiled import CompiledPolicy, Invariant
from exitgate.core.policy.yaml.node import YamlNode
from exitgate.report.policy.mutation import EQUIVALENT, KILLED, OPEN, SURVIVED, FoundMutant, FoundMutants
from exitgate.testing.cases.case import Case, Suite
from exitgate.testing.invariants import Promise
from exitgate.testing.mutants.examples import example, leads
from exitgate.testing.mutants.kill import Killers
from exitgate.testing.runner import run_case

Run = tuple[Mapping[str, object], ...]
Tell = Callable[[int, int, str], None]
Locate = Callable[[str], Location | None]


#: Codes of this package, one line each; `docs` reads them.
CODES = {
    "EP515": "a case fails without any mutant",
    "EP516": "an excuse for a mutant that does not survive",
    "EP517": "no mutant or no case is selected",
    "EP518": "cases cannot be added to a file",
}

#: Of a mutant in the breaker that may be one in name only.
UNMOVED = "its condition has another result, but no run was found on which that moves the breaker"


class MutationOptions(Value):
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


EVERYTHING = MutationOptions()


def mutate(
    suite: Suite,
    file: str,
    asked: MutationOptions = EVERYTHING,
    loaded_in: float = 0.0,
    tell: Tell | None = None,
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
    watchdogs = Killers(suite, cases)
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
        found.append(replace(one, place=places.of(mutant), excuse=excuse.why if excuse is not None else ""))
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


# How long mutants may take.

#: All mutants take at most so many times the time of the policy's own tests.
BUDGET = 50
#: The part of it that may be gone when another question is put to the analysis.
SHARE = 0.8
#: Seconds that there are at least: a process that runs a single case takes a tenth of a second, too.
LEAST = 5.0
#: Regions that one question may look at: what ends a question, the same on every machine. Each mutant is
#: asked about quickly first, then those that are still open thoroughly. Questions about invariants are small.
QUICK, THOROUGH, SMALL = 1_000, 15_000, 300
#: Seconds on the clock after which a question ends all the same.
SECONDS = 30.0


class Budget:
    """
    Time for questions about mutants that no case noticed, in seconds of the processor.

    Args:
        begun: When all began, by `time.process_time`.
        own: Seconds of the policy's own tests.
    """

    def __init__(self, begun: float, own: float) -> None:
        self._end = begun + max(LEAST, BUDGET * SHARE * own)
        self.why = f"the time limit is reached: {BUDGET} times that of the tests"
        self.quick = Limits(seconds=SECONDS, points=QUICK)
        self.thorough = Limits(seconds=SECONDS, points=THOROUGH)
        self.small = Limits(seconds=SECONDS, points=SMALL)

    @property
    def is_used_up(self) -> bool:
        """Whether no more must be asked."""
        return time.process_time() >= self._end


# Where in a policy's file is what a compiled policy has no place for.


class Places:
    """The places of named conditions, computed facts and parts of the breaker in the file of a policy."""

    def __init__(self, policy: CompiledPolicy) -> None:
        self._root: YamlNode | None = None
        if os.path.isfile(policy.path):
            from exitgate.core.policy.library import load_file

            self._root = load_file(policy.path).root

    def of(self, mutant: Mutant) -> Location | None:
        """Return where the subject of a mutant is; None for what comes from another policy."""
        if mutant.place is not None or self._root is None:
            return mutant.place
        subject = mutant.subject
        path = ("facts", subject)
        if subject.startswith("@"):
            path = ("conditions", subject[1:])
        elif subject.startswith("circuit."):
            path = ("circuit", subject.partition(".")[2])
        part = self._root
        for key in path:
            found = part.get(key)
            if found is None:
                return None
            part = found
        return part.label


# What a file of tests says of mutants that may survive.


class Excuse(Struct, frozen=True):
    """Why a mutant may survive, and where that is written: its place and the line of the file."""

    id: str
    why: str
    place: Location
    line: str


def excuses_of(suite: Suite) -> dict[str, Excuse]:
    """Return the excuses of a suite's file by the id of the mutant."""
    document = suite.document
    section = document.root.get("mutants")
    excused = section.get("excused") if section is not None else None
    found = {}
    for part in excused.items if excused is not None else ():
        id, place = part.fields["id"].text, part.place
        found[id] = Excuse(id, part.fields["why"].text, place, document.lines.line(place.line))
    return found


def stale(
    excuses: Mapping[str, Excuse], found: Iterable[FoundMutant], made_all: bool
) -> tuple[Diagnostic, ...]:
    """
    Return a diagnostic on each excuse that excuses nothing.

    Args:
        excuses: By id.
        found: The mutants that were made.
        made_all: Whether these are all there are and were compared with every case: only then an id
            that is not among them is not a mutant's, and only then it says something that one was noticed.
    """
    if not made_all:
        return ()
    status = {one.id: one for one in found}
    told = []
    for id, excuse in excuses.items():
        one = status.get(id)
        if one is not None and one.status in (SURVIVED, OPEN):
            continue
        message = f"there is no mutant `{id}`"
        if one is not None:
            message = f"the mutant `{id}` is {one.status}" + (f" by `{one.by}`" if one.by else "")
        help = "remove the excuse; `exitgate mutate` prints the ids of survivors"
        told.append(Diagnostic("EP516", message, excuse.place, help, source=excuse.line))
    return tuple(told)
