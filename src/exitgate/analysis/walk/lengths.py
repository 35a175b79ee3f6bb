"""How long the runs are that a question is walked over."""

from __future__ import annotations

from exitgate.analysis.space.meetings import closed
from exitgate.analysis.space.reach import has_windows, reach

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from exitgate.language.tree import Node
    from exitgate.policy.compiled import CompiledPolicy

#: Every length of run up to this one is walked; of longer ones those around each window.
EVERY_LENGTH = 12
#: Largest number of iterations that a form over a time may ask for and runs of that length are walked.
COUNTED = 30


class Lengths:
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
