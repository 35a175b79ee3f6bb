"""Values worth trying for each fact of a policy: around every constant it meets, at its ends, unknown."""

from __future__ import annotations

from functools import lru_cache, partial
from itertools import pairwise
from math import ceil, floor

from exitgate.analysis.space import lists as lists_module
from exitgate.analysis.space.lists import lists
from exitgate.analysis.space.silence import another_voice
from exitgate.analysis.space.texts.partition import partition
from exitgate.analysis.space.texts.predicates import IS, TextPredicate, predicates_of
from exitgate.core.language import functions
from exitgate.core.language.evaluation.closures import compile_node
from exitgate.core.language.measure import facts_of
from exitgate.core.model.display import is_finite
from exitgate.core.model.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from exitgate.analysis.space.texts.partition import Partition
    from exitgate.core.language.tree import Node
    from exitgate.core.model.fact import FactSpec
    from exitgate.core.policy.compiled import CompiledPolicy

    #: Kind and value of a constant.
    Constant = tuple[str, object]


Domains = dict[str, tuple[object, ...]]

UNKNOWN = Unknown("sampled as unknown", "invariant")
NUMBERS = frozenset(functions.NUMERIC)
#: Operations of a part that has no value by itself.
_READING = frozenset(("after", "fact", "condition", "silence"))
TEXTS = ("a", "b")
#: More of them where it matters how many there are, and numbers where it matters how far they lie apart.
MORE_TEXTS, APART = ("a", "b", "c"), (2, 3, 10, 100)


def trees(policy: CompiledPolicy) -> tuple[Node, ...]:
    """Return every condition and formula of the policy, those of invariants included."""
    rows = (row.when for fact in policy.derived for row in fact.rows)
    formulas = (fact.formula for fact in policy.derived if fact.formula is not None)
    whens = (rule.when for rule in policy.rules)
    givens = (invariant.given for invariant in policy.invariants)
    return (*whens, *rows, *formulas, *givens, *policy.conditions.values())


def domains(policy: CompiledPolicy, *others: CompiledPolicy, extra: tuple[Node, ...] = ()) -> Domains:
    """
    Return candidates for each fact that a condition of the policy names, computed facts left out.

    For a number: t - 1, t and t + 1 for each constant or parameter t that a comparison compares it
    with, or a fact that it is compared with in turn, 0, 1 and the ends of its range; the middle of two
    constants that lie close together. The first candidate is the simplest value, the last is `UNKNOWN`.
    Where a condition asks whether nothing is known, one fact that no condition names is among them: it may
    be what is known. With `others` they are candidates for all policies at once; a fact that has another
    type there has those of both. `extra` are further conditions on the first one.
    """
    policies = (policy, *others)
    found: dict[str, dict[tuple[type, object], None]] = {}
    meetings = comparisons_of(policies, extra)
    read = [(one, (*trees(one), *(extra if one is policy else ()))) for one in policies]
    for one, all_trees in read:
        names = {name for tree in all_trees for name in facts_of(tree, one.conditions)}
        names |= {signal for fact in one.derived for signal in fact.signals}
        names -= {fact.name for fact in one.derived}
        if any("silence" in tree.uses() for tree in all_trees):
            names |= another_voice(one, names)
        for name in names:
            candidates = _candidates(one.facts[name], meetings, name)
            found[name] = found.get(name, {}) | dict.fromkeys((type(c), c) for c in candidates)
    return {name: (*(value for _, value in found[name]), UNKNOWN) for name in sorted(found)}


def _candidates(spec: FactSpec, meetings: Comparisons, name: str) -> tuple[object, ...]:
    kind, met = spec.type.kind, meetings.of(name)
    measured = meetings.is_measured(name)
    if kind in NUMBERS:
        return _numbers(spec, met, measured, meetings.compares_identity(name))
    if kind == "list":
        return _lists(spec, meetings, name)
    if kind == "bool":
        return (False, True)
    if kind == "enum":
        return spec.type.members
    texts = meetings.texts(name).texts() if kind == "text" else [str(v) for k, v in met if k == "text"]
    return tuple(dict.fromkeys([*(MORE_TEXTS if measured else TEXTS), *texts]))


