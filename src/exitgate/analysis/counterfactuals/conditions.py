"""A condition in parts: what each can be at a point, and which changes it takes to make it so."""

from __future__ import annotations

from itertools import combinations, product
from operator import itemgetter

from exitgate.core.model.value import Unknown, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from exitgate.analysis.counterfactuals.search_space import Point
    from exitgate.analysis.counterfactuals.slots import Slot

    #: Slots with the choice each of them takes.
    Move = tuple[tuple[int, int], ...]


TRUE, FALSE, UNKNOWN = 1, 2, 4
ANY = TRUE | FALSE | UNKNOWN
#: Changes of one test that are tried one by one; if there are more, its facts are changed one at a time.
TRIED = 400


class Cut(Value):
    """
    The changes that separate a point from a truth.

    Every input on which the truth holds, and that agrees with the point where it was changed
    already, makes one of `moves`.

    Args:
        moves: The changes.
        whole: That is so for any number of further changes; else only for as many as were allowed.
        exact: That is so for every value a fact can have; else for the choices of its slot.
    """

    __slots__ = ("exact", "moves", "whole")

    def __init__(self, moves: Sequence[Move], whole: bool = True, exact: bool = True) -> None:
        self.moves = moves
        self.whole = whole
        self.exact = exact

    @property
    def worth(self) -> tuple[int, bool, bool]:
        """How much a cut rules out, smaller is better."""
        return len(self.moves), not self.whole, not self.exact


class Part:
    """One condition, or part of one, at the last iteration."""

    def __init__(self, slots: Iterable[int]) -> None:
        self.slots = tuple(sorted(set(slots)))
        self._key: Callable[[Point], object] = itemgetter(*self.slots) if self.slots else _nothing
        self._seen: dict[object, int] = {}
        self._cuts: dict[tuple[object, int, int], Cut] = {}

    def truth(self, point: Point) -> int:
        """Return its truth at a point, as a bit."""
        key = self._key(point)
        found = self._seen.get(key)
        if found is None:
            found = self._seen[key] = self._truth(point)
        return found

    def cut(self, point: Point, wanted: int, left: int) -> Cut:
        """Return what has to change for a truth among the bits `wanted`, with `left` changes at most."""
        key = (self._key(point), wanted, left)
        found = self._cuts.get(key)
        if found is None:
            found = self._cuts[key] = self._cut(point, wanted, left)
        return found

    def _truth(self, point: Point) -> int:
        raise NotImplementedError

    def _cut(self, point: Point, wanted: int, left: int) -> Cut:
        raise NotImplementedError


class Test(Part):
    """
    A test that is asked as a whole.

    Args:
        ask: What it is at a point, as a bit.
        slots: The slots it rests on.
        of: All slots.
        exact: Every value of its facts answers like one of the choices.
        alike: What is the same for two points at which the facts that it reads are the same.
    """

    def __init__(
        self,
        ask: Callable[[Point], int],
        slots: Iterable[int],
        of: Sequence[Slot],
        exact: bool,
        alike: Callable[[Point], object],
    ) -> None:
        super().__init__(slots)
        self._ask = ask
        self._of = of
        self._exact = exact and all(of[number].lasting for number in self.slots)
        self._alike = alike
        self._asked: dict[object, int] = {}

    def _truth(self, point: Point) -> int:
        key = self._alike(point)
        found = self._asked.get(key)
        if found is None:
            found = self._asked[key] = self._ask(point)
        return found

    def _cut(self, point: Point, wanted: int, left: int) -> Cut:
        free = [number for number in self.slots if not point[number]]
        if not free:
            return Cut(())
        sizes = [len(self._of[number].choices) - 1 for number in free]
        if _ways(sizes, left) > TRIED:
            moves = [
                ((number, choice),) for number in free for choice in range(1, len(self._of[number].choices))
            ]
            return Cut(tuple(moves), exact=self._exact)
        found: list[Move] = []
        for count in range(1, min(left, len(free)) + 1):
            for numbers in combinations(free, count):
                for choices in product(*(range(1, len(self._of[number].choices)) for number in numbers)):
                    move = tuple(zip(numbers, choices, strict=True))
                    if not _holds_one(move, found) and self.truth(moved(point, move)) & wanted:
                        found.append(move)
        return Cut(tuple(found), whole=len(free) <= left, exact=self._exact)


