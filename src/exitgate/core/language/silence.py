"""
Whether a condition can be true without any response.

`or else` gives a default to what is unknown. In a rule that exits, a default that makes the
condition true turns silence into an exit, which a policy must not do without saying so
(`on_silence: exit`).

What `exits_on_silence` finds, with parameters at their values and every fact of every iteration
unknown, but for those computed from others, which have the values they then come to:

1. The whole condition is definitely true at the end of some run, of any length and with any times
   (`exitgate.core.language.silent_runs`). The `or else`, `is known`, `is unknown`, `nothing is known`,
   computed fact or history form without which it would not be is returned; the first of them where no
   single one decides. For a rule that completes a run, counts of the run, the clock, the breaker and git
   have any value, too.
2. A test that holds an `or else`, or a computed fact that rests on one, comes out so that it helps
   the condition to be true: true where the test counts as it is, false where it is negated. A test is
   what `and`, `or`, `not`, `for N consecutive`, `any`, `all`, `at least` and `at most` join; named
   conditions are looked into.

So `(signal or else true) and tasks.percent >= 70%`, `(errors.count or else 0) < 5` and
`not (questions.asked or else false)` are found, `(signal or else false) and @plan_done` and
`(confidence or else 0%) >= 70%` are not. `run.iterations > 5 and signal is unknown` is not found
either: it asks for silence in so many words and for something more. What is not seen: a default
that only helps together with another fact, as in `(errors.count or else 0) < tasks.total`.

A computed fact matters because points are known even when nothing is: `score < 30%` is true then.
"""

from __future__ import annotations

from operator import is_

from exitgate.core.language.evaluation.closures import Compilation
from exitgate.core.language.functions import HISTORY
from exitgate.core.language.measure import lookback, reachable
from exitgate.core.language.silent_runs import GIVEN, Trial, with_clock
from exitgate.core.language.tree import Node
from exitgate.core.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from exitgate.core.language.evaluation.closures import Closure, Records


#: Operations that are true the more, the more what they join is true.
_JOINING = ("and", "or", "not", "consecutive", "quantified")

#: Operations that are known when nothing is.
_DEFINITE = ("or_else", "known", "unknown", "silence")

#: In place of the value of a fact that has none in silence.
_NOT_COMPUTED = ...

#: Operations that may be known while there is too little history.
_WAITING = HISTORY


class _Made(Value):
    """What was compiled for a silence, and written out; it is not a part of its value."""

    __slots__ = ("_compilation", "_of", "_written")
    _compilation: Compilation | None
    _of: Mapping[str, Node]
    _written: dict[int, tuple[Node, str]]


class _Silent(dict[str, object]):
    """What is known of an iteration in which nothing was said: `nothing is known` passes over all of it."""

    __slots__ = ()

    @property
    def stand_ins(self) -> frozenset[str]:
        """All its facts."""
        return frozenset(self)


class Moving(Value):
    """A computed fact that is not the same in every iteration of a silent run: its trees, and its value."""

    __slots__ = ("name", "trees", "value")

    def __init__(self, name: str, trees: tuple[Node, ...], value: Callable[[Records], object]) -> None:
        self.name = name
        self.trees = trees
        self.value = value


