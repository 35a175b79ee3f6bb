"""Lists worth trying: with and without each item that a condition names, of every length it asks for."""

from __future__ import annotations

from itertools import chain, combinations, islice, pairwise
from itertools import count as naturals
from math import ceil, floor
from string import ascii_lowercase

from exitgate.analysis.space.texts.partition import partition
from exitgate.analysis.space.texts.predicates import CONTAINS, IS, LENGTH, asks
from exitgate.core.language.functions import ON_ITEMS
from exitgate.core.language.tree import Node
from exitgate.core.model.value import is_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from exitgate.analysis.space.texts.predicates import TextPredicate

    TextList = tuple[str, ...]
    from collections.abc import Callable, Iterable

    from exitgate.core.model.value import Type

    Closed = Callable[[Node], object]
    List = tuple[object, ...]


#: Items of which every choice is tried, longest list, most lists.
ITEMS, LONGEST, MOST = 4, 60, 400


def lists(tests: Sequence[TextPredicate]) -> tuple[tuple[TextList, ...], bool]:
    """
    Return lists for every way in which tests of a list can come out, and whether these are all the ways.

    Args:
        tests: Tests of one list of texts: whether it is a list, holds an item, how long it is.
    """
    whole = [test.against for test in tests if test.kind == IS and isinstance(test.against, tuple)]
    items = dict.fromkeys(str(test.against) for test in tests if test.kind == CONTAINS)
    items |= dict.fromkeys(item for one in whole for item in one)
    sizes = [test.against for test in tests if test.kind == LENGTH and isinstance(test.against, int | float)]
    ends = {end for size in (*sizes, *map(len, whole)) for end in (floor(size), ceil(size)) if end >= 0}
    lengths = {end + step for end in ends for step in (-1, 0, 1) if 0 <= end + step <= LONGEST}
    found: dict[TextList, None] = dict.fromkeys(whole)
    for own in _chosen(list(items)):
        for length in sorted({*lengths, len(own), len(own) + 1}):
            if len(own) <= length:
                found |= dict.fromkeys(_made(own, length, items))
    complete = len(items) <= ITEMS and all(end < LONGEST for end in ends) and len(found) <= MOST
    orders = {(frozenset(one), len(one)) for one in whole}
    return tuple(islice(found, MOST)), complete and len(orders) == len(set(whole))


def _chosen(items: Sequence[str]) -> Iterator[TextList]:
    """Yield which items a list holds: every choice of a few, of more each by itself, every two, and all."""
    few = len(items) <= ITEMS
    sizes = range(len(items) + 1) if few else (0, 1, 2, len(items))
    return chain.from_iterable(combinations(items, size) for size in sizes)


def _made(own: TextList, length: int, items: dict[str, None]) -> Iterator[TextList]:
    """Yield lists of a length that hold the items `own` and no other named one, in more than one order."""
    others = islice((text for text in _texts() if text not in items), length - len(own))
    one = (*own, *others)
    yield one
    if len(own) > 1:
        yield one[::-1]
    if 0 < len(own) < length:
        yield (*own, *(own[-1:] * (length - len(own))))


def _texts() -> Iterator[str]:
    yield from ascii_lowercase
    yield from (f"item {number}" for number in naturals(1))


# Lists worth trying where conditions ask about their items one by one.
#
# Items are parted by how all conditions on the items of one list come out for them. For `any` and `all` a
# list then counts only by which parts it has items of.

#: Items of which every choice makes a list; with more, choices of so few, and all.
MOST_ITEMS, FEW = 6, 2
#: The most copies of an item that a count asks for.
COPIES = 12
_NUMBERS = frozenset(("count", "number", "percent", "duration", "money"))
_COMPARING = frozenset(("compare", "is", "is_not", "between", "in", "not_in"))


def listed(node: Node) -> Node | None:
    """Return the fact whose items a condition is about; None for another list, or another node."""
    if node.op not in ON_ITEMS:
        return None
    first = next(node.children())
    return first if first.op == "fact" else None


def read_whole(part: Node) -> Iterator[str]:
    """Yield the names of lists that a node reads other than item by item; of a fact that is a tree, none."""
    for child in part.children():
        is_list = child.op == "fact" and child.type is not None and child.type.kind == "list"
        if is_list and child is not listed(part):
            yield str(child.args[0])


