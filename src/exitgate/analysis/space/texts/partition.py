"""
All texts parted by what some tests say of them together, with texts for each part.

That a part is empty is a proof where `Partition.whole`: the machines of the tests, read together, have no
state in which they come out so. Every text that is offered was put to the engine.
"""

from __future__ import annotations

import os
from bisect import bisect_left
from functools import lru_cache
from itertools import combinations
from math import ceil, floor

from exitgate.analysis.space.texts.automata import Product, TooLargeError
from exitgate.analysis.space.texts.charsets import plainness, representatives
from exitgate.analysis.space.texts.predicates import CONTAINS, IS, LENGTH, MATCHES, TextPredicate
from exitgate.analysis.space.texts.regex import Bound, Choice, Letter, Repeat, Row, UnreadError, read
from exitgate.core.model.value import Value
from exitgate.core.policy.cache import keep_part, recall_part
from exitgate.core.system.quick_json import dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    #: How each test comes out.
    Way = tuple[int, ...]
    from collections.abc import Iterator

    from exitgate.analysis.space.texts.automata import Product
    from exitgate.analysis.space.texts.regex import Piece


#: Parts that are told apart; more are too many for a walk.
PARTS = 1024
#: Tests of which, where all together are too large, every two are read together.
PAIRED = 24
#: Longest text that is offered only because a length is asked for.
LONGEST_GUESS = 20_000
#: Texts that are offered wherever they are.
PLAIN = ("a", "b", "c")
_CACHED = 256
#: Characters of patterns from which on a partition is kept in the user's cache.
KEPT_FROM = 200
_HERE = os.path.dirname(os.path.abspath(__file__))


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
        self, tests: tuple[TextPredicate, ...], parts: Mapping[Way, tuple[str, ...]], whole: bool
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
def partition(tests: tuple[TextPredicate, ...], each: int = 1) -> Partition:
    """
    Return the partition by some tests, with up to `each` texts of every part.

    Plain texts, and those the tests name, are offered beyond that. What comes of long patterns is kept in the
    user's cache.
    """
    if sum(len(str(test.against)) for test in tests if test.kind == MATCHES) < KEPT_FROM:
        return _made(tests, each)
    asked = ("partition", *map(repr, tests), str(each))
    kept = _read(recall_part(asked, _HERE), tests)
    if kept is None:
        kept = _made(tests, each)
        plain = [[[list(way), list(texts)] for way, texts in kept.parts.items()], kept.whole]
        keep_part(asked, dumps(plain).encode("ascii"), _HERE)
    return kept


def _read(content: bytes, tests: tuple[TextPredicate, ...]) -> Partition | None:
    try:
        parts, whole = loads(content) if content else ((), None)
        found = {tuple(map(int, way)): tuple(map(str, texts)) for way, texts in parts}
    except (ValueError, TypeError, RecursionError):
        return None
    # each text is asked again: an entry can say too little, and nothing that is wrong
    made = Partition(tests, found, whole is True)
    sound = whole is not None and all(made.way(text) == way for way, texts in found.items() for text in texts)
    return made if sound else None


def _made(tests: tuple[TextPredicate, ...], each: int) -> Partition:
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

    def __init__(self, tests: tuple[TextPredicate, ...]) -> None:
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


def _texts(tests: Sequence[TextPredicate], each: int) -> dict[Way, list[str]]:
    """Return for every way in which the tests can come out, by their machines, texts that should do so."""
    read = [test for test in tests if test.kind != LENGTH]
    graph = Product(read, each)
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


def _guessed(tests: Sequence[TextPredicate]) -> Iterable[str]:
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


# Texts of every length that matters, for each way in which other tests come out.

#: Longest text that is made, and what lengths times nodes may come to.
LONGEST_MADE, WORK = 5000, 3_000_000
#: Lengths beyond the last constant after which lengths must have begun to come round.
BEYOND = 2000


def of_lengths(graph: Product, constants: Sequence[int], each: int) -> dict[tuple[Way, int], list[str]]:
    """
    Return texts for each way in which the tests of a graph come out, and each stretch of lengths.

    Args:
        graph: Of the tests that are not of a length.
        constants: Lengths that matter, in order. Stretches lie below, on, between and above them.
        each: How many texts of each are wanted.

    Raises:
        TooLargeError: A length is more than `LONGEST_MADE`, or too many lengths must be looked at.
    """
    layers = _layers(graph, constants)
    masks: dict[Way, int] = {}
    for node, outcome in enumerate(graph.outcomes):
        masks[outcome] = masks.get(outcome, 0) | 1 << node
    before = _before(graph)
    found: dict[tuple[Way, int], list[str]] = {}
    for length, layer in enumerate(layers):
        stretch = _stretch(length, constants)
        for way, mask in masks.items():
            some = found.setdefault((way, stretch), []) if layer & mask else []
            if not layer & mask or len(some) >= each:
                continue
            for node in _bits(layer & mask):
                for word in _words(before, layers, length, node):
                    if word not in some:
                        some.append(word)
                    if len(some) >= each:
                        break
                if len(some) >= each:
                    break
    return found