class Silence(_Made):
    """
    What is known when nothing is.

    Args:
        values: Values of facts that are computed from others, where they are not unknown.
        defaulted: Names of computed facts that rest on an `or else`.
        moving: Computed facts that may have another value in each iteration, each after those it uses.
        given: Names of facts of progress that may be known in silence, since one of their signals is.
    """

    __slots__ = ("defaulted", "given", "moving", "values")

    def __init__(
        self,
        values: Mapping[str, object],
        defaulted: Collection[str],
        moving: tuple[Moving, ...] = (),
        given: Collection[str] = (),
    ) -> None:
        self.values = values
        self.defaulted = defaulted
        self.moving = moving
        self.given = given
        self._compilation = None
        self._of = {}
        self._written = {}

    def evaluator(
        self, node: Node, parameters: Mapping[str, object], conditions: Mapping[str, Node]
    ) -> Closure:
        """Return the evaluator of a tree; rules asked one after the other share those of their conditions."""
        made = self._compilation
        if made is None or self._of is not conditions or made.parameters != parameters:
            unread = {*self.values, *self.given, *(fact.name for fact in self.moving)}
            clocked = {name: with_clock(tree) for name, tree in conditions.items()}
            made = self._compilation = Compilation(parameters, clocked, unread)
            self._of = conditions
        return made.recorded(with_clock(node))

    def written(self, node: Node) -> str:
        """Return a tree as a text, types and all, which is made once."""
        kept = self._written.get(id(node))
        if kept is None:
            kept = self._written[id(node)] = node, repr(node.to_json())
        return kept[1]

    def truth(self, node: Node, parameters: Mapping[str, object], conditions: Mapping[str, Node]) -> object:
        """Return what a tree comes to with all the history it reads, while no clock is known."""
        iterations = lookback(node, parameters, conditions) + 1
        return self.evaluator(node, parameters, conditions)([self.values] * iterations)

    def holds(
        self, node: Node, parameters: Mapping[str, object], conditions: Mapping[str, Node], named: bool
    ) -> bool:
        """Return whether a tree is definitely true in some silent run; `named` as for `Trial`."""
        trees = list(_trees(node, conditions))
        longest = lookback(node, parameters, conditions) + 1
        needed: list[Moving] = []
        for fact in reversed(self.moving):
            if any(fact.name in tree.uses().get("fact", ()) for tree in trees):
                needed.insert(0, fact)
                trees += [each for tree in fact.trees for each in _trees(tree, conditions)]
                longest += max(lookback(tree, parameters, conditions) for tree in fact.trees)
        definite = {*self.values, *(fact.name for fact in self.moving)}
        trial = Trial(trees, longest, parameters, definite, named, self.given)
        test = self.evaluator(node, parameters, conditions)
        before: list[tuple[Mapping[str, object], Mapping[str, object]]] = []
        return trial.holds(lambda run: test(self._complete(run, needed, before)), bool(needed))

    def _complete(
        self,
        run: Sequence[Mapping[str, object]],
        needed: Sequence[Moving],
        before: list[tuple[Mapping[str, object], Mapping[str, object]]],
    ) -> Records:
        """
        Return a run with the computed facts of each iteration that are read.

        `before` holds the iterations of the run completed last, with their records: most runs begin like it.
        """
        same = 0
        for own, (known, _) in zip(run, before, strict=False):
            if own != known:
                break
            same += 1
        del before[same:]
        records: list[Mapping[str, object]] = [record for _, record in before]
        for own in run[same:]:
            record = _Silent({**self.values, **own})
            records.append(record)
            for fact in needed:
                record[fact.name] = fact.value(records)
            before.append((own, record))
        return records


class Known:
    """What was found out in other processes, by a text of all that an answer depends on."""

    def is_quiet(self, asked: str) -> bool:
        """Return whether it was found that a condition is not true without any response."""
        raise NotImplementedError

    def note_quiet(self, asked: str) -> None:
        """Take note of that."""
        raise NotImplementedError


#: Where no facts are computed.
NOTHING = Silence({}, frozenset())


def exits_on_silence(
    node: Node,
    parameters: Mapping[str, object],
    conditions: Mapping[str, Node],
    silence: Silence = NOTHING,
    completes: bool = False,
    known: Known | None = None,
) -> Node | None:
    """
    Return the part of a checked condition that makes it true on silence, or None.

    Args:
        node: The checked condition of a rule that exits.
        parameters: Effective values by name.
        conditions: Checked named conditions by name, without circles.
        silence: What computed facts come to when nothing else is known.
        completes: Whether the rule exits as `complete`. Then no count of the run, no clock and nothing that
            git says is enough.
        known: What was found out before.

    Returns:
        A node of `node` itself: an `or else`, `is known`, `is unknown` or `nothing is known`, a
        computed fact, a history form, the test that holds the `or else`, or the `@name` by way of
        which it comes in; one of the facts that silence does not hide.
    """
    trees = tuple(_trees(node, conditions))
    basis = _basis(trees, parameters, silence, completes)
    if basis is None:
        return _exits(node, parameters, conditions, silence, completes)
    if hasattr(node, "silent"):  # a policy is compiled again, under other values of other parameters
        before, those, found = node.silent
        if before == basis and len(those) == len(trees) - 1 and all(map(is_, those, trees[1:])):
            return found
    asked = ""
    if known is not None:
        names = repr(list(reachable(node, conditions)))
        asked = "\n".join([repr(basis), names, *map(silence.written, trees)])
    if known is not None and known.is_quiet(asked):
        found = None
    else:
        found = _exits(node, parameters, conditions, silence, completes)
        if found is None and known is not None:
            known.note_quiet(asked)
    node.silent = basis, trees[1:], found
    return found


def _basis(
    trees: Sequence[Node], parameters: Mapping[str, object], silence: Silence, completes: bool
) -> tuple[object, ...] | None:
    """
    Return all that an answer depends on beside the trees; None where it cannot be compared.

    What a moving fact comes to, each compilation works out anew; `nothing is known` asks about all facts.
    """
    facts = dict.fromkeys(name for tree in trees for name in tree.uses().get("fact", ()))
    if any(one.name in facts for one in silence.moving) or any("silence" in tree.uses() for tree in trees):
        return None
    return (
        completes,
        [parameters[name] for tree in trees for name in tree.uses().get("parameter", ())],
        [(silence.values.get(name, _NOT_COMPUTED), name in silence.defaulted, name in silence.given)
         for name in facts],
    )  # fmt: skip


