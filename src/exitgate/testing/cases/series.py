"""
The series notation for the history of one fact: ``1 2 2x3 _ 4``.

Samples are separated by blanks, oldest first, the current iteration last. ``2x3`` is three samples of
2, ``_`` an unknown one, ``[a, "b c"]`` a list; brackets may hold blanks. Text that holds blanks, or that
would read as one of these, is quoted with either quote: ``'two words'x2 "_"``; a quote inside is doubled.
"""

from __future__ import annotations

from collections.abc import Sequence

from exitgate.core.model.value import Unknown

#: More samples than this in one series is a slip of the hand, not a test.
SAMPLE_LIMIT = 10_000
UNKNOWN_SIGN = "_"
GIVEN_UNKNOWN = Unknown("given as unknown", "tests.yaml")
QUOTES = "'\""


class SeriesError(ValueError):
    """A series that cannot be read; `offset` is where, in characters from its start."""

    def __init__(self, message: str, offset: int) -> None:
        self.offset = offset
        super().__init__(message)


def parse(text: str) -> tuple[str | Unknown, ...]:
    """
    Return the samples of a series as written, oldest first: texts, or `Unknown` for ``_``.

    Raises `SeriesError` for an empty series, an open quote, a count of 0 and more than `SAMPLE_LIMIT`
    samples. What a text means depends on the type of the fact, see `exitgate.testing.cases.values`.
    """
    samples: list[str | Unknown] = []
    at = 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        start = at
        value, times, at = _sample(text, at)
        if len(samples) + times > SAMPLE_LIMIT:
            raise SeriesError(f"a series holds at most {SAMPLE_LIMIT} samples", start)
        samples += [value] * times
    if not samples:
        raise SeriesError("the series holds no sample", 0)
    return tuple(samples)


def _sample(text: str, start: int) -> tuple[str | Unknown, int, int]:
    """Return value, number of times and the offset behind the sample that starts at `start`."""
    end = start
    listed = _list_end(text, start)
    if listed:
        rest, end = _word(text, listed)
        return text[start:listed], _times(rest, start) if rest else 1, end
    if text[start] in QUOTES:
        value, end = _quoted(text, start)
        rest, end = _word(text, end)
        return value, _times(rest, start) if rest else 1, end
    word, end = _word(text, start)
    head, sign, tail = word.rpartition("x")
    if sign and head and tail.isascii() and tail.isdigit():
        return _plain(head), _times(sign + tail, start), end
    return _plain(word), 1, end


def _plain(word: str) -> str | Unknown:
    return GIVEN_UNKNOWN if word == UNKNOWN_SIGN else word


def _word(text: str, start: int) -> tuple[str, int]:
    end = start
    while end < len(text) and not text[end].isspace():
        end += 1
    return text[start:end], end


def _quoted(text: str, start: int) -> tuple[str, int]:
    quote, at, parts = text[start], start + 1, []
    while True:
        close = text.find(quote, at)
        if close < 0:
            raise SeriesError(f"the quote {quote} is never closed", start)
        parts.append(text[at:close])
        if not text.startswith(quote, close + 1):
            return quote.join(parts), close + 1
        at = close + 2


def _list_end(text: str, start: int) -> int:
    """Return the offset behind the list in brackets that begins at `start`, 0 where none does."""
    if text[start] != "[":
        return 0
    quoted = False
    for at in range(start, len(text)):
        quoted ^= text[at] == '"'
        if text[at] == "]" and not quoted:
            behind = text[at + 1 : at + 3]
            whole = not behind or behind[0].isspace() or (behind[0] == "x" and behind[1:].isdecimal())
            return at + 1 if whole else 0
    return 0


def _times(text: str, start: int) -> int:
    digits = text[1:]
    if text[0] != "x" or not (digits.isascii() and digits.isdigit()):
        raise SeriesError(f"`{text}` behind a quoted text is not a number of times such as x3", start)
    if len(digits) > len(str(SAMPLE_LIMIT)) or int(digits) > SAMPLE_LIMIT:
        raise SeriesError(f"a series holds at most {SAMPLE_LIMIT} samples", start)
    if int(digits) == 0:
        raise SeriesError("a sample cannot be there 0 times", start)
    return int(digits)


def write(samples: Sequence[str | Unknown]) -> str:
    """Return the shortest series that `parse` reads as these samples."""
    written: list[str] = []
    at = 0
    while at < len(samples):
        end = at
        while end < len(samples) and samples[end] == samples[at]:
            end += 1
        sign = _written(samples[at])
        written.append(sign if end - at == 1 else f"{sign}x{end - at}")
        at = end
    return " ".join(written)


def _written(sample: str | Unknown) -> str:
    if isinstance(sample, Unknown):
        return UNKNOWN_SIGN
    head, sign, tail = sample.rpartition("x")
    repeats = sign and head and tail.isascii() and tail.isdigit()
    if sample and 0 < _list_end(sample, 0) == len(sample):
        return sample
    plain = sample and sample != UNKNOWN_SIGN and sample[0] not in QUOTES + "[" and not repeats
    if plain and not any(c.isspace() for c in sample):
        return sample
    return '"' + sample.replace('"', '""') + '"'
