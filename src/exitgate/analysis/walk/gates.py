"""
What a condition can be in a region: a set of the three truths, as bits.

A gate answers for one part of a condition in one iteration. It never leaves out a truth that some
point of the region gives; it may hold one that no point gives, as long as the region can still be
split. A region of one point gives exactly one truth.
"""

from __future__ import annotations

from math import prod

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from exitgate.analysis.walk.variables import Region

    #: A variable, and the sets of choices it is to be split into.
    Split = tuple[int, tuple[int, ...]]
    #: A region's answer: True or False where it is settled everywhere in it, else how to split it.
    Judged = bool | Split | None


TRUE, FALSE, UNKNOWN = 1, 2, 4
ANY = TRUE | FALSE | UNKNOWN
SETTLED = frozenset((TRUE, FALSE, UNKNOWN))
#: How truths must be told apart: one of them from the other two, or by `APART` all three.
APART = 0
_CARES = {
    TRUE: TRUE,
    FALSE | UNKNOWN: TRUE,
    FALSE: FALSE,
    TRUE | UNKNOWN: FALSE,
    UNKNOWN: UNKNOWN,
    TRUE | FALSE: UNKNOWN,
}
_OPPOSITE = {TRUE: FALSE, FALSE: TRUE, UNKNOWN: UNKNOWN, APART: APART}


def care_of(truths: int) -> int:
    """Return what tells these truths, as bits, from the others."""
    return _CARES.get(truths, APART)


def is_open(truths: int, care: int) -> bool:
    """Return whether truths that must be told apart are among these."""
    if care == APART:
        return truths not in SETTLED
    return bool(truths & care) and truths != care


class Gate:
    """One part of a condition in one iteration."""

    def truths(self, region: Region) -> int:
        """Return the truths it can have, as bits."""
        raise NotImplementedError

    def split(self, region: Region, care: int = APART) -> Split | None:
        """
        Return how to split a region in which it is open; None where it cannot be split further.

        `care` says which truths must be told apart: where it does not matter whether a part is false
        or unknown, it is not split for that.
        """
        raise NotImplementedError


class Fixed(Gate):
    """A part that is the same everywhere."""

    def __init__(self, truth: int) -> None:
        self._truth = truth

    def truths(self, region: Region) -> int:
        """Return its one truth."""
        del region
        return self._truth

    def split(self, region: Region, care: int = APART) -> Split | None:
        """Return None: it is always settled."""
        del region, care
        return None


class Later(Gate):
    """A part that is made when it is first asked."""

    def __init__(self, make: Callable[[], Gate]) -> None:
        self._make = make
        self._gate: Gate | None = None

    def truths(self, region: Region) -> int:
        """Return the truths of the part."""
        if self._gate is None:
            self._gate = self._make()
        return self._gate.truths(region)

    def split(self, region: Region, care: int = APART) -> Split | None:
        """Return how the part is split."""
        if self._gate is None:
            self._gate = self._make()
        return self._gate.split(region, care)


class Joined(Gate):
    """Several parts at once. The answer for the last region is kept: several rules ask for it."""

    def __init__(self, parts: Sequence[Gate]) -> None:
        self._parts = tuple(parts)
        self._region: Region | None = None
        self._truths = 0

    def truths(self, region: Region) -> int:
        """Return the truths it can have, as bits."""
        if region is not self._region:
            self._truths = self.joined(region)
            self._region = region
        return self._truths

    def joined(self, region: Region) -> int:
        """Return the truths of the parts together."""
        raise NotImplementedError

    def split(self, region: Region, care: int = APART) -> Split | None:
        """Return a split of the first part that is open."""
        for part, needed in zip(self._parts, self._cares(care), strict=True):
            if is_open(part.truths(region), needed):
                found = part.split(region, needed)
                if found is not None:
                    return found
        return None

    def _cares(self, care: int) -> Sequence[int]:
        """Return what has to be told apart of each part: all three truths, if a form does not know better."""
        del care
        return (APART,) * len(self._parts)


class _Monotone(Joined):
    """Whether it is true rests on which parts are true alone, whether it is false on which are false."""

    def _cares(self, care: int) -> Sequence[int]:
        return (care if care in (TRUE, FALSE) else APART,) * len(self._parts)


class Both(_Monotone):
    """`and`, strong Kleene: false where a part is false, else unknown where one is unknown."""

    def joined(self, region: Region) -> int:
        """Return the truths of the conjunction."""
        every, some = ANY, 0
        for part in self._parts:
            found = part.truths(region)
            if found == FALSE:
                return FALSE
            every &= found | (UNKNOWN if found & TRUE else 0)
            some |= found
        truths = some & FALSE
        if every & TRUE:
            truths |= TRUE
        if every & UNKNOWN and some & UNKNOWN:
            truths |= UNKNOWN
        return truths


