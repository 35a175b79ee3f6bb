"""Gates of the history forms whose outcome can be reported without trying every series of values."""

from __future__ import annotations

from exitgate.analysis.walk.gates import APART, FALSE, SETTLED, TRUE, UNKNOWN, Gate, Joined
from exitgate.model.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from exitgate.analysis.walk.gates import Split
    from exitgate.analysis.walk.leaves import Input
    from exitgate.analysis.walk.units import Region

    #: Truths of P and of Q in an iteration -> what it does to a count.
    Effects = Mapping[tuple[int, int], int]


#: What an iteration does to a count, from the smallest count to the largest.
_ENDS, _PASSES, _COUNTS = 0, 1, 2


def _effects(sure: bool) -> Effects:
    """Return what P and Q of an iteration do to the count that is certain, or to the one that is possible."""
    open_ = _PASSES if sure else _COUNTS
    effects = {}
    for p in (TRUE, FALSE, UNKNOWN):
        counts = p == TRUE or (p == UNKNOWN and not sure)
        effects[p, TRUE] = _PASSES
        effects[p, FALSE] = _COUNTS if counts else _ENDS
        effects[p, UNKNOWN] = open_ if counts else _ENDS if sure else _PASSES
    return effects


_SURE, _POSSIBLE = _effects(True), _effects(False)


class Alike(Gate):
    """`x unchanged for n iterations` and `x repeats n times`: equal and known in each of some iterations."""

    def __init__(self, values: Sequence[Input]) -> None:
        self._values = tuple(values)

    def truths(self, region: Region) -> int:
        """Return whether the values can all be equal, can differ, can be unknown without differing."""
        sets: list[frozenset[object]] = []
        silent = sure = 0
        for one in self._values:
            found = one.values(region)
            if found is None:
                return TRUE | FALSE | UNKNOWN
            known = frozenset((v.__class__, v) for (v,) in found if v.__class__ is not Unknown)
            silent += len(known) < len(found)
            sure += len(known) == len(found)
            if known:
                sets.append(known)
        union = frozenset().union(*sets)
        common = frozenset.intersection(*sets) if sets else frozenset()
        truths = TRUE if common and len(sets) == len(self._values) else 0
        if len(union) > 1 and len(sets) > 1:
            truths |= FALSE
        if silent and not self._must_differ(region):
            truths |= UNKNOWN
        return truths

    def _must_differ(self, region: Region) -> bool:
        """Return whether those that are surely known cannot all be equal."""
        common: frozenset[object] | None = None
        for one in self._values:
            found = one.values(region) or ()
            if any(v.__class__ is Unknown for (v,) in found):
                continue
            known = frozenset((v.__class__, v) for (v,) in found)
            common = known if common is None else common & known
        return common is not None and not common

    def split(self, region: Region, care: int = APART) -> Split | None:  # noqa: ARG002
        """Return a split of the iteration with the fewest values left."""
        open_ = [one for one in self._values if (found := one.values(region)) is None or len(found) > 1]
        for one in sorted(open_, key=lambda one: len(one.values(region) or range(1000))):
            split = one.split(region)
            if split is not None:
                return split
        return None


class Counted(Joined):
    """
    `streak(P) skipping (Q)` or `count(P, last n)` compared with a number by `>=`.

    Args:
        parts: P, newest iteration first.
        skips: Q in the same order; empty without `skipping`.
        least: The number.
        running: True for a streak.
    """

    def __init__(self, parts: Sequence[Gate], skips: Sequence[Gate], least: float, running: bool) -> None:
        super().__init__(parts)
        self._skips = tuple(skips)
        self._least = least
        self._running = running

    def joined(self, region: Region) -> int:
        """Return the comparison's truths, from the most that is sure and the least that is possible."""
        parts = [part.truths(region) for part in self._parts]
        skips = [skip.truths(region) for skip in self._skips] or [FALSE] * len(parts)
        pairs = list(zip(parts, skips, strict=True))
        low_sure, high_sure = self._bounds(pairs, _SURE)
        low_most, high_most = self._bounds(pairs, _POSSIBLE)
        truths = TRUE if high_sure >= self._least else 0
        if low_most < self._least:
            truths |= FALSE
        if low_sure < self._least <= high_most and any((part | skip) & UNKNOWN for part, skip in pairs):
            truths |= UNKNOWN
        return truths

    def _bounds(self, pairs: Sequence[tuple[int, int]], effects: Effects) -> tuple[int, int]:
        """Return the smallest and the largest count that iterations of these truths can have."""
        ends: list[int] = []
        for choice in (min, max):
            count = 0
            for part, skip in pairs:
                effect = choice(e for (p, q), e in effects.items() if p & part and q & skip)
                if effect == _ENDS and self._running:
                    break
                count += effect == _COUNTS
            ends.append(count)
        return ends[0], ends[1]

    def split(self, region: Region, care: int = APART) -> Split | None:  # noqa: ARG002
        """Return a split of the newest part that is not settled."""
        for number, part in enumerate(self._parts):
            for gate in (*self._skips[number : number + 1], part):
                if gate.truths(region) not in SETTLED:
                    found = gate.split(region)
                    if found is not None:
                        return found
        return None
