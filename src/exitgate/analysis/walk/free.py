"""Tests that can come out in any way: what is proved with them is proved wherever the points lie."""

from __future__ import annotations

from exitgate.analysis.walk.gates import ANY, APART, Gate
from exitgate.analysis.walk.leaves import Input
from exitgate.model.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from exitgate.analysis.walk.gates import Split
    from exitgate.analysis.walk.leaves import Computed, Leaf
    from exitgate.analysis.walk.units import Region


class Free(Gate):
    """A test that is settled only where all it reads is unknown, true or false: others have neighbours."""

    def __init__(self, leaf: Leaf, inputs: Sequence[Input]) -> None:
        self._leaf = leaf
        self._inputs = tuple(inputs)

    def truths(self, region: Region) -> int:
        """Return all three truths, or those it has where no value lies between two points."""
        return self._leaf.truths(region) if _is_told(self._inputs, region) else ANY

    def split(self, region: Region, care: int = APART) -> Split | None:
        """Return None: no part of a region tells more."""
        del region, care
        return None


class FreeInput(Input):
    """A computed value that may be any, unless all that it is computed from is unknown, true or false."""

    def __init__(self, computed: Computed, inputs: Sequence[Input]) -> None:
        super().__init__(computed.names, computed.back)
        self._computed = computed
        self._inputs = tuple(inputs)

    def values(self, region: Region) -> tuple[tuple[object, ...], ...] | None:
        """Return None for any value at all, or the values where no other lies between two points."""
        return self._computed.values(region) if _is_told(self._inputs, region) else None

    def split(self, region: Region) -> Split | None:
        """Return None: no part of a region tells more."""
        del region
        return None


def _is_told(inputs: Sequence[Input], region: Region) -> bool:
    """Return whether each value of the inputs that a region leaves is unknown, true or false."""
    for one in inputs:
        values = one.values(region)
        if values is None or not all(isinstance(v, bool | Unknown) for row in values for v in row):
            return False
    return True
