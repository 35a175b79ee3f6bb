"""A text as it is read for secrets: nothing invisible in it, and no token broken by the end of a line."""

from __future__ import annotations

from bisect import bisect_right

from exitgate.core.facts.text.structure import ESCAPE, INVISIBLE, escape_end
from exitgate.core.model.value import Value

#: Characters of keys and tokens beside letters and digits; what fills one up at its end.
_TOKEN, _FILLING = frozenset("_-+/.~"), "="
#: Characters that a line must at least have to go on with a token of the line before.
_RUN = 4


class Folded(Value):
    """
    A text without escape sequences, invisible characters and line ends within a token.

    Args:
        text: What is left.
        pieces: Where each piece of it begins, here and in the text that it was made of, in order.
    """

    __slots__ = ("pieces", "text")

    def __init__(self, text: str, pieces: tuple[tuple[int, int], ...]) -> None:
        self.text = text
        self.pieces = pieces

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return where ``text[start:end]``, which is not empty, is in the text that it was made of."""
        return self._place(start), self._place(end - 1) + 1

    def _place(self, at: int) -> int:
        here, there = self.pieces[bisect_right(self.pieces, at, key=lambda piece: piece[0]) - 1]
        return there + at - here


def folded(text: str) -> Folded | None:
    """Return the text folded, None where that would change nothing. Linear."""
    gaps = _gaps(text)
    if not gaps:
        return None
    pieces, kept, at, length = [], [], 0, 0
    for start, end in (*gaps, (len(text), len(text))):
        if start > at:
            pieces.append((length, at))
            kept.append(text[at:start])
            length += start - at
        at = end
    return Folded("".join(kept), tuple(pieces))


def _gaps(text: str) -> list[tuple[int, int]]:
    """Return what is to be left out, in order, nothing twice."""
    found = []
    at = text.find(ESCAPE)
    while at >= 0:
        end = escape_end(text, at)
        found.append((at, end))
        at = text.find(ESCAPE, end)
    for sign in INVISIBLE:
        at = text.find(sign)
        while at >= 0:
            found.append((at, at + 1))
            at = text.find(sign, at + 1)
    found += _breaks(text)
    apart: list[tuple[int, int]] = []
    for start, end in sorted(found):
        if not apart or start >= apart[-1][1]:
            apart.append((start, end))
    return apart


def _breaks(text: str) -> list[tuple[int, int]]:
    """
    Return the line ends, with blanks behind them, at which a token continues: the next line is all token.
    """
    found = []
    at = text.find("\n")
    while at >= 0:
        end = text.find("\n", at + 1)
        line = text[at + 1 : len(text) if end < 0 else end]
        rest = line.strip().rstrip(_FILLING)
        before = at - 1 if text[at - 1 : at] == "\r" else at
        if before > 0 and _is_token(text[before - 1]) and len(rest) >= _RUN and all(map(_is_token, rest)):
            found.append((before, at + 1 + len(line) - len(line.lstrip())))
        at = end
    return found


def _is_token(sign: str) -> bool:
    return sign.isascii() and (sign.isalnum() or sign in _TOKEN)
