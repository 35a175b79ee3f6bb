"""One test of a text that a condition makes."""

from __future__ import annotations

from functools import lru_cache

from exitgate.analysis.space.texts.automata import Contains, Found, Is
from exitgate.analysis.space.texts.regex import read
from exitgate.core.language.evaluation.kleene import searcher
from exitgate.core.language.tree import Node
from exitgate.core.model.value import Value, is_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from exitgate.analysis.space.texts.automata import Automaton

    #: Returns the value of a node that reads no fact, else None.
    Closed = Callable[[Node], object]


MATCHES, CONTAINS, IS, LENGTH = "matches", "contains", "is", "length"


class TextPredicate(Value):
    """
    One test.

    Args:
        kind: ``matches`` (a pattern), ``contains`` or ``is`` (a text), or ``length`` (against a number).
        against: The pattern, text or number; of a list that is a whole, the list.
        lowered: Whether it is the lower case of the text that is tested.
    """

    __slots__ = ("against", "kind", "lowered")

    def __init__(self, kind: str, against: str | float | tuple[str, ...], lowered: bool = False) -> None:
        self.kind = kind
        self.against = against
        self.lowered = lowered

    def outcome(self, text: str) -> int:
        """
        Return how the test comes out for a text, on the engine itself.

        Whether it passes, 1 or 0; of a length whether it is less, the same or more: -1, 0 or 1.
        """
        if self.kind == LENGTH:
            return self.compared(len(text))
        read, against = text.lower() if self.lowered else text, str(self.against)
        if self.kind == MATCHES:
            return int(searcher(against)(read))
        return int(against in read if self.kind == CONTAINS else against == read)

    def compared(self, length: float) -> int:
        """Return how a length comes out against that of the test: less, the same or more is -1, 0 or 1."""
        assert isinstance(self.against, int | float)
        return (length > self.against) - (length < self.against)

    def machine(self) -> Automaton:
        """
        Return the test, which is not one of a length, as a machine.

        Raises:
            UnreadError, TooLargeError: It is a pattern for which there is none.
        """
        return _machine(self.kind, str(self.against))


@lru_cache(maxsize=64)
def _machine(kind: str, against: str) -> Automaton:
    """Return the machine of a test, the same one for the same test: it remembers where letters led to."""
    if kind == MATCHES:
        return Found(read(against))
    return Contains(against) if kind == CONTAINS else Is(against)


# Which tests of texts, and of lists of them, the conditions of a policy make.


class Predicates(Value):
    """
    What one node asks of one fact.

    Args:
        name: The fact.
        tests: Tests of it, a text; how the node comes out rests on them alone. Of a list each is `IS` for a
            whole list, `CONTAINS` for an item, or `LENGTH`.
        nodes: The node, and those between it and the fact.
    """

    __slots__ = ("listed", "name", "nodes", "tests")

    def __init__(
        self, name: str, tests: tuple[TextPredicate, ...], nodes: tuple[Node, ...], listed: bool
    ) -> None:
        self.name = name
        self.tests = tests
        self.nodes = nodes
        self.listed = listed


def predicates_of(tree: Node, closed: Closed) -> Iterator[Predicates]:
    """Yield what each node of a tree asks of one fact that is a text or a list of texts."""
    for node in tree.walk():
        found = asks(node, closed)
        if found is not None:
            yield found


def asks(node: Node, closed: Closed) -> Predicates | None:
    """Return what a node asks of one fact that is a text or a list of texts, or None."""
    made = _FORMS.get(node.op)
    return made(node, closed) if made is not None else None


class _Subject(Value):
    """What is tested: a fact, whether its lower case or its length, and the nodes down to it."""

    __slots__ = ("length", "listed", "lowered", "name", "nodes")

    def __init__(self, name: str, listed: bool, nodes: tuple[Node, ...], lowered: bool, length: bool) -> None:
        self.name = name
        self.listed = listed
        self.nodes = nodes
        self.lowered = lowered
        self.length = length

    def asked(self, node: Node, tests: list[TextPredicate]) -> Predicates:
        return Predicates(self.name, tuple(tests), (node, *self.nodes), self.listed)


def _subject(node: object, closed: Closed) -> _Subject | None:
    nodes: list[Node] = []
    lowered = length = False
    while isinstance(node, Node):
        nodes.append(node)
        if node.op == "fact":
            kind = node.type.kind if node.type is not None else ""
            if kind not in ("text", "list") or (lowered and length):
                return None
            return _Subject(str(node.args[0]), kind == "list", tuple(nodes), lowered, length)
        if node.op == "call" and node.args[0] == "lower":
            lowered = True
            node = node.args[1]
        elif node.op == "call" and node.args[0] == "length" and len(nodes) == 1:
            length = True
            node = node.args[1]
        elif node.op == "previous" or (node.op == "or_else" and closed(node.args[1]) is not None):  # type: ignore[arg-type]
            node = node.args[0]
        else:
            return None
    return None


def _matches(node: Node, closed: Closed) -> Predicates | None:
    subject = _subject(node.args[0], closed)
    if subject is None or subject.length or subject.listed:
        return None
    return subject.asked(node, [TextPredicate(MATCHES, str(node.args[1]), subject.lowered)])


def _contains(node: Node, closed: Closed) -> Predicates | None:
    whole, part = node.children()
    return _held(node, _subject(whole, closed), closed(part))


def _held(node: Node, subject: _Subject | None, part: object) -> Predicates | None:
    if subject is None or subject.length or not isinstance(part, str):
        return None
    return subject.asked(node, [TextPredicate(CONTAINS, part, subject.lowered)])


def _equal(node: Node, closed: Closed) -> Predicates | None:
    left, right = node.children()
    for one, other in ((left, right), (right, left)):
        subject, value = _subject(one, closed), closed(other)
        if subject is not None and value is not None:
            return _is_one_of(node, subject, [value])
    return None


def _between(node: Node, closed: Closed) -> Predicates | None:
    value, *ends = node.children()
    subject, numbers = _subject(value, closed), [closed(end) for end in ends]
    if subject is None or not subject.length:
        return None
    return _is_one_of(node, subject, numbers)


def _in(node: Node, closed: Closed) -> Predicates | None:
    left, right = node.children()
    item = closed(left)
    if item is not None:
        subject = _subject(right, closed)
        return _held(node, subject, item) if subject is not None and subject.listed else None
    subject = _subject(left, closed)
    choices = [closed(child) for child in right.children()] if right.op == "list" else closed(right)
    if subject is None or not isinstance(choices, list | tuple):
        return None
    return _is_one_of(node, subject, list(choices))


def _is_one_of(node: Node, subject: _Subject, values: list[object]) -> Predicates | None:
    """Return tests whether the subject is one of some values; of a length how it compares with each."""
    tests = []
    for value in values:
        if subject.length and is_number(value):
            tests.append(TextPredicate(LENGTH, value))
        elif subject.length:
            return None
        elif (
            subject.listed and isinstance(value, list | tuple) and all(isinstance(one, str) for one in value)
        ):
            tests.append(TextPredicate(IS, tuple(value)))
        elif not subject.listed and isinstance(value, str):
            tests.append(TextPredicate(IS, value, subject.lowered))
        else:
            return None
    return subject.asked(node, tests)


_FORMS: dict[str, Callable[[Node, Closed], Predicates | None]] = {
    "matches": _matches,
    "contains": _contains,
    "compare": _equal,
    "between": _between,
    "in": _in,
    "not_in": _in,
    "is": _equal,
    "is_not": _equal,
}
