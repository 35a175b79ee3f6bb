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
from exitgate.recordings.incremental.records import value_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from exitgate.core.language.evaluation.closures import Closure, Records, Series
    from exitgate.core.language.tree import Node
    from exitgate.core.policy.compiled import CompiledPolicy
    from exitgate.recordings.incremental.records import Run


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

    def remembered(self, _node: Node, value: Closure) -> Series:
        """Return the values, at the last records, of a tree that reads earlier records, too."""
        back = lookback(_node, self.parameters, self.conditions)
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


class Condition:
    """A condition, what it reads, and its answers so far."""

    def __init__(self, when: Node, policy: CompiledPolicy, compilation: Compilation) -> None:
        self.names = tuple(sorted(facts_of(when, policy.conditions)))
        self.back = lookback(when, policy.values(), policy.conditions)
        #: Whether it asks for silence: then every fact counts.
        self.of_all = any("silence" in tree.uses() for tree in _trees(when, policy))
        self.answers: dict[Hashable, bool] = {}
        #: Run -> a bit for each iteration in which it is true; of all its history, or of the breaker's.
        self.bits: WeakKeyDictionary[Run, int] = WeakKeyDictionary()
        self.bits_apart: WeakKeyDictionary[Run, int] = WeakKeyDictionary()
        self._ask: Callable[[Sequence[Record]], object] = compilation.closure(when)

    def true_in(self, run: Run, apart: bool = False) -> int:
        """
        Return a bit for each iteration in which the condition is true for certain.

        Args:
            run: The run.
            apart: Whether only the history of the breaker counts.
        """
        known = self.bits_apart if apart else self.bits
        found = known.get(run)
        if found is None:
            found = known[run] = self._of_all_facts(run, apart) if self.of_all else self._found(run, apart)
        return found

    def _found(self, run: Run, apart: bool) -> int:
        columns = [run.numbers(name) for name in self.names]
        count = run.records.length
        if all(isinstance(column, int) for column in columns):
            rows: Sequence[tuple[object, ...]] = [tuple(columns)] * count
        else:
            rows = list(zip(*[repeat(c, count) if isinstance(c, int) else c for c in columns], strict=True))
        answers, back, found = self.answers, self.back, 0
        records: list[Record] = []
        read = run.reader(self.names)
        for at, row in enumerate(rows):
            first = self._first(run, at, apart)
            key: Hashable = tuple(rows[first : at + 1]) if back else row
            answer = answers.get(key)
            if answer is None:
                done = max(first, len(records))
                records += [NOTHING] * (first - len(records))
                records += [Record(read(n)) for n in range(done, at + 1)]
                answer = answers[key] = self._ask(records[first:]) is True
            if answer:
                found |= 1 << at
        return found

    def _first(self, run: Run, at: int, apart: bool) -> int:
        """Return the first iteration that counts for one, both counted from 0."""
        own = value_at(run.records.since, at) if apart else 0
        assert isinstance(own, int)
        return max(0, at - self.back, own)

    def _of_all_facts(self, run: Run, apart: bool) -> int:
        records, found = [run.whole(at) for at in range(run.records.length)], 0
        for at in range(len(records)):
            if self._ask(records[self._first(run, at, apart) : at + 1]) is True:
                found |= 1 << at
        return found


def _trees(when: Node, policy: CompiledPolicy) -> list[Node]:
    return [when, *(policy.conditions[name] for name in reachable(when, policy.conditions))]


class Truths:
    """
    Answers of conditions over runs, all of which rest on the same facts.

    They are kept for as many conditions as `MOST`; those asked longest ago go first.
    """

    #: Conditions whose answers are kept.
    MOST = 2_000

    def __init__(self) -> None:
        self._known: dict[Hashable, Condition] = {}

    def of(self, trees: Sequence[Node], policy: CompiledPolicy) -> tuple[Condition, ...]:
        """Return conditions of a policy, those that are new compiled."""
        values = policy.values()
        compilation = KeptValues(values, policy.conditions, unread_facts(policy))
        found = []
        for tree in trees:
            key = _key(tree, policy, values)
            condition = self._known.pop(key, None)
            if condition is None:
                condition = Condition(tree, policy, compilation)
            self._known[key] = condition
            found.append(condition)
        while len(self._known) > max(self.MOST, len(trees)):
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
