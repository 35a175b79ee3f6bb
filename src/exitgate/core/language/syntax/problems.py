"""
Every problem of syntax in a condition's text, in words, with the likely fix.

The text is cut into pieces; pieces that are wrong by themselves and brackets that do not pair are
reported and fixed. What is fixed is read by the grammar; where the grammar stops, the problem is
reported, a misspelt keyword is put right, else the test around it counts as ``true``, and reading begins
anew. So each test of a condition shows its own problem.
"""

from __future__ import annotations

from lark.exceptions import UnexpectedCharacters, UnexpectedToken

from exitgate.core.language.grammar import read
from exitgate.core.language.literals import COMPARISONS, KEYWORDS, VALUES, written
from exitgate.core.language.problem import LanguageError, Problem
from exitgate.core.language.syntax.foreign import foreign
from exitgate.core.language.syntax.forms import (
    COMPARING,
    TESTS,
    between,
    function,
    iterations,
    leaf,
    list_,
    parentheses,
    window,
)
from exitgate.core.language.syntax.intended import OWN, TURNING, meant
from exitgate.core.language.syntax.phrases import compared
from exitgate.core.language.syntax.pieces import mend
from exitgate.core.language.syntax.repair import proposals, repaired, sound
from exitgate.core.language.syntax.scan import Piece, paired, scan
from exitgate.core.model.spelling import nearest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.language.syntax.scan import Piece


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


# What was expected where the grammar found something else, in words, and the likely fix.

_BEGINNING = ("not", "after", "any", "all", "at", "nothing")


class Stop:
    """Where the grammar stopped: the pieces, the index of the refused one, what it would accept."""

    def __init__(self, pieces: list[Piece], at: int, accepted: frozenset[str]) -> None:
        self.pieces = pieces
        self.at = at
        self.accepted = accepted
        self.first, self.last = leaf(pieces, at)

    @property
    def piece(self) -> Piece | None:
        """Return the refused piece, None at the end; a bracket added there to pair is not a piece."""
        piece = self.pieces[self.at] if self.at < len(self.pieces) else None
        return piece if piece is not None and piece.start < piece.end else None

    @property
    def before(self) -> Piece | None:
        """Return the piece before the refused one."""
        return self.pieces[self.at - 1] if self.at else None

    def text(self, first: int, last: int) -> str:
        """Return the pieces from `first` to before `last` as one would write them."""
        words = " ".join(piece.text for piece in self.pieces[first:last])
        for loose, tight in (("( ", "("), (" )", ")"), ("[ ", "["), (" ]", "]"), (" ,", ",")):
            words = words.replace(loose, tight)
        return words

    def problem(self, code: str, message: str, help_: str) -> Problem:
        """Return a problem at the refused piece, or behind the last one at the end."""
        if self.piece is not None:
            return Problem(code, message, self.piece.start, self.piece.end, help_)
        end = self.pieces[-1].end if self.pieces else 0
        return Problem(code, message, end, end, help_)


def describe(stop: Stop) -> Problem:
    """Return the problem that best says why the grammar stopped, with advice that the grammar can read."""
    own = meant(stop)
    if own is not None:
        named = proposals(own.help)
        good = all(
            "..." in one or sound(one, stop, (own.start, max(own.end, own.start + 1))) for one in named
        )
        return own if good else Problem(own.code, own.message, own.start, own.end)
    problem = _explained(stop)
    named = proposals(problem.help)
    at = (problem.start, max(problem.end, problem.start + 1))
    if named and all("..." not in one and sound(one, stop, at) for one in named):
        return problem
    if not named and stop.accepted >= VALUES:
        return problem
    better = repaired(stop)
    if better is not None:
        return Problem(problem.code, problem.message, problem.start, problem.end, f"write `{better}`")
    if all("..." in one for one in named):
        return problem
    return Problem(problem.code, problem.message, problem.start, problem.end)


