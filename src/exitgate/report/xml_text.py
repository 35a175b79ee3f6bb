"""Text inside XML."""

from __future__ import annotations

from xml.sax.saxutils import escape, quoteattr

from exitgate.report.safe import safe, safe_block


def attribute(text: str) -> str:
    """Return `text` on one line, in quotes, as the value of an attribute."""
    return quoteattr(safe(text))


def content(text: str) -> str:
    """Return `text` as what is between two tags; its line ends and tabs stay."""
    return escape(safe_block(text))
