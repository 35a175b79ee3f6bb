"""What may follow the beginning of a condition, for editors that complete one while it is typed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lark.exceptions import LarkError

from exitgate.language.grammar import parser
from exitgate.language.problem import LanguageError
from exitgate.language.syntax_scan import scan

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Pieces behind which a condition or value begins anew, no matter what was before.
_FRESH = frozenset(("and", "or", "not", "(", "[", ",", "where"))
#: So many beginnings are tried.
_TRIES = 20


def accepted(text: str) -> frozenset[str]:
    """
    Return the terminals of the grammar of which one may follow `text`; ``$END`` when it may end there.

    Where `text` itself has a fault, what is before the fault is left out, as long as the rest begins
    as a condition or value may; else nothing may follow. A function of the text alone, for any text.
    """
    for start in _starts(text):
        interactive = parser().parse_interactive(text[start:])
        try:
            interactive.exhaust_lexer()
            return frozenset(interactive.accepts())  # type: ignore[no-untyped-call]
        except (LarkError, LanguageError):
            continue
    return frozenset()


def _starts(text: str) -> Iterator[int]:
    """Yield the beginning and then the places from which the grammar may be asked again, left to right."""
    yield 0
    fresh = [piece.end for piece in scan(text) if piece.text in _FRESH]
    yield from fresh[-_TRIES:]
