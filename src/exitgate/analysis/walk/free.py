"""Tests that can come out in any way: what is proved with them is proved wherever the points lie."""

from __future__ import annotations

from exitgate.analysis.walk.gates import ANY, APART, Gate
from exitgate.analysis.walk.leaves import Input

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.analysis.walk.gates import Split
    from exitgate.analysis.walk.units import Region


class Free(Gate):
    """A test that is never settled."""

    def truths(self, region: Region) -> int:
        """Return all three truths."""
        del region
        return ANY

    def split(self, region: Region, care: int = APART) -> Split | None:
        """Return None: no part of a region tells more."""
        del region, care
        return None


class FreeInput(Input):
    """A computed value that may be any."""

    def values(self, region: Region) -> tuple[tuple[object, ...], ...] | None:
        """Return None for any value at all."""
        del region
        return None

    def split(self, region: Region) -> Split | None:
        """Return None: no part of a region tells more."""
        del region
        return None
