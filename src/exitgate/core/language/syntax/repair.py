"""
The smallest change to a test that lets the grammar read it to its end.

Where a test breaks off, a word is put in, taken out, replaced, moved or put in parentheses, and the grammar
is asked whether it now reads on. So what is proposed can always be read.
"""

from __future__ import annotations

import re

from lark.exceptions import UnexpectedCharacters, UnexpectedToken

from exitgate.core.language.functions import FUNCTIONS
from exitgate.core.language.grammar import parser
from exitgate.core.language.literals import KEYWORDS
from exitgate.core.language.problem import LanguageError
from exitgate.core.language.syntax.intended import TURNING
from exitgate.core.language.syntax.scan import Piece
from exitgate.core.model.spelling import nearest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.core.language.syntax.problems import Stop

    Pieces = list[Piece]
    Change = tuple[Pieces, int]


#: Pieces of a whole text, and of a test, up to which changes are tried, and changes that are tried.
LONGEST, WIDEST, TRIES = 200, 40, 60

#: Word that other languages or English would use -> keywords it may stand for here.
MEANT: dict[str, tuple[str, ...]] = {
    "by": ("per",), "each": ("per", "all"), "every": ("per", "all"), "for": ("per",),
    "if": ("where",), "that": ("where",), "when": ("where",), "with": ("where",), "which": ("where",),
    "in": ("over", "within", "for", "of", "by"), "during": ("over", "within", "for"),
    "from": ("of", "over", "within"), "on": ("of",), "since": ("over", "after"), "past": ("last",),
    "previous": ("last",), "recent": ("last",), "latest": ("last",), "some": ("any",),
    "over": ("within",), "within": ("over",), "straight": ("consecutive",), "successive": ("consecutive",),
    "iterations": ("times",), "iteration": ("times",), "runs": ("iterations",), "turns": ("iterations",),
    "times": ("iterations",), "loops": ("iterations",), "unknown": ("known",), "i": ("is",),
    "else": ("or else",), "counts": ("count",), "are": ("is",), "was": ("is",), "equals": ("is",),
    "ignoring": ("skipping",), "without": ("skipping",),
}  # fmt: skip
#: Keywords that say too little to be put in: each would make a test of nearly any two values.
_JOINING = frozenset(("and", "or", "not", "or else", "in", "contains", "matches", "between", "true", "false"))
#: What may follow an `is` that was left out, besides a member of an enum.
_BEHIND_IS = frozenset(("known", "unknown", "true", "false", "not"))
#: Signs that compare a number.
_SIGNS = frozenset((">=", "<=", "==", "!=", ">", "<", "between"))
#: Words of tests that look back without a key.
_UNKEYED = frozenset(("declined", "rose", "unchanged", "consecutive"))
#: Words that can be left out without making it another test.
_LEFT_OUT = frozenset((
    "after", "any", "all", "by", "consecutive", "iteration", "iterations", "known", "of", "over", "per",
    "the", "time", "times", "unknown", "where", "within",
))  # fmt: skip
#: Keywords of one word, for one that is misspelt.
_SINGLE = tuple(word for word in KEYWORDS.values() if " " not in word)
_PROPOSED = re.compile(r"`((?:[^`])+)`")


def repaired(stop: Stop) -> str | None:
    """Return the test in which the grammar stopped with the smallest change that it reads, or None."""
    if any(piece.text.lower() in TURNING for piece in stop.pieces[stop.first : stop.last]):
        return None
    if len(stop.pieces) > LONGEST or stop.last - stop.first > WIDEST:
        return None
    for tried, (pieces, last) in enumerate(_changes(stop)):
        if tried == TRIES:
            return None
        if reach(pieces) > last:
            return said(pieces[stop.first : last])
    return None