def _lists(spec: FactSpec, meetings: Comparisons, name: str) -> tuple[object, ...]:
    """Return lists of texts that matter; of lists of other items the empty one and those that are met."""
    item = spec.type.item
    of_items = meetings.lists_of_items(name)[0]
    if item is None or item.kind not in ("text", "signature"):
        met = (value for _, value in meetings.of(name) if isinstance(value, tuple))
        return tuple(dict.fromkeys(((), *met, *of_items)))
    most = MORE_TEXTS if meetings.is_measured(name) else TEXTS
    named = ((str(value),) for kind, value in meetings.of(name) if kind == "text")
    return tuple(dict.fromkeys([(), TEXTS[:1], TEXTS, most, *named, *meetings.lists(name)[0], *of_items]))


def _numbers(spec: FactSpec, met: tuple[Constant, ...], measured: bool, apart: bool) -> tuple[object, ...]:
    """
    Return the points on, beside and between the constants that a number meets, and its ends.

    There are two of them between two constants where it matters whether a value is the same as another.
    """
    kind = spec.type.kind
    whole = kind == "count"
    constants = [v for k, v in met if isinstance(v, int | float) and _meets(kind, k) and is_finite(v)]
    points: dict[object, None] = {0: None, 1: None}
    steps = (1, 2) if apart and whole else (1, 0.5) if apart else (1,)
    for value in (*constants, *([0] if apart else [])):
        low, high = (floor(value), ceil(value)) if whole else (value, value)
        points |= dict.fromkeys((low - 1, low, high, high + 1))
        points |= dict.fromkeys(point for step in steps for point in (low - step, high + step))
    if not whole:
        for a, b in pairwise(sorted({*constants, *(e for e in (spec.low, spec.high) if e is not None)})):
            if b - a <= 1:
                points |= dict.fromkeys(((a + b) / 2,) if not apart else ((2 * a + b) / 3, (a + 2 * b) / 3))
    points |= dict.fromkeys(end for end in (spec.low, spec.high) if end is not None)
    points |= dict.fromkeys(APART if measured else ())
    return tuple(p for p in points if _within(p, spec, kind))


def _meets(kind: str, other: str) -> bool:
    """Return whether a number of one kind can be compared with a constant of the other."""
    return kind == other or (kind in NUMBERS and other in ("number", "count"))


def _within(point: object, spec: FactSpec, kind: str) -> bool:
    assert isinstance(point, int | float)
    if kind == "count" and (point < 0 or point != int(point)):
        return False
    low = 0 if kind in ("percent", "duration") and spec.low is None else spec.low
    high = 100 if kind == "percent" and spec.high is None else spec.high
    return (low is None or low <= point) and (high is None or point <= high)


# Which constants a condition compares which facts with.

#: Operations that compare facts with constants, or against each other.
COMPARING = frozenset((
    "compare", "is", "is_not", "in", "not_in", "between", "contains", "matches",
))  # fmt: skip
#: Operations whose answer depends on how far values lie apart, or on how many different ones there are.
MEASURING = functions.MEASURING | {
    "declined", "rose", "call", "add", "sub", "mul", "div", "neg", "window",
}  # fmt: skip
#: Facts compared with each other for which there are enough texts in each part of them.
MOST_ALIKE = 5
#: Operations whose answer depends on how many different values there are.
_COUNTING = functions.COUNTING & functions.MEASURING


