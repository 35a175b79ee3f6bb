"""
Advice on a wrong condition that holds for the types: what it proposes is checked before it is given.

The advice on a text that cannot be read is made without knowing any fact. Here what it proposes is
written instead of what it is about, and the types are checked.
"""

from __future__ import annotations

from lark.exceptions import UnexpectedInput

from exitgate.core.language.checker.check import check
from exitgate.core.language.grammar import read
from exitgate.core.language.literals import KEYWORDS
from exitgate.core.language.measure import LENGTH_LIMIT
from exitgate.core.language.problem import LanguageError, Problem
from exitgate.core.language.syntax.forms import leaf
from exitgate.core.language.syntax.parse import parse
from exitgate.core.language.syntax.repair import WIDEST, proposals
from exitgate.core.language.syntax.scan import scan
from exitgate.core.model.value import BOOL, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from exitgate.core.language.checker.context import Scope
    from exitgate.core.language.tree import Node
    from exitgate.core.model.value import Type


#: Problems with names: a proposal has those that the writer chose.
_NAMES = frozenset(("EP401", "EP402", "EP403"))
#: Problems of a word, number or sign: advice takes the place of what they mark. So does that of some problems
#: of types where they mark a single word.
_EXACT = frozenset((
    "EP304", "EP305", "EP306", "EP307", "EP310", "EP311", "EP312", "EP318", "EP402", "EP403", "EP405",
))  # fmt: skip
_OF_VALUES = frozenset(("EP401", "EP407", "EP409"))
#: How advice begins that proposes what is in backticks behind; besides "write `...`".
_LEADS = (
    "did you mean ", "write it as a text: ", "write it as a list: ", "write straight quotes: ",
    "write the smaller one first: ", "compare the length: ", "compare how many items there are: ",
    "write days: ", "say in which unit: ", "give the number a unit, for example ", "compare it, for example ",
)  # fmt: skip
#: What may be written where a proposal leaves something open.
_STAND_INS = ("3", '"x"', "known", "10% over last 5", "30m", "5 USD", "true", "50%")
#: What ends a proposal of a pattern that it leaves open.
_PATTERNS = ('"^..."', '"...$"', '"..."')
_WORDS = frozenset(word for keyword in KEYWORDS.values() for word in keyword.split())
_UNREADABLE = "it cannot be read"
#: Faults of a proposal that say nothing to a reader: it is left out.
_SILENT = (_UNREADABLE, "there is no fact ")


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
    problems = tuple(problems)
    return tuple(_advised(problem, problems, text, scope, want) for problem in problems)


def proposed(help_: str) -> list[str]:
    """Return what advice says to write, or might: each a text instead of what is wrong."""
    for lead in _LEADS:
        if help_.startswith(lead):
            return help_[len(lead) :].split("`")[1::2]
    return proposals(help_)


def _advised(
    problem: Problem, problems: tuple[Problem, ...], text: str, scope: Scope, want: Type | None
) -> Problem:
    named = proposed(problem.help)
    faults = [_fault(number, problem, problems, text, scope, want) for number in range(len(named))]
    if not any(faults):
        return problem
    parts = problem.help.split(", or `")
    kept = [part for part, fault in zip(parts, faults, strict=False) if not fault]
    if len(parts) != len(named) or not kept:
        told = bool(faults[0]) and not faults[0].startswith(_SILENT) and "..." not in named[0]
        help_ = f"with `{named[0]}`: {faults[0]}" if told else problem.help.partition("; ")[2]
    else:
        first = kept[0] if kept[0] is parts[0] else f"write `{kept[0]}"
        help_ = ", or `".join([first, *kept[1:]])
    return Problem(problem.code, problem.message, problem.start, problem.end, help_)


def _fault(
    number: int, problem: Problem, problems: tuple[Problem, ...], text: str, scope: Scope, want: Type | None
) -> str:
    """Return what is wrong with a proposal of a problem, by its number; empty where it is right somewhere."""
    proposal = proposed(problem.help)[number]
    if "..." in proposal and not proposal.endswith((" ...", *_PATTERNS)):
        return ""
    if len(text) > LENGTH_LIMIT:
        return ""
    found = ""
    for repaired, at in _beside(problem, problems, text, number):
        for one in _filled(proposal):
            fault = _fault_in(one, at, repaired, scope, want)
            if fault == "":
                return ""
            found = found or fault or ""
    if found or problem.code in _EXACT or len(problems) > 1 or "..." in proposal:
        return found
    return _UNREADABLE


def _fault_in(proposal: str, problem: Problem, text: str, scope: Scope, want: Type | None) -> str | None:
    """Return what is wrong with a proposal in a text; None where it can be read in no place."""
    found = None
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


def _filled(proposal: str) -> Iterator[str]:
    """Yield a proposal, with something of each kind where it leaves its end open."""
    if not proposal.endswith(" ..."):
        yield proposal.replace("...", "x") if proposal.endswith(_PATTERNS) else proposal
        return
    for one in _STAND_INS:
        yield proposal.replace("...", one)


def _beside(
    problem: Problem, problems: tuple[Problem, ...], text: str, number: int
) -> Iterator[tuple[str, Problem]]:
    """Yield a text with a problem of it: as it is, and as advice of that number makes it on the others."""
    yield text, problem
    others = [
        (one, f" {named[min(number, len(named) - 1)]} ")
        for one in problems
        if (one.end <= problem.start or one.start >= problem.end) and (named := _exactly(one, text))
    ]
    shift, end = 0, len(text) + 1
    for one, new in sorted(others, key=lambda pair: pair[0].start, reverse=True):
        if one.end > end:
            continue
        text, end = text[: one.start] + new + text[one.end :], one.start
        shift += len(new) - (one.end - one.start) if one.end <= problem.start else 0
    if end <= len(text):
        yield text, Problem(problem.code, problem.message, problem.start + shift, problem.end + shift)


def _exactly(problem: Problem, text: str) -> list[str]:
    """Return what advice proposes instead of what the problem marks, and nothing around it."""
    named = proposed(problem.help)
    whole = problem.code in _EXACT or (
        problem.code in _OF_VALUES and len(scan(text[problem.start : problem.end])) == 1
    )
    return named if whole and named and "..." not in named[0] else []


def _faults(tree: Node, scope: Scope, want: Type | None, start: int, end: int) -> list[Problem]:
    """Return the problems of types in a stretch of a condition."""
    try:
        check(tree, scope, want)
    except LanguageError as error:
        return [
            one
            for one in error.problems
            if one.start < end and one.end > start and not (one.code in _NAMES and not _is_keyword(one))
        ]
    return []


def _is_keyword(problem: Problem) -> bool:
    """Return whether what counts as a name that does not exist is a word of the language."""
    return problem.message.rpartition(" ")[2].strip("`") in _WORDS


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