class Either(_Monotone):
    """`or`, strong Kleene: true where a part is true, else unknown where one is unknown."""

    def joined(self, region: Region) -> int:
        """Return the truths of the disjunction."""
        every, some = ANY, 0
        for part in self._parts:
            found = part.truths(region)
            if found == TRUE:
                return TRUE
            every &= found | (UNKNOWN if found & FALSE else 0)
            some |= found
        truths = some & TRUE
        if every & FALSE:
            truths |= FALSE
        if every & UNKNOWN and some & UNKNOWN:
            truths |= UNKNOWN
        return truths


class Not(Joined):
    """`not`: unknown stays unknown."""

    def _cares(self, care: int) -> Sequence[int]:
        return (_OPPOSITE[care],)

    def joined(self, region: Region) -> int:
        """Return the truths of the negation."""
        found = self._parts[0].truths(region)
        return (found & UNKNOWN) | (FALSE if found & TRUE else 0) | (TRUE if found & FALSE else 0)


class Known(Joined):
    """`is known` of a condition."""

    def _cares(self, care: int) -> Sequence[int]:
        del care
        return (UNKNOWN,)

    def joined(self, region: Region) -> int:
        """Return whether the condition is true or false."""
        found = self._parts[0].truths(region)
        return (TRUE if found & (TRUE | FALSE) else 0) | (FALSE if found & UNKNOWN else 0)


class OrElse(Joined):
    """`or else` between conditions."""

    def _cares(self, care: int) -> Sequence[int]:
        return (APART, care)

    def joined(self, region: Region) -> int:
        """Return the truths of the first, those of the second in place of unknown."""
        first, second = self._parts
        found = first.truths(region)
        return (found & ~UNKNOWN) | (second.truths(region) if found & UNKNOWN else 0)


class Same(Joined):
    """`is` between conditions: unknown where either is unknown."""

    def joined(self, region: Region) -> int:
        """Return whether both have the same truth."""
        one, other = (part.truths(region) for part in self._parts)
        truths = (one | other) & UNKNOWN
        if (one & TRUE and other & TRUE) or (one & FALSE and other & FALSE):
            truths |= TRUE
        if (one & TRUE and other & FALSE) or (one & FALSE and other & TRUE):
            truths |= FALSE
        return truths


class AtLeast(_Monotone):
    """`at least k of last n`: true from k true ones on, false where the unknown ones do not make up k."""

    def __init__(self, parts: Sequence[Gate], least: int) -> None:
        super().__init__(parts)
        self._least = least

    def joined(self, region: Region) -> int:
        """Return the truths of the count."""
        found = [part.truths(region) for part in self._parts]
        sure = sum(one == TRUE for one in found)
        most = sum(bool(one & TRUE) for one in found)
        fewest = sum(not one & FALSE for one in found)
        possible = sum(one != FALSE for one in found)
        truths = TRUE if most >= self._least else 0
        if fewest < self._least:
            truths |= FALSE
        if sure < self._least <= possible and any(one & UNKNOWN for one in found):
            truths |= UNKNOWN
        return truths


def all_are(gates: Sequence[tuple[Gate, int]], region: Region) -> Judged:
    """Judge whether each gate has one of its truths, given as bits."""
    open_: tuple[Gate, int] | None = None
    for gate, bits in gates:
        truths = gate.truths(region)
        if not truths & bits:
            return False
        if truths & ~bits and open_ is None:
            open_ = gate, bits
    return True if open_ is None else open_[0].split(region, care_of(open_[1]))


def sides_differ(sides: Sequence[Sequence[Gate | None]], region: Region) -> Judged:
    """Judge whether some gate of one side is true where its partner is not."""
    ours, theirs = sides
    for one, other in zip(ours, theirs, strict=True):
        truths = [gate.truths(region) if gate is not None else FALSE for gate in (one, other)]
        may, must = [bool(t & TRUE) for t in truths], [t == TRUE for t in truths]
        if (must[0] and not may[1]) or (must[1] and not may[0]):
            return True
        if may != must:
            for gate, truth in zip((one, other), truths, strict=True):
                if gate is not None and truth & TRUE and truth != TRUE:
                    return gate.split(region, TRUE)
    return False


def combinations(sets: Sequence[Sequence[object]]) -> int:
    """Return how many combinations there are."""
    return prod(len(one) for one in sets)
