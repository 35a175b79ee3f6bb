"""What all conditions of a question share: the iterations, the facts of each, and what is known of them."""

from __future__ import annotations

from functools import partial
from time import monotonic

import z3

from exitgate.analysis.solver.terms import Truth, both, either, negated, some, z3_of
from exitgate.analysis.space.dependencies import fields_of_blocks
from exitgate.analysis.space.domains import TEXTS, closed, comparisons_of
from exitgate.analysis.space.lists import listed, made, parts
from exitgate.analysis.space.texts.partition import partition
from exitgate.analysis.space.texts.predicates import IS, LENGTH, asks
from exitgate.core.language.evaluation import kleene
from exitgate.core.language.evaluation.kleene import fold

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any

    from exitgate.analysis.solver.encode import Encoder
    from exitgate.analysis.solver.terms import Flag
    from exitgate.analysis.space.texts.partition import Partition, Way
    from exitgate.analysis.space.texts.predicates import Predicates, TextPredicate
    from exitgate.core.language.tree import Node
    from exitgate.core.policy.compiled import CompiledPolicy

    Tests = tuple[TextPredicate, ...]


class TooLateError(Exception):
    """The time for a question is over while it is written out."""


class Context:
    """
    The iterations of a run and what holds of them.

    Iterations are counted back from the last one, which is 0. Where the length of the run is part of the
    question, `there(n)` says whether iteration n belongs to it.

    Args:
        policies: Those asked about.
        trees: Every tree that is written out; they name what texts can be.
        length: Iterations of the longest run.
        until: When to give up, on the clock of `time.monotonic`.
        fixed: Whether every run has that length.
        looks: Whether the last iteration may be a look before the next one, in which none ended.

    What is not exact is told apart: `loose` names the operations for which a formula may allow more than
    the engine does, and while `strict` is assumed it allows less instead, as far as that can be said.
    """

    def __init__(
        self,
        policies: Sequence[CompiledPolicy],
        trees: Sequence[Node],
        length: int,
        until: float,
        fixed: bool = False,
        looks: bool = False,
    ) -> None:
        self.length = length
        #: Whether the last iteration is a look before the next one.
        self.look: Flag = z3.Bool("look") if looks else False
        self._left_over: Flag = None
        self.atoms = Symbols(policies, trees)
        self.strict = z3.Bool("strict")
        self.constraints: list[Any] = []
        self.loose: dict[str, None] = {}
        self.fixed = fixed
        self._until = until
        self._names = 0
        self.texts = Texts(policies, trees, self)
        self._there: list[Flag] = [True] * length
        if not fixed:
            self._there[1:] = [z3.Bool(f"there@{n}") for n in range(1, length)]
            for newer, older in zip(self._there[1:], self._there[2:], strict=False):
                self.constraints.append(z3.Implies(older, newer))

    def there(self, at: int) -> Flag:
        """Return whether the run has an iteration `at` before the last one."""
        return self._there[at] if at < self.length else False

    def ended(self, at: int) -> Flag:
        """
        Return whether iteration `at` ended since the decision before it: else progress is unknown.

        A look before the next iteration did not. The first one of a run did not where all that it reads was
        left behind by an earlier run: an example has none of that.
        """
        if self._left_over is None:
            self._left_over = z3.Bool("left over")
            self.add_strictly(z3.Not(self._left_over))
            self.note("what an earlier run left behind")
        first = both(self.there(at), negated(self.there(at + 1)))
        return negated(either(both(self.look, at == 0), both(first, self._left_over)))

    def back(self, at: int, count: int) -> range:
        """Return the `count` iterations up to `at` that a run can have, newest first."""
        return range(at, min(at + count, self.length))

    def fresh(self, stem: str, sort: str) -> Any:
        """Return a new variable; `sort` is Bool, Int or Real."""
        self._names += 1
        return getattr(z3, sort)(f"{stem}#{self._names}")

    def add(self, formula: Flag) -> None:
        """Demand a formula of every run."""
        if formula is not True:
            self.constraints.append(formula if formula is not False else z3.BoolVal(False))

    def add_strictly(self, formula: Flag) -> None:
        """Demand a formula where only what the engine is sure to do is wanted."""
        if formula is not True:
            self.constraints.append(
                z3.Or(negated(self.strict), z3.BoolVal(False) if formula is False else formula)
            )

    def note(self, reason: str) -> None:
        """Tell that an operation is not written out exactly."""
        self.loose[reason] = None

    def in_time(self) -> None:
        """Raise `TooLateError` when the time is over."""
        if monotonic() > self._until:
            raise TooLateError


# One table of all members, texts, signatures and lists that conditions name: each is a number.

#: Texts and lists up to this length are among those that a `length` is measured on.
_LONGEST, _LONGEST_LIST = 300, 12
#: More than a policy can name.
_BEYOND = 1_000_000


