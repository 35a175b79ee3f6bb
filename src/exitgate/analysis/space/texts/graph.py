"""Several tests of one text read at once: every state that some text leads to."""

from __future__ import annotations

from collections import deque

from exitgate.analysis.space.texts.characters import plainness, told_apart
from exitgate.analysis.space.texts.lowering import SIGMA, SIGMAS, before_lowering
from exitgate.analysis.space.texts.machine import TooLargeError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    from exitgate.analysis.space.texts.machine import Machine
    from exitgate.analysis.space.texts.text_test import TextTest

    #: A node and the characters that lead to it, at most so many as were asked for.
    Edge = tuple[int, list[str]]

#: States of one test, and of all together, that are looked at.
STATES, NODES = 1500, 6000


class Graph:
    """
    The nodes that texts lead to, from node 0, with their edges.

    `outcomes` says for each node which tests a text that ends there passes. Every text leads to one of the
    nodes by its characters, or by others of their kind.

    Args:
        tests: The tests, none of a length.
        each: How many characters of each kind are kept.

    Raises:
        UnreadError: There is no machine for a test.
        TooLargeError: There are more states than `STATES` of one test or `NODES` of all.
    """

    def __init__(self, tests: Sequence[TextTest], each: int) -> None:
        machines = [test.machine() for test in tests]
        lowered = [test.lowered for test in tests]
        sets = [
            one
            for machine, low in zip(machines, lowered, strict=True)
            for one in (before_lowering(machine.sets) if low else machine.sets)
        ]
        kinds = told_apart(list(dict.fromkeys(sets)), each)
        #: Characters of each kind; what they are in lower case where it is asked for.
        self._letters = [
            (letters, letters[0].lower()) for letters in kinds if letters[0] != SIGMA or not any(lowered)
        ]
        if any(lowered) and any(letters[0] == SIGMA for letters in kinds):
            self._letters += [([SIGMA], low) for low in SIGMAS]
        tables = [self._table(m, low) for m, low in zip(machines, lowered, strict=True)]
        self.edges: list[list[Edge]] = []
        self.outcomes: list[tuple[int, ...]] = []
        self._explore(tables)

    def _table(self, machine: Machine, lowered: bool) -> tuple[list[tuple[int, ...]], list[int]]:
        """Return for each state of a machine those after each kind of character, and whether it accepts."""
        read = [low if lowered else letters[0] for letters, low in self._letters]
        numbers: dict[Hashable, int] = {machine.start: 0}
        states, rows = [machine.start], []
        for state in states:
            row = []
            for letters in read:
                after = state
                for letter in letters:
                    after = machine.step(after, letter)
                if after not in numbers:
                    numbers[after] = len(states)
                    states.append(after)
                    if len(states) > STATES:
                        raise TooLargeError(f"more than {STATES} states")
                row.append(numbers[after])
            rows.append(tuple(row))
        return merged(rows, [int(machine.accepts(state)) for state in states])

    def _explore(self, tables: Sequence[tuple[list[tuple[int, ...]], list[int]]]) -> None:
        rows, accepting = [table[0] for table in tables], [table[1] for table in tables]
        start = (0,) * len(tables)
        numbers, todo = {start: 0}, deque([start])
        kinds = range(len(self._letters))
        while todo:
            node = todo.popleft()
            self.outcomes.append(tuple([one[state] for one, state in zip(accepting, node, strict=True)]))
            own = zip(*(table[state] for table, state in zip(rows, node, strict=True)), strict=True)
            afters: Iterable[tuple[int, ...]] = own if tables else ((),) * len(kinds)
            ways: dict[tuple[int, ...], list[str]] = {}
            for after, kind in zip(afters, kinds, strict=True):
                ways.setdefault(after, []).extend(self._letters[kind][0])
            edges = []
            for after, letters in ways.items():
                if after not in numbers:
                    if len(numbers) >= NODES:
                        raise TooLargeError(f"more than {NODES} states together")
                    numbers[after] = len(numbers)
                    todo.append(after)
                edges.append((numbers[after], letters))
            self.edges.append(edges)

    def words(self, each: int) -> dict[tuple[int, ...], list[str]]:
        """Return for each way in which the tests come out its shortest texts, up to `each` of them."""
        words: list[list[str]] = [[] for _ in self.edges]
        words[0].append("")
        todo = deque([(0, "")])
        while todo:
            node, word = todo.popleft()
            first = word == words[node][0]
            for after, letters in self.edges[node]:
                found = words[after]
                for letter in letters[:each] if first else letters[:1]:
                    if len(found) >= each:
                        break
                    if word + letter not in found:
                        found.append(word + letter)
                        todo.append((after, word + letter))
        ways: dict[tuple[int, ...], list[str]] = {}
        for outcome, found in zip(self.outcomes, words, strict=True):
            ways.setdefault(outcome, []).extend(found)
        return {way: sorted(dict.fromkeys(found), key=plainness)[:each] for way, found in ways.items()}


def merged(rows: list[tuple[int, ...]], accepts: list[int]) -> tuple[list[tuple[int, ...]], list[int]]:
    """Return the smallest table that comes out the same, by Moore's refinement. State 0 stays first."""
    sorts, count = list(accepts), len(set(accepts))
    while True:
        seen: dict[tuple[int, tuple[int, ...]], int] = {}
        sorts = [
            seen.setdefault((sorts[n], tuple([sorts[m] for m in row])), len(seen))
            for n, row in enumerate(rows)
        ]
        if len(seen) == count:
            break
        count = len(seen)
    chosen = [sorts.index(number) for number in range(count)]
    return [tuple([sorts[m] for m in rows[n]]) for n in chosen], [accepts[n] for n in chosen]
