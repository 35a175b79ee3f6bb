"""
Where conditions are true, kept from one change of a policy to the next.

A condition is known by its tree, the named conditions and the values of parameters in it. It is asked once
for each different tuple of values of the facts it reads, over as many iterations as it reads back: not once
for each iteration of each run.
"""

from __future__ import annotations

from itertools import repeat
from weakref import WeakKeyDictionary

from exitgate.core.engine.record import Record, unread_facts
from exitgate.core.language.evaluation.closures import Compilation
from exitgate.core.language.measure import facts_of, lookback, parameters_of, reachable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from exitgate.core.language.evaluation.closures import Closure, Records, Series
    from exitgate.core.language.tree import Node
    from exitgate.core.policy.compiled import CompiledPolicy
    from exitgate.recordings.incremental.records import Run

    #: Iterations in which a condition is true, and in which it is false: a bit for each, the first lowest.
    Sides = tuple[int, int]


class KeptValues(Compilation):
    """
    Conditions that look back, asked of one iteration after the other: windows overlap.

    What a form needs of each record by itself is found once for a record, and not for each window it is in.
    """

    __slots__ = ()

    #: Records whose values are kept: those of a window, and of runs as long as most.
    MOST = 1024

    def alone(self, value: Closure) -> Series:
        """Return the values, at the last records, of a tree that reads each record by itself."""
        # A record is known by its identity as long as it is kept here: nothing else can have that then.
        kept: dict[int, tuple[object, object]] = {}

        def values(records: Records, n: int) -> list[object]:
            if len(kept) > self.MOST:
                kept.clear()
            found = []
            for record in records[-n:]:
                pair = kept.get(id(record))
                if pair is None:
                    pair = kept[id(record)] = record, value((record,))
                found.append(pair[1])
            return found

        return values

    def remembered(self, node: Node, value: Closure) -> Series:
        """Return the values, at the last records, of a tree that reads earlier records, too."""
        back = lookback(node, self.parameters, self.conditions)
        # What a tree sees is from one record to another; both are known by their identity, as above.
        kept: dict[tuple[int, int], tuple[object, object, object]] = {}

        def values(records: Records, n: int) -> list[object]:
            if len(kept) > self.MOST:
                kept.clear()
            found, size = [], len(records)
            for at in range(max(0, size - n), size):
                first, last = max(0, at - back), records[at]
                key = id(records[first]), id(last)
                known = kept.get(key)
                if known is None:
                    known = kept[key] = records[first], last, value(records[first : at + 1])
                found.append(known[2])
            return found

        return values


#: In the place of records that no condition looks at any more.
NOTHING = Record({})

#: Forms of which it is enough to know where their parts are true and where they are false.
_JOINING = ("and", "or", "not", "condition", "consecutive")


class Condition:
    """
    A condition, and where it is true and false.

    Args:
        when: Its tree.
        policy: In which it is asked.
    """

    def __init__(self, when: Node, policy: CompiledPolicy) -> None:
        self.names = tuple(sorted(facts_of(when, policy.conditions)))
        self.back = lookback(when, policy.values(), policy.conditions)
        #: Whether it asks for silence: then every fact counts.
        self.of_all = any("silence" in tree.uses() for tree in _trees(when, policy))
        self._known: WeakKeyDictionary[Run, Sides] = WeakKeyDictionary()

    def true_in(self, run: Run) -> int:
        """Return a bit for each iteration of a run in which the condition is true for certain."""
        return self.sides(run)[0]

    def sides(self, run: Run) -> Sides:
        """Return a bit for each iteration in which it is true for certain, and likewise false."""
        if run.origin is not None and not self.of_all and run.own.isdisjoint(self.names):
            run = run.origin
        found = self._known.get(run)
        if found is None:
            found = self._known[run] = self._found(run)
        return found

    def at(self, run: Run, at: int, begins: int) -> bool | None:
        """
        Return whether it is true in an iteration, None for unknown, of a history that begins with another.

        Both are counted from 0. The condition does not ask for silence.
        """
        raise NotImplementedError

    def _found(self, run: Run) -> Sides:
        raise NotImplementedError


