"""Files of tests from start to end: read, every case and invariant run once, in order."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct

from exitgate.analysis.second_opinion import ask_second_opinion
from exitgate.core.engine.program import Program
from exitgate.core.model.decision import INTERNAL
from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.policy.compile import load_policy
from exitgate.core.policy.compiled import Invariant
from exitgate.report.policy.tests import CASE, INVARIANT, Ran, RanAll, RanFile, failed_text
from exitgate.report.terminal import Style
from exitgate.testing.cases.case import NOTHING, Case, Failure, Result, Suite, Under
from exitgate.testing.cases.load import load_file
from exitgate.testing.compare import View, compare
from exitgate.testing.counterexample import as_text
from exitgate.testing.extract import Observed, observe
from exitgate.testing.failures import failures_of
from exitgate.testing.invariants import check_invariant
from exitgate.testing.keyword import Select

Watch = Callable[[Suite, Case, View], None]
Tell = Callable[[int, int, str], None]


#: Failed cases whose nearest causes are looked for: who breaks a whole policy wants to know of it soon.
EXPLAINED = 20


class Wanted(Struct, frozen=True):
    """
    What is to be run.

    Args:
        under: Profile and settings that hold where a file or case says nothing else.
        select: Whether something is run, by its file and name; None for everything.
        invariants: Whether the policies' invariants are compared with every input, as `prove` does.
        first_failure: Whether to stop at the first failure.
    """

    under: Under = NOTHING
    select: Select | None = None
    invariants: bool = True
    first_failure: bool = False


class Session:
    """
    One running of files of tests.

    After `run`, `results` holds what came of each case that ran, by file and in order, with the suite.

    Args:
        files: Paths as they are reported.
        wanted: What of them.
        watch: Called with the suite, the case and the view of every decided iteration.
    """

    def __init__(self, files: Sequence[str], wanted: Wanted, watch: Watch | None = None) -> None:
        self.files = files
        self._wanted = wanted
        self._watch = watch
        self._left_out = 0
        self._stopped = False
        self._explained = 0
        self.results: list[tuple[Suite, Result]] = []

    def run(self, tell: Tell | None = None) -> RanAll:
        """
        Return what came of all files; one that cannot be used is reported and keeps no other from running.

        `tell` is called with how many files are done, how many there are, and the next one's path.

        Raises:
            ExitgateError: The two evaluators of the language disagree (70), or no policy takes one of the
                settings (65).
        """
        read = [self._read(path) for path in self.files]
        self._check_settings([suite for suite, _ in read if suite is not None])
        ran = []
        for number, (suite, file) in enumerate(read):
            if tell is not None:
                tell(number, len(self.files), file.path)
            ran.append(file if suite is None else self._ran_file(suite, file))
            if self._stopped:
                break
        return RanAll(tuple(ran), self._left_out, self._stopped)

    def _check_settings(self, suites: Sequence[Suite]) -> None:
        """Raise `ExitgateError` (65) for a setting that no policy takes: one of them says what it has."""
        taken = {name for suite in suites for name in suite.under.settings}
        left = {name: text for name, text in self._wanted.under.settings.items() if name not in taken}
        if suites and left:
            load_policy(suites[0].reference, settings=left)

    def by_file(self) -> Iterator[tuple[Suite, list[Result]]]:
        """Yield each file that could be used with the results of its cases that ran, in order."""
        found: dict[int, tuple[Suite, list[Result]]] = {}
        for suite, result in self.results:
            found.setdefault(id(suite), (suite, []))[1].append(result)
        yield from found.values()

    def _read(self, path: str) -> tuple[Suite | None, RanFile]:
        """Return a file ready to be run, or None, and what is known of it so far: what is wrong with it."""
        begun = time.perf_counter()
        try:
            suite = load_file(path, under=self._wanted.under)
        except ExitgateError as error:
            if error.exit_code == INTERNAL:
                raise
            seconds = time.perf_counter() - begun
            return None, RanFile(path, seconds=seconds, diagnostics=error.diagnostics, code=error.exit_code)
        seconds = time.perf_counter() - begun
        return suite, RanFile(path, suite.policy.name, suite.policy.version, seconds=seconds)

    def _ran_file(self, suite: Suite, file: RanFile) -> RanFile:
        begun = time.perf_counter()
        ran: list[Ran] = []
        for one in self._ran(file.path, suite):
            ran.append(one)
            if one.failed and self._wanted.first_failure:
                self._stopped = True
                break
        seconds = file.seconds + time.perf_counter() - begun
        return RanFile(file.path, file.policy, file.version, tuple(ran), seconds)

    def _ran(self, path: str, suite: Suite) -> Iterator[Ran]:
        for case in suite.cases:
            if self._is_selected(path, case.name):
                yield self._case(suite, case)
        for invariant in suite.policy.invariants if self._wanted.invariants else ():
            if self._is_selected(path, f"{INVARIANT} {invariant.id}"):
                yield run_invariant(suite, invariant)

    def _is_selected(self, path: str, name: str) -> bool:
        if self._wanted.select is None or self._wanted.select(f"{path} {name}"):
            return True
        self._left_out += 1
        return False

    def _case(self, suite: Suite, case: Case) -> Ran:
        begun = time.perf_counter()
        watch = self._watch
        seen = None if watch is None else lambda view: watch(suite, case, view)
        result = run_case(case, suite.program(case), seen)
        self.results.append((suite, result))
        self._explained += bool(result.failures)
        seconds = time.perf_counter() - begun
        return Ran(
            CASE,
            case.name,
            case.place,
            case.note.strip(),
            seconds,
            failures_of(result, self._explained <= EXPLAINED),
        )


def run_invariant(suite: Suite, invariant: Invariant) -> Ran:
    """Return what was found of an invariant of the suite's policy."""
    begun = time.perf_counter()
    sampled = check_invariant(invariant, suite.unset)
    broken: tuple[str, ...] = ()
    if sampled.is_wrong:
        broken = tuple(as_text(sampled, suite.policy).splitlines())
    return Ran(INVARIANT, invariant.id, invariant.place, seconds=time.perf_counter() - begun, broken=broken)


