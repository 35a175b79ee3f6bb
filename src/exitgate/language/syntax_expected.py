"""What was expected where the grammar found something else, in words, and the likely fix."""

from __future__ import annotations

from exitgate.language.keywords import COMPARISONS, KEYWORDS, VALUES, written
from exitgate.language.problem import Problem
from exitgate.language.syntax_foreign import foreign
from exitgate.language.syntax_leaf import ends_between, leaf
from exitgate.model.spelling import nearest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.language.syntax_scan import Piece

#: Words that only begin a longer form; nearer words are reported first.
_TESTS = ("is", "in", "between", "matches", "contains", "unchanged", "declined", "rose", "repeats")
_COMPARING = (">=", "<=", "==", "!=", ">", "<", *_TESTS)
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
    """Return the problem that best says why the grammar stopped."""
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
        return stop.problem("EP313", "a list is written in brackets", f"write `in [{stop.before.text}, ...]`")
    behind = stop.pieces[stop.at + 1] if stop.at + 1 < len(stop.pieces) else stop.piece
    if stop.before.kind == behind.kind == "number" and behind.start - stop.before.end == 1:
        right = stop.before.text + behind.text
        message = f"`{stop.before.text},{behind.text}` is not a valid number"
        return Problem("EP312", message, stop.before.start, behind.end, f"write `{right}`")
    help_ = "join conditions with `and` or `or`; write a list in brackets"
    return stop.problem("EP313", "`,` is outside a list and the arguments of a function", help_)


def _window(stop: Stop) -> Problem | None:
    """`repeats 3 times in last 5`, `over 5`: other words before or without `last`."""
    if stop.piece is None:
        return None
    behind = stop.pieces[stop.at + 1].text if stop.at + 1 < len(stop.pieces) else ""
    if behind == "last" and not stop.accepted >= VALUES:
        words = [piece.text for piece in stop.pieces[stop.first : stop.at]]
        if stop.piece.text == "of" and stop.before is not None and stop.at - 1 == stop.first:
            help_ = f"write `at least {stop.before.text} of last ...`"
            return stop.problem("EP313", f"`of` follows `{stop.before.text}`", help_)
        right = "within" if "repeats" in words else "over"
        return stop.problem("EP313", f"`{stop.piece.text}` comes before `last`", f"write `{right} last ...`")
    if stop.accepted == {"LAST"} and stop.piece.kind in ("number", "duration", "parameter"):
        help_ = f"write `last {stop.piece.text}`"
        return stop.problem("EP313", f"expected `last`, got `{stop.piece.text}`", help_)
    return None


def _list(stop: Stop) -> Problem | None:
    """`count of last 5`, `at least 2 of files`, `none of files`, and a list without `where`."""
    words = [piece.text for piece in stop.pieces[stop.first : stop.at]]
    got = stop.piece.text if stop.piece is not None else ""
    if words[-3:] == ["count", "of", "last"] and stop.accepted == {"LPAR"}:
        return stop.problem("EP313", "`last` follows `count of`", f"write `count(..., last {got or 'N'})`")
    if (
        words[-1:] == ["of"]
        and words[-4:-3] == ["at"]
        and stop.accepted == {"LAST"}
        and stop.piece
        and (stop.piece.kind == "word")
    ):
        sign = _AT[words[-3]]
        help_ = (
            f"write `last ...`, or `count of {got} where (...) {sign} {words[-2]}` for the items of a list"
        )
        return stop.problem("EP313", f"`{got}` follows `of`", help_)
    if words[-1:] == ["none"] and got == "of":
        help_ = "write `not (any of ... where (...))`"
        return stop.problem("EP313", "`of` follows `none`", help_)
    if "WHERE" in stop.accepted and "OR_ELSE" in stop.accepted and "of" in words:
        at = len(words) - words[::-1].index("of") - 1
        listed = " ".join(words[at - 1 :])
        help_ = f"write `{listed} where (item ...)`"
        if stop.piece is None:
            return stop.problem("EP314", "the condition ends, but `where` is expected", help_)
        return stop.problem("EP313", f"expected `where`, got `{got}`", help_)
    return None


#: Word behind `at` -> the sign for a count.
_AT = {"least": ">=", "most": "<="}


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
        near = nearest(before.text, _BEGINNING) if begins and stop.piece is not None else None
        if near is not None and len(before.text) > 1:
            return stop.at - 1, near, _did_you_mean(before, near)
    return None


def _near_keyword(word: str, accepted: frozenset[str]) -> str | None:
    if len(word) < 2 or word in KEYWORDS.values():
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


def _one_word(accepted: frozenset[str]) -> str:
    if accepted == {"NUMBER", "PARAMETER"}:
        return "write digits, for example `3`, or a count parameter"
    if accepted == {"DURATION", "NUMBER", "PARAMETER"}:
        return "write digits, for example `3`, a time such as `30m`, or a parameter"
    accepted = accepted - {"PER"} if len(accepted) > 1 else accepted
    if len(accepted) > 1 or "$END" in accepted:
        return ""
    return f"write {written(next(iter(accepted)))}"


