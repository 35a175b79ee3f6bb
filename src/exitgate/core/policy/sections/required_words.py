"""
What a line must hold for a pattern to match it: found when a policy is compiled, asked before RE2 is.

A pattern is read from left to right. What is not understood requires nothing, and so does a pattern with it.
"""

from __future__ import annotations

import re
from functools import lru_cache

from exitgate.core.facts.lexicons.lexicon import KEYS, NEEDED, keys_of
from exitgate.core.facts.text.text import ANY_DIGIT, DIGIT, EDGE, is_of_word
from exitgate.core.facts.text.words import fold
from exitgate.core.model.json_object import JsonObject

#: Shortest text worth looking for, most of them in one set, longest that is put together.
SHORTEST, MOST, LONGEST = 2, 64, 32
#: Most texts that a piece of a pattern is written out in.
WRITTEN_OUT = 24
#: Most ways of one pattern, and most sets of texts of one way.
WAYS, SETS = 8, 3

#: What an entry says for its readers and tests; extractors do without.
_FOR_READERS = frozenset(("examples", "counterexamples", "doc"))

_ZERO_WIDTH = "bBAzZ"
#: Letters outside ASCII that have two forms, upper and lower case, and no third that RE2 takes for them.
_TWO_FORMS = frozenset(map(chr, range(0x430, 0x450))) - frozenset(
    map(chr, (0x432, 0x434, 0x43E, 0x441, 0x442, 0x44A))
)
#: Letters and signs that match themselves, up to the last that nothing repeats.
_PLAIN = re.compile(r"[\w \-,:;'\"/<>=@#%&~`!]+(?![*+?{])", re.ASCII)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    Texts = frozenset[str]
    #: Sets of texts: a match that comes about in this way has one of each.
    Way = tuple[Texts, ...]
    #: All ways in which a match comes about; none where that is not known.
    Ways = tuple[Way, ...]


class _Unread(Exception):  # noqa: N818 - a pattern in a form that is not read here is not an error
    """The pattern has something that is not read here."""


class _Part:
    """
    A piece of a pattern.

    Args:
        exact: All that it matches, in lower case, where that is a few texts; else None.
        ways: What its matches have, where `exact` is None.
        begins: A few texts of which each match begins with one, where `exact` is None; none if not known.
    """

    __slots__ = ("_ways", "begins", "exact")

    def __init__(self, exact: Texts | None, ways: Ways = (), begins: Texts = frozenset()) -> None:
        self.exact = exact
        self._ways = ways
        self.begins = begins

    def ways(self) -> Ways:
        """Return what its matches have that is worth looking for; none where that is not known."""
        if self.exact is None:
            return self._ways
        texts = _shortest(map(_bounded, self.exact))
        # a digit rules out few texts, but many lines
        worth = texts and (min(map(_weight, texts)) >= SHORTEST or texts == self.exact == {DIGIT})
        return ((texts,),) if worth else ()


_ANY = _Part(None)
_EMPTY = frozenset(("",))
#: Ten texts of one character: they rule out few texts, but many lines.
_DIGITS = _Part(frozenset((DIGIT,)))


def required(pattern: str) -> Ways:
    """
    Return the ways in which a pattern matches a line, each the sets of texts of which the line has one each.

    Args:
        pattern: A pattern in RE2 syntax. Case does not matter: the texts are in lower case.
    """
    return _read(pattern).ways()


@lru_cache(maxsize=4096)
def _read(pattern: str) -> _Part:
    try:
        reader = _Reader(pattern)
        found = reader.alternatives()
        return found if reader.ended() else _ANY
    except (_Unread, LookupError, ValueError, RecursionError):
        return _ANY


def with_required(entry: JsonObject) -> JsonObject:
    """Return an entry as extractors take it, with what a text must hold for it to match."""
    found = JsonObject({key: value for key, value in entry.items() if key not in _FOR_READERS})
    ways = required(str(entry["pattern"])) if "pattern" in entry else ()
    if ways:
        found[NEEDED] = [[sorted(texts) for texts in way] for way in ways]
    if "phrase" in entry or "words" in entry:
        found[KEYS] = keys_of(found)
    return found


def _joined(some: Texts, others: Texts) -> Texts | None:
    """Return each of some texts with each of others behind it; None if they are many, long or none."""
    joined = (
        frozenset([a + b for a in some for b in others]) if len(some) * len(others) <= WRITTEN_OUT else None
    )
    return joined if joined and max(map(len, joined)) <= LONGEST else None


def _shortest(found: Iterable[str]) -> Texts:
    """Return the texts without those that hold another one."""
    kept: list[str] = []
    for text in sorted(found, key=len):
        if not any(shorter in text for shorter in kept):
            kept.append(text)
    return frozenset(kept)


