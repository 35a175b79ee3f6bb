"""Files of tests from start to end: read, every case and invariant run once, in order."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence

from msgspec import Struct

from exitgate.analysis.counterfactuals.search import counterfactuals
from exitgate.analysis.results.counterfactual import Change
from exitgate.analysis.second_opinion import ask_second_opinion
from exitgate.core.engine.program import Program
from exitgate.core.language.evaluation.closures import compile_node
from exitgate.core.language.tree import Node
from exitgate.core.language.unparse import written
from exitgate.core.model.decision import INTERNAL, Decision
from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.model.value import Unknown
from exitgate.core.policy.compile import load_policy
from exitgate.core.policy.compiled import Invariant
from exitgate.report.decision.changes import change_text
from exitgate.report.policy.tests import CASE, INVARIANT, Miss, Ran, RanAll, RanFile, failed_text
from exitgate.report.terminal import Style
from exitgate.testing.cases.case import NOTHING, Case, Failure, Result, Suite, Under, Want
from exitgate.testing.cases.load import load_file
from exitgate.testing.cases.parse import WORDINGS
from exitgate.testing.compare import View, compare
from exitgate.testing.counterexample import as_text
from exitgate.testing.extract import Observed, observe
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


# From failures to what every form of output reads, with the nearest cause of each.


def failures_of(result: Result, nearest: bool = True) -> tuple[Miss, ...]:
    """
    Return the expectations of a case that were not met, in the order they were compared.

    What is said of one expectation is not said again of the next at the same iteration. `nearest` is whether
    the nearest cause of each is looked for, which takes much longer than the case itself.
    """
    said: set[tuple[int, str]] = set()
    found = []
    for failure in result.failures:
        want = failure.want
        lines = [] if _follows(want, result) else [*failure.detail, *_nearest(want, result, nearest)]
        why = tuple(line for line in lines if (want.iteration, line) not in said)
        said.update((want.iteration, line) for line in why)
        found.append(_miss(failure, len(result.case.given), why))
    return tuple(found)


def _miss(failure: Failure, iterations: int, why: tuple[str, ...]) -> Miss:
    want = failure.want
    return Miss(
        want.key, want.subject, want.iteration, iterations, want.place, failure.wanted, failure.got, why
    )


def _follows(want: Want, result: Result) -> bool:
    """Return whether it is not met because another rule decided than the one that the case names."""
    return (want.key in DECIDED or want.key in WORDINGS) and any(
        failure.want.key == "rule" and failure.want.value is not None and failure.want is not want
        for failure in result.failures
        if failure.want.iteration == want.iteration
    )


def _nearest(want: Want, result: Result, nearest: bool) -> Iterator[str]:
    view = result.views.get(want.iteration)
    if nearest and view is not None:
        beside = [one for one in result.case.wants if one.iteration == want.iteration]
        yield from causes(want, view, beside)


# The nearest cause of a decision that was not expected: what kept the rule, and what would have made it.

#: Keys of `expect:` that are about what was decided -> the part of a decision.
DECIDED = {"rule": "rule", "verdict": "verdict", "class": "exit_class", "outcome": "outcome"}
#: Changes that are looked through for one that gives what was expected.
CHANGES = 60
#: Parts of a condition that are named.
PARTS = 4


def causes(want: Want, view: View, beside: Iterable[Want] = ()) -> tuple[str, ...]:
    """
    Return lines on what kept the decision from being the wanted one; none for what is not about it.

    First the smallest parts of the wanted rule's condition that are not as they would have to be, then the
    smallest change of a fact or parameter that gives the wanted result: tried on the engine, within bounds.
    `beside` are the expectations of the same iteration: a change that meets all of them comes first.
    """
    if want.key not in DECIDED:
        return ()
    lines = [*_matching_lines(str(want.value), view)] if want.key == "rule" and want.value is not None else []
    wanted = [one for one in beside if one.key in DECIDED]
    fitting = [one for one in _changes(view) if _is_wanted(want, one.decision)]
    if fitting:
        change = max(fitting, key=lambda one: all(_is_wanted(w, one.decision) for w in wanted))
        lines.append(f"nearest: {change_text(change, view.program.policy)}")
    return tuple(lines)


def _changes(view: View) -> tuple[Change, ...]:
    return counterfactuals(view.program, view.records, view.stage, CHANGES)


def _is_wanted(want: Want, decision: Decision) -> bool:
    return bool(getattr(decision, DECIDED[want.key]) == want.value)


def _matching_lines(rule: str, view: View) -> Iterator[str]:
    found = next((r for r in view.program.policy.rules if r.id == rule), None)
    if found is None or view.step(rule) is None:
        return
    parts = UnmetParts(view).parts(found.when)
    if not parts or parts == [found.when]:
        return  # the condition as a whole, which is above
    policy = view.program.policy
    for part in parts[:PARTS]:
        text = written(part, view.records, policy.values(), policy.conditions)
        yield f"prevented by `{text}`, which is {view.truth(part)}"
    if len(parts) > PARTS:
        yield f"and by {len(parts) - PARTS} more"


class UnmetParts:
    """Finds the smallest parts of conditions that are not as they would have to be."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._conditions = view.program.policy.conditions

    def parts(self, node: Node, wanted: bool = True) -> list[Node]:
        """
        Return the parts that keep `node` from being `wanted`, none where it is.

        All of them would have to change; where one of several ways is enough, those of the shortest.
        """
        if self._value(node) is wanted:
            return []
        if node.op == "condition":
            return self.parts(self._conditions[str(node.args[0])], wanted)
        if node.op == "not":
            return self.parts(next(node.children()), not wanted)
        if node.op in ("and", "or"):
            ways = [self.parts(child, wanted) for child in node.children()]
            if (node.op == "and") is wanted:
                return [part for way in ways for part in way]
            return min(ways, key=len)
        return [node]

    def _value(self, node: Node) -> object:
        value = compile_node(node, self._view.program.policy.values(), self._conditions)(self._view.records)
        return None if isinstance(value, Unknown) else value