def _between(stop: Stop) -> Problem | None:
    """`between 1 to 5`: any word but `and` between the two ends."""
    if "AND" not in stop.accepted or "OR" in stop.accepted or not ends_between(stop.pieces, stop.at):
        return None
    if stop.piece is None or stop.piece.text in (")", "or"):
        end = f"{stop.text(stop.first, stop.at)} and ..."
        return stop.problem("EP314", "`between` has only one end", f"write `{end}`")
    message = f"`{stop.piece.text}` is between the two ends of `between`"
    right = f"{stop.text(stop.first, stop.at)} and {stop.text(stop.at + 1, stop.last) or '...'}"
    return stop.problem("EP313", message, f"write `{right}`")


def _chain(stop: Stop) -> Problem | None:
    """`1 < x < 3`: a comparison of a comparison."""
    if stop.piece is None or stop.piece.text not in _COMPARING or "AND" not in stop.accepted:
        return None
    signs = [i for i in range(stop.first, stop.at) if stop.pieces[i].text in _COMPARING]
    if not signs:
        return None
    low, middle = stop.text(stop.first, signs[0]), stop.text(signs[0] + 1, stop.at)
    high = stop.text(stop.at + 1, stop.last)
    one, other = stop.pieces[signs[0]].text, stop.piece.text
    help_ = f"write `{low} {one} {middle} and {middle} {other} {high}`"
    if not high or one in _TESTS or other in _TESTS:
        help_ = "join two tests with `and`, or put the first in parentheses"
    elif one[0] == other[0] == "<":
        help_ = f"write `{middle} between {low} and {high}`, both ends included, or {help_[6:]}"
    elif one[0] == other[0] == ">":
        help_ = f"write `{middle} between {high} and {low}`, both ends included, or {help_[6:]}"
    return stop.problem("EP315", f"`{other}` follows a comparison; comparisons are not chained", help_)


def _parentheses(stop: Stop) -> Problem | None:
    """`P for 3 consecutive iterations` and `where P`: the condition has no parentheses."""
    if stop.piece is None:
        return None
    if stop.piece.text == "for" and "FOR" not in stop.accepted:
        operand = stop.text(stop.first, stop.at)
        number = stop.pieces[stop.at + 1].text if stop.at + 1 < len(stop.pieces) else "3"
        help_ = f"write `({operand}) for {number} consecutive iterations`"
        return stop.problem("EP316", "the condition before `for` has no parentheses", help_)
    if stop.accepted == {"LPAR"} and stop.before is not None and stop.before.text in ("where", "skipping"):
        help_ = f"write `{stop.before.text} ({stop.text(stop.at, stop.last)})`"
        return stop.problem("EP316", f"the condition after `{stop.before.text}` has no parentheses", help_)
    return None


def _iterations(stop: Stop) -> Problem | None:
    """`unchanged for 3 consecutive iterations`, `(P) for 3 iterations`: the other form's words."""
    number = stop.before.text if stop.before is not None else "3"
    if stop.accepted == {"ITERATIONS"} and number != "consecutive":
        return _missing(stop, f"for {number} iterations")
    if stop.accepted == {"CONSECUTIVE"}:
        return _missing(stop, f"for {number} consecutive iterations")
    if stop.accepted == {"TIMES"}:
        return _missing(stop, f"repeats {number} times")
    return None


def _missing(stop: Stop, right: str) -> Problem:
    if stop.piece is None:
        return stop.problem("EP314", f"the condition ends in the middle of `{right}`", f"write `{right}`")
    message = f"`{stop.piece.text}` is in the middle of `{right}`"
    return stop.problem("EP313", message, f"write `{right}`")


def _not(stop: Stop) -> Problem | None:
    """`a not > 3`: only `in` follows `not` there."""
    if stop.accepted != {"IN"} or stop.piece is None:
        return None
    test = f"{stop.text(stop.first, stop.at - 1)} {stop.text(stop.at, stop.last)}"
    message = f"`{stop.piece.text}` follows `not`, where only `in` is allowed"
    help_ = f"write `not {test}`" if stop.piece.text in _COMPARING else "write `is not`"
    return stop.problem("EP313", message, help_)


def _value(stop: Stop) -> Problem | None:
    """An operator or keyword with no value before or behind it."""
    if not stop.accepted >= VALUES or (stop.piece is None and stop.before is None):
        return None
    where = f"after `{stop.before.text}`" if stop.before is not None else "before it"
    if stop.piece is None:
        return stop.problem("EP314", f"the condition ends, but a value is expected {where}", _operand(stop))
    if stop.before is not None and stop.before.text == "is" and stop.piece.text in _TESTS:
        return stop.problem("EP313", f"`{stop.piece.text}` follows `is`", "remove `is`")
    if stop.before is not None and stop.before.text == "not" and stop.piece.text in ("in", "between"):
        help_ = "write `not in` without `is`"
        return stop.problem("EP313", f"`{stop.piece.text}` follows `is not`", help_)
    message = f"expected a value {where}, got `{stop.piece.text}`"
    return stop.problem("EP313", message, _operand(stop))


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
        return stop.problem(
            "EP313", f"`(` follows `{before.text}`", "write `and`, `or` or a comparison between"
        )
    message = f"`{piece.text}` follows `{before.text}` with nothing between them"
    return stop.problem("EP313", message, "write `and`, `or` or a comparison such as `>=` between them")


_EXPLAINERS = (
    foreign, _comma, _list, _window, _between, _chain, _parentheses, _iterations, _not, _value, _end,
    _two_values,
)  # fmt: skip
