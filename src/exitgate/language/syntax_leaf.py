"""The single test, between `and`, `or` and parentheses, around a piece of a condition."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.language.syntax_scan import Piece

_OPENING, _CLOSING = ("(", "["), (")", "]")


def leaf(pieces: list[Piece], at: int) -> tuple[int, int]:
    """
    Return the first and behind the last index of the test around the piece at `at`.

    Where the piece itself ends a test (`and`, `or`, a closing parenthesis, the end), it is the test
    before it, which may be empty. Pieces must have brackets that pair.
    """
    first = _first(pieces, at)
    depth, last = 0, at
    while last < len(pieces):
        text = pieces[last].text
        if depth == 0 and (text in _CLOSING or _divides(pieces, last)):
            break
        depth += (text in _OPENING) - (text in _CLOSING)
        last += 1
    return first, last


def _first(pieces: list[Piece], at: int) -> int:
    depth, first = 0, at
    while first > 0:
        text = pieces[first - 1].text
        if depth == 0 and (text in _OPENING or _divides(pieces, first - 1)):
            break
        depth += (text in _CLOSING) - (text in _OPENING)
        first -= 1
    return first


def _divides(pieces: list[Piece], at: int) -> bool:
    """Return whether the piece is between two tests."""
    text = pieces[at].text
    if text == ",":
        return True
    if text == "or":
        return at + 1 >= len(pieces) or pieces[at + 1].text != "else"
    return text == "and" and not ends_between(pieces, at)


def ends_between(pieces: list[Piece], at: int) -> bool:
    """Return whether the `and` at `at` would belong to a `between` before it."""
    depth = 0
    for piece in reversed(pieces[:at]):
        text = piece.text
        if depth == 0:
            if text == "between":
                return True
            if text in ("and", "or", ",") or text in _OPENING:
                return False
        depth += (text in _CLOSING) - (text in _OPENING)
    return False
