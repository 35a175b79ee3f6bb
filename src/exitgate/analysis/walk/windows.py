"""
Forms over a time, or over what shares a key, where points do not tell how far apart times are.

Such a form can come out in any way, with two exceptions. Where it is not known when the current iteration
was, or which key it has, a definite answer is the one on the current iteration alone: it would stay what
it is if all others turned out to lie far away. And what must hold in each iteration, or in any, must hold
in the current one, or may.
"""

from __future__ import annotations

from exitgate.analysis.walk.gates import ANY, APART, FALSE, TRUE, UNKNOWN, Fixed, Gate, is_open
from exitgate.analysis.walk.leaves import FromUnit
from exitgate.language.tree import Node
from exitgate.model.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from exitgate.analysis.walk.gates import Split
    from exitgate.analysis.walk.leaves import Input
    from exitgate.analysis.walk.units import Region

    Closure = Callable[[Sequence[dict[str, object]]], object]

#: A clock that no other iteration is near, in seconds.
FAR = 10**9
#: Forms that need all of a time: none has passed while the clock is not known.
_LASTING = ("consecutive", "unchanged", "declined", "rose")
#: Parts whose definite answers may change when something becomes known.
_REVISED = frozenset(("known", "unknown", "or_else", "silence", "first", "last", "previous"))
#: What a condition on each iteration, or on any, can be where it has a truth in the current one.
_OF_EACH = {TRUE: ANY, UNKNOWN: FALSE | UNKNOWN, FALSE: FALSE}
_OF_ANY = {TRUE: TRUE, UNKNOWN: TRUE | UNKNOWN, FALSE: ANY}


class Window(Gate):
    """
    A test with a form over a time or per key.

    Args:
        chosen: For each window in it the clock and the key of the current iteration.
        alone: What a definite answer is where these are unknown; None where that is not known.
        now: The condition in the current iteration, where it bounds the answer by `bounds`.
        bounds: For each truth of `now` the truths that the test can have.
    """

    def __init__(
        self,
        chosen: Sequence[Sequence[Chosen]],
        alone: Gate | None,
        now: Gate | None = None,
        bounds: Mapping[int, int] | None = None,
    ) -> None:
        self._chosen = tuple(map(tuple, chosen))
        self._alone = alone
        self._now = now
        self._bounds = bounds or {}

    def truths(self, region: Region) -> int:
        """Return the truths that are not excluded."""
        found = ANY
        if self._now is not None:
            now, found = self._now.truths(region), 0
            for truth, truths in self._bounds.items():
                found |= truths if now & truth else 0
        if self._alone is not None and all(any(one.is_silent(region) for one in by) for by in self._chosen):
            found &= UNKNOWN | self._alone.truths(region)
        return found

    def split(self, region: Region, care: int = APART) -> Split | None:
        """Return a split of the condition in the current iteration, or of a clock into unknown and known."""
        del care
        for part in (self._now, self._alone):
            if part is not None and is_open(part.truths(region), APART):
                found = part.split(region)
                if found is not None:
                    return found
        every = [one for by in self._chosen for one in by] if self._alone is not None else []
        return next((found for one in every if (found := one.split(region)) is not None), None)


class Chosen:
    """A clock or a key of the current iteration: a place among the facts of a unit."""

    def __init__(self, unit: FromUnit, place: int) -> None:
        self._unit = unit
        self._place = place

    def is_silent(self, region: Region) -> bool:
        """Return whether nothing is known of it anywhere in the region."""
        return all(_is_silent(values[self._place]) for values in self._unit.values(region))

    def split(self, region: Region) -> Split | None:
        """Return a split into unknown and known; None where it is one of them."""
        left = region[self._unit.variable]
        silent = sum(bits & left for values, bits in self._unit.groups if _is_silent(values[self._place]))
        return (self._unit.variable, (silent, left & ~silent)) if silent and silent != left else None


def _is_silent(value: object) -> bool:
    return isinstance(value, Unknown) and value.least is None and value.most is None


def condition_in(node: Node) -> Node | None:
    """Return the condition that a form over a time holds in each iteration, or in some of them."""
    found = {"consecutive": 0, "quantified": 3}.get(node.op)
    inner = None if found is None else node.args[found]
    return inner if isinstance(inner, Node) else None


def on_current(node: Node, test: Closure) -> Closure:
    """Return a test on the current record alone, all others being far away."""
    clocks = {str(one.args[0]) for window in _windows(node) if isinstance(one := window.args[1], Node)}

    def alone(records: Sequence[dict[str, object]]) -> object:
        return test([{**records[-1], **dict.fromkeys(clocks, FAR)}])

    return alone


def window_gate(
    node: Node, here: Sequence[Input], now: Gate | None, alone: Gate | None, size: Callable[[object], int]
) -> Window:
    """
    Return the gate of a test with forms over a time or per key.

    Args:
        node: The test.
        here: What it reads of the current iteration.
        now: `condition_in` it, in the current iteration.
        alone: The test on the current iteration alone; None where it reads others beside its windows.
        size: Returns the number that a literal or a parameter is.
    """
    units = [one for one in here if isinstance(one, FromUnit)]
    chosen = [
        [Chosen(unit, unit.names.index(name)) for unit in units for name in by if name in unit.names]
        for by in map(_chosen_by, _windows(node))
    ]
    if node.op in _LASTING:
        return Window(chosen, Fixed(FALSE | UNKNOWN), now, _OF_EACH)
    if node.op == "quantified":
        quantifier = node.args[0]
        if quantifier == "all":
            return Window(chosen, now, now, _OF_EACH)
        if quantifier == "any" or (quantifier == "at_least" and size(node.args[1]) == 1):
            return Window(chosen, now, now, _OF_ANY)
        return Window(chosen, Fixed(FALSE) if quantifier == "at_least" else None)
    return Window(chosen, alone if _REVISED.isdisjoint(node.uses()) else None)


def _chosen_by(window: Node) -> list[str]:
    return [str(one.args[0]) for one in window.args[1:] if isinstance(one, Node)]


def _windows(node: Node) -> list[Node]:
    return [part for part in node.walk() if part.op == "window"]
