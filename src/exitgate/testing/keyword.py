"""
Which cases to run: ``stagnation and not (slow or 'two words')``.

A word is true of a name that holds it somewhere, in upper or lower case; `and`, `or`, `not` and parentheses
bind as they do in Python and in pytest's ``-k``. A word with blanks in it, or one that would read as an
operator, is in quotes.
"""

from __future__ import annotations

from collections.abc import Callable

from exitgate.core.model.decision import USAGE
from exitgate.core.model.diagnostic import Diagnostic, ExitgateError, Location

Select = Callable[[str], bool]


COMMAND_LINE = "<command line>"
AND, OR, NOT = "and", "or", "not"
QUOTES = "'\""
MARKS = "()"
#: Open parentheses and `not`s within one another.
DEPTH = 50
HELP = "write words, `and`, `or`, `not` and parentheses; put a word with spaces in quotes"


def select(text: str) -> Select:
    """Return whether a name is selected by the expression `text`. Raises `ExitgateError` (64)."""
    return _Reader(text).whole()


class _Reader:
    """Reads one expression from left to right, one word ahead."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._depth = 0
        self._start, self._word, self._quoted = 0, "", False
        self._next()

    def whole(self) -> Select:
        found = self._either()
        if self._word or self._quoted:
            raise self._wrong(
                "`and` or `or` is missing here" if self._word != ")" else "`)` has no opening parenthesis"
            )
        return found

    def _either(self) -> Select:
        left = self._both()
        while self._is(OR):
            self._next()
            left = _or(left, self._both())
        return left

    def _both(self) -> Select:
        left = self._one()
        while self._is(AND):
            self._next()
            left = _and(left, self._one())
        return left

    def _one(self) -> Select:
        self._depth += 1
        if self._depth > DEPTH:
            raise self._wrong(f"more than {DEPTH} levels of nesting")
        found = self._inner()
        self._depth -= 1
        return found

    def _inner(self) -> Select:
        if self._is(NOT):
            self._next()
            inner = self._one()
            return lambda name: not inner(name)
        if self._is("("):
            self._next()
            inner = self._either()
            if not self._is(")"):
                raise self._wrong("a `)` is missing here")
            self._next()
            return inner
        if not self._quoted and (not self._word or self._word in (AND, OR, ")")):
            raise self._wrong("a word is missing here")
        wanted = self._word.casefold()
        self._next()
        return lambda name: wanted in name.casefold()

    def _is(self, word: str) -> bool:
        return not self._quoted and self._word == word

    def _next(self) -> None:
        text = self._text
        while self._at < len(text) and text[self._at].isspace():
            self._at += 1
        self._start, self._quoted = self._at, False
        if self._at < len(text) and text[self._at] in QUOTES:
            close = text.find(text[self._at], self._at + 1)
            if close <= self._at + 1:
                self._word = text[self._at :]
                raise self._wrong("the quote is never closed" if close < 0 else "the quotes are empty")
            self._word, self._quoted, self._at = text[self._at + 1 : close], True, close + 1
            return
        end = self._at
        while end < len(text) and not text[end].isspace() and text[end] not in MARKS + QUOTES:
            end += 1
        if end == self._at < len(text):
            end += 1
        self._word, self._at = text[self._at : end], end

    def _wrong(self, why: str) -> ExitgateError:
        place = Location(COMMAND_LINE, 1, self._start + 1, 1, max(self._at, self._start + 1) + 1)
        problem = Diagnostic("EP500", f"`-k` cannot be read: {why}", place, HELP, source=self._text)
        return ExitgateError([problem], USAGE)


def _or(left: Select, right: Select) -> Select:
    return lambda name: left(name) or right(name)


def _and(left: Select, right: Select) -> Select:
    return lambda name: left(name) and right(name)
