"""
What tests of a text say of it: by the part of all texts that it is in.

Every text of the table is in the part that the engine puts it in. One beyond the table is in some part
that has more than one text, where the parts are known to be all. So nothing is left open: a test is true in
some parts and false in the others.
"""

from __future__ import annotations

import z3

from exitgate.analysis.solver.flags import both, negated, some
from exitgate.analysis.solver.terms import Truth, z3_of
from exitgate.analysis.space.meetings import closed, meetings_of
from exitgate.analysis.space.texts.asked import asks
from exitgate.analysis.space.texts.partition import partition
from exitgate.analysis.space.texts.text_test import IS, LENGTH
from exitgate.language import kleene

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from exitgate.analysis.solver.atoms import Atoms
    from exitgate.analysis.solver.encode import Encoder
    from exitgate.analysis.solver.flags import Flag
    from exitgate.analysis.solver.world import World
    from exitgate.analysis.space.texts.asked import Asked
    from exitgate.analysis.space.texts.partition import Partition, Way
    from exitgate.analysis.space.texts.text_test import TextTest
    from exitgate.language.tree import Node
    from exitgate.policy.compiled import CompiledPolicy

    Tests = tuple[TextTest, ...]

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

    def place(self, atoms: Atoms, world: World) -> None:
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

    def __init__(self, policies: Sequence[CompiledPolicy], trees: Sequence[Node], world: World) -> None:
        from exitgate.analysis.space.domains import trees as own_trees

        self._world = world
        own = {id(tree) for policy in policies for tree in own_trees(policy)}
        self._meetings = meetings_of(tuple(policies), tuple(tree for tree in trees if id(tree) not in own))
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

    def are_asked(self, name: str) -> bool:
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


def _tested_text(found: Asked) -> Node | None:
    """Return the text that is tested, of which the lower case or the length may be asked at the top only."""
    _, subject, *below = found.nodes
    if subject.op == "call":
        subject = below.pop(0)
    elif all(test.kind == IS for test in found.tests):
        return None  # which text it is says its number
    return None if any(node.op == "call" for node in (subject, *below)) else subject


def _passes(node: Node, found: Asked) -> Callable[[Sequence[int]], bool]:
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