class Comparisons:
    """
    The constants that each fact meets, in all conditions of some policies.

    Facts that are compared with each other, or computed from each other, meet the constants of all of
    them. A closed expression, `$a + 2`, is one constant.
    """

    def __init__(self) -> None:
        self._leader: dict[str, str] = {}
        self._met: dict[str, dict[Constant, None]] = {}
        self._measured: set[str] = set()
        self._told_apart: set[str] = set()
        self._counted: set[str] = set()
        self._tests: dict[str, dict[TextPredicate, None]] = {}
        #: List -> the conditions on its items, and the policy of each.
        self._on_items: dict[str, list[tuple[Node, CompiledPolicy]]] = {}
        #: Lists that are read as a whole.
        self._read_whole: set[str] = set()
        self._computed: set[str] = set()
        self._of_leaders: _OfLeaders | None = None

    def copied(self) -> Comparisons:
        """Return a copy, to which more can be added."""
        made = Comparisons()
        made._leader = dict(self._leader)
        made._met = {name: dict(met) for name, met in self._met.items()}
        made._measured, made._told_apart = set(self._measured), set(self._told_apart)
        made._counted, made._computed = set(self._counted), set(self._computed)
        made._tests = {name: dict(tests) for name, tests in self._tests.items()}
        made._on_items = {name: list(asked) for name, asked in self._on_items.items()}
        made._read_whole = set(self._read_whole)
        return made

    def add(self, policy: CompiledPolicy, trees: Iterable[Node]) -> None:
        """Add what the conditions and formulas `trees` of a policy compare with each other."""
        self._of_leaders = None
        self._computed |= {fact.name for fact in policy.derived}
        for tree in trees:
            for one in predicates_of(tree, lambda node: closed(node, policy)):
                self._tests.setdefault(one.name, {}).update(dict.fromkeys(one.tests))
            for part in tree.walk():
                if part.op in COMPARING or part.op in MEASURING:
                    self._read(part, policy)
                if (listed := lists_module.listed(part)) is not None:
                    self._on_items.setdefault(str(listed.args[0]), []).append((part, policy))
                self._read_whole.update(lists_module.read_whole(part))
                names = _facts(part)
                telling = part.op in functions.TELLING_APART or (part.op in COMPARING and len(names) > 1)
                if names and telling:
                    self._told_apart.add(names[0])

    def join_computed(self, policy: CompiledPolicy) -> None:
        """Have facts that are computed from each other meet the constants of all of them."""
        self._of_leaders = None
        for fact in policy.derived:
            self._read_whole.update(fact.signals)
            if fact.formula is not None:
                self._join([fact.name, *_facts(fact.formula)])

    def of(self, name: str) -> tuple[Constant, ...]:
        """Return the constants that the fact meets."""
        return tuple(self._grouped().met.get(self._found(name), ()))

    def is_measured(self, name: str) -> bool:
        """Return whether it matters how far apart its values lie."""
        return self._found(name) in self._grouped().measured

    def compares_identity(self, name: str) -> bool:
        """Return whether it matters if two values of it, or of facts it is compared with, are the same."""
        return self._found(name) in self._grouped().told_apart

    def _grouped(self) -> _OfLeaders:
        """Return what was read by leader, gathered once after the last reading."""
        if self._of_leaders is None:
            found = self._of_leaders = _OfLeaders()
            for name, met in self._met.items():
                found.met.setdefault(self._found(name), []).extend(met)
            found.measured.update(map(self._found, self._measured))
            found.told_apart.update(map(self._found, self._told_apart))
        return self._of_leaders

    def texts(self, name: str) -> Partition:
        """
        Return the texts that a fact can be, parted by all that is asked of it.

        More of each part where it matters whether two of them are the same, or how many there are.
        """
        same = self._alike(name)
        each = 1 if not self.compares_identity(name) else max(2, len(same))
        each = max(each, 3) if any(one in self._counted for one in same) else each
        tests = dict.fromkeys(test for one in same for test in self._tests.get(one, ()) if _is_of_text(test))
        named = {test.against for test in tests}
        met = (value for kind, value in self.of(name) if kind == "text" and value not in named)
        return partition((*tests, *(TextPredicate(IS, str(value)) for value in met)), min(each, MOST_ALIKE))

    def lists(self, name: str) -> tuple[tuple[tuple[str, ...], ...], bool]:
        """Return the lists that a fact can be, by what is asked of it, and whether no others matter."""
        tests = dict.fromkeys(test for one in self._alike(name) for test in self._tests.get(one, ()))
        named = (TextPredicate(IS, tuple(value)) for kind, value in self.of(name) if kind == "list")  # type: ignore[arg-type]
        return lists((*tests, *named))

    def lists_of_items(self, name: str) -> tuple[tuple[tuple[object, ...], ...], bool]:
        """Return lists that a fact can be by what is asked of their items, and whether no others matter."""
        found: dict[tuple[object, ...], None] = {}
        alike = self._alike(name)
        asked_of = [self._on_items[one] for one in alike if one in self._on_items]
        whole = len(asked_of) == len(alike) == 1 and name not in self._read_whole
        for pairs in asked_of:
            nodes, policy = [node for node, _ in pairs], pairs[0][1]
            values, every = lists_module.parts(nodes, partial(closed, policy=policy))
            counted = any(node.op == "count_items" for node in nodes)
            numbers = [int(value) for _, value in self.of(name) if isinstance(value, int | float)]
            found |= dict.fromkeys(lists_module.made(values, numbers if counted else ()))
            same = all(one is policy or one.values() == policy.values() for _, one in pairs)
            # of a list beyond the limit one may be known where another is not
            alone = len(set(nodes)) == 1 and not counted
            whole = whole and every and same and alone and len(values) <= lists_module.MOST_ITEMS
        return tuple(found), whole

    def settled(self, tree: Node, policy: CompiledPolicy) -> set[int]:
        """Return the ids of the nodes of a tree that come out as they do for one of the texts and lists."""
        found: set[int] = set()
        for one in predicates_of(tree, lambda node: closed(node, policy)):
            if one.name not in self._computed and self._is_whole(one.name, one.listed):
                found |= set(map(id, one.nodes))
        for part in tree.walk():
            fact = lists_module.listed(part)
            if fact is not None and self.lists_of_items(str(fact.args[0]))[1]:
                found |= {id(inner) for inner in part.walk()}
        return found

    def _is_whole(self, name: str, listed: bool) -> bool:
        if len(self._alike(name)) > MOST_ALIKE:
            return False
        return self.lists(name)[1] if listed else self.texts(name).whole

    def _alike(self, name: str) -> list[str]:
        """Return the fact and those that it is compared with."""
        leader = self._found(name)
        # in an order that is the same for all of them: what they share is then one and the same
        names = dict.fromkeys((*self._leader, *self._leader.values(), name))
        return [one for one in names if self._found(one) == leader]

    def _read(self, part: Node, policy: CompiledPolicy) -> None:
        names = _facts(part)
        if not names:
            return
        self._join(names)
        if part.op in MEASURING:
            self._measured.add(names[0])
        if part.op in _COUNTING:
            self._counted.add(names[0])
        met = self._met.setdefault(names[0], {})
        met |= dict.fromkeys(_constants(part, policy))

    def _join(self, names: Iterable[str]) -> None:
        first, *others = dict.fromkeys(names)
        for other in others:
            self._leader[self._found(other)] = self._found(first)

    def _found(self, name: str) -> str:
        while (leader := self._leader.get(name, name)) != name:
            name = leader
        return name


