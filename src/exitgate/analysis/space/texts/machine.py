"""Tests of one text as machines that read it character by character."""

from __future__ import annotations

from exitgate.analysis.space.texts.characters import ASCII, NEWLINE, WORD, holds, single
from exitgate.analysis.space.texts.pattern import Bound, Choice, Letter, Repeat, Row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from exitgate.analysis.space.texts.characters import Characters
    from exitgate.analysis.space.texts.pattern import Piece

#: Places of a pattern that is written out, repetitions and all.
PLACES = 3000
#: What came before a place, and what comes after it.
EDGE, LINE, LETTERS, OTHER = "edge", "line", "letters", "other"


class TooLargeError(Exception):
    """A pattern has too many places, or a machine too many states."""


class Machine:
    """
    A test of a text.

    `sets` are the characters that it tells apart. A state is any value that can be a key.
    """

    sets: tuple[Characters, ...]
    start: Hashable

    def step(self, state: Hashable, letter: str) -> Hashable:
        """Return the state after one more character."""
        raise NotImplementedError

    def accepts(self, state: Hashable) -> bool:
        """Return whether a text that ends here passes the test."""
        raise NotImplementedError


class Is(Machine):
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


class Contains(Machine):
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


class Found(Machine):
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
