"""Two chains of rules walked together: which rules may decide where the other chain's do not agree."""

from __future__ import annotations

from exitgate.analysis.compared.meaning import meaning
from exitgate.analysis.compared.order import moved
from exitgate.analysis.walk.gates import TRUE
from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from exitgate.analysis.walk.gates import Gate, Split
    from exitgate.analysis.walk.outlook import Outlook
    from exitgate.analysis.walk.units import Region
    from exitgate.policy.compiled import CompiledPolicy, Rule

#: No rule decides.
NONE = -1


class Shared(Value):
    """Places in both chains of one rule that is the same in both and is in the same order."""

    __slots__ = ("after", "before")

    def __init__(self, before: int, after: int) -> None:
        self.before = before
        self.after = after


def shared(policies: Sequence[CompiledPolicy], chains: Sequence[Sequence[Rule]]) -> tuple[Shared, ...]:
    """Return the rules that do the same for the same reason in both chains, as many as are in one order."""
    before, after = chains
    same = {
        rule.id: at
        for at, rule in enumerate(before)
        for other in after
        if other.id == rule.id and _does(rule) == _does(other)
        and meaning(policies[0], rule.when) == meaning(policies[1], other.when)
    }  # fmt: skip
    ids = [[rule.id for rule in chain if rule.id in same] for chain in chains]
    elsewhere = set(moved(ids[0], ids[1]))
    return tuple(
        Shared(same[rule.id], at)
        for at, rule in enumerate(after)
        if rule.id in same and rule.id not in elsewhere
    )


def _does(rule: Rule) -> tuple[str, str | None, str]:
    return rule.effect, rule.exit_class, rule.outcome


class Joint:
    """
    Both chains as gates over the regions of one length of runs.

    A rule that both share is true in both or in neither, so where it decides they agree: that is what two
    chains looked at one by one cannot tell.
    """

    def __init__(
        self, chains: Sequence[Sequence[Rule]], outlooks: Sequence[Outlook], anchors: Sequence[Shared]
    ) -> None:
        self._gates = [
            [outlook.gate(rule.when) for rule in chain]
            for chain, outlook in zip(chains, outlooks, strict=True)
        ]
        ends = Shared(len(chains[0]), len(chains[1]))
        self._anchors = (*anchors, ends)

    def pairs(self, region: Region) -> Iterator[tuple[int, int]]:
        """Yield the rules that may decide, one of each chain, where it is not the same rule in both."""
        start = Shared(0, 0)
        for anchor in self._anchors:
            first, passes_first = self._winners(0, start.before, anchor.before, region)
            second, passes_second = self._winners(1, start.after, anchor.after, region)
            yield from ((one, other) for one in first for other in second)
            if first and passes_second:
                yield from ((one, other) for one in first for other in self._rest(1, anchor.after, region))
            if second and passes_first:
                yield from ((one, other) for one in self._rest(0, anchor.before, region) for other in second)
            if not (passes_first and passes_second) or anchor is self._anchors[-1]:
                return
            if self._gates[0][anchor.before].truths(region) == TRUE:
                return
            start = Shared(anchor.before + 1, anchor.after + 1)

    def decided(self, region: Region) -> bool:
        """Return whether one rule of each chain, or none, decides everywhere in the region."""
        return all(self._first_open(side, region) is None for side in (0, 1))

    def split(self, pair: tuple[int, int], region: Region) -> Split | None:
        """Return a split that brings the region nearer to one in which the rules of the pair decide."""
        gates = [self._gates[side][at] for side, at in enumerate(pair) if at != NONE]
        gates = [gate for gate in gates if gate.truths(region) != TRUE]
        gates += [gate for side in (0, 1) if (gate := self._first_open(side, region)) is not None]
        return next((split for gate in gates if (split := gate.split(region, TRUE)) is not None), None)

    def _first_open(self, side: int, region: Region) -> Gate | None:
        """Return the first rule of a chain that may be true and need not be, before one that is."""
        for gate in self._gates[side]:
            truths = gate.truths(region)
            if truths & TRUE:
                return None if truths == TRUE else gate
        return None

    def _winners(self, side: int, start: int, end: int, region: Region) -> tuple[list[int], bool]:
        """Return the rules of a stretch that may decide, and whether none of them may."""
        found: list[int] = []
        for at in range(start, end):
            truths = self._gates[side][at].truths(region)
            if truths & TRUE:
                found.append(at)
                if truths == TRUE:
                    return found, False
        return found, True

    def _rest(self, side: int, start: int, region: Region) -> list[int]:
        found, passes = self._winners(side, start, len(self._gates[side]), region)
        return [*found, NONE] if passes else found
