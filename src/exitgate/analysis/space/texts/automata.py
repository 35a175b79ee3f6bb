"""Tests of one text as machines that read it character by character."""

from __future__ import annotations

from collections import deque

from exitgate.analysis.space.texts.charsets import (
    ASCII,
    NEWLINE,
    SIGMA,
    SIGMAS,
    WORD,
    before_lowering,
    holds,
    plainness,
    representatives,
    single,
)
from exitgate.analysis.space.texts.regex import Bound, Choice, Letter, Repeat, Row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    from exitgate.analysis.space.texts.charsets import Characters
    from exitgate.analysis.space.texts.predicates import TextPredicate
    from exitgate.analysis.space.texts.regex import Piece

    #: A node and the characters that lead to it, at most so many as were asked for.
    Edge = tuple[int, list[str]]


#: Places of a pattern that is written out, repetitions and all.
PLACES = 3000
#: What came before a place, and what comes after it.
EDGE, LINE, LETTERS, OTHER = "edge", "line", "letters", "other"


class TooLargeError(Exception):
    """A pattern has too many places, or a machine too many states."""


class Automaton:
    """
    A test of a text.

    `sets` are the characters that it tells apart. A state is any value that can be a key. It `is_too_large`
    once it was found to have more than `STATES` states.
    """

    sets: tuple[Characters, ...]
    start: Hashable
    is_too_large = False

    def step(self, state: Hashable, letter: str) -> Hashable:
        """Return the state after one more character."""
        raise NotImplementedError

    def accepts(self, state: Hashable) -> bool:
        """Return whether a text that ends here passes the test."""
        raise NotImplementedError


class Is(Automaton):
    """Whether it is a given text. A state is how much of it was read; -1 where it is another."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.sets = tuple(map(single, dict.fromkeys(text)))
        self.start = 0

    def step(self, state: Hashable, letter: str) -> int:
        """Return how much of the text was read, or -1."""
        assert isinstance(state, int)
        return state + 1 if 0 <= state < len(self._text) and self._text[state] == letter else -1

    def accepts(self, state: Hashable) -> bool:
        """Return whether all of the text was read."""
        return state == len(self._text)


class Contains(Automaton):
    """Whether it holds a given text. A state is how much of the text is at the end of what was read."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.sets = tuple(map(single, dict.fromkeys(text)))
        self.start = 0
        self._steps: dict[tuple[int, str], int] = {}

    def step(self, state: Hashable, letter: str) -> int:
        """Return how long the part of the text is that what was read ends with."""
        assert isinstance(state, int)
        if state == len(self._text):
            return state
        key = (state, letter)
        if key not in self._steps:
            seen = self._text[:state] + letter
            sizes = range(min(len(seen), len(self._text)), -1, -1)
            self._steps[key] = next(n for n in sizes if seen.endswith(self._text[:n]))
        return self._steps[key]

    def accepts(self, state: Hashable) -> bool:
        """Return whether the whole text was found."""
        return state == len(self._text)


_FOUND = "found"