def _explained(stop: Stop) -> Problem:
    for explain in _EXPLAINERS:
        problem = explain(stop)
        if problem is not None:
            return problem
    assert stop.piece is not None
    message = f"expected {expected(stop.accepted)}, got `{stop.piece.text}`"
    return stop.problem("EP313", message, _one_word(stop.accepted))


def _comma(stop: Stop) -> Problem | None:
    """`1,000`, `in (A, B)`, `[A B]`, and a comma outside lists and arguments."""
    if stop.piece is None or stop.before is None or stop.accepted >= VALUES:
        return None
    if stop.piece.text != ",":
        if {"COMMA", "RSQB"} <= stop.accepted:
            help_ = f"write `{stop.before.text}, {stop.piece.text}`"
            return stop.problem("EP313", f"`{stop.piece.text}` follows `{stop.before.text}` in a list", help_)
        return None
    if [piece.text for piece in stop.pieces[max(0, stop.first - 2) : stop.first]] == ["in", "("]:
        return stop.problem("EP313", "a list is written in brackets", _in_brackets(stop))
    behind = stop.pieces[stop.at + 1] if stop.at + 1 < len(stop.pieces) else stop.piece
    if stop.before.kind == behind.kind == "number" and behind.start - stop.before.end == 1:
        grouped = len(behind.text.rstrip("%dhms")) == 3 and stop.before.text.isdecimal()
        right = stop.before.text + ("" if grouped else ".") + behind.text
        message = f"`{stop.before.text},{behind.text}` is not a valid number"
        help_ = f"write `{right}`" if right.count(".") < 2 else "write digits, with a point before decimals"
        return Problem("EP312", message, stop.before.start, behind.end, help_)
    help_ = "join conditions with `and` or `or`; write a list in brackets"
    return stop.problem("EP313", "`,` is outside a list and the arguments of a function", help_)


def _in_brackets(stop: Stop) -> str:
    """Return the help for a list in parentheses: the test with brackets, where they are closed."""
    opening = stop.first - 1
    closing = next((i for i in range(stop.at, len(stop.pieces)) if stop.pieces[i].text == ")"), None)
    if closing is None:
        return f"write `in [{stop.before.text}, ...]`" if stop.before is not None else ""
    start, _ = leaf(stop.pieces, opening)
    return f"write `{stop.text(start, opening)} [{stop.text(opening + 1, closing)}]`"


def misspelt(stop: Stop) -> tuple[int, str, Problem] | None:
    """Return index and right keyword of a misspelt keyword that made the grammar stop, or None."""
    if stop.piece is not None and stop.before is not None and stop.before.text == "at":
        if stop.at - 1 > stop.first and stop.pieces[stop.at - 2].text == "is":
            return None
        both = nearest(f"at {stop.piece.text}", ("at least", "at most"))
        return (stop.at, both[3:], _did_you_mean(stop.piece, both)) if both is not None else None
    if stop.piece is not None and stop.piece.kind == "word":
        near = _near_keyword(stop.piece.text, stop.accepted)
        if near is not None:
            return stop.at, near, _did_you_mean(stop.piece, near)
    before = stop.before
    if before is not None and before.kind == "word" and before.text not in KEYWORDS.values():
        begins = stop.at - 1 == stop.first or stop.pieces[stop.at - 2].text in ("is", "not")
        begins = begins and stop.piece is not None and before.text not in OWN
        near = nearest(before.text, _BEGINNING) if begins else None
        if stop.at > 1 and stop.pieces[stop.at - 2].text == "or" and stop.piece is not None:
            near = nearest(before.text, ("else",)) or near
        if near is not None and len(before.text) > 1:
            return stop.at - 1, near, _did_you_mean(before, near)
    return None


def _near_keyword(word: str, accepted: frozenset[str]) -> str | None:
    if len(word) < 2 or word in KEYWORDS.values() or word in OWN:
        return None
    near = nearest(word, [KEYWORDS[name] for name in sorted(accepted) if name in KEYWORDS])
    if near is not None and len(word) == 2 and sorted(word) != sorted(near):
        return None
    return near


