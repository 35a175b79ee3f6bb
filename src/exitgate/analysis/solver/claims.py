"""What a question claims of a run, written out."""

from __future__ import annotations

from exitgate.analysis.solver.chain import decided, results, warnings, wins
from exitgate.analysis.solver.flags import both, every, negated, same, some
from exitgate.analysis.walk.gates import FALSE, TRUE, UNKNOWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from exitgate.analysis.solver.encode import Encoder
    from exitgate.analysis.solver.flags import Flag
    from exitgate.language.tree import Node

    #: From the encoders of the policies asked about to where the answer is yes.
    Claim = Callable[[Sequence[Encoder]], Flag]


def condition(wanted: Sequence[tuple[Node, int]]) -> Claim:
    """Return the claim that each condition has one of the truths wanted of it, as bits of `walk.gates`."""

    def claim(encoders: Sequence[Encoder]) -> Flag:
        parts: list[Flag] = []
        for node, bits in wanted:
            truth = encoders[0].truth(node, 0)
            found = {TRUE: truth.yes, FALSE: truth.no, UNKNOWN: negated(truth.known)}
            parts.append(some(flag for bit, flag in found.items() if bits & bit))
        return every(parts)

    return claim


def winner(stage: str, number: int | None, also: Node | None) -> Claim:
    """Return the claim that a deciding rule of a stage wins, and that a condition is true besides."""

    def claim(encoders: Sequence[Encoder]) -> Flag:
        if number is None:
            return False
        more = encoders[0].truth(also, 0).yes if also is not None else True
        return both(wins(encoders[0], stage, number), more)

    return claim


def result(stage: str, wanted: Collection[int], given: Node | None) -> Claim:
    """Return the claim that one of certain rules wins, -1 for none, and that `given` is true."""

    def claim(encoders: Sequence[Encoder]) -> Flag:
        first = encoders[0].truth(given, 0).yes if given is not None else True
        return both(first, decided(encoders[0], stage, wanted))

    return claim


def difference(stage: str, by_rule: bool) -> Claim:
    """Return the claim that two policies come to different results, or warn differently."""

    def claim(encoders: Sequence[Encoder]) -> Flag:
        one, other = (results(encoder, stage, by_rule) for encoder in encoders)
        told = {*one, *other}
        apart = [negated(same(one.get(key, False), other.get(key, False))) for key in sorted(told, key=repr)]
        ours, theirs = (warnings(encoder, stage) for encoder in encoders)
        ids = sorted({*ours, *theirs})
        return some((*apart, *(negated(same(ours.get(id, False), theirs.get(id, False))) for id in ids)))

    return claim