class Symbols:
    """
    The table.

    Numbers below `size` stand for what is in it, larger ones for texts, signatures and lists that no
    condition names: all that is known of them is whether two are the same.
    """

    def __init__(self, policies: Iterable[CompiledPolicy], trees: Iterable[Node]) -> None:
        self._numbers: dict[object, int] = {}
        self._kinds: dict[str, list[int]] = {"text": [], "list": [], "signature": [], "enum": []}
        for text in TEXTS:
            self.add(text, "text")
            self.add(text, "signature")
        for items in ((), TEXTS[:1], TEXTS):
            self.add(items, "list")
        policies = tuple(policies)
        for policy in policies:
            for parameter in policy.parameters.values():
                self._add_value(parameter.value)
            stand_ins = [value for _, fields in fields_of_blocks(policy) for value in fields.values()]
            for stand_in in (*policy.unreadable.values(), *stand_ins):
                self._add_value(stand_in)
        trees = tuple(trees)
        for part in (part for tree in trees for part in tree.walk() if listed(part) is not None):
            values, _ = parts([part], partial(closed, policy=policies[0]))
            if all(isinstance(value, str) for value in values):
                for chosen in made(values):
                    self.add(chosen, "list")
        for length in _lengths(policies, trees):
            self.add(TEXTS[0] * length, "text")
            if length <= _LONGEST_LIST:
                self.add(TEXTS[:1] * length, "list")
        for kind, value in _named(trees):
            self.add(value, kind)
            if kind == "text":
                self.add(str(value).lower(), kind)
                self.add((value,), "list")

    def add(self, value: object, kind: str) -> int:
        """Return the number of a value, which is put in the table if it does not exist."""
        number = self._numbers.setdefault(value, len(self._numbers))
        if number not in self._kinds[kind]:
            self._kinds[kind].append(number)
        return number

    @property
    def size(self) -> int:
        """Numbers from this one on stand for what is not in the table."""
        return _BEYOND

    def candidates(self, kind: str) -> tuple[tuple[int, object], ...]:
        """Return number and value of what the table holds of a kind."""
        values = list(self._numbers)
        return tuple((number, values[number]) for number in self._kinds[kind])

    def value(self, number: int, kind: str) -> object:
        """Return what a number stands for; beyond the table a text, or list, that it does not hold."""
        if number < _BEYOND:
            return list(self._numbers)[number]
        stem = f"other {number - _BEYOND + 1}"
        while stem in self._numbers:
            stem += " more"
        return (stem,) if kind == "list" else stem

    def _add_value(self, value: object) -> None:
        if isinstance(value, str):
            self.add(value, "text")
        elif isinstance(value, tuple | list):
            self.add(fold(tuple(value)), "list")
            self.add(tuple(value), "list")


def _named(trees: Iterable[Node]) -> Iterator[tuple[str, object]]:
    for tree in trees:
        for part in tree.walk():
            if part.op == "text":
                yield "text", part.args[0]
            elif part.op == "enum":
                yield "enum", part.args[0]
            elif part.op == "list" and all(item.op in ("text", "enum") for item in part.children()):
                yield "list", tuple(item.args[0] for item in part.children())


def _lengths(policies: Iterable[CompiledPolicy], trees: Iterable[Node]) -> set[int]:
    """Return lengths around every whole number of the policies, where a length is asked for at all."""
    parts = [part for tree in trees for part in tree.walk()]
    if not any(part.op == "call" and part.args[0] == "length" for part in parts):
        return set()
    found: list[object] = [part.args[0] for part in parts if part.op == "number"]
    found += [parameter.value for policy in policies for parameter in policy.parameters.values()]
    whole = [int(value) for value in found if isinstance(value, int | float) and 0 <= value <= _LONGEST]
    return {max(0, value + step) for value in whole for step in (-1, 0, 1)}


# What tests of a text say of it: by the part of all texts that it is in.
#
# Every text of the table is in the part that the engine puts it in. One beyond the table is in some part
# that has more than one text, where the parts are known to be all. So nothing is left open: a test is true
# in some parts and false in the others.

_FLIPPED = {">=": "<=", "<=": ">=", ">": "<", "<": ">"}


class Parts:
    """The parts of one group of facts: a number for each, and a function of texts to them."""

    def __init__(self, found: Partition, name: str) -> None:
        self.found = found
        self.of = z3.Function(f"part {name}", z3.IntSort(), z3.IntSort())
        self._numbers: dict[Way, int] = {}
        self._placed: set[int] = set()
        for way in found.parts:
            self.number(way)

    def number(self, way: Way) -> int:
        """Return the number of a part."""
        return self._numbers.setdefault(way, len(self._numbers))

    def way(self, number: int) -> Way:
        """Return the part with a number."""
        return list(self._numbers)[number]

    def place(self, atoms: Symbols, world: Context) -> None:
        """Put every text of the table that is new into its part."""
        for number, value in atoms.candidates("text"):
            if number not in self._placed:
                self._placed.add(number)
                world.add(self.of(number) == self.number(self.found.way(str(value))))

    def passing(self, text: Any, wanted: Callable[[Way], bool]) -> Flag:
        """Return whether a text is in a part that is wanted."""
        return some(self.of(text) == number for way, number in self._numbers.items() if wanted(way))

    def open(self) -> list[int]:
        """Return the parts in which there is more than one text."""
        found = partition(self.found.tests, 2)
        return [self.number(way) for way, texts in found.parts.items() if len(texts) > 1]


