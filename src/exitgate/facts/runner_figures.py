"""What several readings on tests come to: the figures of the last run of each runner, added up."""

from __future__ import annotations

from exitgate.facts.runner_lines import FAILED, PASSED, RESULT, SKIPPED, STATEMENT, SUMMARY, TOTAL
from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from exitgate.facts.runner_lines import Reading

PASSING = "passing"
FAILING = "failing"
NONE = "none"
#: Names of failing tests that are kept.
NAMES_LIMIT = 50


class Figures(Value):
    """
    How a run of tests went; None for what is not said.

    Args:
        passed: Tests that passed.
        failed: Tests that failed or broke.
        skipped: Tests that were not run.
        passing: Whether at least one passed and none failed.
        runners: Names of the runners, in order of their last runs; none for sentences.
        names: Names of tests that failed.
        readings: What it rests on.
    """

    __slots__ = ("failed", "names", "passed", "passing", "readings", "runners", "skipped")

    def __init__(
        self,
        passed: int | None = None,
        failed: int | None = None,
        skipped: int | None = None,
        passing: bool | None = None,
        runners: tuple[str, ...] = (),
        names: tuple[str, ...] = (),
        readings: tuple[Reading, ...] = (),
    ) -> None:
        self.passed = passed
        self.failed = failed
        self.skipped = skipped
        self.passing = passing
        self.runners = runners
        self.names = names
        self.readings = readings


def figures(readings: Sequence[Reading]) -> Figures | None:
    """
    Return the figures of the readings that count, or None when none gives any.

    Of each runner the last group counts: a run repeated later takes the place of the one before. Within
    a group, summaries of a runner that prints several (`sums`) are added up; of others a later one takes
    the place of an earlier one that gave the same figures, and one that `begins` that of all before it.
    Lines on single tests count where no summary stands. The last runs of different runners are added up.

    Sentences count where no runner printed figures. Behind the last figures a sentence that tests fail
    counts all the same; one that they pass does not: printed figures are better than a claim.
    """
    counting = [r for r in readings if r.guard is None]
    last: dict[str, list[Reading]] = {}
    for reading in counting:
        if reading.role in (SUMMARY, RESULT):
            kept = last.get(reading.runner)
            if kept and kept[-1].group == reading.group:
                kept.append(reading)
            else:
                last.pop(reading.runner, None)
                last[reading.runner] = [reading]
    said = [r for r in counting if r.role == STATEMENT]
    printed = [(runner, one) for runner, group in last.items() if (one := _run(group)) is not None]
    if not printed:
        return _sentences(said)
    found = _added(printed)
    behind = [r for r in said if r.start > found.readings[-1].start]
    doubt = next((r for r in behind if r.says == FAILING or r.figures.get(FAILED)), None)
    if doubt is None or found.passing is False:
        return found
    failed = doubt.figures.get(FAILED)
    return Figures(
        found.passed, failed, found.skipped, False, found.runners, found.names, (*found.readings, doubt)
    )


def _added(runs: Sequence[tuple[str, Figures]]) -> Figures:
    """Return the figures of several runners as one."""
    passed, failed, skipped = (
        _sum([getattr(one, name) for _, one in runs]) for name in (PASSED, FAILED, SKIPPED)
    )
    verdicts = [one.passing for _, one in runs]
    passing: bool | None
    if len(runs) == 1:
        passing = verdicts[0]
    elif failed or any(one.passing is False and one.failed is None for _, one in runs):
        passing = False
    elif all(one.failed is not None for _, one in runs):
        passing = bool(passed)
    else:
        passing = None
    readings = sorted((r for _, one in runs for r in one.readings), key=lambda r: r.start)
    names = tuple(dict.fromkeys(name for _, one in runs for name in one.names))[:NAMES_LIMIT]
    runners = tuple(dict.fromkeys(runner for runner, _ in runs if runner))
    return Figures(passed, failed, skipped, passing, runners, names, tuple(readings))


def _sum(values: Sequence[int | None]) -> int | None:
    known = [v for v in values if v is not None]
    return sum(known) if known else None


def _run(group: Sequence[Reading]) -> Figures | None:
    """Return the figures of one group of readings of one runner."""
    summaries = [r for r in group if r.role == SUMMARY]
    firm = [r for r in summaries if not r.entry.options.get("fallback")] or summaries
    used: list[Reading] = []
    said: dict[str, int] = {}
    says = ""
    for reading in firm:
        own, options = reading.figures, reading.entry.options
        if options.get("joins"):
            if not used or own.keys() & said.keys():
                continue
            said |= own
        elif options.get("sums"):
            said = {k: said.get(k, 0) + own.get(k, 0) for k in {*said, *own}}
        elif options.get("begins") or own.keys() & said.keys() or not used:
            used, said, says = [], dict(own), ""
        else:
            said |= own
        used.append(reading)
        says = reading.says or says
    if not used:
        used, said = _results(group)
    if not said and not says:
        return None
    names = tuple(dict.fromkeys(r.name for r in group if r.name and r.entry.options.get("adds") == FAILED))
    return _settled(said, says, used, names)


def _results(group: Sequence[Reading]) -> tuple[list[Reading], dict[str, int]]:
    """Return the lines on single tests, and how many there are of each kind."""
    single = [r for r in group if r.role == RESULT]
    firm: dict[str, int] = {}
    packages: dict[str, int] = {}
    for reading in single:
        counts = packages if reading.entry.options.get("fallback") else firm
        adds = str(reading.entry.options.get("adds"))
        counts[adds] = counts.get(adds, 0) + 1
    return single, {**packages, **firm}


def _sentences(said: Sequence[Reading]) -> Figures | None:
    """Return what sentences say: a later one takes the place of an earlier one, unless they share a line."""
    used: list[Reading] = []
    known: dict[str, int] = {}
    says = ""
    for reading in said:
        own = dict(reading.figures)
        if reading.says == PASSING:
            own.setdefault(FAILED, 0)
        if used and used[-1].line == reading.line and not own.keys() & known.keys() and not reading.says:
            known |= own
        elif reading.says == PASSING and not reading.figures and PASSED in known and not known.get(FAILED):
            pass  # that all pass adds nothing to a number of them
        else:
            used, known, says = [], own, reading.says
        used.append(reading)
    return _settled(known, says, used, ()) if used else None


def _settled(
    said: Mapping[str, int], says: str, readings: Sequence[Reading], names: tuple[str, ...]
) -> Figures:
    """Return figures with what follows from others: ``total = passed + failed + skipped``."""
    passed, failed, skipped, total = (said.get(k) for k in (PASSED, FAILED, SKIPPED, TOTAL))
    if says == NONE:
        passed, failed = 0, 0
    if failed is None and says == PASSING:
        failed = 0
    if failed is None and says != FAILING and passed is not None:
        failed = 0 if total is None else max(0, total - passed - (skipped or 0))
    if passed is None and failed is not None and total is not None:
        passed = max(0, total - failed - (skipped or 0))
    return Figures(passed, failed, skipped, _passing(passed, failed, says), (), names, tuple(readings))


def _passing(passed: int | None, failed: int | None, says: str) -> bool | None:
    if failed or passed == 0 or (says == FAILING and not failed):
        return False
    if failed == 0 and (passed or says == PASSING):
        return True
    return None
