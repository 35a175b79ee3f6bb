"""Expectations: where runs must stop, from a file of labels or inline; and the runs that do otherwise."""

from __future__ import annotations

import os
from collections.abc import Sequence

from msgspec import Struct

from exitgate.core.model.decision import CLASSES, USAGE
from exitgate.core.model.diagnostic import Diagnostic, ExitgateError, Location
from exitgate.recordings.replay.result import DryRun, RunResult
from exitgate.recordings.scoring.labels import Label, Labels, load, matched

NEVER = "never"
_HELP = "write `RUN=CLASS@ITERATION`: `night=complete@7`, `night=stuck`, `night=@4-6`, `night=never`"


class Difference(Struct, frozen=True):
    """A run that stops otherwise than expected: what was expected, and what the policy does, for people."""

    run: str
    policy: str
    expected: str
    found: str
    stop: int | None


class CheckedRuns(Struct, frozen=True):
    """
    What came of the expectations.

    Args:
        count: Runs under a policy that something was expected of.
        differences: Those that do otherwise, in order.
    """

    count: int
    differences: tuple[Difference, ...]


def expectations(given: Sequence[str]) -> Labels:
    """
    Return everything that is expected as labels.

    Args:
        given: Files of labels, and ``RUN=CLASS@ITERATION``; a run may be named by the end of its id.

    Raises:
        ExitgateError: 64 for words that cannot be read, 65 and 74 as `scoring.labels.load`;
            with everything that is wrong.
    """
    found: list[Label] = []
    marks: list[tuple[Location, Location] | None] = []
    file = ""
    problems: list[Diagnostic] = []
    code = 0
    for one in given:
        try:
            if "=" in one and not os.path.exists(one):
                found.append(parse_expectation(one))
                marks.append(None)
                continue
            labels = load(one)
            found += labels.labels
            marks += labels.marks
            file = file or labels.file
        except ExitgateError as error:
            problems += error.diagnostics
            code = max(code, error.exit_code)
    if problems:
        raise ExitgateError(problems, code)
    whole = None not in marks and len(marks) == len(found)
    return Labels(tuple(found), file, tuple(m for m in marks if m is not None) if whole else ())


def parse_expectation(text: str) -> Label:
    """Return the label that ``RUN=CLASS@ITERATION`` stands for. Raises ExitgateError (64)."""
    run, _, rest = text.rpartition("=")
    name, _, stop = rest.partition("@")
    if not run:
        raise _wrong(text, "names no run")
    if rest == NEVER:
        return Label(run, None, None, never=True)
    if name and name not in CLASSES:
        raise _wrong(text, f"`{name}` is not a class of EXIT")
    first, dash, last = stop.partition("-")
    numbers = [part for part in (first, last) if part]
    if not (name or stop) or any(not (n.isascii() and n.isdigit() and 0 < int(n) < 10**9) for n in numbers):
        raise _wrong(text, f"`{stop}` is not an iteration")
    low = int(first) if first else 1
    high = int(last) if last else int(first) if first and not dash else None
    if (dash and not (first and last)) or (high is not None and high < low):
        raise _wrong(text, f"`{stop}` is not a range of iterations")
    return Label(run, low, high, classes=(name,) if name else ())


def check(found: DryRun, labels: Labels) -> CheckedRuns:
    """
    Return which runs stop otherwise than expected. Runs that nothing is expected of are passed over.

    Raises:
        ExitgateError: 65 for expectations of runs that are missing, where the dry run was not
            interrupted.
    """
    iterations = {run.id: run.iterations for run in found.runs}
    if found.interrupted:
        marks = {id: label for id in iterations if (label := labels.of(id)) is not None}
    else:
        marks = matched(labels, iterations)
    asked = [(result, marks[result.run.id]) for result in found.results if result.run.id in marks]
    differences = [
        Difference(
            result.run.id, result.policy, wanted_text(label), stop_text(result),
            None if result.stop is None else result.stop.iteration,
        )
        for result, label in asked
        if not fulfils(result, label)
    ]  # fmt: skip
    return CheckedRuns(len(asked), tuple(differences))


def fulfils(result: RunResult, label: Label) -> bool:
    """Return whether a policy stops a run as its label says."""
    stop = result.stop
    if label.never or stop is None:
        return label.never and stop is None
    first, last = label.first or 1, label.last
    in_time = first <= stop.iteration and (last is None or stop.iteration <= last)
    return in_time and (not label.classes or stop.exit_class in label.classes)


def wanted_text(label: Label) -> str:
    """Return what is expected, for people: ``complete at 7``."""
    if label.never:
        return "never"
    classes = " or ".join(label.classes) or "any class"
    if label.last is None:
        return classes if (label.first or 1) == 1 else f"{classes} from {label.first} on"
    return f"{classes} at {label.stop}"


def stop_text(result: RunResult) -> str:
    """Return what a policy does, for people: ``stuck at 4 (stagnation)``."""
    stop = result.stop
    return "never stops" if stop is None else f"{stop.exit_class} at {stop.iteration} ({stop.outcome})"


def _wrong(text: str, why: str) -> ExitgateError:
    message = f"the expectation `{text}` cannot be read: {why}"
    return ExitgateError([Diagnostic("EP860", message, help=_HELP)], USAGE)
