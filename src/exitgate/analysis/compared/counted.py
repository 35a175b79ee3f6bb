"""How often two policies decide differently: points of the walk, one by one."""

from __future__ import annotations

from itertools import product
from random import Random

from exitgate.analysis.compared.apart import Apart
from exitgate.analysis.walk.bench import bench_of
from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from exitgate.analysis.compared.apart import Pair, Run
    from exitgate.analysis.walk.bench import Bench
    from exitgate.analysis.walk.units import Region, Units

#: Points that are looked at, and their iterations; the draws start from `SEED`, the same each time.
MOST, ITERATIONS, SEED = 2000, 3000, 1
#: Iterations of the runs that are drawn, at most.
LONGEST = 12


class Counted(Value):
    """
    Points of one stage, by what the two decide there.

    Args:
        points: How many were looked at: ends of runs that neither of the two has ended before.
        every: Whether these are all there are.
        pairs: How many are of each pair of results that differ, and the first such run.
    """

    __slots__ = ("every", "pairs", "points")

    def __init__(self, points: int, every: bool, pairs: Mapping[Pair, tuple[int, Run]]) -> None:
        self.points = points
        self.every = every
        self.pairs = pairs


def counted(question: Apart, most: int = MOST) -> Counted:
    """Return how often the two of a question decide differently, over all points or a draw of `most`."""
    bench = bench_of(question.policies, question.nodes)
    length = max((n for n in question.lengths() if n <= LONGEST), default=1)
    units = bench.units(length)
    most = min(most, ITERATIONS // length)
    every = length == 1 and units.points(units.full) <= most
    runs = map(units.run, _every(units)) if every else _drawn(bench, length, most)
    looked = 0
    pairs: dict[Pair, tuple[int, Run]] = {}
    for run in runs:
        found = question.played_pair(run)
        if found is None:
            continue
        looked += 1
        played, (one, other) = found
        pair = one, other
        if one != other:
            count, first = pairs.get(pair, (0, played))
            pairs[pair] = (count + 1, first)
    return Counted(looked, every, pairs)


def _every(units: Units) -> Iterator[Region]:
    choices = [[1 << n for n in range(left.bit_length()) if left >> n & 1] for left in units.full]
    yield from product(*choices)


def _drawn(bench: Bench, length: int, most: int) -> Iterator[Run]:
    """Yield runs of up to `length` iterations."""
    random = Random(SEED)  # noqa: S311 - not for secrets
    for _ in range(most):
        units = bench.units(random.randint(1, length))
        widths = [left.bit_length() for left in units.full]
        yield units.run(tuple(1 << random.randrange(width) for width in widths))
