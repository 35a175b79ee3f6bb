"""Long texts shortened before they are kept or compared: their beginning and their end."""

from __future__ import annotations

#: Longest text that is kept for the next iterations, in characters.
KEPT = 64_000
#: Longest text that is compared with others, in characters: comparing costs the product of two lengths.
COMPARED = 20_000
#: Is instead of what was cut out; no text that was written as UTF-8 holds it.
CUT = "\udc01[cut]\udc01"


def bounded(text: str, limit: int) -> str:
    """
    Return at most `limit` characters of `text`, and `CUT` between its beginning and its end.

    A text that was shortened before stays as it is, or loses more of its middle.
    """
    if len(text) <= limit + len(CUT):
        return text
    half = limit // 2
    return text[:half].replace(CUT, "") + CUT + text[len(text) - half :].replace(CUT, "")


def is_cut(text: str) -> bool:
    """Return whether the text is not whole."""
    return CUT in text