def _in_a_row(pieces: list[Ways]) -> Ways:
    """Return the ways of pieces that follow one another: each way of one with each of the others."""
    ways: Ways = ((),)
    for piece in sorted(pieces, key=len):
        known = piece if len(ways) * len(piece) <= WAYS else _as_one(piece)
        if known:
            ways = tuple((*way, *more) for way in ways for more in known)
    return tuple(map(_best, ways)) if ways != ((),) else ()


def _as_one(ways: Ways) -> Ways:
    """Return several ways as one; none where they are too many texts."""
    texts = _shortest(text for way in ways for text in way[0])
    return ((texts,),) if len(texts) <= MOST else ()


def _best(way: Iterable[Texts]) -> Way:
    """Return the sets that rule out the most, in that order."""
    sets = dict.fromkeys(_shortest(texts) for texts in way)
    return tuple(sorted(sets, key=_worth, reverse=True)[:SETS])


def _few(ways: list[Way]) -> Ways:
    """Return no more than `WAYS` ways: of more, those that are most alike become one."""
    while len(ways) > WAYS:
        at = max(
            range(len(ways) - 1), key=lambda at: sum(_alike(a, b) for a, b in _pairs(*ways[at : at + 2]))
        )
        joined = (_shortest(one | other) for one, other in _pairs(*ways[at : at + 2]))
        way = _best(texts for texts in joined if len(texts) <= MOST)
        if not way:
            return ()
        ways[at : at + 2] = [way]
    return tuple(dict.fromkeys(ways))


def _pairs(one: Way, other: Way) -> list[tuple[Texts, Texts]]:
    """Return each set of one way with the set of the other that is most like it."""
    left, pairs = list(other), []
    for texts in one:
        if left:
            best = max(left, key=lambda like: _alike(texts, like))
            left.remove(best)
            pairs.append((texts, best))
    return pairs


def _alike(some: Texts, others: Texts) -> int:
    """Return how many texts there are in both, spaces around them left aside."""
    return len({text.strip() for text in some} & {text.strip() for text in others})


