"""A text that the grammar refuses, cut into pieces all the same."""

from __future__ import annotations

from exitgate.core.language.problem import Problem
from exitgate.core.model.value import Value

#: Signs of more than one character, right ones and wrong ones, longest first.
_LONG_SIGNS = (
    "===", "!==", "!>=", "!<=", "!>", "!<", "=!", "=~", "!~", "~=", "??", ">=", "<=", "==", "!=", "<>", "=>",
    "=<", "&&", "||", "**",
)  # fmt: skip

#: White space as the grammar knows it.
WHITE_SPACE = " \t\r\n\f"

#: Opening typographic quotes and what closes them.
_LEFT, _RIGHT = "\N{LEFT DOUBLE QUOTATION MARK}", "\N{RIGHT DOUBLE QUOTATION MARK}"
_LEFT_1, _RIGHT_1 = "\N{LEFT SINGLE QUOTATION MARK}", "\N{RIGHT SINGLE QUOTATION MARK}"
_TYPOGRAPHIC = {
    _LEFT: _RIGHT,
    _RIGHT: _RIGHT,
    _LEFT_1: _RIGHT_1,
    _RIGHT_1: _RIGHT_1,
    "\N{DOUBLE LOW-9 QUOTATION MARK}": _LEFT + _RIGHT,
    "\N{SINGLE LOW-9 QUOTATION MARK}": _LEFT_1 + _RIGHT_1,
    "«": "»",
    "»": "«",
}


class Piece(Value):
    """
    A word, number, text or sign of a condition.

    Args:
        kind: ``word``, ``number``, ``text``, ``open_text`` (never closed), ``typographic``,
            ``parameter``, ``condition``, ``braced`` (a parameter as templates write it) or ``sign``
            (anything else, mostly one character).
        text: What it is, or what it should be once repaired.
        start: Offset of its first character in the condition.
        end: Offset behind its last character.
    """

    __slots__ = ("end", "kind", "start", "text")

    def __init__(self, kind: str, text: str, start: int, end: int) -> None:
        self.kind = kind
        self.text = text
        self.start = start
        self.end = end

    def repaired(self, text: str) -> Piece:
        """Return the piece with another text in the same place."""
        return Piece(self.kind, text, self.start, self.end)


def scan(text: str) -> list[Piece]:
    """Return the pieces of any text, in order; only the grammar's white space is left out."""
    pieces: list[Piece] = []
    at = 0
    while at < len(text):
        if text[at] in WHITE_SPACE:
            at += 1
            continue
        kind, end = _piece(text, at)
        pieces.append(Piece(kind, text[at:end], at, end))
        at = end
    return pieces


def _piece(text: str, at: int) -> tuple[str, int]:
    """Return kind and end of the piece that begins at `at`."""
    first = text[at]
    behind = text[at + 1 : at + 2]
    if first.isdigit() or (first == "." and behind.isdigit()):
        return "number", _while(text, at, ".%_")
    if first.isalpha() or first == "_":
        return "word", _while(text, at, "._")
    if text.startswith(("${", "{{"), at):
        closing = "}}" if first == "{" else "}"
        end = text.find(closing, at)
        if end >= 0 and text[at + 2 : end].strip(" $").replace("_", "").isalnum():
            return "braced", end + len(closing)
    if first in "$@" and (behind.isalnum() or behind == "_"):
        kind = "parameter" if first == "$" else "condition"
        return kind, _while(text, at + 1, "._" if behind.isdigit() else "_")
    if first in "\"'":
        return _quoted(text, at)
    if first in _TYPOGRAPHIC:
        return _typographic(text, at)
    for sign in _LONG_SIGNS:
        if text.startswith(sign, at):
            return "sign", at + len(sign)
    return "sign", at + 1


def _while(text: str, at: int, also: str) -> int:
    while at < len(text) and (text[at].isalnum() or text[at] in also):
        at += 1
    return at


def _quoted(text: str, at: int) -> tuple[str, int]:
    quote, line_end = text[at], text.find("\n", at)
    stop = len(text) if line_end < 0 else line_end
    end = at + 1
    while end < stop:
        if text[end] != quote:
            end += 1
        elif text[end + 1 : end + 2] == quote:
            end += 2
        else:
            return "text", end + 1
    return "open_text", len(text[:stop].rstrip()) if stop > at + 1 else stop


def _typographic(text: str, at: int) -> tuple[str, int]:
    closing = _TYPOGRAPHIC[text[at]] + "\"'"
    for end in range(at + 1, len(text)):
        if text[end] in closing:
            return "typographic", end + 1
        if text[end] == "\n":
            break
    return "sign", at + 1


# Parentheses and brackets that do not pair.

_CLOSING = {"(": ")", "[": "]"}


def paired(pieces: list[Piece]) -> tuple[list[Piece], list[Problem]]:
    """
    Return the pieces with brackets that pair, and a problem for each that did not.

    One that is never closed is closed at the end; one that has no opening counterpart is left out.
    """
    kept: list[Piece] = []
    problems: list[Problem] = []
    open_: list[Piece] = []
    for piece in pieces:
        if piece.text in _CLOSING:
            open_.append(piece)
        elif piece.text in _CLOSING.values():
            if not open_ or _CLOSING[open_[-1].text] != piece.text:
                problems.append(_stray(piece, open_[-1] if open_ else None))
                if open_:
                    kept.append(piece.repaired(_CLOSING[open_.pop().text]))
                continue
            open_.pop()
        kept.append(piece)
    end = pieces[-1].end if pieces else 0
    for opening in reversed(open_):
        closing = _CLOSING[opening.text]
        message = f"`{opening.text}` is never closed"
        problems.append(Problem("EP308", message, opening.start, opening.end, f"add the missing `{closing}`"))
        kept.append(Piece("sign", closing, end, end))
    return kept, problems


def _stray(piece: Piece, opening: Piece | None) -> Problem:
    if opening is None:
        message, help_ = f"`{piece.text}` has no opening counterpart", "remove it, or open it earlier"
    else:
        message = f"`{piece.text}` closes a `{opening.text}`"
        help_ = f"write `{_CLOSING[opening.text]}`"
    return Problem("EP309", message, piece.start, piece.end, help_)
