"""
Runs in which nothing is said, as a condition that must not exit on silence is tried with them.

What such a run has all the same is its own course: so many iterations, at some times. The clock behind
`last 45m` is known, or no form over a time would ever be definite. So a condition is tried in runs of every
length that can matter to it, with iterations within its times and before them, young runs and old ones. The
clock and other facts that silence does not hide are known to a condition that *names* them only if that is
asked for: a budget on `run.iterations` is to end a silent run.

Values are tried from the numbers and texts of the condition. Between two of them nothing changes; what is
calculated from several facts may change elsewhere, and is not found there.
"""

from __future__ import annotations

from itertools import pairwise

from exitgate.core.language.evaluation.kleene import UNREAD_GROUPS
from exitgate.core.language.functions import CAP, HISTORY, HISTORY_OPS, ON_UNKNOWN, WINDOW_LIMIT
from exitgate.core.language.measure import is_timed
from exitgate.core.language.tree import ELAPSED, Node
from exitgate.core.model.value import is_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from exitgate.core.model.value import Type

    Record = dict[str, object]
    Records = list[Record]
    Test = Callable[[Records], object]


#: Groups of facts that are known although the agent says nothing: the clock, the run's own counts, git.
GIVEN = (*UNREAD_GROUPS, "git.")
#: The clock of windows, apart from the fact of that name which a condition may read.
CLOCK = "clock.of windows"
ITERATIONS = "run.iterations"

#: Every length of a run up to this is tried; of longer ones those that numbers of the condition name.
DENSE = 60
#: Runs that one condition is tried with at most.
TRIES = 2000
#: The same where computed facts are worked out anew in each: that costs a hundred times as much.
TRIES_COMPUTED = 40
_FAR = 10**9
_COMPARING = ("compare", "is", "is_not", "in", "not_in", "between", "contains", "matches")
#: Operations that may be known when nothing is.
_KNOWN = frozenset(("or_else", "known", "unknown", "silence", "after", "bool"))


def with_clock(node: Node) -> Node:
    """Return the tree with the clocks of its windows named `CLOCK`."""
    if "window" not in node.uses():
        return node
    changed = node.mapped(with_clock)
    clock = node.optional(1) if node.op == "window" else None
    if clock is None:
        return changed
    size, _, key = changed.args
    named = Node("fact", (CLOCK,), clock.start, clock.end, clock.type)
    return Node(node.op, (size, named, key), node.start, node.end, node.type)


