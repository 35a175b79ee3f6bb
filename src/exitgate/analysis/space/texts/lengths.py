"""Texts of every length that matters, for each way in which other tests come out."""

from __future__ import annotations

from bisect import bisect_left

from exitgate.analysis.space.texts.machine import TooLargeError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from exitgate.analysis.space.texts.graph import Graph

    Way = tuple[int, ...]

#: Longest text that is made, and what lengths times nodes may come to.
LONGEST, WORK = 5000, 3_000_000
#: Lengths beyond the last constant after which lengths must have begun to come round.
BEYOND = 2000


def of_lengths(graph: Graph, constants: Sequence[int], each: int) -> dict[tuple[Way, int], list[str]]:
    """
    Return texts for each way in which the tests of a graph come out, and each stretch of lengths.

    Args:
        graph: Of the tests that are not of a length.
        constants: Lengths that matter, in order. Stretches lie below, on, between and above them.
        each: How many texts of each are wanted.

    Raises:
        TooLargeError: A length is more than `LONGEST`, or too many lengths must be looked at.
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


def _layers(graph: Graph, constants: Sequence[int]) -> list[int]:
    """Return for each length the nodes that texts of it lead to, until nothing new comes."""
    last = constants[-1] if constants else 0
    if last > LONGEST or last * len(graph.edges) > WORK:
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


def _before(graph: Graph) -> list[dict[int, list[str]]]:
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
