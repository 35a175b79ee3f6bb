"""Runs cases through the real extractors and the one engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from exitgate.analysis.second_opinion import ask_second_opinion
from exitgate.engine.stages import decide_stages
from exitgate.report.style import Style
from exitgate.report.tests_ran import CASE, Ran
from exitgate.report.tests_text import failed_text
from exitgate.testing.case import Failure, Result
from exitgate.testing.compare import compare
from exitgate.testing.given import observe
from exitgate.testing.misses import misses_of
from exitgate.testing.view import View

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from exitgate.engine.program import Program
    from exitgate.testing.case import Case
    from exitgate.testing.given import Observed


def run_case(case: Case, program: Program, watch: Callable[[View], None] | None = None) -> Result:
    """
    Return the result of one case.

    `program` must be compiled with the case's settings (`exitgate.testing.load.Suite.program`).
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
    decision = decide_stages(program, records, stages, observed[-1].notes, moment=observed[-1].moment)
    return View(program, stages[0], observed[-1], records, decision, stages[1:])


def failure_text(result: Result) -> str:
    """Return what to print on a case that failed: place, expected and got, and why, one block a want."""
    case = result.case
    ran = Ran(CASE, case.name, case.place, case.note.strip(), misses=misses_of(result))
    return failed_text(ran, Style())
