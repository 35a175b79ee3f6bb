"""Answers found before everything is walked: rounds of a few iterations, and runs repaired."""

from __future__ import annotations

from exitgate.analysis.walk.earlier import loosens, settled_start
from exitgate.analysis.walk.lasting import begin
from exitgate.analysis.walk.repair import repaired
from exitgate.analysis.walk.search import Spent, UnsettledError, regions
from exitgate.analysis.walk.sums import with_sums

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.analysis.walk.bench import Bench
    from exitgate.analysis.walk.questions import Question, Shown
    from exitgate.analysis.walk.search import Limits
    from exitgate.analysis.walk.units import Units

#: Runs from this length on are first walked as rounds of so many iterations, so many regions of each.
LONG, TOO_LONG, PERIODS, ROUND_REGIONS = 4, 24, (1, 2, 3), 300
#: Share of the time of a question; regions of which the plainest run is repaired.
PART, REPAIRED, ALL_REGIONS = 0.2, 3, 3000


def units_of(bench: Bench, length: int, question: Question) -> Iterator[tuple[Units, bool]]:
    """
    Yield the units to walk, and whether iterations may have come before theirs.

    Of a long run the few in which iterations repeat each other come first.
    """
    if LONG <= length <= TOO_LONG:
        for period in PERIODS:
            yield bench.rounds(length, period), False
    yield bench.units(length), False
    if loosens(question, length):
        yield bench.units(length), True


def time_for(limits: Limits) -> Spent:
    """Return what all searches of one question may take."""
    return Spent(limits.but(seconds=limits.seconds * PART, points=ALL_REGIONS))


def found_at_once(question: Question, bench: Bench, length: int, spent: Spent) -> Shown | None:
    """
    Return an answer made of a run of which only the last iteration is one, if one is found at once.

    Most iterations end a run if they know much, so that those before the last are to know little. `spent` is
    `time_for` the question, the same for each length.
    """
    if length == 1 or spent.over() or not (question.from_first and question.chained):
        return None
    question.fails = False
    for units, older in units_of(bench, length, question):
        if older:
            continue
        outlooks = [bench.outlook(number, units) for number in range(len(question.policies))]
        judge = with_sums(question.on(bench, units), outlooks, range(units.iterations))
        start = settled_start(question, units, begin(question, units))
        try:
            for number, region in enumerate(regions(units, judge, spent, start)):
                plain = units.run(region)
                shown = question.shown(plain) or repaired(question, plain, units, spent)
                if shown is not None:
                    return shown
                if number >= REPAIRED:
                    break
        except UnsettledError:
            continue
    return None
