"""Colour and width of a form for people. Colour only repeats what a word or a glyph already says."""

from __future__ import annotations

import sys

from exitgate.core.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


#: Terminals of Windows that know ANSI codes set one of these; the old console shows the codes themselves.
_PAINTED = ("WT_SESSION", "TERM", "TERM_PROGRAM", "ANSICON", "ConEmuANSI")
#: ANSI select-graphic-rendition codes by the part a stretch of text plays.
ROLES = {
    "continue": "1;36",
    "complete": "1;32",
    "exit": "1;33",
    "trouble": "1;31",
    "error": "1;31",
    "warning": "1;33",
    "note": "1;36",
    "help": "1;32",
    "true": "32",
    "false": "2",
    "unknown": "33",
    "quiet": "2",
    "strong": "1",
    "place": "34",
    "name": "1;34",
}

#: Classes that a person should look at, shown in the colour of trouble.
TROUBLE = frozenset({"stuck", "halted", "failed", "undetermined"})


class Style(Value):
    """
    How text is shown.

    Args:
        color: Whether to paint.
        width: Columns that a line may take; sentences are wrapped there.
        whole: Whether values longer than their room stay whole: what is piped is read by a program.
    """

    __slots__ = ("color", "whole", "width")

    def __init__(self, color: bool = False, width: int = 80, whole: bool = False) -> None:
        self.color = color
        self.width = width
        self.whole = whole

    def narrowed(self, margin: int) -> Style:
        """Return the style for what is shown behind a margin of so many columns."""
        return Style(self.color, self.width - margin, self.whole)

    def fit(self, text: str, room: int) -> str:
        """Return `text`, cut to `room` columns on a terminal, whole elsewhere."""
        return text if self.whole else cut(text, room)

    def room(self, texts: Iterable[str], room: int) -> int:
        """Return how wide a column of `texts` is: `room` on a terminal, elsewhere what the longest takes."""
        return max([room, *map(columns, texts)]) if self.whole else room

    def paint(self, role: str, text: str) -> str:
        """Return `text` in the colour of `role`, one of `ROLES`; as it is without colour."""
        if not self.color or not text:
            return text
        return f"\x1b[{ROLES[role]}m{text}\x1b[0m"


def verdict_role(verdict: str, exit_class: str | None) -> str:
    """Return the role that paints a verdict of that class."""
    if verdict == "CONTINUE":
        return "continue"
    if exit_class == "complete":
        return "complete"
    return "trouble" if exit_class in TROUBLE else "exit"


def choose_color(wish: str, environment: Mapping[str, str], is_terminal: bool) -> bool:
    """
    Return whether to paint.

    Args:
        wish: ``always``, ``never`` or ``auto``, as `--color` says; the first two win over everything.
        environment: ``NO_COLOR``, ``FORCE_COLOR`` and ``CLICOLOR_FORCE`` (not empty, not ``0``), ``TERM``;
            on Windows, what terminals set that know the codes.
        is_terminal: Whether the stream that is written to is one.
    """
    if wish != "auto":
        return wish == "always"
    if environment.get("NO_COLOR"):
        return False
    if any(environment.get(name, "0") not in {"", "0"} for name in ("FORCE_COLOR", "CLICOLOR_FORCE")):
        return True
    if sys.platform == "win32" and not any(environment.get(name) for name in _PAINTED):
        return False
    return is_terminal and environment.get("TERM") != "dumb"


# How wide text is on a terminal, and text fitted to a width. Widths are columns of the terminal.

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


# Text that came from outside, made fit for a terminal.
#
# Every form for people goes through here: what an agent wrote can hold escape sequences that move the
# cursor, rename the window or hide text, and characters that reorder a line.

#: Joiners that scripts and emoji need; they show nothing and move nothing.
JOINERS = "\u200c\u200d"


def safe(text: str) -> str:
    """
    Return `text` on one line, every character that is not plainly visible written as an escape.

    Controls, line ends, bidirectional marks, tag characters, lone surrogates and unassigned code
    points become ``\\x1b``, ``\\u202e`` and the like; spaces of every width, letters of every script
    and emoji stay.
    """
    if text.isprintable():
        return text
    return "".join(map(_shown, text))


def safe_line(text: str) -> str:
    """Return `text` made safe, with tabs kept for `exitgate.report.terminal.expand`."""
    return "\t".join(safe(part) for part in text.split("\t"))


def safe_block(text: str) -> str:
    """Return `text` made safe line by line; only its line feeds and tabs stay as they are."""
    return "\n".join(safe_line(line) for line in text.replace("\r\n", "\n").split("\n"))


def _shown(character: str) -> str:
    if character.isprintable() or character in JOINERS:
        return character
    from unicodedata import category

    kind = category(character)
    if kind in {"Zs", "Co"}:
        return character
    number = ord(character)
    named = {9: "\\t", 10: "\\n", 13: "\\r"}.get(number)
    if named is not None:
        return named
    if number < 0x100:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