class Joined(Part):
    """Several parts that make one; by default any of them has to change for it to change."""

    def __init__(self, parts: Sequence[Part]) -> None:
        super().__init__(number for part in parts for number in part.slots)
        self.parts = tuple(parts)

    def _cut(self, point: Point, wanted: int, left: int) -> Cut:
        del wanted
        return _any([part.cut(point, ANY & ~part.truth(point), left) for part in self.parts])

    def _each(self, point: Point, wanted: int, left: int) -> Cut:
        """Return the best of the cuts of the parts that are not as wanted: all of them have to be."""
        return best(part.cut(point, wanted, left) for part in self.parts if not part.truth(point) & wanted)

    def _one(self, point: Point, wanted: int, left: int) -> Cut:
        return _any([part.cut(point, wanted, left) for part in self.parts])


class Both(Joined):
    """`and`, strong Kleene."""

    def _truth(self, point: Point) -> int:
        some = 0
        for part in self.parts:
            truth = part.truth(point)
            if truth == FALSE:
                return FALSE
            some |= truth
        return UNKNOWN if some & UNKNOWN else TRUE

    def _cut(self, point: Point, wanted: int, left: int) -> Cut:
        if wanted == TRUE or wanted == TRUE | UNKNOWN:
            return self._each(point, wanted, left)
        if wanted == FALSE or wanted == FALSE | UNKNOWN:
            return self._one(point, wanted, left)
        return super()._cut(point, wanted, left)


class Either(Joined):
    """`or`, strong Kleene."""

    def _truth(self, point: Point) -> int:
        some = 0
        for part in self.parts:
            truth = part.truth(point)
            if truth == TRUE:
                return TRUE
            some |= truth
        return UNKNOWN if some & UNKNOWN else FALSE

    def _cut(self, point: Point, wanted: int, left: int) -> Cut:
        if wanted == TRUE or wanted == TRUE | UNKNOWN:
            return self._one(point, wanted, left)
        if wanted == FALSE or wanted == FALSE | UNKNOWN:
            return self._each(point, wanted, left)
        return super()._cut(point, wanted, left)


class Not(Joined):
    """`not`: unknown stays unknown."""

    def _truth(self, point: Point) -> int:
        return _OPPOSITE[self.parts[0].truth(point)]

    def _cut(self, point: Point, wanted: int, left: int) -> Cut:
        return self.parts[0].cut(point, _opposite(wanted), left)


class Definite(Joined):
    """True where the condition is definitely true, else false: how a rule is asked."""

    def _truth(self, point: Point) -> int:
        return TRUE if self.parts[0].truth(point) == TRUE else FALSE

    def _cut(self, point: Point, wanted: int, left: int) -> Cut:
        return self.parts[0].cut(point, TRUE if wanted & TRUE else FALSE | UNKNOWN, left)


class Counted(Joined):
    """
    A history form over conditions: what it is follows from what they are at the last iteration.

    `ask` gives its truth for theirs, in order; what they were before is settled.
    """

    def __init__(self, parts: Sequence[Part], ask: Callable[[tuple[object, ...]], object]) -> None:
        super().__init__(parts)
        self._table = {
            truths: bit(ask(tuple(_VALUES[one] for one in truths)))
            for truths in product((TRUE, FALSE, UNKNOWN), repeat=len(parts))
        }

    def _truth(self, point: Point) -> int:
        return self._table[tuple(part.truth(point) for part in self.parts)]

    def _cut(self, point: Point, wanted: int, left: int) -> Cut:
        useful = [truths for truths, found in self._table.items() if found & wanted]
        cuts = []
        for place, part in enumerate(self.parts):
            bits = 0
            for truths in useful:
                bits |= truths[place]
            bits &= ~part.truth(point)
            if bits:
                cuts.append(part.cut(point, bits, left))
        return _any(cuts)


def moved(point: Point, move: Move) -> Point:
    """Return the point with the changes of a move."""
    changed = list(point)
    for number, choice in move:
        changed[number] = choice
    return tuple(changed)


def bit(value: object) -> int:
    """Return a truth as a bit."""
    return TRUE if value is True else FALSE if value is False else UNKNOWN