def sound(proposal: str, stop: Stop, at: tuple[int, int]) -> bool:
    """
    Return whether the grammar reads on where a proposal takes the place of what it is about.

    That is the piece where it stopped, what `at` holds (offsets in the condition), or the test around them.
    """
    from exitgate.core.language.syntax.scan import scan

    if len(stop.pieces) > LONGEST:
        return True
    marked = [i for i, piece in enumerate(stop.pieces) if at[0] <= piece.start < at[1]]
    spans = {(stop.at, min(stop.at + 1, len(stop.pieces))), (stop.first, stop.last)}
    if marked:
        spans.add((marked[0], marked[-1] + 1))
    for first, last in spans:
        new = [*stop.pieces[:first], *scan(proposal), *stop.pieces[last:]]
        if reach(new) > len(new) - (len(stop.pieces) - stop.last):
            return True
    return False


def proposals(help_: str) -> list[str]:
    """Return what a help says to write, where it names it: ``write `a`, or `b``` gives both."""
    if not help_.startswith("write `"):
        return []
    first, *others = help_.split(", or `")
    return [
        found for part in (first, *(f"`{other}" for other in others)) for found in _PROPOSED.findall(part)[:1]
    ]


def reach(pieces: Pieces) -> int:
    """Return the index of the piece that the grammar refuses: their number at the end, one more for none."""
    starts, text = [], ""
    for piece in pieces:
        starts.append(len(text))
        text += piece.text + " "
    try:
        parser().parse(text)
    except UnexpectedToken as error:
        return len(pieces) if error.token.type == "$END" else _index(starts, error.token.start_pos or 0)
    except UnexpectedCharacters as error:
        return _index(starts, error.pos_in_stream or 0)
    except LanguageError as error:
        return _index(starts, error.problems[0].start)
    return len(pieces) + 1


def _index(starts: list[int], offset: int) -> int:
    return max(i for i, start in enumerate(starts) if start <= offset)


def said(pieces: Pieces) -> str:
    """Return pieces as one would write them."""
    text = ""
    for i, piece in enumerate(pieces):
        before = pieces[i - 1].text if i else ""
        tight = before in ("", "(", "[") or piece.text in (")", "]", ",")
        if piece.text == "(" and i:
            tight = (
                before in ("(", "[")
                or (before in FUNCTIONS and before not in ("last", "repeats"))
                or (pieces[i - 1].end == piece.start and before not in KEYWORDS.values())
            )
        text += piece.text if tight else f" {piece.text}"
    return text


def _changes(stop: Stop) -> Iterator[Change]:
    """Yield the pieces with one change and the index behind the changed test, the likeliest first."""
    yield from _meant(stop)
    yield from _put_in(stop)
    yield from _in_parentheses(stop)
    yield from _moved(stop)
    yield from _taken_out(stop)


def _spliced(stop: Stop, first: int, last: int, new: Pieces) -> Change:
    return [*stop.pieces[:first], *new, *stop.pieces[last:]], stop.last + len(new) - (last - first)


def _word(text: str) -> Piece:
    return Piece("word" if text[0].isalpha() else "sign", text, -1, -1)


def _meant(stop: Stop) -> Iterator[Change]:
    for at in (stop.at, stop.at - 1, stop.at - 2):
        if stop.first <= at < stop.last:
            piece = stop.pieces[at]
            near = (
                nearest(piece.text, _SINGLE) if piece.kind == "word" and piece.text not in _SINGLE else None
            )
            for keyword in MEANT.get(piece.text.lower(), (near,) if near else ()):
                if keyword == "over" and _among(stop, "repeats"):
                    continue
                if keyword == "per" and not _UNKEYED.isdisjoint(p.text for p in stop.pieces[stop.first : at]):
                    continue
                yield _spliced(stop, at, at + 1, [piece.repaired(keyword)])
    few = [word for name in sorted(stop.accepted) if (word := KEYWORDS.get(name, "and")) not in _JOINING]
    if (
        stop.at < stop.last
        and stop.piece is not None
        and stop.piece.kind == "word"
        and "." not in stop.piece.text
        and len(few) <= 2
    ):
        for keyword in few:
            yield _spliced(stop, stop.at, stop.at + 1, [stop.piece.repaired(keyword)])


def _among(stop: Stop, word: str) -> bool:
    return any(piece.text == word for piece in stop.pieces[stop.first : stop.at])


