"""From the text of a condition to its tree."""

from __future__ import annotations

from lark.exceptions import LarkError, UnexpectedInput

from exitgate.core.language.grammar import parser, read
from exitgate.core.language.measure import LENGTH_LIMIT
from exitgate.core.language.problem import LanguageError, Problem
from exitgate.core.language.syntax.problems import problems_of
from exitgate.core.language.syntax.scan import scan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.core.language.tree import Node


#: Levels a tree may have, the leaves included. `and` and `or` are flat: a long chain is two levels.
DEPTH_LIMIT = 50


def parse(text: str) -> Node:
    """
    Return the tree of a condition, untyped, with offsets in characters.

    Raises `LanguageError` with every problem of syntax that can be told apart (EP301 to EP318), for
    any text at all, and for one longer than `LENGTH_LIMIT` or nested deeper than `DEPTH_LIMIT`.
    """
    if len(text) > LENGTH_LIMIT:
        message = f"the condition has {len(text)} characters; {LENGTH_LIMIT} is the limit"
        help_ = "give parts of it names under `conditions:` and use them as `@name`"
        raise LanguageError([Problem("EP302", message, LENGTH_LIMIT, len(text), help_)])
    try:
        node = read(text)
    except (UnexpectedInput, LanguageError):
        raise LanguageError(problems_of(text)) from None
    deep = _too_deep(node)
    if deep is not None:
        message = f"the condition is nested deeper than {DEPTH_LIMIT} levels here"
        help_ = "give the inner part a name under `conditions:` and use it as `@name`"
        raise LanguageError([Problem("EP303", message, deep.start, deep.end, help_)])
    return node


def _too_deep(node: Node) -> Node | None:
    """Return the first node below `DEPTH_LIMIT` levels, or None; without recursion."""
    level = [node]
    for _ in range(DEPTH_LIMIT):
        level = [child for parent in level for child in parent.children()]
    return level[0] if level else None


# What may follow the beginning of a condition, for editors that complete one while it is typed.

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