def best(cuts: Iterable[Cut]) -> Cut:
    """Return of one cut or more the one that rules out most, the first of equals."""
    found: Cut | None = None
    for cut in cuts:
        if found is None or cut.worth < found.worth:
            found = cut
        if not cut.moves and cut.whole and cut.exact:
            return cut
    assert found is not None
    return found


def _any(cuts: Sequence[Cut]) -> Cut:
    moves = dict.fromkeys(move for cut in cuts for move in cut.moves)
    return Cut(tuple(moves), all(cut.whole for cut in cuts), all(cut.exact for cut in cuts))


def _holds_one(move: Move, found: Sequence[Move]) -> bool:
    return any(set(one) <= set(move) for one in found)


def _opposite(bits: int) -> int:
    return sum(_OPPOSITE[one] for one in (TRUE, FALSE, UNKNOWN) if bits & one)


def _ways(sizes: Sequence[int], left: int) -> int:
    """Return in how many ways one to `left` slots can be changed, of those with so many choices each."""
    ways = [1, *(0 for _ in range(left))]
    for size in sizes:
        for count in range(left, 0, -1):
            ways[count] += ways[count - 1] * size
    return sum(ways) - 1


def _nothing(_point: Point) -> object:
    return ()


_OPPOSITE = {TRUE: FALSE, FALSE: TRUE, UNKNOWN: UNKNOWN}
_VALUES = {TRUE: True, FALSE: False, UNKNOWN: Unknown("not known", "nearest")}


# The rules of a chain that must not be true, as parts: asked only where a change can matter to them.
#
# A policy of a thousand rules has a thousand goals, and each holds all rules above one. They share one
# chain: what its rules are at the start is found once, and at another point only those are asked that rest
# on a changed slot. So a goal costs what is changed, not how many rules there are.


class Chain:
    """
    Parts that are true or false, never unknown.

    Args:
        parts: In order.
        start: The point at which nothing is changed.
    """

    def __init__(self, parts: Sequence[Part], start: Point) -> None:
        self.parts = tuple(parts)
        self._resting: dict[int, list[int]] = {}
        for place, part in enumerate(self.parts):
            for slot in part.slots:
                self._resting.setdefault(slot, []).append(place)
        self._start = start
        self._false_at_start: tuple[int, ...] | None = None
        self._false: dict[Point, tuple[int, ...]] = {}

    def first(self, count: int | None = None) -> First:
        """Return that the first `count` parts are true, all of them for None."""
        return First(self, len(self.parts) if count is None else count)

    def false_at(self, point: Point) -> tuple[int, ...]:
        """Return the places of the parts that are not true at a point, in order."""
        if self._false_at_start is None:
            places = range(len(self.parts))
            self._false_at_start = tuple(n for n in places if self.parts[n].truth(self._start) != TRUE)
        if point not in self._false:
            changed = [slot for slot, choice in enumerate(point) if choice]
            asked = {place for slot in changed for place in self._resting.get(slot, ())}
            found = {place for place in asked if self.parts[place].truth(point) != TRUE}
            found.update(place for place in self._false_at_start if place not in asked)
            self._false[point] = tuple(sorted(found))
        return self._false[point]


class First(Part):
    """That the first parts of a chain are true."""

    def __init__(self, chain: Chain, count: int) -> None:
        super().__init__(())
        self._chain = chain
        self._count = count

    def truth(self, point: Point) -> int:
        """Return whether it is so at a point, as a bit."""
        false = self._chain.false_at(point)
        return FALSE if false and false[0] < self._count else TRUE

    def cut(self, point: Point, wanted: int, left: int) -> Cut:
        """Return the best of the cuts of the parts that are not true; `wanted` is TRUE."""
        false = [self._chain.parts[n] for n in self._chain.false_at(point) if n < self._count]
        return best(part.cut(point, wanted, left) for part in false)


class Passed(Joined):
    """All of its parts, which are chains among others: what they are is not kept point by point again."""

    def __init__(self, parts: Sequence[Part]) -> None:
        super().__init__(())
        self.parts = tuple(parts)

    def truth(self, point: Point) -> int:
        """Return whether all are true at a point, as a bit."""
        return TRUE if all(part.truth(point) == TRUE for part in self.parts) else FALSE

    def cut(self, point: Point, wanted: int, left: int) -> Cut:
        """Return the best of the cuts of the parts that are not true; `wanted` is TRUE."""
        return self._each(point, wanted, left)