def _stretch(length: int, constants: Sequence[int]) -> int:
    place = bisect_left(constants, length)
    return 2 * place + (place < len(constants) and constants[place] == length)


def _layers(graph: Product, constants: Sequence[int]) -> list[int]:
    """Return for each length the nodes that texts of it lead to, until nothing new comes."""
    last = constants[-1] if constants else 0
    if last > LONGEST_MADE or last * len(graph.edges) > WORK:
        raise TooLargeError(f"texts of {last} characters")
    after = [sum(1 << one for one in {one for one, _ in edges}) for edges in graph.edges]
    layers, seen = [1], set[int]()
    while True:
        layer = 0
        for node in _bits(layers[-1]):
            layer |= after[node]
        if len(layers) > last + 1:
            if layer in seen:
                return layers
            seen.add(layer)
            if len(layers) > last + BEYOND:
                raise TooLargeError(f"lengths do not come round within {BEYOND}")
        layers.append(layer)


def _before(graph: Product) -> list[dict[int, list[str]]]:
    found: list[dict[int, list[str]]] = [{} for _ in graph.edges]
    for node, edges in enumerate(graph.edges):
        for after, letters in edges:
            found[after][node] = letters
    return found


def _words(
    before: Sequence[dict[int, list[str]]], layers: Sequence[int], length: int, node: int
) -> Iterator[str]:
    """Yield texts of a length that lead to a node: one, and that one with another character in each place."""
    path: list[list[str]] = []
    for size in range(length, 0, -1):
        # of the nodes that lead here the first by number is nearest to the start: an empty run-up stays plain
        source = min(one for one in before[node] if layers[size - 1] >> one & 1)
        path.append(before[node][source])
        node = source
    path.reverse()
    word = "".join(letters[0] for letters in path)
    yield word
    for place in range(length - 1, -1, -1):
        for letter in path[place][1:]:
            yield word[:place] + letter + word[place + 1 :]


def _bits(mask: int) -> Iterator[int]:
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


# Texts that a pattern may well match, from its syntax tree alone: for patterns that have no machine.

#: Texts of one pattern, longest of them.
SAMPLES, LONGEST_SAMPLE = 24, 2000


def samples(pattern: str) -> tuple[str, ...]:
    """
    Return texts made by the form of a pattern, the shortest ways through it first.

    What bounds ask for is not looked at: whether the pattern matches them has to be seen.
    """
    try:
        tree = read(pattern)
    except UnreadError:
        return (pattern,)
    found = dict.fromkeys(
        text for more in range(3) for text in _samples_of(tree, more) if len(text) <= LONGEST_SAMPLE
    )
    return tuple([*found, *(f" {text} " for text in found)][:SAMPLES])


def _samples_of(piece: Piece, more: int) -> Iterator[str]:
    """Yield texts, with `more` repetitions than must be; of alternatives each once."""
    if isinstance(piece, Letter):
        letters = representatives([piece.characters], 1 + more)
        inside = [one for some in letters for one in some if _holds(piece, one)]
        yield from inside[more : more + 1] or inside[:1]
    elif isinstance(piece, Bound):
        yield ""
    elif isinstance(piece, Choice):
        for part in piece.parts:
            yield from _samples_of(part, more)
    elif isinstance(piece, Repeat):
        times = piece.least + more if piece.most is None else min(piece.least + more, piece.most)
        for text in _samples_of(piece.part, more):
            yield text * times
    else:
        assert isinstance(piece, Row)
        yield from _joined(piece, more)


def _joined(row: Row, more: int) -> Iterator[str]:
    """Yield texts of a row: every part in its first way, then each part in its others."""
    parts = [list(_samples_of(part, more))[:SAMPLES] for part in row.parts]
    if not all(parts):
        return
    yield "".join(texts[0] for texts in parts)
    for place, texts in enumerate(parts):
        for text in texts[1:]:
            yield "".join([*(t[0] for t in parts[:place]), text, *(t[0] for t in parts[place + 1 :])])


def _holds(piece: Letter, letter: str) -> bool:
    from exitgate.analysis.space.texts.charsets import holds

    return holds(piece.characters, letter)