def parts(nodes: Sequence[Node], closed: Closed) -> tuple[tuple[object, ...], bool]:
    """
    Return items for every way in which conditions on those of a list can come out, and whether these are all.

    Args:
        nodes: The conditions, all on one list.
        closed: Returns the value of a node that reads no fact, else None.
    """
    type_ = _type_of_items(nodes[0])
    conditions = [_with_fact(list(node.children())[-1]) for node in nodes]
    whole = not any(_reads_more(condition) for condition in conditions)
    if type_.kind in ("enum", "bool"):
        return type_.members or (False, True), whole
    if type_.kind in _NUMBERS:
        values, known = _of_numbers(conditions, type_, closed)
        return values, whole and known
    tests, known = _tests(conditions, closed)
    found = partition(tests)
    return found.texts(), whole and known and found.whole and type_.kind == "text"


def _type_of_items(node: Node) -> Type:
    type_ = next(node.children()).type
    assert type_ is not None
    assert type_.item is not None
    return type_.item


def made(values: Sequence[object], counts: Iterable[int] = ()) -> tuple[List, ...]:
    """Return lists of some items: every choice of them, and of each as many as are counted."""
    sizes = range(len(values) + 1) if len(values) <= MOST_ITEMS else (0, 1, FEW, len(values))
    found: dict[List, None] = {}
    for size in sizes:
        found |= dict.fromkeys(combinations(values, size))
    wanted = sorted({count + step for count in counts for step in (-1, 0, 1) if 1 < count + step <= COPIES})
    for value in values[:MOST_ITEMS]:
        for count in wanted:
            found[(value,) * count] = None
            found |= dict.fromkeys(
                (*(value,) * count, other) for other in values[:MOST_ITEMS] if other != value
            )
    return tuple(found)


def _with_fact(node: Node) -> Node:
    """Return a condition with a fact in place of each item."""
    if node.op == "item":
        return Node("fact", ("item",), node.start, node.end, node.type)
    return node.mapped(_with_fact)


def _reads_more(node: Node) -> bool:
    return any(
        part.op in ("condition", "silence") or (part.op == "fact" and part.args[0] != "item")
        for part in node.walk()
    )


def _is_item(node: Node) -> bool:
    return node.op == "fact" and node.args[0] == "item"


def _tests(conditions: Iterable[Node], closed: Closed) -> tuple[tuple[TextPredicate, ...], bool]:
    """Return the tests of an item that is a text, and whether all that is asked of it is among them."""
    tests: dict[TextPredicate, None] = {}
    asked: set[int] = set()
    items: set[int] = set()
    for condition in conditions:
        for part in condition.walk():
            found = asks(part, closed)
            if found is not None and found.name == "item":
                tests |= dict.fromkeys(found.tests)
                asked |= set(map(id, found.nodes))
            if _is_item(part):
                items.add(id(part))
    return tuple(tests), items <= asked


def _of_numbers(conditions: Iterable[Node], type_: Type, closed: Closed) -> tuple[tuple[object, ...], bool]:
    """Return numbers on, beside and between those an item is compared with, and whether no others matter."""
    constants: set[float] = set()
    items: set[int] = set()
    compared: set[int] = set()
    for condition in conditions:
        for part in condition.walk():
            if _is_item(part):
                items.add(id(part))
            if part.op in _COMPARING:
                sides = list(_sides(part))
                values = [closed(side) for side in sides if not _is_item(side)]
                constants |= {v for v in values if is_number(v)}
                if all(value is not None for value in values):
                    compared |= {id(side) for side in sides if _is_item(side)}
    ordered = sorted(constants)
    step = 1 if type_.kind == "count" else 0.5
    between = [(low + high) / 2 for low, high in pairwise(ordered)]
    ends = [ordered[0] - step, ordered[-1] + step] if ordered else []
    points = [0, *sorted((*ordered, *between, *ends))]
    if type_.kind != "number":
        points = [point for point in points if point >= 0]
    if (
        type_.kind == "count"
    ):  # of two numbers with a whole one between them this is the one above, or that middle
        points = [int(point) for point in points]
    return tuple(dict.fromkeys(points)), items <= compared and type_.kind in ("count", "number")


def _sides(part: Node) -> Iterator[Node]:
    for child in part.children():
        yield from child.children() if child.op == "list" else (child,)