class Leaf(Condition):
    """A condition that is asked: once for each different tuple of values that it reads."""

    def __init__(self, when: Node, policy: CompiledPolicy, compilation: Compilation) -> None:
        super().__init__(when, policy)
        self._answers: dict[Hashable, bool | None] = {}
        self._test = compilation.closure(when)

    def at(self, run: Run, at: int, begins: int) -> bool | None:
        """Return whether it is true in an iteration, as `Condition.at` says."""
        window = range(max(0, at - self.back, begins), at + 1)
        columns = [run.numbers(name) for name in self.names]
        rows = [tuple([c if isinstance(c, int) else c[n] for c in columns]) for n in window]
        key: Hashable = tuple(rows) if self.back else rows[0]
        if key not in self._answers:
            read = run.reader(self.names)
            self._answers[key] = self._ask([Record(read(n)) for n in window])
        return self._answers[key]

    def _ask(self, records: Sequence[Record]) -> bool | None:
        found = self._test(records)
        return found if isinstance(found, bool) else None

    def _found(self, run: Run) -> Sides:
        count = run.records.length
        if self.of_all:
            return self._of_all_facts(run)
        columns = [run.numbers(name) for name in self.names]
        still = all(isinstance(column, int) for column in columns)
        if still and not self.back and count:
            answer, every = self.at(run, 0, 0), (1 << count) - 1
            return every if answer else 0, every if answer is False else 0
        if still:
            rows: Sequence[tuple[object, ...]] = [tuple(columns)] * count
        else:
            rows = list(zip(*[repeat(c, count) if isinstance(c, int) else c for c in columns], strict=True))
        answers, back, true, false = self._answers, self.back, 0, 0
        records: list[Record] = []
        read = run.reader(self.names)
        for at, row in enumerate(rows):
            first = max(0, at - back)
            key: Hashable = tuple(rows[first : at + 1]) if back else row
            if key in answers:
                answer = answers[key]
            else:
                done = max(first, len(records))
                records += [NOTHING] * (first - len(records))
                records += [Record(read(n)) for n in range(done, at + 1)]
                answer = answers[key] = self._ask(records[first:])
            if answer:
                true |= 1 << at
            elif answer is False:
                false |= 1 << at
        return true, false

    def _of_all_facts(self, run: Run) -> Sides:
        records, true, false = [run.whole(at) for at in range(run.records.length)], 0, 0
        for at in range(len(records)):
            answer = self._ask(records[max(0, at - self.back) : at + 1])
            true |= (answer is True) << at
            false |= (answer is False) << at
        return true, false


class Joined(Condition):
    """A condition whose answers follow from those of its parts: no record is looked at."""

    def __init__(self, when: Node, policy: CompiledPolicy, parts: Sequence[Condition], times: int) -> None:
        super().__init__(when, policy)
        self._op = when.op
        self._parts = parts
        self._times = times

    def at(self, run: Run, at: int, begins: int) -> bool | None:
        """Return whether it is true in an iteration, as `Condition.at` says."""
        if self._op == "consecutive":
            if at - begins + 1 < self._times:
                return False
            return _all([self._parts[0].at(run, at - back, begins) for back in range(self._times)])
        values = [part.at(run, at, begins) for part in self._parts]
        if self._op == "not":
            return None if values[0] is None else not values[0]
        if self._op == "or":
            denied = _all([None if value is None else not value for value in values])
            return None if denied is None else not denied
        return _all(values)

    def _found(self, run: Run) -> Sides:
        every = (1 << run.records.length) - 1
        sides = [part.sides(run) for part in self._parts]
        true, false = sides[0]
        if self._op == "not":
            return false, true
        if self._op == "consecutive":
            held, broken, times = true, false, min(self._times, run.records.length + 1)
            for back in range(1, times):
                true, false = true & held << back, false | broken << back
            early = (1 << min(self._times - 1, run.records.length)) - 1
            return true & ~early & every, (false | early) & every
        for other, its in sides[1:]:
            true, false = (true | other, false & its) if self._op == "or" else (true & other, false | its)
        return true, false


def _all(values: Sequence[bool | None]) -> bool | None:
    if False in values:
        return False
    return None if None in values else True


def _trees(when: Node, policy: CompiledPolicy) -> list[Node]:
    return [when, *(policy.conditions[name] for name in reachable(when, policy.conditions))]


class Truths:
    """
    Answers of conditions over runs, all of which rest on the same facts.

    They are kept for as many conditions as `MOST`; those asked longest ago go first.
    """

    #: Conditions, and parts of them, whose answers are kept.
    MOST = 6_000

    def __init__(self) -> None:
        self._known: dict[Hashable, Condition] = {}

    def of(self, trees: Sequence[Node], policy: CompiledPolicy) -> tuple[Condition, ...]:
        """Return conditions of a policy, those that are new compiled."""
        values = policy.values()
        compilation = KeptValues(values, policy.conditions, unread_facts(policy))
        asked: dict[Hashable, Condition] = {}

        def condition(tree: Node) -> Condition:
            key = _key(tree, policy, values)
            found = asked.get(key)
            if found is None:
                found = self._known.pop(key, None) or made(tree)
                asked[key] = found
            return found

        def made(tree: Node) -> Condition:
            if tree.op not in _JOINING or (tree.op == "consecutive" and tree.child(1).op == "window"):
                return Leaf(tree, policy, compilation)
            times = 0
            children = list(tree.children())
            if tree.op == "condition":
                children = [policy.conditions[str(tree.args[0])]]
            elif tree.op == "consecutive":
                times = compilation.steps(children.pop())
            return Joined(tree, policy, [condition(child) for child in children], times)

        found = [condition(tree) for tree in trees]
        self._known |= asked
        while len(self._known) > max(self.MOST, len(asked)):
            del self._known[next(iter(self._known))]
        return tuple(found)


def _key(when: Node, policy: CompiledPolicy, values: dict[str, object]) -> Hashable:
    """Return what the answers of a condition hang on, beside facts."""
    named = sorted(reachable(when, policy.conditions))
    own = sorted(parameters_of(when, policy.conditions))
    return (
        when,
        tuple((name, policy.conditions[name]) for name in named),
        tuple((name, values[name].__class__, values[name]) for name in own),
    )
