r"""
Texts in which line ends are written `\n`: the body of a JSON string that somebody pasted or printed.

A mention of `\n` is none. A text is taken for escaped when it is one line and at least two of its `\n`
are between words and marks of a layout, outside code spans and quotations, and are most of all.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_END = "\\n"
_FENCE = "```"
#: In front of a line end there is a word or a stop; these are marks of code that mentions one.
_NOT_BEFORE = " \t`'\"\\([{|+*?/,="
#: What follows a line end: another, an indent, a list, a heading, a table, a tag, emphasis, a rule.
_LAYOUT = "-#*|<>_[=~\u2022\u2013\u2014"
_LEAST = 2


def looks_escaped(text: str) -> bool:
    """Return whether all of `text` is such a body."""
    body = text.strip()
    if _END not in body or "\n" in body:
        return False
    every = body.count(_END)
    layout = sum(_layouts(piece) for piece in _outside(body.replace(_FENCE, "")))
    return layout >= _LEAST and 2 * layout >= every


def unescaped(text: str) -> str:
    """Return the text with its escapes of line ends, tabs, quotation marks and backslashes undone."""
    pieces = text.split("\\\\")
    for mark, meant in (("\\r\\n", "\n"), ("\\n", "\n"), ("\\t", "\t"), ('\\"', '"')):
        pieces = [piece.replace(mark, meant) for piece in pieces]
    return "\\".join(pieces)


def _outside(body: str) -> list[str]:
    """Return the pieces of a line that are in no code span and in no quotation."""
    spans = body.split("`")
    found: list[str] = []
    for number, span in enumerate(spans):
        # The last of an even number of pieces is behind a mark that nothing closes.
        if number % 2 == 0 or number == len(spans) - 1:
            for piece in span.replace('\\"', "\u201d").split('"')[::2]:
                found += _unquoted(piece)
    return found


def _unquoted(piece: str) -> Iterator[str]:
    """Yield what is not between single quotation marks; an apostrophe within a word is none."""
    at = 0
    while (opens := piece.find(" '", at)) >= 0:
        closes = piece.find("'", opens + 2)
        while closes >= 0 and piece[closes + 1 : closes + 2].isalnum():
            closes = piece.find("'", closes + 1)
        if closes < 0:
            break
        yield piece[at:opens]
        at = closes + 1
    yield piece[at:]


def _layouts(piece: str) -> int:
    """Return how many `\\n` in a piece of text are ends of its lines."""
    found, at = 0, piece.find(_END)
    while at >= 0:
        before, behind = piece[at - 1 : at], piece[at + len(_END) : at + len(_END) + 2]
        follows = behind[:1]
        ends = bool(before) and before not in _NOT_BEFORE
        continues = piece[max(0, at - len(_END)) : at] == _END  # the second of an empty line
        if (ends or continues) and _begins_line(follows, behind):
            found += 1
        at = piece.find(_END, at + len(_END))
    return found


def _begins_line(follows: str, behind: str) -> bool:
    if not follows:
        return False
    return behind == _END or follows in _LAYOUT or follows.isupper() or follows.isdigit() or behind == "  "