class _OfLeaders:
    """Constants and remarks of all facts that share a leader."""

    def __init__(self) -> None:
        self.met: dict[str, list[Constant]] = {}
        self.measured: set[str] = set()
        self.told_apart: set[str] = set()


def _facts(tree: Node) -> list[str]:
    return list(tree.uses().get("fact", ()))


def _constants(tree: Node, policy: CompiledPolicy) -> Iterator[Constant]:
    """Yield the value of every part that reads no fact, of the largest such parts only."""
    for child in tree.children():
        if not _is_closed(child):
            yield from _constants(child, policy)
            continue
        parts = [child] if child.op != "list" else list(child.children())
        for part in parts:
            value = closed(part, policy)
            kind = part.type.kind if part.type is not None else "number"
            if value is not None:
                yield kind, value


def _is_closed(node: Node) -> bool:
    return _READING.isdisjoint(node.uses())


def closed(node: Node, policy: CompiledPolicy) -> object:
    """Return the value of a node that reads no fact; None for another one, or where it is unknown."""
    if node.op == "text":
        return node.args[0]
    if not _is_closed(node):
        return None
    if node.op == "list":
        return tuple(closed(child, policy) for child in node.children())
    value = compile_node(node, policy.values(), policy.conditions)([{}])
    return None if isinstance(value, Unknown) else value


def _is_of_text(test: TextPredicate) -> bool:
    return not isinstance(test.against, tuple)


def comparisons_of(policies: tuple[CompiledPolicy, ...], extra: tuple[Node, ...]) -> Comparisons:
    """Return what some policies, and further conditions on the first one, compare; once for the same ones."""
    return _read(IdentityKey(*policies), IdentityKey(*extra))


@lru_cache(maxsize=8)
def _read(policies: IdentityKey, extra: IdentityKey) -> Comparisons:

    meetings: Comparisons | None = None
    for one in policies.held:
        policy: CompiledPolicy = one  # type: ignore[assignment]
        if meetings is None:
            meetings = _of_one(IdentityKey(policy)).copied()
            meetings.add(policy, extra.held)  # type: ignore[arg-type]
        else:
            meetings.add(policy, trees(policy))
        meetings.join_computed(policy)
    return meetings or Comparisons()


@lru_cache(maxsize=8)
def _of_one(asked: IdentityKey) -> Comparisons:
    """Return what the conditions of a policy compare, to be copied: computed facts are not joined yet."""
    policy: CompiledPolicy
    (policy,) = asked.held  # type: ignore[assignment]
    meetings = Comparisons()
    meetings.add(policy, trees(policy))
    return meetings


# Objects as keys by what they are.


class IdentityKey:
    """Objects as a key by what they are, not by what they hold: their holders keep them alive."""

    def __init__(self, *held: object) -> None:
        self.held = held
        self._ids = tuple(map(id, held))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, IdentityKey) and self._ids == other._ids

    def __hash__(self) -> int:
        return hash(self._ids)
