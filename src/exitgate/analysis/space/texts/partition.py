"""
All texts parted by what some tests say of them together, with texts for each part.

That a part is empty is a proof where `Partition.whole`: the machines of the tests, read together, have no
state in which they come out so. Every text that is offered was put to the engine.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations
from math import ceil, floor

from exitgate.analysis.space.texts.characters import plainness
from exitgate.analysis.space.texts.graph import Graph
from exitgate.analysis.space.texts.lengths import of_lengths
from exitgate.analysis.space.texts.machine import TooLargeError
from exitgate.analysis.space.texts.pattern import UnreadError
from exitgate.analysis.space.texts.samples import samples
from exitgate.analysis.space.texts.text_test import CONTAINS, IS, LENGTH, MATCHES, TextTest
from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    #: How each test comes out.
    Way = tuple[int, ...]

#: Parts that are told apart; more are too many for a walk.
PARTS = 1024
#: Tests of which, where all together are too large, every two are read together.
PAIRED = 24
#: Longest text that is offered only because a length is asked for.
LONGEST_GUESS = 20_000
#: Texts that are offered wherever they are.
PLAIN = ("a", "b", "c")
_CACHED = 256


class Partition(Value):
    """
    Texts parted by tests.

    Args:
        tests: The tests.
        parts: By how the tests come out: texts that do so, the plainest first.
        whole: No text comes out otherwise than one of the parts.
    """

    __slots__ = ("parts", "tests", "whole")

    def __init__(
        self, tests: tuple[TextTest, ...], parts: Mapping[Way, tuple[str, ...]], whole: bool
    ) -> None:
        self.tests = tests
        self.parts = parts
        self.whole = whole

    def way(self, text: str) -> Way:
        """Return how the tests come out for a text, on the engine."""
        return tuple([test.outcome(text) for test in self.tests])

    def texts(self) -> tuple[str, ...]:
        """Return the texts of all parts: what is plain first, then in the order of the parts."""
        return tuple(text for texts in self.parts.values() for text in texts)


@lru_cache(maxsize=_CACHED)
def partition(tests: tuple[TextTest, ...], each: int = 1) -> Partition:
    """
    Return the partition by some tests, with up to `each` texts of every part.

    Plain texts, and those the tests name, are offered beyond that.
    """
    offers = _Offers(tests)
    named = [str(test.against) for test in tests if test.kind in (IS, CONTAINS)]
    plain = (*PLAIN[: max(2, each)], *dict.fromkeys(named))
    for text in plain:
        offers.take(text, len(plain))
    try:
        predicted = _few(_texts(tests, each + 1))
    except (UnreadError, TooLargeError):
        for text in _guessed(tests):
            offers.take(text, each)
        return offers.made(whole=False)
    agree = True
    for way, texts in predicted.items():
        for text in sorted(texts, key=lambda one: (not one, plainness(one))):
            agree &= offers.take(text, each) == way or _is_odd(text)
    # what the engine denies is no part of a proof: the machines and the engine must tell the same parts
    return offers.made(whole=agree and offers.parts.keys() == predicted.keys())


class _Offers:
    """Texts put to the engine, by how the tests come out."""

    def __init__(self, tests: tuple[TextTest, ...]) -> None:
        self._tests = tests
        self.parts: dict[Way, dict[str, None]] = {}

    def take(self, text: str, most: int) -> Way:
        """Keep a text if there are fewer than `most` of its part; return how the tests come out for it."""
        way = tuple([test.outcome(text) for test in self._tests])
        own = self.parts.setdefault(way, {})
        if len(own) < most:
            own[text] = None
        return way

    def made(self, whole: bool) -> Partition:
        """Return what was kept."""
        return Partition(self._tests, {way: tuple(texts) for way, texts in self.parts.items()}, whole)


def _few(parts: dict[Way, list[str]]) -> dict[Way, list[str]]:
    if len(parts) > PARTS:
        raise TooLargeError(f"more than {PARTS} parts")
    return parts


def _is_odd(text: str) -> bool:
    """Return whether the lower case of a text rests on where in a word a letter is: read both ways."""
    return "\u03a3" in text


def _texts(tests: Sequence[TextTest], each: int) -> dict[Way, list[str]]:
    """Return for every way in which the tests can come out, by their machines, texts that should do so."""
    read = [test for test in tests if test.kind != LENGTH]
    graph = Graph(read, each)
    if len(read) == len(tests):
        return graph.words(each)
    sizes = [test.against for test in tests if isinstance(test.against, int | float)]
    constants = sorted({end for size in sizes for end in (floor(size), ceil(size)) if end >= 0})
    found: dict[Way, list[str]] = {}
    for (way, stretch), texts in of_lengths(graph, constants, each).items():
        length = _length(stretch, constants)
        own = iter(way)
        whole = tuple(next(own) if test.kind != LENGTH else test.compared(length) for test in tests)
        found.setdefault(whole, []).extend(texts)
    return found


def _length(stretch: int, constants: Sequence[int]) -> float:
    """Return a length, or a number between two, that is in a stretch."""
    place, on = divmod(stretch, 2)
    if on:
        return constants[place]
    return constants[place] - 0.5 if place < len(constants) else constants[-1] + 0.5


def _guessed(tests: Sequence[TextTest]) -> Iterable[str]:
    """Yield texts where all tests together are too large: for every two, then by the form of a pattern."""
    few = list(tests)[:PAIRED]
    for some in (*((test,) for test in tests), *combinations(few, 2)):
        try:
            found = _texts(some, 2)
        except (UnreadError, TooLargeError):
            continue
        for texts in found.values():
            yield from texts
    for test in tests:
        if test.kind == MATCHES:
            yield from samples(str(test.against))
        elif test.kind == LENGTH:
            assert isinstance(test.against, int | float)
            near = (floor(test.against) + step for step in (-1, 0, 1, 2))
            yield from (PLAIN[0] * length for length in near if 0 <= length <= LONGEST_GUESS)