# Runs cases through the real extractors and the one engine.


def run_case(case: Case, program: Program, watch: Callable[[View], None] | None = None) -> Result:
    """
    Return the result of one case.

    `program` must be compiled with the case's settings (`exitgate.testing.cases.load.Suite.program`).
    Every iteration is observed once; each that something is expected of is decided, no matter what the
    decisions before it were. `watch` is called with the view of each decided iteration, once, before
    anything is compared: for those who count what a suite has seen.

    Raises:
        ExitgateError: The two evaluators of the language disagree (70).
    """
    observed = observe(case, program)
    views: dict[int, View] = {}
    failures: list[Failure] = []
    for want in case.wants:
        view = views.get(want.iteration)
        if view is None:
            view = views[want.iteration] = decide(case, program, observed[: want.iteration])
            if watch is not None:
                watch(view)
        failure = compare(want, view)
        if failure is not None:
            failures.append(failure)
    return Result(case, tuple(failures), views)


def decide(case: Case, program: Program, observed: Sequence[Observed]) -> View:
    """
    Return the decision on the last of the observed iterations with all it was made from.

    Raises:
        ExitgateError: The two evaluators of the language disagree (70).
    """
    records = tuple(one.record for one in observed)
    stages = case.stages(len(observed), is_error=observed[-1].is_error)
    for stage in stages:
        ask_second_opinion(program, records, stage)
    decision = observed[-1].decide(stages)
    return View(program, stages[0], observed[-1], records, decision, stages[1:])


def failure_text(result: Result) -> str:
    """Return what to print on a case that failed: place, expected and got, and why, one block a want."""
    case = result.case
    ran = Ran(CASE, case.name, case.place, case.note.strip(), misses=failures_of(result))
    return failed_text(ran, Style())
