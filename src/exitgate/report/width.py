"""How wide text is on a terminal, and text fitted to a width. Widths are columns of the terminal."""

from __future__ import annotations

TAB = 4


def columns(text: str) -> int:
    """Return the columns that `text` takes: wide East Asian characters and emoji two, marks none."""
    if text.isascii():
        return len(text)
    return sum(map(column_count, text))


def column_count(character: str) -> int:
    """Return 0, 1 or 2, the columns of one character."""
    if character < "\u0300":
        return 1
    from unicodedata import category, east_asian_width

    if category(character) in {"Mn", "Me", "Cf"}:
        return 0
    return 2 if east_asian_width(character) in {"W", "F"} else 1


def expand(text: str) -> str:
    """Return `text` with each tab replaced by spaces up to the next multiple of `TAB` columns."""
    if "\t" not in text:
        return text
    parts: list[str] = []
    at = 0
    for character in text:
        shown = " " * (TAB - at % TAB) if character == "\t" else character
        parts.append(shown)
        at += columns(shown)
    return "".join(parts)


def pad(text: str, width: int) -> str:
    """Return `text` with spaces behind it up to `width` columns; a longer text stays as it is."""
    return text + " " * max(0, width - columns(text))


def cut(text: str, width: int) -> str:
    """Return `text`, shortened to `width` columns with an ellipsis where it is longer."""
    if columns(text) <= width:
        return text
    kept, used = [], 0
    for character in text:
        used += column_count(character)
        if used > width - 1:
            break
        kept.append(character)
    return "".join(kept).rstrip() + "…"


def wrap(text: str, width: int, first: str = "", rest: str | None = None) -> list[str]:
    """
    Return the lines of `text` broken between words to at most `width` columns.

    Args:
        text: One paragraph, without line ends.
        width: Columns of a whole line, its indent included. A single longer word is not broken.
        first: Put before the first line.
        rest: Put before every later line; as many spaces as `first` is wide when left out.
    """
    rest = " " * columns(first) if rest is None else rest
    lines: list[str] = []
    words: list[str] = []
    used = columns(first)
    for word in text.split(" "):
        size = columns(word) + bool(words)
        if words and used + size > width:
            lines.append((rest if lines else first) + " ".join(words).rstrip())
            words, used, size = [], columns(rest), columns(word)
        words.append(word)
        used += size
    lines.append((rest if lines else first) + " ".join(words))
    return lines
