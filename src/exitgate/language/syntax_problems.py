"""
Every problem of syntax in a condition's text, in words, with the likely fix.

The text is cut into pieces; pieces that are wrong by themselves and brackets that do not pair are
reported and fixed. What is fixed is read by the grammar; where the grammar stops, the problem is
reported, a misspelt keyword is put right, else the test around it counts as ``true``, and reading begins
anew. So each test of a condition shows its own problem.
"""

from __future__ import annotations

from lark.exceptions import UnexpectedCharacters, UnexpectedToken

from exitgate.language.grammar import read
from exitgate.language.problem import LanguageError, Problem
from exitgate.language.syntax_brackets import paired
from exitgate.language.syntax_expected import Stop, describe, misspelt
from exitgate.language.syntax_leaf import leaf
from exitgate.language.syntax_phrases import compared
from exitgate.language.syntax_pieces import mend
from exitgate.language.syntax_scan import Piece, scan

#: Problems reported at most for one condition, and times the grammar is asked.
PROBLEM_LIMIT = 20


def problems_of(text: str) -> tuple[Problem, ...]:
    """Return the problems of a text that could not be read, from left to right; at least one."""
    pieces = scan(text)
    if not pieces:
        help_ = "write a condition, for example `tasks.done >= tasks.total`"
        return (Problem("EP301", "the condition is empty", 0, len(text), help_),)
    pieces, phrases = compared(pieces)
    pieces, problems = mend(pieces)
    problems.extend(phrases)
    pieces, brackets = paired(pieces)
    problems.extend(brackets)
    problems.extend(_reading(pieces, tuple(problems)))
    if not problems:
        # The pieces read as they were fixed silently: then the text is not what they say.
        problems.append(Problem("EP313", "the condition cannot be read", 0, len(text), "rewrite it"))
    problems.sort(key=lambda problem: (problem.start, problem.end))
    return tuple(dict.fromkeys(problems[:PROBLEM_LIMIT]))


def _reading(pieces: list[Piece], known: tuple[Problem, ...]) -> list[Problem]:
    """Return the problems that the grammar finds in fixed pieces."""
    problems: list[Problem] = []
    dead: list[tuple[int, int]] = [(problem.start, problem.end) for problem in known]
    for _ in range(PROBLEM_LIMIT):
        stopped = _stopped(pieces)
        if stopped is None:
            break
        problem, pieces, span = stopped
        if not any(_overlap(span, other) for other in dead) or not (known or problems):
            problems.append(problem)
        dead.append(span)
    return problems


def _overlap(one: tuple[int, int], other: tuple[int, int]) -> bool:
    """Return whether two stretches share a character, or one is empty and inside the other."""
    return one[0] < other[1] and other[0] < one[1]


def _stopped(pieces: list[Piece]) -> tuple[Problem, list[Piece], tuple[int, int]] | None:
    """Return the first problem of the grammar, the pieces without it and what it spoilt; or None."""
    starts, text = [], ""
    for piece in pieces:
        starts.append(len(text))
        text += piece.text + " "
    try:
        read(text)
    except UnexpectedToken as error:
        at = len(pieces) if error.token.type == "$END" else _index(starts, error.token.start_pos or 0)
        return _refused(Stop(pieces, at, frozenset(error.accepts or error.expected)))
    except UnexpectedCharacters as error:
        at = _index(starts, error.pos_in_stream or 0)
        return _refused(Stop(pieces, at, frozenset(error.allowed or ())))
    except LanguageError as error:
        found = error.problems[0]
        first, last = _index(starts, found.start), _index(starts, max(found.start, found.end - 1))
        problem = Problem(found.code, found.message, pieces[first].start, pieces[last].end, found.help)
        return _without(pieces, problem, *leaf(pieces, first))
    return None


def _index(starts: list[int], offset: int) -> int:
    """Return the index of the piece that holds the character at `offset` of the joined text."""
    return max(i for i, start in enumerate(starts) if start <= offset)


def _refused(stop: Stop) -> tuple[Problem, list[Piece], tuple[int, int]]:
    word = misspelt(stop)
    if word is not None:
        at, keyword, problem = word
        piece = stop.pieces[at]
        pieces = [*stop.pieces[:at], piece.repaired(keyword), *stop.pieces[at + 1 :]]
        return problem, pieces, (piece.start, piece.end)
    return _without(stop.pieces, describe(stop), stop.first, stop.last)


def _without(
    pieces: list[Piece], problem: Problem, first: int, last: int
) -> tuple[Problem, list[Piece], tuple[int, int]]:
    """Return the problem and the pieces with the test from `first` to before `last` counted as true."""
    start, end = problem.start, problem.end
    if first < last:
        start, end = min(start, pieces[first].start), max(end, pieces[last - 1].end)
    stand_in = Piece("word", "true", start, end)
    return problem, [*pieces[:first], stand_in, *pieces[last:]], (start, end)
