"""
Advice on a wrong condition that holds for the types: what it proposes is checked before it is given.

The advice on a text that cannot be read is made without knowing any fact. Here what it proposes is
written instead of what it is about, and the types are checked.
"""

from __future__ import annotations

from lark.exceptions import UnexpectedInput

from exitgate.language.check import check
from exitgate.language.grammar import read
from exitgate.language.parse import LENGTH_LIMIT, parse
from exitgate.language.problem import LanguageError, Problem
from exitgate.language.syntax_leaf import leaf
from exitgate.language.syntax_repair import WIDEST, proposals
from exitgate.language.syntax_scan import scan
from exitgate.model.type import BOOL
from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from exitgate.language.scope import Scope
    from exitgate.language.tree import Node
    from exitgate.model.type import Type

#: Problems with names: a proposal has those that the writer chose.
_NAMES = frozenset(("EP401", "EP402", "EP403"))
_MEANT = ("did you mean `", "`?")


def understood(text: str, scope: Scope, want: Type | None = BOOL) -> Node:
    """
    Return the typed tree of a condition's text.

    Args:
        text: The text.
        scope: The names there are.
        want: The type the whole must have; None for any.

    Raises:
        LanguageError: With every problem of its syntax, or else of its names and types; what their advice
            proposes can be read and has types that go together.
    """
    try:
        return check(parse(text), scope, want)
    except LanguageError as error:
        raise LanguageError(advised(error.problems, text, scope, want)) from None


def advised(
    problems: Iterable[Problem], text: str, scope: Scope, want: Type | None = BOOL
) -> tuple[Problem, ...]:
    """
    Return the problems of a text with the advice that is left once types are checked.

    Of several proposals those stay that fit. Where none does, the advice says what would be wrong.

    Args:
        problems: Those of `parse` or `check` for the text.
        text, scope, want: As for `understood`.
    """
    return tuple(_advised(problem, text, scope, want) for problem in problems)


def proposed(help_: str) -> list[str]:
    """Return what advice says to write: a text instead of what is wrong."""
    before, behind = _MEANT
    if help_.startswith(before) and help_.endswith(behind):
        return [help_[len(before) : -len(behind)]]
    return proposals(help_)


def _advised(problem: Problem, text: str, scope: Scope, want: Type | None) -> Problem:
    named = proposed(problem.help)
    faults = [_fault(one, problem, text, scope, want) for one in named]
    if not any(faults):
        return problem
    parts = problem.help.split(", or `")
    kept = [part for part, fault in zip(parts, faults, strict=False) if not fault]
    if len(parts) != len(named) or not kept:
        help_ = f"with `{named[0]}`: {faults[0]}" if faults[0] else ""
    else:
        first = kept[0] if kept[0] is parts[0] else f"write `{kept[0]}"
        help_ = ", or `".join([first, *kept[1:]])
    return Problem(problem.code, problem.message, problem.start, problem.end, help_)


def _fault(proposal: str, problem: Problem, text: str, scope: Scope, want: Type | None) -> str:
    """Return what is wrong with a proposal; empty where it is right in some place, or can be read in none."""
    if "..." in proposal or len(text) > LENGTH_LIMIT:
        return ""
    found = ""
    for whole in (True, False):
        for place in _places(problem, text, want, whole):
            new = f"{place.before} {proposal} {place.behind}"
            try:
                tree = read(new)
            except (UnexpectedInput, LanguageError):
                continue
            faults = _faults(tree, scope, place.want, place.left, len(new) - place.right)
            if not faults:
                return ""
            found = found or faults[0].message
        if found:
            break  # the rest of the text can be read: it counts, too
    return found


def _faults(tree: Node, scope: Scope, want: Type | None, start: int, end: int) -> list[Problem]:
    """Return the problems of types in a stretch of a condition."""
    try:
        check(tree, scope, want)
    except LanguageError as error:
        return [
            one for one in error.problems if one.code not in _NAMES and one.start < end and one.end > start
        ]
    return []


class _Place(Value):
    """
    What a proposal takes the place of, in a text or in one test of it.

    Args:
        before, behind: What is around it.
        want: The type that the whole must have; None for any.
        left, right: Where the test around it begins, and how far from the end it ends.
    """

    __slots__ = ("before", "behind", "left", "right", "want")

    def __init__(self, before: str, behind: str, want: Type | None, left: int = 0, right: int = 0) -> None:
        self.before = before
        self.behind = behind
        self.want = want
        self.left = left
        self.right = right


def _places(problem: Problem, text: str, want: Type | None, whole: bool) -> Iterator[_Place]:
    """
    Yield what a proposal may take the place of, in the whole text or in the test around it alone.

    That is what the problem marks, with or without the piece before, the test around it, or a piece of it.
    The rest of the text may have problems of its own.
    """
    pieces = scan(text)
    stretch = range(problem.start, max(problem.end, problem.start + 1))
    marked = [number for number, piece in enumerate(pieces) if piece.start in stretch]
    first, last = (marked[0], marked[-1] + 1) if marked else (len(pieces), len(pieces))
    left, right = leaf(pieces, first)
    spans = [(first, last), (max(left, first - 1), last), (first, right), (left, last), (left, right)]
    begins = [*(piece.start for piece in pieces), len(text)]
    ends = [0, *(piece.end for piece in pieces)]
    alone = want if left == 0 else BOOL if pieces[left - 1].text in ("and", "or", "not") else None
    for start, end in dict.fromkeys([*spans, *((one, one + 1) for one in marked[:WIDEST])]):
        begin, stop = begins[start], ends[end] if start < end else begins[start]
        inside = left <= start <= end <= right
        outer = (begins[left], max(stop, ends[right])) if inside else (0, len(text))
        if whole and start <= end:
            yield _Place(text[:begin], text[stop:], want, outer[0], len(text) - outer[1])
        elif inside:
            yield _Place(text[outer[0] : begin], text[stop : outer[1]], alone)
