"""Letters written as a base and a combining mark, made one without moving what follows their word."""

from __future__ import annotations

#: Combining marks of the scripts that have letters of one character for them.
MARKS = (
    "\u0300", "\u0301", "\u0302", "\u0303", "\u0306", "\u0307", "\u0308", "\u030a", "\u030b", "\u030c",
    "\u0327", "\u0328", "\u3099", "\u309a",
)  # fmt: skip
#: What fills the places of marks behind a word that grew shorter: it shows nothing and joins nothing.
FILLER = "\u200b"


def composed(text: str) -> str:
    """
    Return `text` with marks composed with their letters; it has as many characters as before.

    A word that grows shorter is followed by fillers, so the next word starts where it did.
    """
    if text.isascii() or not any(mark in text for mark in MARKS):
        return text
    from unicodedata import normalize

    pieces = [""]
    missing = 0
    for letter in text:
        if letter in MARKS:
            one = normalize("NFC", pieces[-1] + letter)
            if len(one) == 1 and pieces[-1]:
                pieces[-1] = one
                missing += 1
                continue
        elif missing and not letter.isalnum():
            pieces.append(FILLER * missing)
            missing = 0
        pieces.append(letter)
    pieces.append(FILLER * missing)
    return "".join(pieces)
