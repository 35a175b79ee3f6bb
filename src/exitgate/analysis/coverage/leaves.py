"""The leaves of a condition: what is true, false or unknown by itself, and how far back it is asked."""

from __future__ import annotations

from exitgate.language import measure
from exitgate.language.closures import HISTORY
from exitgate.language.functions import ON_ITEMS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from exitgate.language.tree import Node

#: Operations that only join what their children say.
CONNECTIVES = frozenset(("and", "or", "not", "or_else"))
#: Operations that are true, false or unknown wherever they are.
TESTS = frozenset(
    (
        "compare", "is", "is_not", "known", "unknown", "in", "not_in", "between", "contains", "matches",
        "unchanged", "declined", "rose", "repeats", "after", "consecutive", "quantified",
        "silence", "of_items",
    )
)  # fmt: skip
#: Operation -> which of its args are conditions; those of the others are values.
_CONDITIONS = {"consecutive": (0,), "quantified": (3,), "streak": (0, 1), "count": (0,)}
#: Tests that are never unknown themselves: they count iterations, or find a value known or unknown.
_DEFINITE = frozenset(("after", "known", "unknown", "silence"))


def leaves(node: Node, is_condition: bool = True) -> Iterator[Node]:
    """
    Yield the leaves of a tree from left to right, a leaf before those inside it.

    A leaf is every node that says true, false or unknown and is not an `and`, `or`, `not`, `or else`,
    `@condition` or literal: a test, and a bare fact, parameter or history value that is where a
    condition does. The condition inside a history form has leaves of its own. `is_condition` is False
    for a tree that gives another value, such as a formula.
    """
    if node.op in TESTS or (
        is_condition and node.op not in CONNECTIVES and node.op not in ("bool", "condition")
    ):
        yield node
    for child, joins in _children(node, is_condition):
        yield from leaves(child, joins)


def reaches(
    node: Node,
    parameters: Mapping[str, object],
    conditions: Mapping[str, Node],
    is_condition: bool = True,
) -> dict[tuple[str, Node], int]:
    """
    Return how many iterations before the current one each leaf is asked at, at most.

    Keys are the name of the `@condition` that the leaf is in, empty for the tree itself, and the
    leaf. Outside of history forms that is 0. Forms inside one another add up.
    """
    found: dict[tuple[str, Node], int] = {}
    entered: dict[str, int] = {}

    def look(part: Node, name: str, joins: bool, back: int) -> None:
        if part.op == "condition":
            inner = str(part.args[0])
            if entered.get(inner, -1) < back:
                entered[inner] = back
                look(conditions[inner], inner, True, back)
            return
        if part.op in TESTS or (joins and part.op not in CONNECTIVES and part.op != "bool"):
            found[name, part] = max(back, found.get((name, part), 0))
        below = back + (measure.reach(part, parameters) if part.op in HISTORY else 0)
        for child, joined in _children(part, joins):
            look(child, name, joined, below)
        if part.op in ON_ITEMS:
            *_, on_item = part.children()
            for one in on_item.walk():
                if one.op == "condition":
                    look(one, name, True, below)  # it says the same of every item

    look(node, "", is_condition, 0)
    return found


def may_be_unknown(leaf: Node, always_known: frozenset[str], conditions: Mapping[str, Node]) -> bool:
    """Return False for a leaf that no facts can make unknown; `always_known` are facts that never are."""
    if leaf.op in _DEFINITE:
        return False
    return bool(measure.facts_of(leaf, conditions) - always_known) or any(
        part.op == "div" for part in leaf.walk()
    )


def _children(node: Node, is_condition: bool) -> Iterator[tuple[Node, bool]]:
    """Yield each child with whether it is used as a condition; one on items is not asked by itself."""
    args = node.args[:-1] if node.op in ON_ITEMS else node.args
    for index, arg in enumerate(args):
        if not isinstance(arg, int | float | str) and arg is not None:
            joins = is_condition if node.op in CONNECTIVES else index in _CONDITIONS.get(node.op, ())
            yield arg, joins
