"""Texts that a pattern may well match, from its syntax tree alone: for patterns that have no machine."""

from __future__ import annotations

from exitgate.analysis.space.texts.characters import told_apart
from exitgate.analysis.space.texts.pattern import Bound, Choice, Letter, Repeat, Row, UnreadError, read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.analysis.space.texts.pattern import Piece

#: Texts of one pattern, longest of them.
SAMPLES, LONGEST = 24, 2000


def samples(pattern: str) -> tuple[str, ...]:
    """
    Return texts made by the form of a pattern, the shortest ways through it first.

    What bounds ask for is not looked at: whether the pattern matches them has to be seen.
    """
    try:
        tree = read(pattern)
    except UnreadError:
        return (pattern,)
    found = dict.fromkeys(text for more in range(3) for text in _texts(tree, more) if len(text) <= LONGEST)
    return tuple([*found, *(f" {text} " for text in found)][:SAMPLES])


def _texts(piece: Piece, more: int) -> Iterator[str]:
    """Yield texts, with `more` repetitions than must be; of alternatives each once."""
    if isinstance(piece, Letter):
        letters = told_apart([piece.characters], 1 + more)
        inside = [one for some in letters for one in some if _holds(piece, one)]
        yield from inside[more : more + 1] or inside[:1]
    elif isinstance(piece, Bound):
        yield ""
    elif isinstance(piece, Choice):
        for part in piece.parts:
            yield from _texts(part, more)
    elif isinstance(piece, Repeat):
        times = piece.least + more if piece.most is None else min(piece.least + more, piece.most)
        for text in _texts(piece.part, more):
            yield text * times
    else:
        assert isinstance(piece, Row)
        yield from _joined(piece, more)


def _joined(row: Row, more: int) -> Iterator[str]:
    """Yield texts of a row: every part in its first way, then each part in its others."""
    parts = [list(_texts(part, more))[:SAMPLES] for part in row.parts]
    if not all(parts):
        return
    yield "".join(texts[0] for texts in parts)
    for place, texts in enumerate(parts):
        for text in texts[1:]:
            yield "".join([*(t[0] for t in parts[:place]), text, *(t[0] for t in parts[place + 1 :])])


def _holds(piece: Letter, letter: str) -> bool:
    from exitgate.analysis.space.texts.characters import holds

    return holds(piece.characters, letter)
