"""Which list a place in a condition looks at item by item: what `item` is there."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from exitgate.language.syntax_scan import Piece


def listed(pieces: Sequence[Piece]) -> Sequence[Piece] | None:
    """
    Return the pieces of the list whose items are looked at where `pieces`, a beginning, end.

    None where that is not within ``any of LIST where (``, ``all of`` or ``count of``.
    """
    depth = 0
    for at in range(len(pieces) - 1, 0, -1):
        text = pieces[at].text
        depth += {")": 1, "(": -1}.get(text, 0)
        if depth < 0:
            depth = 0
            if pieces[at - 1].text == "where":
                return _list_before(pieces[: at - 1])
    return None


def _list_before(pieces: Sequence[Piece]) -> Sequence[Piece] | None:
    for at in range(len(pieces) - 1, 0, -1):
        if pieces[at].text == "of":
            found = pieces[at + 1 :]
            of_iterations = len(found) > 1 and found[0].text == "last" and found[1].text != "("
            return None if of_iterations or not found else found
    return None