def _put_in(stop: Stop) -> Iterator[Change]:
    behind = stop.piece.text if stop.piece is not None else ""
    if behind == "[" and (stop.before is None or stop.before.text != "is"):
        yield _spliced(stop, stop.at, stop.at, [_word("in")])
    if behind.startswith("iteration") and stop.at - 1 == stop.first:
        yield _spliced(stop, stop.first, stop.first, [_word("after")])
    if behind == "last" and "COMMA" in stop.accepted:
        yield _spliced(stop, stop.at, stop.at, [_word(",")])
    for name in sorted(stop.accepted):
        word = KEYWORDS.get(name, "")
        if not word or word in _JOINING or (word == "is" and not _follows_is(stop)):
            continue
        if word in ("over", "within") and (behind != "last" or (word == "over" and _among(stop, "repeats"))):
            continue
        yield _spliced(stop, stop.at, stop.at, [_word(word)])
        if word == "consecutive":
            yield _spliced(stop, stop.at, stop.at, [_word(word), _word("iterations")])
    for at in range(stop.at - 1, stop.first, -1):
        if stop.pieces[at].text == "(":
            yield _spliced(stop, at, at, [_word("where")])
        if stop.pieces[at].text == "unchanged" and stop.pieces[at - 1].text in ("for", "is"):
            yield _spliced(stop, at - 1, at, [])
    if stop.before is not None and stop.before.text == "not":
        yield _spliced(stop, stop.at - 1, stop.at - 1, [_word("is")])
    if stop.before is not None and stop.before.text in ("count", "counts"):
        yield _spliced(stop, stop.at - 1, stop.at, [_word("count"), _word("of")])


def _follows_is(stop: Stop) -> bool:
    piece = stop.piece
    return piece is not None and (piece.text in _BEHIND_IS or (piece.kind == "word" and piece.text.isupper()))


def _in_parentheses(stop: Stop) -> Iterator[Change]:
    opening, closing = _word("("), _word(")")
    before = stop.before
    if before is not None and (before.text in ("where", "skipping") or before.text in FUNCTIONS):
        for last in _ends(stop, before.text):
            if before.text == "last":
                return
            inner = [opening, *stop.pieces[stop.at : last], closing]
            words = [piece.text for piece in inner]
            if words.count("(") != words.count(")"):
                continue
            yield _spliced(stop, stop.at, last, inner)
    words = [piece.text for piece in stop.pieces[stop.first : stop.last]]
    if "for" in words:
        end = stop.first + words.index("for")
        inner = stop.pieces[stop.first : end]
        if inner and inner[0].text != "(":
            yield _spliced(stop, stop.first, end, [opening, *inner, closing])


def _ends(stop: Stop, before: str) -> Iterator[int]:
    """
    Yield where what is put in parentheses may end, the likeliest first.

    Behind a function that is near; behind `where` far; behind `skipping` at the comparison of the streak.
    """
    if before in FUNCTIONS:
        yield from range(stop.at + 1, stop.last + 1)
        return
    if before == "skipping":
        signs = [at for at in range(stop.at + 1, stop.last) if stop.pieces[at].text in _SIGNS]
        yield from reversed(signs)
    yield from range(stop.last, stop.at, -1)


def _moved(stop: Stop) -> Iterator[Change]:
    for at in (stop.at, stop.at - 1, stop.at - 2):
        if stop.first <= at and at + 1 < stop.last:
            one, other = stop.pieces[at : at + 2]
            if "word" in (one.kind, other.kind) and {one.kind, other.kind} != {"sign"}:
                yield _spliced(stop, at, at + 2, [other, one])


def _taken_out(stop: Stop) -> Iterator[Change]:
    for first, last in ((stop.at, stop.at + 1), (stop.at, stop.at + 2), (stop.at - 1, stop.at)):
        within = stop.first <= first and last <= stop.last
        if within and all(piece.text in _LEFT_OUT for piece in stop.pieces[first:last]):
            yield _spliced(stop, first, last, [])