class _Reader:
    """Reads a pattern from left to right."""

    __slots__ = ("_at", "_pattern")

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._at = 0

    def ended(self) -> bool:
        return self._at >= len(self._pattern)

    def _next(self) -> str:
        return self._pattern[self._at : self._at + 1]

    def _take(self) -> str:
        letter = self._pattern[self._at]
        self._at += 1
        return letter

    def alternatives(self) -> _Part:
        parts = [self._row()]
        while self._next() == "|":
            self._at += 1
            parts.append(self._row())
        if len(parts) == 1:
            return parts[0]
        exact = frozenset(text for part in parts if part.exact is not None for text in part.exact)
        if len(exact) <= WRITTEN_OUT and all(part.exact is not None for part in parts):
            return _Part(exact)
        exact = frozenset(map(_bounded, exact))
        ways = [part.ways() for part in parts]
        if () in ways:
            return _ANY
        written = [_shortest(exact)] if 0 < len(exact) <= MOST else []
        others = [way for part in parts if part.exact is None or not written for way in part.ways()]
        return _Part(None, _few([*((texts,) for texts in written), *others]))

    def _row(self) -> _Part:
        pieces: list[Ways] = []
        exact, longest, whole = _EMPTY, 0, True
        while not self.ended() and self._next() not in "|)":
            plain = _PLAIN.match(self._pattern, self._at)
            if plain is not None and longest + plain.end() - self._at <= LONGEST:
                letters = plain[0].lower()
                exact = frozenset([text + letters for text in exact])
                longest, self._at = longest + len(letters), plain.end()
                continue
            part = self._repeated()
            if part.exact is not None:
                joined = _joined(exact, part.exact)
                if joined is not None:
                    exact, longest = joined, max(map(len, joined))
                    continue
            led = _joined(exact, part.begins) if part.exact is None else None
            pieces.append(_Part(led or exact).ways())
            if part.exact is None:
                pieces.append(part.ways())
            # the next texts begin with this piece where it is a few texts
            exact, whole = part.exact if part.exact is not None else _EMPTY, False
            longest = max(map(len, exact))
        if whole:
            return _Part(exact)
        return _Part(None, _in_a_row([ways for ways in (*pieces, _Part(exact).ways()) if ways]))

    def _repeated(self) -> _Part:
        part = self._one()
        while not self.ended() and self._next() in "*+?{":
            sign = self._take()
            if sign == "{":
                least, most = self._bounds()
            else:
                least, most = {"*": (0, 2), "+": (1, 2), "?": (0, 1)}[sign]
            if not self.ended() and self._next() == "?":
                self._at += 1
            if least == most == 1:
                continue
            if least == 0 and most == 1 and part.exact is not None and len(part.exact) < WRITTEN_OUT:
                part = _Part(part.exact | _EMPTY)
            elif not least:
                part = _ANY
            else:
                begins = part.begins
                if part.exact is not None:
                    begins = frozenset(text * min(least, LONGEST) for text in part.exact)
                part = _Part(None, part.ways(), begins)
        return part

    def _bounds(self) -> tuple[int, int]:
        end = self._pattern.index("}", self._at) if "}" in self._pattern[self._at :] else -1
        least, comma, most = self._pattern[self._at : end].partition(",") if end >= 0 else ("", "", "")
        if not (least.isascii() and least.isdigit()):
            raise _Unread
        self._at = end + 1
        return int(least), int(least) if not comma else int(most) if most.isdigit() else int(least) + 1

    def _one(self) -> _Part:
        letter = self._take()
        if letter == "(":
            return self._group()
        if letter == "[":
            return self._class()
        if letter == "\\":
            return self._escaped()
        if letter in "^$":
            return _Part(_EMPTY)
        if letter in "*+?{":
            raise _Unread
        return _ANY if letter == "." else _literal(letter)

    def _group(self) -> _Part:
        if self._next() == "?":
            end = self._at + 1
            while self._pattern[end] not in ":)>":
                end += 1
            if self._pattern[end] == ")":
                # flags for what follows: those that read a pattern in another way are not read here
                if not set(self._pattern[self._at + 1 : end]) <= set("imsU-"):
                    raise _Unread
                self._at = end + 1
                return _Part(_EMPTY)
            named = self._pattern[self._at + 1 : end].lstrip("P").startswith("<")
            flags = self._pattern[self._at + 1 : end]
            if not named and not set(flags) <= set("imsU-"):
                raise _Unread
            self._at = end + 1
        part = self.alternatives()
        if self._take() != ")":
            raise _Unread
        return part

    def _class(self) -> _Part:
        start = self._at
        if self._pattern.startswith(("0-9]", "1-9]", "\\d]"), start):
            self._at += 4 if self._next() != "\\" else 3
            return _DIGITS
        if self._next() == "^":
            self._at += 1
        members: list[str] | None = []
        first = True
        while first or self._next() != "]":
            first = False
            letter = self._take()
            if letter == "[":
                if self._next() == ":":
                    raise _Unread
            elif letter == "\\":
                escaped = self._take()
                if escaped == "Q" or escaped.isdigit():
                    raise _Unread
                if escaped in "xpP" and self._next() == "{":
                    self._at = self._pattern.index("}", self._at) + 1
                if escaped.isalnum():
                    members = None
                letter = escaped
            elif letter == "-" and members and self._next() != "]":
                members = None
            if members is not None:
                members.append(letter)
        self._at += 1
        if members is None or self._pattern[start] == "^" or len(members) > WRITTEN_OUT:
            return _ANY
        parts = [_literal(member).exact for member in members]
        return _ANY if None in parts else _Part(frozenset(t for one in parts if one for t in one))

    def _escaped(self) -> _Part:
        letter = self._take()
        if letter in _ZERO_WIDTH:
            return _Part(frozenset((EDGE,))) if letter == "b" else _Part(_EMPTY)
        if letter in "pP" and self._next().isalpha():
            self._at += 1
            return _ANY
        if letter == "d":
            return _DIGITS
        if letter in "DwWsS" or letter in "tnrfv":
            return _ANY
        if letter.isalnum():
            raise _Unread
        return _literal(letter)


@lru_cache(maxsize=1024)
def _literal(letter: str) -> _Part:
    # outside ASCII a letter has more forms than lower case tells; signs and letters without case have one
    # and a question mark may stand for what is not a character
    plain = (
        letter.isprintable() and letter != "?"
        if letter.isascii()
        else letter.lower() == letter.upper() == fold(letter) or letter.lower() in _TWO_FORMS
    )
    return _Part(frozenset((letter.lower(),))) if plain else _ANY


def _weight(text: str) -> int:
    """Return the length of a text, characters outside ASCII counted as what they are worth."""
    text = text.strip(EDGE)
    if text.isascii():
        return len(text)
    return sum(1 if letter.isascii() else SHORTEST for letter in text)


def _bounded(text: str) -> str:
    """
    Return a text with `EDGE` at no more than its ends, where it begins or ends with a letter or digit.

    All digits are `DIGIT` where one is.
    """
    plain = text.replace(EDGE, "")
    if DIGIT in plain:
        plain = plain.translate(ANY_DIGIT)
    begins = text.startswith(EDGE) and is_of_word(plain[:1])
    ends = text.endswith(EDGE) and is_of_word(plain[-1:])
    return f"{EDGE * begins}{plain}{EDGE * ends}"


def _worth(texts: Texts) -> tuple[int, int]:
    return min(map(_weight, texts)), -len(texts)