def _exits(
    node: Node,
    parameters: Mapping[str, object],
    conditions: Mapping[str, Node],
    silence: Silence,
    completes: bool,
) -> Node | None:
    """Return what `exits_on_silence` returns."""

    def truth(tree: Node) -> bool:
        return silence.holds(tree, parameters, conditions, completes)

    if truth(node):
        return _decisive(node, conditions, silence, truth, completes)
    for test, negated, place in _tests(node, False, None, conditions, set()):
        if not any(_rests_on_default(tree, silence) for tree in _trees(test, conditions)):
            continue
        found = silence.truth(test, parameters, conditions)
        if found is (not negated) and not _stays(test, found, parameters, conditions, silence):
            return place or next((part for part in test.walk() if _is_default(part, silence)), test)
    return None


def _decisive(
    node: Node,
    conditions: Mapping[str, Node],
    silence: Silence,
    truth: Callable[[Node], bool],
    completes: bool,
) -> Node | None:
    """Return the part without which the condition would not be true on silence."""
    parts = [part for part in node.walk() if _is_definite(part, silence)]
    parts += [part for part in node.walk() if part.op in _WAITING]
    parts += [part for part in node.walk() if completes and _is_given(part, silence)]
    for part in parts:
        without = part.child(0) if part.op == "or_else" else Node("fact", ("",), type=part.type)
        if not truth(_replaced(node, part, without)):
            return part
    if parts:
        return parts[0]
    for part in node.walk():
        if part.op == "condition" and any(
            _is_definite(inner, silence) or inner.op in _WAITING or (completes and _is_given(inner, silence))
            for tree in _trees(part, conditions)
            for inner in tree.walk()
        ):
            return part
    return node if completes else None


def _is_given(part: Node, silence: Silence) -> bool:
    """Return whether a part is a fact that silence does not hide."""
    return part.op == "fact" and (str(part.args[0]).startswith(GIVEN) or part.args[0] in silence.given)


def _is_definite(part: Node, silence: Silence) -> bool:
    """Return whether a part may be known when nothing is."""
    return (
        part.op in _DEFINITE
        or _is_fact(part, silence.values)
        or _is_fact(part, [fact.name for fact in silence.moving])
    )


def _is_default(part: Node, silence: Silence) -> bool:
    return part.op == "or_else" or _is_fact(part, silence.defaulted)


def _is_fact(part: Node, names: Collection[str]) -> bool:
    return part.op == "fact" and part.args[0] in names


def _stays(
    test: Node,
    truth: object,
    parameters: Mapping[str, object],
    conditions: Mapping[str, Node],
    silence: Silence,
) -> bool:
    """Return whether a test comes out the same without the defaults in it, as far as they are its own."""
    without = _without_defaults(test)
    if any(_rests_on_default(tree, silence) for tree in _trees(without, conditions)):
        return False
    return silence.truth(without, parameters, conditions) is truth


def _without_defaults(node: Node) -> Node:
    """Return the tree with the first side of every `or else` in place of it."""
    if node.op == "or_else":
        return _without_defaults(next(node.children()))
    return node.mapped(_without_defaults)


def _replaced(node: Node, old: Node, new: Node) -> Node:
    """Return the tree with the very node `old` replaced by `new`."""
    if node is old:
        return new
    return node.mapped(lambda child: _replaced(child, old, new))


def _tests(
    node: Node,
    negated: bool,
    place: Node | None,
    conditions: Mapping[str, Node],
    seen: set[tuple[str, bool]],
) -> Iterator[tuple[Node, bool, Node | None]]:
    """
    Yield each test, whether it is negated, and the `@name` it comes in by, if any.

    `seen` holds the named conditions that were looked into, and whether they were negated: once is enough.
    """
    if node.op == "condition":
        name = str(node.args[0])
        tree = conditions.get(name)
        if tree is not None and (name, negated) not in seen:
            seen.add((name, negated))
            yield from _tests(tree, negated, place or node, conditions, seen)
    elif node.op in _JOINING:
        flips = node.op == "not" or node.args[:1] == ("at_most",)
        *_, last = parts = tuple(node.children())
        for part in (last,) if node.op == "quantified" else parts[:1] if node.op == "consecutive" else parts:
            yield from _tests(part, negated != flips, place, conditions, seen)
    else:
        yield node, negated, place


def _trees(node: Node, conditions: Mapping[str, Node]) -> Iterator[Node]:
    """Yield the tree and those of every named condition it uses."""
    yield node
    for name in reachable(node, conditions):
        yield conditions[name]


def _rests_on_default(node: Node, silence: Silence) -> bool:
    """Return whether some part of the tree is one for `_is_default`."""
    uses = node.uses()
    return "or_else" in uses or any(name in silence.defaulted for name in uses.get("fact", ()))