class Texts:
    """The parts of every fact that is a text, in all conditions of a world."""

    def __init__(self, policies: Sequence[CompiledPolicy], trees: Sequence[Node], world: Context) -> None:
        from exitgate.analysis.space.domains import trees as own_trees

        self._world = world
        own = {id(tree) for policy in policies for tree in own_trees(policy)}
        self._meetings = comparisons_of(tuple(policies), tuple(tree for tree in trees if id(tree) not in own))
        self._parts: dict[Tests, Parts] = {}
        self._written: dict[tuple[Tests, int], str] = {}
        for policy in policies:
            for name, spec in policy.facts.items():
                if spec.type.kind == "text":
                    for text in self._meetings.texts(name).texts():
                        world.atoms.add(text, "text")

    def limit(self, name: str, variable: Any) -> Flag:
        """Return what a fact of that name that is beyond the table must be."""
        parts = self._of(name)
        if parts is None:
            return True
        parts.place(self._world.atoms, self._world)
        return some(parts.of(variable) == number for number in parts.open())

    def tested(self, encoder: Encoder, node: Node, at: int) -> Truth | None:
        """Return a test of a text by parts; None for other nodes, and where the parts are not all."""
        found = asks(node, lambda one: closed(one, encoder.policy))
        if found is None or found.listed or any(one.name == found.name for one in encoder.policy.derived):
            return None
        parts, text = self._of(found.name), _tested_text(found)
        if parts is None or text is None:
            return None
        item = encoder.item(text, at)
        parts.place(self._world.atoms, self._world)
        places = [parts.found.tests.index(test) for test in found.tests]
        passes = _passes(node, found)
        yes = parts.passing(z3_of(item.number), lambda way: passes([way[place] for place in places]))
        return Truth(both(item.known, yes), both(item.known, negated(yes)))

    def is_partitioned(self, name: str) -> bool:
        """Return whether a fact of that name is known by the part it is in."""
        return self._of(name) is not None

    def written(self, name: str, number: int, part: Callable[[Any], int]) -> str | None:
        """
        Return a text for a number beyond the table.

        None where its part has no further one, or nothing is asked of the fact.

        `part` gives the value of a term in the model.
        """
        parts = self._of(name)
        if parts is None:
            return None
        tests = parts.found.tests
        if (tests, number) not in self._written:
            held = {value for _, value in self._world.atoms.candidates("text")}
            held |= {text for (other, _), text in self._written.items() if other == tests}
            way = parts.way(part(parts.of(number)))
            found = (partition(tests, count).parts.get(way, ()) for count in (4, 16, len(held) + 1))
            new = next((text for some_texts in found for text in some_texts if text not in held), None)
            if new is None:
                return None
            self._written[tests, number] = new
        return self._written[tests, number]

    def _of(self, name: str) -> Parts | None:
        """Return the parts of a fact; None where nothing is asked of it, or they are not known to be all."""
        found = self._meetings.texts(name)
        if not found.tests or not found.whole:
            return None
        if found.tests not in self._parts:
            self._parts[found.tests] = Parts(found, str(len(self._parts)))
        return self._parts[found.tests]


def _tested_text(found: Predicates) -> Node | None:
    """Return the text that is tested, of which the lower case or the length may be asked at the top only."""
    _, subject, *below = found.nodes
    if subject.op == "call":
        subject = below.pop(0)
    elif all(test.kind == IS for test in found.tests):
        return None  # which text it is says its number
    return None if any(node.op == "call" for node in (subject, *below)) else subject


def _passes(node: Node, found: Predicates) -> Callable[[Sequence[int]], bool]:
    """Return what says by the outcomes of its tests whether a node holds."""
    if found.tests[0].kind != LENGTH:
        if node.op in ("not_in", "is_not") or (node.op == "compare" and node.args[0] == "!="):
            return lambda outcomes: not any(outcomes)
        return any
    if node.op == "between":
        return lambda outcomes: outcomes[0] >= 0 >= outcomes[1]
    if node.op in ("in", "not_in"):
        wanted = node.op == "in"
        return lambda outcomes: (0 in outcomes) is wanted
    sign = str(node.args[0]) if node.op == "compare" else "==" if node.op == "is" else "!="
    turned = next(iter(list(node.children())[::-1])) is found.nodes[1]
    test = kleene.COMPARISONS[_FLIPPED.get(sign, sign) if turned else sign]
    return lambda outcomes: bool(test(outcomes[0], 0))
