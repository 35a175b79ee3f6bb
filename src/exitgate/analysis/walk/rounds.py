"""Units of a run that goes round: iteration n is like iteration n - period."""

from __future__ import annotations

from exitgate.analysis.walk.units import Units

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from exitgate.analysis.space.domains import Domains
    from exitgate.analysis.walk.units import Region
    from exitgate.policy.compiled import CompiledPolicy


class Rounds(Units):
    """
    The units of a run of `length` iterations that repeats itself every `period` of them.

    A region has variables for one round only; the gates of a condition read as far back as they like.
    """

    def __init__(self, policies: Sequence[CompiledPolicy], length: int, found: Domains, period: int) -> None:
        super().__init__(policies, length, found)
        self.period = self.iterations = period
        self.full = self.full[: self.width * period]

    def index(self, unit: int, back: int) -> int:
        """Return the place of a unit's variable `back` iterations before the last one."""
        return back % self.period * self.width + unit

    def round(self, region: Region) -> tuple[dict[str, object], ...]:
        """Return one round of the plainest run of a region, oldest first, unknown facts left out."""
        return self.last(region, self.period)

    def run(self, region: Region) -> tuple[dict[str, object], ...]:
        """Return the plainest run of a region, round after round."""
        one = self.round(region)
        rounds = -(-self.length // self.period)
        return (one * rounds)[-self.length :]