def _did_you_mean(piece: Piece, keyword: str) -> Problem:
    message = f"`{piece.text}` is not a word of the language here"
    return Problem("EP307", message, piece.start, piece.end, f"did you mean `{keyword}`?")


def expected(accepted: frozenset[str]) -> str:
    """Return what the grammar would accept, in words, the most useful first."""
    words: list[str] = []
    accepted = _no_call(accepted)
    if "PER" in accepted and len(accepted) > 1:
        accepted = accepted - {"PER"}  # hardly ever what was left out
    if accepted == {"$END"}:
        accepted = frozenset({"AND", "OR", "$END"})
    if accepted >= VALUES:
        words.append("a value")
        accepted = accepted - VALUES - {"MINUS", "LPAR", "LSQB", "TRUE", "FALSE", "LAST", "REPEATS"}
        accepted = accepted - {"NOT", "AFTER", "ANY", "ALL", "AT_LEAST", "AT_MOST", "COUNT_OF", "NOTHING"}
    if "AND" in accepted and "OR" in accepted:
        words.extend(("`and`", "`or`"))
        if accepted >= COMPARISONS:
            words.append("a comparison such as `>=`")
        words.extend(written(name) for name in ("RPAR", "$END") if name in accepted)
    else:
        words.extend(written(name) for name in sorted(accepted))
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def _no_call(accepted: frozenset[str]) -> frozenset[str]:
    """Return what is accepted behind `last` without the parenthesis of the function of that name."""
    return (
        accepted - {"LPAR"} if accepted > {"DURATION", "LPAR", "NUMBER"} and len(accepted) == 4 else accepted
    )


def _one_word(accepted: frozenset[str]) -> str:
    accepted = _no_call(accepted)
    if accepted == {"NUMBER", "PARAMETER"}:
        return "write digits, for example `3`, or a count parameter"
    if accepted == {"DURATION", "NUMBER", "PARAMETER"}:
        return "write digits, for example `3`, a time such as `30m`, or a parameter"
    accepted = accepted - {"PER"} if len(accepted) > 1 else accepted
    if len(accepted) > 1 or "$END" in accepted:
        return ""
    return f"write {written(next(iter(accepted)))}"


def _chain(stop: Stop) -> Problem | None:
    """`1 < x < 3`: a comparison of a comparison."""
    if stop.piece is None or stop.piece.text not in COMPARING or "AND" not in stop.accepted:
        return None
    signs = [i for i in range(stop.first, stop.at) if stop.pieces[i].text in COMPARING]
    if not signs:
        return None
    low, middle = stop.text(stop.first, signs[0]), stop.text(signs[0] + 1, stop.at)
    high = stop.text(stop.at + 1, stop.last)
    one, other = stop.pieces[signs[0]].text, stop.piece.text
    help_ = f"write `{low} {one} {middle} and {middle} {other} {high}`"
    if not high or one in TESTS or other in TESTS:
        help_ = "join two tests with `and`, or put the first in parentheses"
    elif one == other == "<=":
        help_ = f"write `{middle} between {low} and {high}`, both ends included, or {help_[6:]}"
    elif one == other == ">=":
        help_ = f"write `{middle} between {high} and {low}`, both ends included, or {help_[6:]}"
    return stop.problem("EP315", f"`{other}` follows a comparison; comparisons are not chained", help_)


def _not(stop: Stop) -> Problem | None:
    """`a not > 3`: only `in` follows `not` there."""
    if stop.accepted != {"IN"} or stop.piece is None:
        return None
    test = f"{stop.text(stop.first, stop.at - 1)} {stop.text(stop.at, stop.last)}"
    message = f"`{stop.piece.text}` follows `not`, where only `in` is allowed"
    help_ = f"write `not {test}`" if stop.piece.text in COMPARING else "write `is not`"
    if stop.piece.text in TURNING:
        help_ = ""
    return stop.problem("EP313", message, help_)