class Trial:
    """
    What a condition is tried with.

    Args:
        trees: The condition, the named conditions and the computed facts that it uses.
        longest: Iterations that it can read.
        parameters: Effective values by name.
        definite: Names of facts that have a value when nothing is known.
        named: Whether facts that silence does not hide are known to a condition that names them.
        given: Names of such facts beside those in `GIVEN`.
    """

    __slots__ = ("_clocks", "_facts", "_lengths", "_named", "_prunes", "_wholes", "_windows")

    def __init__(
        self,
        trees: Sequence[Node],
        longest: int,
        parameters: Mapping[str, object],
        definite: Collection[str],
        named: bool,
        given: Collection[str] = (),
    ) -> None:
        parts = [part for tree in trees for part in tree.walk()]
        numbers, texts = _constants(parts, parameters)
        windows = [part for part in parts if part.op == "window"]
        of_windows = {id(window.args[1]) for window in windows}
        keys = {id(window.args[2]) for window in windows}
        asked = [
            part
            for part in parts
            if part.op == "fact"
            and id(part) not in of_windows
            and (named or id(part) in keys)
            and (str(part.args[0]).startswith(GIVEN) or part.args[0] in given)
        ]
        counts = [part for part in parts if part.type is not None and part.type.kind in ("count", "number")]
        self._named = named and bool(asked)
        self._facts = {
            str(part.args[0]): _pool(part.type, numbers, texts)
            for part in asked
            if part.args[0] not in (ELAPSED, ITERATIONS)
        }
        self._clocks = numbers if any(part.args[0] == ELAPSED for part in asked) else []
        self._windows = sorted({_size(window, parameters) for window in windows if is_timed(window)})
        self._wholes = {n for n in _constants(counts, parameters)[0] if 0 <= n <= DENSE}
        if any(part.op in HISTORY_OPS and part.args[-1] is None and part.op != "previous" for part in parts):
            self._wholes.add(CAP)
        self._prunes = not any(part.op in ON_UNKNOWN for part in parts)
        # of unknown values a form is the more definite, the less history it has: one iteration is enough
        quiet = not asked and not any(_is_definite(part, definite) or _nests(part) for part in parts)
        self._lengths = self._some(longest, numbers, quiet)

    def _some(self, longest: int, numbers: list[float], quiet: bool) -> list[int]:
        """Return the lengths of a run that can matter, the shortest first."""
        if self._windows:
            longest = int(max(self._wholes, default=0)) + 2
        if self._named:
            longest = max(longest, *(int(n) + 2 for n in numbers if n <= WINDOW_LIMIT), 1)
        if quiet:
            return sorted({1, longest})
        whole = {int(n) for n in numbers if 0 < n <= longest}
        sums = {a + b + step for a in (0, *whole) for b in (0, *whole) for step in (-1, 0, 1)}
        return sorted({*range(1, min(longest, DENSE) + 1), *(n for n in sums if 0 < n <= longest), longest})

    def runs(self) -> Iterator[Records]:
        """Yield the course of each run: what is known of its iterations beside other facts, oldest first."""
        for length in self._lengths:
            yield [{ITERATIONS: number} if self._named else {} for number in range(1, length + 1)]
            for ages in self._ages(length):
                for begun in self._begun(ages[0]):
                    times = [begun + ages[0] - age for age in ages]
                    yield [self._at(number, time) for number, time in enumerate(times, 1)]

    def _at(self, number: int, time: float) -> Record:
        return {CLOCK: time, ELAPSED: time, ITERATIONS: number} if self._named else {CLOCK: time}

    def _ages(self, length: int) -> Iterator[list[float]]:
        """Yield how long ago each iteration ended, oldest first: within the shorter times, or before them."""
        if not self._windows and not self._clocks:
            return
        yield [0.0] * length
        beyond = [a + (b - a) / 2 for a, b in pairwise([*self._windows, _FAR])]
        steps = [0.0, *beyond]
        for first in range(1, length):
            for near in steps[1:]:
                yield [near] * (length - first) + [0.0] * first
            for second in range(1, first if len(beyond) > 1 else 0):
                for near, far in pairwise(beyond):
                    yield [far] * (length - first) + [near] * (first - second) + [0.0] * second

    def _begun(self, oldest: float) -> list[float]:
        """Return how old the run is when its first iteration ends: young, old, or as old as is asked for."""
        asked = [at + step - oldest for at in self._clocks for step in (-1, 0, 1)]
        return sorted({0.0, *(w + 1 for w in self._windows[-1:]), *(at for at in asked if at > 0)})

    def holds(self, test: Test, computed: bool = False) -> bool:
        """Return whether a condition is definitely true at the end of some run that is tried."""
        left = [TRIES_COMPUTED if computed else TRIES]
        for run in self.runs():
            if self._search(test, run, [*self._facts], left):
                return True
            if not left[0]:
                break
        return False

    def _search(self, test: Test, run: Records, names: list[str], left: list[int]) -> bool:
        """Return whether it is true with some values of the facts of `names`, which stay, rise or fall."""
        if not left[0]:
            return False
        left[0] -= 1
        truth = test(run)
        if truth is True or not names:
            return truth is True
        if truth is False and self._prunes:
            return False
        name, *others = names
        return any(
            self._search(
                test, [{**one, name: value} for one, value in zip(run, values, strict=True)], others, left
            )
            for values in _courses(self._facts[name], len(run))
        ) or self._search(test, run, others, left)


def _courses(pool: list[object], length: int) -> Iterator[list[object]]:
    """Yield the same value all the time, for each of a pool, and numbers that rise and fall."""
    for value in pool:
        yield [value] * length
    if length > 1 and pool and pool[0].__class__ is int:
        yield list(range(length))
        yield list(range(_FAR + length, _FAR, -1))


def _is_definite(part: Node, definite: Collection[str]) -> bool:
    if part.op in _KNOWN or (part.op == "fact" and part.args[0] in definite):
        return True
    return part.op in _COMPARING and {"fact", "condition", "item"}.isdisjoint(part.uses())


def _nests(part: Node) -> bool:
    """Return whether a form looks back at what looks back itself, or may do so by a named condition."""
    if part.op not in HISTORY:
        return False
    return any(not HISTORY.isdisjoint(arg.uses()) or "condition" in arg.uses() for arg in part.children())


def _constants(parts: Sequence[Node], parameters: Mapping[str, object]) -> tuple[list[float], list[str]]:
    found: list[object] = []
    for part in parts:
        if part.op in ("number", "percent", "money", "duration", "text", "enum"):
            found.append(part.args[0])
        elif part.op == "parameter":
            value = parameters[str(part.args[0])]
            found += value if isinstance(value, tuple | list) else (value,)
    numbers = {value for value in found if is_number(value)}
    return sorted(numbers), sorted({value for value in found if isinstance(value, str)})


def _pool(type_: Type | None, numbers: list[float], texts: list[str]) -> list[object]:
    """Return values of a type between which the answers of a condition change."""
    kind = type_.kind if type_ is not None else ""
    if kind == "bool":
        return [True, False]
    if kind == "enum":
        return list(type_.members)  # type: ignore[union-attr]
    if kind in ("text", "signature"):
        return ["", *texts]
    if kind == "list":
        return [(), *((text,) for text in texts)]
    near = {int(n) + step for n in numbers for step in (-1, 0, 1)} | {n for n in numbers if kind != "count"}
    return [0, *sorted(n for n in near if n > 0), _FAR]


def _size(window: Node, parameters: Mapping[str, object]) -> float:
    size = window.child(0)
    value = parameters[str(size.args[0])] if size.op == "parameter" else size.args[0]
    assert isinstance(value, int | float)
    return value
