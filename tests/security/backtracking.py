"""
Whether Python's `re` can take long for a pattern: by its positions automaton, as Glushkov built it.

`re` tries one path after another. A pattern is refused if two paths lead from a position back to itself over
the same text: then a text that fails at its end has 2^n paths (Weber and Seidl, On the degree of ambiguity of
finite automata, 1991, call it EDA). Of two ways to the same position, by two loops around it, each counts.
What is behind a look-around is judged as a pattern of its own.
"""

from __future__ import annotations

import re._constants as sre  # type: ignore[import-not-found]
import re._parser as parser  # type: ignore[import-not-found]
from collections import Counter, defaultdict
from typing import Any

Letters = frozenset[int]
#: ASCII, and one that stands for all others.
ALL: Letters = frozenset(range(128)) | {0x4E2D}
_CLASSES = {
    sre.CATEGORY_DIGIT: str.isdigit,
    sre.CATEGORY_SPACE: str.isspace,
    sre.CATEGORY_WORD: lambda letter: letter.isalnum() or letter == "_",
}
_NOT = {
    sre.CATEGORY_NOT_DIGIT: sre.CATEGORY_DIGIT,
    sre.CATEGORY_NOT_SPACE: sre.CATEGORY_SPACE,
    sre.CATEGORY_NOT_WORD: sre.CATEGORY_WORD,
}
#: Copies of a part that is repeated a bounded number of times: more make no new kind of path.
_COPIES = 2


class Positions:
    """The positions of a pattern: the letters of each, and how many ways lead from one to the next."""

    def __init__(self, pattern: str) -> None:
        self.letters: list[Letters] = []
        self.ways: Counter[tuple[int, int]] = Counter()
        self.apart: list[Any] = []
        self._sequence(parser.parse(pattern))
        while self.apart:
            self._sequence(self.apart.pop())

    def _position(self, letters: Letters) -> tuple[bool, list[int], list[int]]:
        self.letters.append(letters)
        at = len(self.letters) - 1
        return False, [at], [at]

    def _joined(self, parts: list[tuple[bool, list[int], list[int]]]) -> tuple[bool, list[int], list[int]]:
        empty, first, last = True, list[int](), list[int]()
        for nullable, begins, ends in parts:
            self.ways.update((a, b) for a in last for b in begins)
            first = first + begins if empty else first
            last = last + ends if nullable else ends
            empty = empty and nullable
        return empty, first, last

    def _sequence(self, items: Any) -> tuple[bool, list[int], list[int]]:
        return self._joined([self._item(*item) for item in items])

    def _item(self, op: Any, value: Any) -> tuple[bool, list[int], list[int]]:
        if op in (sre.MAX_REPEAT, sre.MIN_REPEAT):
            return self._repeated(*value)
        if op is sre.SUBPATTERN:
            return self._sequence(value[-1])
        if op is sre.BRANCH:
            parts = [self._sequence(branch) for branch in value[1]]
            return (
                any(part[0] for part in parts),
                [one for part in parts for one in part[1]],
                [one for part in parts for one in part[2]],
            )
        if op in (sre.ASSERT, sre.ASSERT_NOT):
            self.apart.append(value[1])
            return True, [], []
        if op is sre.AT:
            return True, [], []
        return self._position(_letters(op, value))

    def _repeated(self, least: int, most: Any, body: Any) -> tuple[bool, list[int], list[int]]:
        copies = [self._sequence(body) for _ in range(min(least, _COPIES))]
        if most is sre.MAXREPEAT:
            _, first, last = self._sequence(body)
            self.ways.update((a, b) for a in last for b in first)
            copies.append((True, first, last))
        else:
            rest: list[tuple[bool, list[int], list[int]]] = []
            for _ in range(min(most - least, _COPIES)):  # x{0,2} is (x(x)?)?, and not x?x?
                _, first, last = self._joined([self._sequence(body), *rest])
                rest = [(True, first, last)]
            copies += rest
        return self._joined(copies)


def _letters(op: Any, value: Any) -> Letters:
    if op is sre.LITERAL:
        return frozenset({value})
    if op is sre.NOT_LITERAL:
        return ALL - {value}
    if op is sre.ANY:
        return ALL
    if op is sre.RANGE:
        return frozenset(range(value[0], min(value[1], 0x4E2D) + 1))
    if op is sre.CATEGORY:
        if value in _NOT:
            return ALL - _letters(op, _NOT[value])
        return frozenset(one for one in ALL if _CLASSES[value](chr(one)))
    assert op is sre.IN, f"{op} is not judged here"
    kept = [item for item in value if item[0] is not sre.NEGATE]
    found = frozenset[int]().union(*(_letters(*item) for item in kept))
    return found if len(kept) == len(value) else ALL - found


def explodes(pattern: str) -> bool:
    """Return whether two paths lead from some position back to it over the same text."""
    graph = Positions(pattern)
    after: dict[int, list[int]] = defaultdict(list)
    for (a, b), ways in graph.ways.items():
        after[a] += [b] * ways
    return any(_is_twice(at, after, graph.letters) for at in range(len(graph.letters)))


def _is_twice(at: int, after: dict[int, list[int]], letters: list[Letters]) -> bool:
    """Search the pairs that two paths from `at` reach together; `True` in one marks that they parted."""
    seen = {(at, at, False)}
    waiting = list(seen)
    while waiting:
        a, b, parted = waiting.pop()
        for i, x in enumerate(after[a]):
            for j, y in enumerate(after[b]):
                if not letters[x] & letters[y]:
                    continue
                pair = (x, y, parted or x != y or (a == b and i != j))
                if pair == (at, at, True):
                    return True
                if pair not in seen:
                    seen.add(pair)
                    waiting.append(pair)
    return False
