"""How many iterations a run can have, and what the count of iterations can be in each of them."""

from __future__ import annotations

from exitgate.analysis.space.counters import ITERATIONS
from exitgate.analysis.space.domains import closed
from exitgate.analysis.space.endings import FAILURES, NAMES, can_end
from exitgate.analysis.space.reads import has_windows, reach
from exitgate.analysis.walk.variables import unasked
from exitgate.core.language.tree import Node

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from exitgate.analysis.walk.questions import Question
    from exitgate.analysis.walk.variables import Region, Variables
    from exitgate.core.language.tree import Node
    from exitgate.core.policy.compiled import CompiledPolicy


def counted_start(question: Question, variables: Variables, most: int | None) -> Region | None:
    """
    Return the regions of runs that count their iterations and end as a check asks about; None for all.

    No run has more than `most` iterations; None where none is known.
    """
    if not question.from_first:
        return None
    counted = None
    if not question.uncounted:
        counted = counted_regions(variables, question.longest, most, question.looks or not question.staged)
    return ending(variables, counted, question.stage if question.staged else "", question.looks)


def counted_regions(variables: Variables, longest: int, most: int | None, looks: bool) -> Region | None:
    """
    Return all regions in which the count of iterations is one that it can be; None where no fact counts them.

    A run shorter than the `longest` that conditions tell apart begins at its first iteration; a longer one
    answers like its last ones. No run has more than `most` iterations. Between two points a count answers
    like one of them, so both neighbours of those it can have are kept. Only a look has the count 0.
    """
    if ITERATIONS not in variables.of or variables.length != variables.iterations:
        return None
    cluster, place = variables.of[ITERATIONS]
    counts = [choice[place] for choice in variables.clusters[cluster].choices]
    known = sorted(count for count in counts if isinstance(count, int))
    changed = list(variables.full)
    for back in range(variables.length):
        low = 0 if variables.length == 1 and looks else variables.length - back
        high = (
            variables.length - back if variables.length < longest else None if most is None else most - back
        )
        least = max((count for count in known if count <= low), default=low)
        above = [count for count in known if high is not None and count >= high]
        greatest = min(above, default=None)
        kept = sum(
            1 << number
            for number, count in enumerate(counts)
            if isinstance(count, int) and least <= count and (greatest is None or count <= greatest)
        )
        changed[variables.index(cluster, back)] &= kept
    return tuple(changed)


def ending(variables: Variables, region: Region | None, stage: str, looks: bool) -> Region | None:
    """
    Return the regions whose last iteration is one that a check asks `stage` of; empty for any stage.

    `after_iteration` is asked where the agent is not known to have failed, `after_failure` where it is. How
    many signals of progress are known is not known in a look, nor in a first iteration that began before
    its run.
    """
    if variables.length != variables.iterations:
        return region
    changed = list(variables.full if region is None else region)
    for cluster in (
        {variables.of[name][0] for name in (*NAMES, FAILURES) if name in variables.of} if stage else ()
    ):
        one = variables.clusters[cluster]
        asked = [can_end(one.known(choice), one.names, stage) for choice in one.choices]
        changed[variables.index(cluster, 0)] &= sum(1 << number for number, fits in enumerate(asked) if fits)
    for cluster in variables.progress:
        for back in range(variables.length - 1):
            if back or not looks:
                changed[variables.index(cluster, back)] &= ~unasked(variables.clusters[cluster])
    return tuple(changed)


# How long the runs are that a question is walked over.

#: Every length of run up to this one is walked; of longer ones those around each window.
EVERY_LENGTH = 12
#: Largest number of iterations that a form over a time may ask for and runs of that length are walked.
COUNTED = 30


class RunLengths:
    """
    The lengths of runs that some conditions tell apart.

    Args:
        policies: Those asked about.
        nodes: The conditions; one may name what only some of the policies have.
    """

    def __init__(self, policies: Sequence[CompiledPolicy], nodes: Sequence[Node]) -> None:
        self._pairs = tuple(_pairs(policies, nodes))
        #: Whether it rests on how far apart iterations are in time, or which share a key.
        self.has_windows = any(has_windows(policy, node) for policy, node in self._pairs)

    def longest(self, windows: bool = True) -> int:
        """Return the length of the longest runs that are told apart; without windows in time and per key."""
        return self._reaches(windows)[-1] + 1

    def of_runs(self, most: int | None) -> tuple[tuple[int, ...], bool]:
        """
        Return the lengths to look for a run in, and whether they are all that matter.

        With windows in time or per key they are short ones, and as many iterations as conditions ask for.

        Args:
            most: Iterations that no run exceeds; None where none is known.
        """
        if not self.has_windows:
            return _around(self._reaches(True), most)
        lengths = {1, 2, 3, *self._counts(), *(reach + 1 for reach in self._reaches(False))}
        limit = self.longest() if most is None else most
        return tuple(sorted(n for n in lengths if n <= limit)), False

    def beside_windows(self, most: int | None) -> tuple[tuple[int, ...], bool]:
        """Return the lengths told apart beside windows in time and per key, and whether they are all."""
        return _around(self._reaches(False), most)

    def _reaches(self, windows: bool) -> list[int]:
        """Return how far back conditions read, the least first."""
        return sorted({0, *(reach(policy, node, windows) for policy, node in self._pairs)})

    def _counts(self) -> set[int]:
        """Return the numbers in the conditions, and the ones above: as many iterations may be asked for."""
        values = (closed(part, policy) for policy, tree in self._pairs for part in tree.walk())
        numbers = {value for value in values if isinstance(value, int) and 1 < value <= COUNTED}
        return numbers | {number + 1 for number in numbers}


def _pairs(
    policies: Sequence[CompiledPolicy], nodes: Sequence[Node]
) -> Iterator[tuple[CompiledPolicy, Node]]:
    for policy in policies:
        for node in nodes:
            try:
                reach(policy, node)
            except KeyError:
                continue  # a condition of the other policy
            yield policy, node


def _around(reaches: Sequence[int], most: int | None) -> tuple[tuple[int, ...], bool]:
    longest = reaches[-1] + 1
    if most is not None and most < longest:
        longest = most  # no run fills the longer windows
    if longest <= EVERY_LENGTH:
        return tuple(range(1, longest + 1)), True
    around = {reach + 1 + step for reach in reaches for step in (-1, 0)}
    return tuple(sorted(n for n in around | {1, 2, 3} if 1 <= n <= longest)), False
