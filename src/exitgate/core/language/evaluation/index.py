"""
An index of many conditions: which of them the values of one record leave anything but false.

A condition is false for certain where a part that it needs is: of `phase is TEST and errors > 7` the rest
need not be asked while the phase is BUILD. The index keeps one such part of every condition, by fact:
thresholds sorted, values that are asked for in a table. A record's value then finds the conditions whose
part holds, without a look at the others. A fact that is not known leaves all of its conditions open: they
are asked as without an index.

Only comparisons of a fact with a constant or a parameter are used, with the order and the equality that the
closures of `exitgate.core.language.evaluation.closures` compare by, so that what the index leaves out is what
they would have called false.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from exitgate.core.language.evaluation import kleene
from exitgate.core.model.display import is_finite

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from exitgate.core.language.evaluation.closures import Compilation
    from exitgate.core.language.tree import Node

    #: A fact, its kind, whether it is a member of an enum, a sign and a constant: `errors > 7`.
    Part = tuple[str, str, bool, str, object]
    #: Where none of these holds, the condition is false.
    Guard = tuple[Part, ...]


#: Of all conditions, the share from which asking each of them is as quick.
DENSE = 0.25
#: Conditions under one value from which they have an index of their own.
NESTED = 16
#: Guards of one condition, and parts of one guard, that are looked at.
GUARDS, PARTS = 8, 32

_NUMBERS = frozenset(("count", "number", "percent", "duration", "money"))
_OPPOSITE = {">=": "<", "<": ">=", ">": "<=", "<=": ">", "==": "!=", "!=": "=="}
_SIGNS = (">=", ">", "<=", "<", "==")


class SparseTruths:
    """
    The truths of many conditions, of which few are anything but false.

    Args:
        size: How many there are.
        others: Index -> truth of those that are true or `Unknown`, in ascending order.
    """

    __slots__ = ("others", "size")

    def __init__(self, size: int, others: dict[int, object]) -> None:
        self.size = size
        self.others = others

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, index: int) -> object:
        if not -self.size <= index < self.size:
            raise IndexError(index)
        return self.others.get(index % self.size, False)

    def count(self, truth: bool) -> int:
        """Return how many came out so."""
        if truth:
            return sum(one is True for one in self.others.values())
        return self.size - len(self.others)

    def __iter__(self) -> Iterator[object]:
        get = self.others.get
        return (get(index, False) for index in range(self.size))


class ConditionIndex:
    """
    Conditions by what keeps them false.

    Args:
        whens: Checked trees of type bool.
        compilation: Their parameters and named conditions.
        sample: A record; of several parts that would do, one that it makes false is used.
    """

    def __init__(self, whens: Sequence[Node], compilation: Compilation, sample: Mapping[str, object]) -> None:
        guards = _Guards(compilation)
        found = [(index, guards.of(when, True)) for index, when in enumerate(whens)]
        self._limit = len(whens) * DENSE
        self._level = _Level(found, sample)
        #: Whether it leaves out enough to be worth asking.
        self.is_useful = len(self._level.always) <= self._limit

    def open(self, record: Mapping[str, object]) -> list[int] | None:
        """Return the indices of all conditions that may not be false, ascending; None if too many."""
        found: list[int] = []
        self._level.collect(record, found)
        if len(found) > self._limit:
            return None
        return sorted(set(found))


class _Level:
    """Conditions by one guard each; those without one are always open."""

    def __init__(self, conditions: Sequence[tuple[int, list[Guard]]], sample: Mapping[str, object]) -> None:
        always: list[int] = []
        facts: dict[tuple[str, str, bool], _OfFact] = {}
        for index, guards in conditions:
            if not guards:
                always.append(index)
                continue
            best = min(guards, key=lambda guard: _rank(guard, sample))
            rest = [guard for guard in guards if guard is not best] if len(best) == 1 else []
            for name, kind, is_member, sign, value in best:
                of_fact = facts.setdefault((name, kind, is_member), _OfFact())
                of_fact.add(index, sign, value, rest)
        self.always = tuple(always)
        self._facts: tuple[Any, ...] = tuple(
            (name, frozenset(kleene.CLASSES[kind]), is_member, *of_fact.made(sample))
            for (name, kind, is_member), of_fact in facts.items()
        )

    def collect(self, record: Mapping[str, object], found: list[int]) -> None:
        """Add the indices of all conditions that may not be false; some perhaps twice."""
        found += self.always
        get = record.get
        for name, allowed, is_member, everything, thresholds, values in self._facts:
            value: Any = get(name)
            if value.__class__ not in allowed or not value <= value:  # noqa: PLR0124  NaN has no order
                found += everything
                continue
            for place, from_start, limits, indices in thresholds:
                cut = place(limits, value)
                found += indices[:cut] if from_start else indices[cut:]
            if values:
                hit = values.get(value.upper() if is_member else value)
                if hit.__class__ is tuple:
                    found += hit
                elif hit is not None:
                    hit.collect(record, found)


class _OfFact:
    """Parts over one fact, while they are gathered."""

    def __init__(self) -> None:
        self._everything: dict[int, None] = {}
        self._by_sign: dict[str, list[tuple[Any, int]]] = {}
        self._values: dict[object, dict[int, list[Guard]]] = {}

    def add(self, index: int, sign: str, value: object, rest: list[Guard]) -> None:
        self._everything[index] = None
        if sign == "==":
            self._values.setdefault(value, {})[index] = rest
        else:
            self._by_sign.setdefault(sign, []).append((value, index))

    def made(self, sample: Mapping[str, object]) -> tuple[object, object, object]:
        """Return all of the conditions; their thresholds; and those of each value, or an index of them."""
        thresholds = []
        for sign, pairs in self._by_sign.items():
            pairs.sort()
            limits, indices = zip(*pairs, strict=True)
            place = bisect_right if sign in (">=", "<") else bisect_left
            thresholds.append((place, sign[0] == ">", limits, indices))
        values = {
            value: _Level(tuple(under.items()), sample)
            if len(under) > NESTED and any(under.values())
            else tuple(under)
            for value, under in self._values.items()
        }
        return tuple(self._everything), tuple(thresholds), values


def _rank(guard: Guard, sample: Mapping[str, object]) -> tuple[bool, bool, int]:
    """Return how little a guard is worth: values split better than thresholds, false ones best."""
    by_value = len(guard) == 1 and guard[0][3] == "=="
    return not by_value, any(_holds(part, sample) for part in guard), len(guard)


def _holds(part: Part, record: Mapping[str, object]) -> bool:
    """Return whether a part is not false."""
    name, kind, is_member, sign, value = part
    found = record.get(name)
    if found.__class__ not in kleene.CLASSES[kind]:
        return True
    return kleene.COMPARISONS[sign](kleene.fold(found) if is_member else found, value) is not False


class _Guards:
    """What keeps a condition from being true, or from being false."""

    def __init__(self, compilation: Compilation) -> None:
        self._compilation = compilation
        self._named: dict[tuple[str, bool], list[Guard]] = {}

    def of(self, node: Node, wanted: bool) -> list[Guard]:
        """Return guards: where no part of one holds, the tree is definitely `not wanted`."""
        op = node.op
        if op in ("and", "or"):
            return (self._any if (op == "and") is wanted else self._all)(list(node.children()), wanted)
        if op == "not":
            return self.of(node.child(0), not wanted)
        if op == "condition":
            name = str(node.args[0]), wanted
            if name not in self._named:
                self._named[name] = self.of(self._compilation.conditions[name[0]], wanted)
            return self._named[name]
        if op == "compare":
            return self._compared(str(node.args[0]), node.child(1), node.child(2), wanted)
        if op in ("is", "is_not"):
            return self._compared("==" if op == "is" else "!=", node.child(0), node.child(1), wanted)
        if op == "between":
            return self._between(node, wanted)
        if op in ("in", "not_in"):
            return self._member(node) if wanted is (op == "in") else []
        if op == "fact":
            return self._part(node, "==", wanted)
        if op == "consecutive" and wanted and node.child(1).op != "window":
            return self.of(node.child(0), True)  # the iteration itself is one of them
        return []

    def _any(self, nodes: Sequence[Node], wanted: bool) -> list[Guard]:
        found = [guard for node in nodes for guard in self.of(node, wanted)]
        return found[:GUARDS]

    def _all(self, nodes: Sequence[Node], wanted: bool) -> list[Guard]:
        """Return one guard of the parts of each: every one of the nodes has to come out so."""
        whole: Guard = ()
        for node in nodes:
            guards = self.of(node, wanted)
            if not guards or len(whole) > PARTS:
                return []
            whole += min(guards, key=lambda guard: (len(guard), any(part[3] != "==" for part in guard)))
        return [whole]

    def _between(self, node: Node, wanted: bool) -> list[Guard]:
        value, low, high = node.children()
        over = self._compared(">=", value, low, wanted)
        under = self._compared("<=", value, high, wanted)
        if wanted:
            return [*over, *under]
        return [over[0] + under[0]] if over and under else []

    def _compared(self, sign: str, left: Node, right: Node, wanted: bool) -> list[Guard]:
        constant, value = self._compilation.constant(right)
        return self._part(left, sign if wanted else _OPPOSITE[sign], value) if constant else []

    def _member(self, node: Node) -> list[Guard]:
        left, right = node.children()
        if right.op != "list" or left.type is None or left.type.kind in _NUMBERS:
            return []
        whole: Guard = ()
        for child in right.children():
            found = self._compared("==", left, child, True)
            if not found or len(whole) > PARTS:
                return []
            whole += found[0]
        return [whole] if whole else []

    def _part(self, left: Node, sign: str, value: object) -> list[Guard]:
        """Return the guard of one comparison; none of what has no order or table here."""
        if left.op != "fact" or left.type is None:
            return []
        kind = left.type.kind
        if kind == "bool" and sign == "!=" and isinstance(value, bool):
            sign, value = "==", not value
        if kind in _NUMBERS:
            fits = isinstance(value, int | float) and is_finite(value)
        else:
            fits = isinstance(value, str | bool)
        if sign not in _SIGNS or not fits or kind not in kleene.CLASSES or kind == "list":
            return []
        if kind not in _NUMBERS and sign != "==":
            return []
        return [((str(left.args[0]), kind, kleene.holds_members(left.type), sign, value),)]
