"""Inline code, quotation marks and struck text within one paragraph."""

from __future__ import annotations

from exitgate.core.facts.text import structure
from exitgate.core.facts.text.words import is_word

#: A quotation longer than this is taken for stray marks.
QUOTATION_LIMIT = 400


def quoted(text: str) -> list[tuple[int, int]]:
    """Return code spans, quotations and struck text of a paragraph in order, those that overlap made one."""
    code = code_spans(text)
    others = quotations(text) + struck(text)
    if not others:
        return code
    merged: list[tuple[int, int]] = []
    for start, end in sorted(code + others):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def struck(text: str) -> list[tuple[int, int]]:
    """Return the spans between two pairs of tildes, or tags of deletion, marks included."""
    spans = []
    mark = structure.STRIKE
    start = -1
    at = text.find(mark)
    while at >= 0:
        end = at + len(mark)
        while text[end : end + 1] == mark[0]:
            end += 1
        if end - at == len(mark):
            if start >= 0 and at - start <= QUOTATION_LIMIT and not text[at - 1].isspace():
                spans.append((start, end))
                start = -1
            elif end < len(text) and not text[end].isspace():
                start = at
        at = text.find(mark, end)
    if "</" in text:
        for tag in structure.STRUCK_TAGS:
            spans.extend(_tagged(text, tag, f"</{tag[1:]}"))
    return spans


def _tagged(text: str, opening: str, closing: str) -> list[tuple[int, int]]:
    spans = []
    start = text.find(opening)
    while start >= 0:
        end = text.find(closing, start)
        if end < 0:
            break
        spans.append((start, end + len(closing)))
        start = text.find(opening, end)
    return spans


def code_spans(text: str) -> list[tuple[int, int]]:
    """
    Return the code spans of a paragraph as CommonMark has them, marks included.

    A run of backticks closes at the next run of equal length. Each run is looked at once: runs are
    kept by length, and a length that is exhausted is never searched again.
    """
    at = text.find("`")
    if at < 0:
        return []
    if "``" not in text:
        return _single(text)
    runs = []
    while at >= 0:
        end = at + 1
        while text.startswith("`", end):
            end += 1
        runs.append((at, end))
        at = text.find("`", end)
    if len(runs) < 2:
        return []
    by_length: dict[int, list[int]] = {}
    for number, (start, end) in enumerate(runs):
        by_length.setdefault(end - start, []).append(number)
    for numbers in by_length.values():
        numbers.reverse()
    return _pair(runs, by_length)


def _single(text: str) -> list[tuple[int, int]]:
    """Return the code spans of a text in which no two backticks are together."""
    spans = []
    start = text.find("`")
    end = text.find("`", start + 1)
    while end >= 0:
        spans.append((start, end + 1))
        start = text.find("`", end + 1)
        end = text.find("`", start + 1) if start >= 0 else -1
    return spans


def _pair(runs: list[tuple[int, int]], by_length: dict[int, list[int]]) -> list[tuple[int, int]]:
    spans = []
    number = 0
    while number < len(runs):
        start, end = runs[number]
        same = by_length[end - start]
        while same and same[-1] <= number:
            same.pop()
        if same:
            closing = same.pop()
            spans.append((start, runs[closing][1]))
            number = closing
        number += 1
    return spans


def quotations(text: str) -> list[tuple[int, int]]:
    """
    Return the spans of quotations in a paragraph, marks included, nested ones within the outer.

    A straight mark opens behind a blank or an opening mark and before text, and closes behind text;
    so an apostrophe neither opens nor, inside a word, closes.
    """
    spans = []
    opened: dict[str, int] = {}
    for at, letter in _marks(text):
        closed = _closes(text, at, letter, opened)
        if closed is not None:
            start = opened.pop(closed)
            if at - start <= QUOTATION_LIMIT:
                spans.append((start, at + 1))
        elif letter in structure.QUOTES and _opens(text, at, letter) and _free(at, letter, opened):
            opened[letter] = at
    return spans


#: Marks inside which French writes a blank.
_AIRY = "\u00ab\u00bb\u2039\u203a"
_MARKS = "".join(sorted({*structure.QUOTES, *"".join(structure.QUOTES.values())}))
_ASCII_MARKS = "".join(mark for mark in _MARKS if mark.isascii())


def _marks(text: str) -> list[tuple[int, str]]:
    found = []
    for mark in _ASCII_MARKS if text.isascii() else _MARKS:
        at = text.find(mark)
        while at >= 0:
            found.append((at, mark))
            at = text.find(mark, at + 1)
    found.sort()
    return found


def _closes(text: str, at: int, letter: str, opened: dict[str, int]) -> str | None:
    """Return the opening mark that the mark at `at` closes, or None."""
    if at == 0 or (text[at - 1].isspace() and letter not in _AIRY):
        return None
    if at + 1 < len(text) and is_word(text[at + 1]) and letter not in "\u300d\u300f\u201d\u00bb\u201c":
        return None
    for mark, start in reversed(opened.items()):
        if letter in structure.QUOTES[mark] and start < at - 1:
            return mark
    return None


def _free(at: int, letter: str, opened: dict[str, int]) -> bool:
    """Return whether no quotation by that mark is open, or only one that was stray."""
    return letter not in opened or at - opened[letter] > QUOTATION_LIMIT


def _opens(text: str, at: int, letter: str) -> bool:
    if at + 1 >= len(text) or (text[at + 1].isspace() and letter not in _AIRY):
        return False
    return letter not in "'\"" or at == 0 or not is_word(text[at - 1])
