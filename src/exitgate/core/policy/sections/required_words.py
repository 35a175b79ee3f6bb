"""
What a text must hold for a pattern to match it: found when a policy is compiled, asked before RE2 is.

A pattern is read from left to right. What is not understood requires nothing, and so does a pattern with it.
"""

from __future__ import annotations

import re
from functools import lru_cache

from exitgate.core.facts.lexicons.lexicon import BESIDES, KEYS, NEEDED, keys_of
from exitgate.core.facts.text.words import fold
from exitgate.core.model.json_object import JsonObject

#: Shortest text worth looking for, most of them for one pattern, longest that is put together.
SHORTEST, MOST, LONGEST = 3, 64, 32
#: Most texts that a piece of a pattern is written out in.
WRITTEN_OUT = 24

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

    #: Texts of which a match has at least one, or None where none is known.
    Needed = frozenset[str] | None


class _Unread(Exception):  # noqa: N818 - a pattern in a form that is not read here is not an error
    """The pattern has something that is not read here."""


class _Part:
    """
    A piece of a pattern.

    Args:
        exact: All that it matches, in lower case, where that is a few texts; else None.
        needed: Texts of which each match has at least one, where `exact` is None.
        besides: Other texts of which each match has at least one, or None.
    """

    __slots__ = ("besides", "exact", "needed")

    def __init__(self, exact: frozenset[str] | None, needed: Needed = None, besides: Needed = None) -> None:
        self.exact = exact
        self.needed = needed
        self.besides = besides

    def needs(self) -> Needed:
        """Return the texts that are worth looking for, or None."""
        if self.exact is None:
            return self.needed
        return self.exact if self.exact and min(map(_weight, self.exact)) >= SHORTEST else None


_ANY = _Part(None)
_EMPTY = frozenset(("",))
#: Ten texts of one character: they rule out few texts, but many lines.
_DIGIT = _Part(None, frozenset("0123456789"))


def required(pattern: str) -> tuple[str, ...]:
    """
    Return texts in lower case, sorted, of which a match has at least one; none when that is not known.

    Args:
        pattern: A pattern in RE2 syntax. Case does not matter.
    """
    return _listed(_read(pattern).needs())


def required_besides(pattern: str) -> tuple[str, ...]:
    """Return other texts in lower case, sorted, of which a match has at least one too; often none."""
    return _listed(_read(pattern).besides)


@lru_cache(maxsize=4096)
def _read(pattern: str) -> _Part:
    try:
        reader = _Reader(pattern)
        found = reader.alternatives()
        return found if reader.ended() else _ANY
    except (_Unread, IndexError, RecursionError):
        return _ANY


def _listed(found: Needed) -> tuple[str, ...]:
    return () if found is None else tuple(sorted(_shortest(found)))


def with_required(entry: JsonObject) -> JsonObject:
    """Return an entry as extractors take it, with what a text must hold for it to match."""
    found = JsonObject({key: value for key, value in entry.items() if key not in _FOR_READERS})
    read = _read(str(entry["pattern"])) if "pattern" in entry else _ANY
    needed, besides = _listed(read.needs()), _listed(read.besides)
    if needed:
        found[NEEDED] = list(needed)
        if besides and besides != needed:
            found[BESIDES] = list(besides)
    if "phrase" in entry or "words" in entry:
        found[KEYS] = keys_of(found)
    return found


def _union(needed: Iterable[Needed]) -> Needed:
    """Return all the texts without those that hold another one; None where they are too many."""
    found = frozenset(_shortest(frozenset(text for one in needed if one for text in one)))
    return found if len(found) <= MOST else None


def _shortest(found: Iterable[str]) -> list[str]:
    """Return the texts without those that hold another one."""
    kept: list[str] = []
    for text in sorted(found, key=len):
        if not any(shorter in text for shorter in kept):
            kept.append(text)
    return kept


def _together(pairs: list[tuple[frozenset[str], frozenset[str]]]) -> _Part:
    """Return what one of several alternatives needs: texts of a kind with texts of their kind."""
    needed, besides = pairs[0]
    for pair in pairs[1:]:
        one, other = max((pair, pair[::-1]), key=lambda way: _alike(way[0], needed) + _alike(way[1], besides))
        needed, besides = needed | one, besides | other
    return _Part(None, _union([needed]), _union([besides]))


def _alike(some: frozenset[str], others: frozenset[str]) -> int:
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
        exacts = [part.exact for part in parts]
        if None not in exacts:
            exact = frozenset(text for one in exacts if one for text in one)
            if len(exact) <= WRITTEN_OUT:
                return _Part(exact)
        needed = [part.needs() for part in parts]
        if None in needed:
            return _ANY
        # an alternative that needs nothing besides goes by what it needs
        return _together([(one, part.besides or one) for part, one in zip(parts, needed, strict=True) if one])

    def _row(self) -> _Part:
        best: list[tuple[int, frozenset[str]]] = []
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
                joined = frozenset([a + b for a in exact for b in part.exact])
                length = max(map(len, joined))
                if len(joined) <= WRITTEN_OUT and length <= LONGEST:
                    exact, longest = joined, length
                    continue
            best += [
                (at, texts)
                for at, texts in (
                    (self._at - 1, _Part(exact).needs()),
                    (self._at, part.needs()),
                    (self._at, part.besides),
                )
                if texts
            ]
            # the next texts begin with this piece where it is a few texts
            exact, whole = part.exact if part.exact is not None else _EMPTY, False
            longest = max(map(len, exact))
        if whole:
            return _Part(exact)
        best += [(self._at, texts) for texts in (_Part(exact).needs(),) if texts]
        if not best:
            return _ANY
        piece, first = max(best, key=lambda one: _worth(one[1]))
        # of another piece rather than twice of one
        others = [(at != piece, _worth(texts), texts) for at, texts in best if texts != first]
        return _Part(None, first, max(others, key=lambda one: one[:2])[2] if others else None)

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
            else:
                part = _Part(None, part.needs() if least else None)
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
            return _DIGIT
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
                if escaped in "xpPQ" or escaped.isdigit():
                    raise _Unread
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
            return _Part(_EMPTY)
        if letter in "pP" and self._next().isalpha():
            self._at += 1
            return _ANY
        if letter == "d":
            return _DIGIT
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
    if text.isascii():
        return len(text)
    return sum(1 if letter.isascii() else SHORTEST for letter in text)


def _worth(texts: frozenset[str]) -> tuple[int, int]:
    return min(map(_weight, texts)), -len(texts)
