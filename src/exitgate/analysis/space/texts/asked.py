"""Which tests of texts, and of lists of them, the conditions of a policy make."""

from __future__ import annotations

from exitgate.analysis.space.texts.text_test import CONTAINS, IS, LENGTH, MATCHES, TextTest
from exitgate.language.tree import Node
from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    #: Returns the value of a node that reads no fact, else None.
    Closed = Callable[[Node], object]


class Asked(Value):
    """
    What one node asks of one fact.

    Args:
        name: The fact.
        tests: Tests of it, a text; how the node comes out rests on them alone. Of a list each is `IS` for a
            whole list, `CONTAINS` for an item, or `LENGTH`.
        nodes: The node, and those between it and the fact.
    """

    __slots__ = ("listed", "name", "nodes", "tests")

    def __init__(self, name: str, tests: tuple[TextTest, ...], nodes: tuple[Node, ...], listed: bool) -> None:
        self.name = name
        self.tests = tests
        self.nodes = nodes
        self.listed = listed


def asked(tree: Node, closed: Closed) -> Iterator[Asked]:
    """Yield what each node of a tree asks of one fact that is a text or a list of texts."""
    for node in tree.walk():
        found = asks(node, closed)
        if found is not None:
            yield found


def asks(node: Node, closed: Closed) -> Asked | None:
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

    def asked(self, node: Node, tests: list[TextTest]) -> Asked:
        return Asked(self.name, tuple(tests), (node, *self.nodes), self.listed)


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


def _matches(node: Node, closed: Closed) -> Asked | None:
    subject = _subject(node.args[0], closed)
    if subject is None or subject.length or subject.listed:
        return None
    return subject.asked(node, [TextTest(MATCHES, str(node.args[1]), subject.lowered)])


def _contains(node: Node, closed: Closed) -> Asked | None:
    whole, part = node.children()
    return _held(node, _subject(whole, closed), closed(part))


def _held(node: Node, subject: _Subject | None, part: object) -> Asked | None:
    if subject is None or subject.length or not isinstance(part, str):
        return None
    return subject.asked(node, [TextTest(CONTAINS, part, subject.lowered)])


def _equal(node: Node, closed: Closed) -> Asked | None:
    left, right = node.children()
    for one, other in ((left, right), (right, left)):
        subject, value = _subject(one, closed), closed(other)
        if subject is not None and value is not None:
            return _is_one_of(node, subject, [value])
    return None


def _between(node: Node, closed: Closed) -> Asked | None:
    value, *ends = node.children()
    subject, numbers = _subject(value, closed), [closed(end) for end in ends]
    if subject is None or not subject.length:
        return None
    return _is_one_of(node, subject, numbers)


def _in(node: Node, closed: Closed) -> Asked | None:
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


def _is_one_of(node: Node, subject: _Subject, values: list[object]) -> Asked | None:
    """Return tests whether the subject is one of some values; of a length how it compares with each."""
    tests = []
    for value in values:
        if subject.length and isinstance(value, int | float) and not isinstance(value, bool):
            tests.append(TextTest(LENGTH, value))
        elif subject.length:
            return None
        elif (
            subject.listed and isinstance(value, list | tuple) and all(isinstance(one, str) for one in value)
        ):
            tests.append(TextTest(IS, tuple(value)))
        elif not subject.listed and isinstance(value, str):
            tests.append(TextTest(IS, value, subject.lowered))
        else:
            return None
    return subject.asked(node, tests)


_FORMS: dict[str, Callable[[Node, Closed], Asked | None]] = {
    "matches": _matches,
    "contains": _contains,
    "compare": _equal,
    "between": _between,
    "in": _in,
    "not_in": _in,
    "is": _equal,
    "is_not": _equal,
}
