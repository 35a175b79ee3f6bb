"""
Text that came from outside, made fit for a terminal.

Every form for people goes through here: what an agent wrote can hold escape sequences that move the cursor,
rename the window or hide text, and characters that reorder a line.
"""

from __future__ import annotations

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
    """Return `text` made safe, with tabs kept for `exitgate.report.width.expand`."""
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
