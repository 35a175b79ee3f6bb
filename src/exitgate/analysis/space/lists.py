"""Lists worth trying: with and without each item that a condition names, of every length it asks for."""

from __future__ import annotations

from itertools import chain, combinations, count, islice
from math import ceil, floor
from string import ascii_lowercase

from exitgate.analysis.space.texts.text_test import CONTAINS, IS, LENGTH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from exitgate.analysis.space.texts.text_test import TextTest

    List = tuple[str, ...]

#: Items of which every choice is tried, longest list, most lists.
ITEMS, LONGEST, MOST = 4, 60, 400


def lists(tests: Sequence[TextTest]) -> tuple[tuple[List, ...], bool]:
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
    found: dict[List, None] = dict.fromkeys(whole)
    for own in _chosen(list(items)):
        for length in sorted({*lengths, len(own), len(own) + 1}):
            if len(own) <= length:
                found |= dict.fromkeys(_made(own, length, items))
    complete = len(items) <= ITEMS and all(end < LONGEST for end in ends) and len(found) <= MOST
    orders = {(frozenset(one), len(one)) for one in whole}
    return tuple(islice(found, MOST)), complete and len(orders) == len(set(whole))


def _chosen(items: Sequence[str]) -> Iterator[List]:
    """Yield which items a list holds: every choice of a few, of more each by itself, every two, and all."""
    few = len(items) <= ITEMS
    sizes = range(len(items) + 1) if few else (0, 1, 2, len(items))
    return chain.from_iterable(combinations(items, size) for size in sizes)


def _made(own: List, length: int, items: dict[str, None]) -> Iterator[List]:
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
    yield from (f"item {number}" for number in count(1))
