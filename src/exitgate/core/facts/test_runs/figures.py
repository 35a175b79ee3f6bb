"""What several readings on tests come to: the figures of the last run of each runner, added up."""

from __future__ import annotations

from exitgate.core.facts.test_runs.asides import PAST
from exitgate.core.facts.test_runs.lines import (
    CHECK,
    FAILED,
    FAILING,
    PASSED,
    PASSING,
    RESULT,
    SKIPPED,
    STATEMENT,
    SUMMARY,
    TOTAL,
)
from exitgate.core.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from exitgate.core.facts.test_runs.lines import Reading


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

    def but(self, **other: object) -> Figures:
        """Return the figures with other values."""
        values = {name: getattr(self, name) for name in self.__slots__}
        return Figures(**{**values, **other})


def figures(readings: Sequence[Reading]) -> Figures | None:
    """
    Return the figures of the readings that count, or None when none gives any.

    Of each runner the last group counts: a run repeated later takes the place of the one before, unless
    that failed and the later one is smaller: then it is of a part, or of other tests. Within
    a group, summaries of a runner that prints several (`sums`) are added up; of others a later one takes
    the place of an earlier one that gave the same figures, and one that `begins` that of all before it.
    Lines on single tests count where no summary is. The last runs of different runners are added up.

    Sentences count where no runner printed figures. Behind the last figures a sentence that tests fail
    counts all the same, and so does a row of counts on the line before; one that they pass does not: printed
    figures are better than a claim. Where one of `checks` fails that a run of tests makes, none is passing.
    """
    counting = [r for r in readings if r.guard is None]
    last: dict[str, list[list[Reading]]] = {}
    for reading in counting:
        if reading.role in (SUMMARY, RESULT):
            groups = last.pop(reading.runner, [])
            if groups and groups[-1][-1].group == reading.group:
                groups[-1].append(reading)
            else:
                groups.append([reading])
            last[reading.runner] = groups
    said = [r for r in readings if r.role == STATEMENT]
    _drop_unnamed(last)
    printed = [(runner, one) for runner, groups in last.items() if (one := _repeated(groups)) is not None]
    found = _added(printed) if printed else statements(said)
    if found is None:
        return None
    if printed and found.passing is not False:
        found = _admitted(found, [r for r in said if r.guard is None])
    broken = tuple(r for r in failing_checks(readings) if r.entry.options.get("joins"))
    if not broken or found.passing is not True:
        return found
    return found.but(passing=False, readings=(*found.readings, *broken))


def _drop_unnamed(last: dict[str, list[list[Reading]]]) -> None:
    """Leave out lines on single tests of no named runner where a runner gives its own figures of that run."""
    unnamed = last.get("")
    if unnamed and any(
        one.group >= unnamed[-1][0].group and (runner or one.role == SUMMARY)
        for runner, groups in last.items()
        for one in groups[-1]
    ):
        del last[""]


def failing_checks(readings: Sequence[Reading]) -> tuple[Reading, ...]:
    """
    Return what is last said of each check beside tests (build, lint, types, ...) where it fails.

    What a run of tests checks besides is done with once a later run has ended.
    """
    last: dict[str, Reading] = {}
    ended = -1
    for reading in readings:
        if reading.guard is not None:
            continue
        if reading.role == CHECK:
            last[reading.runner] = reading
        elif reading.role == SUMMARY:
            ended = reading.group
    return tuple(
        r for r in last.values() if r.fails and not (r.entry.options.get("joins") and r.group < ended)
    )


def _admitted(found: Figures, said: Sequence[Reading]) -> Figures:
    """Return printed figures that say of no failure, with the sentence that shows one, if any does."""
    behind, lines = found.readings[-1].start, {r.line for r in found.readings}
    for reading in said:
        row = reading.entry.options.get("row") and not lines.isdisjoint((reading.line - 1, reading.line + 1))
        if reading.fails and (reading.start > behind or row):
            failed = reading.figures.get(FAILED)
            return found.but(failed=failed, passing=False, readings=(*found.readings, reading))
    return found


def _repeated(groups: Sequence[Sequence[Reading]]) -> Figures | None:
    """Return the figures of the last run of a runner; of an earlier one what the last leaves open."""
    found: Figures | None = None
    for group in groups:
        one = _run(group)
        if one is None:
            continue
        if found is not None and found.failed and _is_part(found, one):
            one = one.but(failed=max(found.failed, one.failed or 0), passing=False, names=found.names)
        found = one
    return found


def _is_part(before: Figures, after: Figures) -> bool:
    """Return whether fewer tests passed than in the run before: it was of a part, or of other tests."""
    summed = all(any(r.role == SUMMARY for r in one.readings) for one in (before, after))
    return summed and (after.passed or 0) < (before.passed or 0)


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
            if (not used and not reading.fails) or own.keys() & said.keys():
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


def statements(said: Sequence[Reading]) -> Figures | None:
    """
    Return what sentences say, or None where none counts.

    What lines that follow each other say belongs together: no count takes another's place, and the larger
    number of failures counts. A later sentence takes the place of those before where it says that all tests
    pass, or gives figures of as many tests. A number of passing tests beside failing ones that a guard
    refused, or beside other trouble, leaves open whether one failed.
    """
    used: list[Reading] = []
    known: dict[str, int] = {}
    says, doubt = "", False
    refused = {r.sentence for r in said if r.guard is not None and r.fails and r.guard != PAST}
    for reading in said:
        if reading.guard is not None:
            continue
        own = dict(reading.figures)
        doubtful = reading.doubt or (reading.sentence in refused and FAILED not in own)
        beside = bool(used) and reading.line - used[-1].line <= 2
        if reading.says == PASSING:
            if known.get(FAILED) and used[-1].sentence == reading.sentence:
                known = {**own, **known}
            elif not own and PASSED in known and not known.get(FAILED):
                doubt = doubt and reading.sentence == used[-1].sentence  # it adds nothing to a number of them
            else:
                used, known, says, doubt = [], {FAILED: 0} | own, PASSING, False
        elif beside or not _takes_place(known, own, reading.says):
            if own.get(FAILED, known.get(FAILED, 0)) < known.get(FAILED, 0):
                own.pop(FAILED)
            known, doubt = known | own, doubt or doubtful
            says = FAILING if FAILING in (says, reading.says) else reading.says or says
        else:
            used, known, says, doubt = [], own, reading.says, doubtful
        used.append(reading)
    return _settled(known, says, used, (), doubt) if used else None


def _takes_place(known: Mapping[str, int], own: Mapping[str, int], says: str) -> bool:
    """Return whether figures are of the same tests as those before: of no fewer, or of failures alone."""
    if not known.get(FAILED) or says:
        return True
    return own.get(PASSED, 0) >= known.get(PASSED, 0) + known[FAILED] or (
        FAILED in own and PASSED not in known and PASSED not in own
    )


def _settled(
    said: Mapping[str, int],
    says: str,
    readings: Sequence[Reading],
    names: tuple[str, ...],
    doubt: bool = False,
) -> Figures:
    """
    Return figures with what follows from others: ``total = passed + failed + skipped``.

    Where none failed is not said, it follows from a number of those that passed, unless there is doubt.
    """
    passed, failed, skipped, total = (said.get(k) for k in (PASSED, FAILED, SKIPPED, TOTAL))
    if says == NONE:
        passed, failed = 0, 0
    if says == FAILING and not failed:
        failed = None  # some do, no matter what number another line or suite has
    if failed is None and says == PASSING:
        failed = 0
    if failed is None and says != FAILING and passed is not None and not (doubt and total is None):
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
