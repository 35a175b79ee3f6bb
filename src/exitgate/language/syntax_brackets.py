"""Parentheses and brackets that do not pair."""

from __future__ import annotations

from exitgate.language.problem import Problem
from exitgate.language.syntax_scan import Piece

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