def _value(stop: Stop) -> Problem | None:
    """An operator or keyword with no value before or behind it."""
    if stop.accepted == {"LPAR"} and stop.before is not None and stop.before.text in ("repeats", "last"):
        if stop.at - 1 == stop.first and stop.before.text == "repeats":
            help_ = "begin with a fact, for example `errors.signature repeats 3 times`"
            return _at(stop.before, "expected a value before it, got `repeats`", help_)
        if stop.at - 1 == stop.first:
            help_ = "say what of them, for example `any of last 5 where (tests.passing)`"
            return _at(stop.before, "`last` begins a condition", help_)
    if not stop.accepted >= VALUES or (stop.piece is None and stop.before is None):
        return None
    where = f"after `{stop.before.text}`" if stop.before is not None else "before it"
    if stop.piece is None:
        return stop.problem("EP314", f"the condition ends, but a value is expected {where}", _operand(stop))
    if stop.before is not None and stop.before.text == "is" and stop.piece.text in TESTS:
        return stop.problem("EP313", f"`{stop.piece.text}` follows `is`", "remove `is`")
    behind_not = stop.before is not None and stop.before.text == "not" and stop.at - 2 > stop.first
    if behind_not and stop.pieces[stop.at - 2].text == "is" and stop.piece.text in TESTS[1:]:
        test = f"{stop.text(stop.first, stop.at - 2)} {{}}{stop.text(stop.at, stop.last)}"
        help_ = f"write `{test.format('not ')}`"
        if stop.piece.text != "in":
            help_ = f"write `not ({test.format('')})`"
        return stop.problem("EP313", f"`{stop.piece.text}` follows `is not`", help_)
    message = f"expected a value {where}, got `{stop.piece.text}`"
    return stop.problem("EP313", message, _operand(stop))


def _at(piece: Piece, message: str, help_: str) -> Problem:
    return Problem("EP313", message, piece.start, piece.end, help_)


def _operand(stop: Stop) -> str:
    before = stop.before
    if before is None:
        return "begin with a fact, for example `tasks.done > 3`"
    if before.text == "is" or (
        before.text == "not" and stop.at > 1 and stop.pieces[stop.at - 2].text == "is"
    ):
        words = "is not" if before.text == "not" else "is"
        return f"write for example `{words} true`, `{words} OPEN` or `{words} known`"
    if before.text == "(":
        return "put a value or a condition between the parentheses"
    if before.text in ("and", "or", "not"):
        return f"add a condition after `{before.text}`"
    return f"add a value after `{before.text}`"


def _end(stop: Stop) -> Problem | None:
    """The condition ends in the middle of a form."""
    if stop.piece is not None:
        return None
    if stop.before is not None and stop.before.text in ("declined", "rose"):
        help_ = f"say by how much: `{stop.text(stop.first, stop.at)} by 10% over last 3`"
        return stop.problem("EP314", f"the condition ends behind `{stop.before.text}`", help_)
    message = f"the condition ends, but {expected(stop.accepted)} is expected"
    return stop.problem("EP314", message, _one_word(stop.accepted))


def _two_values(stop: Stop) -> Problem | None:
    """`a b`: a value follows a value."""
    piece, before = stop.piece, stop.before
    if piece is None or before is None or not {"AND", "OR"} <= stop.accepted:
        return None
    if piece.kind == "sign" and piece.text not in ("(", "["):
        return None
    if before.text in KEYWORDS.values() and before.text not in ("true", "false"):
        return None
    if piece.text == "(" and before.kind == "word":
        help_ = "join them with `and`, `or` or a comparison such as `>=`"
        return stop.problem("EP313", f"`(` follows `{before.text}`", help_)
    message = f"`{piece.text}` follows `{before.text}` with nothing between them"
    if piece.kind == "text":
        return stop.problem("EP313", message, "join them with `is`, `contains` or `matches`")
    return stop.problem("EP313", message, "join them with `and`, `or` or a comparison such as `>=`")


_EXPLAINERS = (
    foreign, _comma, list_, window, between, _chain, parentheses, iterations, _not, _value, _end,
    function, _two_values,
)  # fmt: skip