class Found(Automaton):
    """
    Whether a pattern is found in it.

    A state holds the places of the pattern that a character led to, and what kind of character that was.
    Once the pattern is found it stays found.

    Raises:
        TooLargeError: The pattern has more than `PLACES` places.
    """

    def __init__(self, tree: Piece) -> None:
        self._letters: dict[int, tuple[int, int]] = {}
        self._free: dict[int, list[tuple[str, int]]] = {}
        self._places = 0
        self._sets: dict[Characters, int] = {}
        self._end = self._place()
        self._first = self._written(tree, self._end)
        self.sets = (*self._sets, NEWLINE, WORD, ASCII)
        self.start = (frozenset[int](), EDGE)
        self._reached: dict[tuple[frozenset[int], str, str], frozenset[int]] = {}
        self._taken: dict[str, tuple[frozenset[int], str]] = {}
        self._steps: dict[tuple[Hashable, frozenset[int], str], Hashable] = {}
        # RE2 looks for bounds between bytes: inside a character of several ones none is a word
        self._between = self._end in self._closed(frozenset(), OTHER, OTHER)

    def step(self, state: Hashable, letter: str) -> Hashable:
        """Return what is reached by one more character."""
        if state == _FOUND:
            return _FOUND
        if letter not in self._taken:
            among = frozenset(number for one, number in self._sets.items() if holds(one, letter))
            word, line = letter.isascii() and holds(WORD, letter), letter == "\n"
            kind = LINE if line else LETTERS if word else OTHER
            self._taken[letter] = (among, kind)
        among, kind = self._taken[letter]
        if self._between and not letter.isascii():
            return _FOUND
        key = (state, among, kind)
        if key not in self._steps:
            self._steps[key] = self._stepped(state, among, kind)
        return self._steps[key]

    def accepts(self, state: Hashable) -> bool:
        """Return whether it is found in a text that ends here."""
        if state == _FOUND:
            return True
        places, before = _places(state)
        return self._end in self._closed(places, before, EDGE)

    def _stepped(self, state: Hashable, among: frozenset[int], kind: str) -> Hashable:
        places, before = _places(state)
        closed = self._closed(places, before, kind)
        if self._end in closed:
            return _FOUND
        letters = (self._letters[place] for place in closed if place in self._letters)
        return frozenset(after for one, after in letters if one in among), kind

    def _closed(self, places: frozenset[int], before: str, after: str) -> frozenset[int]:
        """Return what is reached between two kinds of characters; the pattern may begin here."""
        key = (places, before, after)
        if key not in self._reached:
            here = _bounds(before, after)
            seen = {*places, self._first}
            todo = list(seen)
            while todo:
                for kind, place in self._free.get(todo.pop(), ()):
                    if place not in seen and (not kind or kind in here):
                        seen.add(place)
                        todo.append(place)
            self._reached[key] = frozenset(seen)
        return self._reached[key]

    def _place(self) -> int:
        self._places += 1
        if self._places > PLACES:
            raise TooLargeError(f"more than {PLACES} places")
        return self._places - 1

    def _written(self, piece: Piece, after: int) -> int:
        """Write out a piece that continues at the place `after`; return the place where it begins."""
        if isinstance(piece, Letter):
            place = self._place()
            number = self._sets.setdefault(piece.characters, len(self._sets))
            self._letters[place] = (number, after)
            return place
        if isinstance(piece, Bound):
            return self._to((piece.kind, after))
        if isinstance(piece, Row):
            for part in reversed(piece.parts):
                after = self._written(part, after)
            return after
        if isinstance(piece, Choice):
            return self._to(*(("", self._written(part, after)) for part in piece.parts))
        assert isinstance(piece, Repeat)
        return self._times(piece, after)

    def _times(self, piece: Repeat, after: int) -> int:
        if piece.most is None:
            again = self._to(("", after))
            self._free[again].append(("", self._written(piece.part, again)))
            after = again
        else:
            end = after
            for _ in range(piece.most - piece.least):
                after = self._to(("", end), ("", self._written(piece.part, after)))
        for _ in range(piece.least):
            after = self._written(piece.part, after)
        return after

    def _to(self, *ways: tuple[str, int]) -> int:
        place = self._place()
        self._free[place] = list(ways)
        return place


def _places(state: Hashable) -> tuple[frozenset[int], str]:
    assert isinstance(state, tuple)
    places, before = state
    return places, before


def _bounds(before: str, after: str) -> Iterable[str]:
    found = {"word" if (before == LETTERS) != (after == LETTERS) else "not_word"}
    if before == EDGE:
        found |= {"begin_text", "begin_line"}
    if after == EDGE:
        found |= {"end_text", "end_line"}
    if before == LINE:
        found.add("begin_line")
    if after == LINE:
        found.add("end_line")
    return found


# Several tests of one text read at once: every state that some text leads to.

#: States of one test, and of all together, that are looked at.
STATES, NODES = 1500, 6000


class Product:
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

    def __init__(self, tests: Sequence[TextPredicate], each: int) -> None:
        machines = [test.machine() for test in tests]
        lowered = [test.lowered for test in tests]
        if any(machine.is_too_large and not low for machine, low in zip(machines, lowered, strict=True)):
            raise TooLargeError(f"more than {STATES} states")
        sets = [
            one
            for machine, low in zip(machines, lowered, strict=True)
            for one in (before_lowering(machine.sets) if low else machine.sets)
        ]
        kinds = representatives(list(dict.fromkeys(sets)), each)
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

    def _table(self, machine: Automaton, lowered: bool) -> tuple[list[tuple[int, ...]], list[int]]:
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
                        # other tests tell more characters apart, but they lead it to the same states
                        machine.is_too_large = machine.is_too_large or not lowered
                        raise TooLargeError(f"more than {STATES} states")
                row.append(numbers[after])
            rows.append(tuple(row))
        return product_of(rows, [int(machine.accepts(state)) for state in states])

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


def product_of(rows: list[tuple[int, ...]], accepts: list[int]) -> tuple[list[tuple[int, ...]], list[int]]:
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
