"""Forms that begin right and go on wrong: windows, lists, `between`, parentheses, numbers of iterations."""

from __future__ import annotations

from exitgate.core.language.functions import FUNCTIONS
from exitgate.core.language.problem import Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.language.syntax.problems import Stop
    from exitgate.core.language.syntax.scan import Piece


#: Words and signs that compare the value before them.
TESTS = ("is", "in", "between", "matches", "contains", "unchanged", "declined", "rose", "repeats")
COMPARING = (">=", "<=", "==", "!=", ">", "<", *TESTS)
#: Word behind `at` -> the sign for a count.
_AT = {"least": ">=", "most": "<="}


def window(stop: Stop) -> Problem | None:
    """`repeats 3 times in last 5`, `over 5`: other words before or without `last`."""
    if stop.piece is None:
        return None
    behind = stop.pieces[stop.at + 1].text if stop.at + 1 < len(stop.pieces) else ""
    words = [piece.text for piece in stop.pieces[stop.first : stop.at]]
    size = stop.pieces[stop.at + 2] if stop.at + 2 < stop.last else None
    if behind == "last" and size is not None and words[-1:] == ["unchanged"]:
        span, word = _lasting([size])
        help_ = f"write `{stop.text(stop.first, stop.at)} for {span}{word}`"
        return stop.problem("EP313", f"`{stop.piece.text}` follows `unchanged`", help_)
    if stop.piece.text in ("over", "within", "in") and words[-1:] in (["declined"], ["rose"]):
        rest = stop.text(stop.at + 1, stop.last)
        help_ = f"say by how much: `{stop.text(stop.first, stop.at)} by 10% over {rest}`"
        return stop.problem("EP313", f"`{stop.piece.text}` follows `{words[-1]}`", help_)
    if behind == "last" and (stop.piece.text == "of" or not stop.accepted.isdisjoint(("OVER", "WITHIN"))):
        if stop.piece.text == "of":
            if stop.before is None or stop.at - 1 != stop.first:
                return None
            help_ = f"write `at least {stop.text(stop.first, stop.last)}`"
            return stop.problem("EP313", f"`of` follows `{stop.before.text}`", help_)
        right = "within" if "repeats" in words else "over"
        return stop.problem("EP313", f"`{stop.piece.text}` comes before `last`", f"write `{right} last ...`")
    if stop.accepted == {"LAST"} and stop.piece.kind in ("number", "duration", "parameter"):
        help_ = f"write `last {stop.piece.text}`"
        return stop.problem("EP313", f"expected `last`, got `{stop.piece.text}`", help_)
    return None


def list_(stop: Stop) -> Problem | None:
    """`count of last 5`, `at least 2 of files`, `none of files`, and a list without `where`."""
    words = [piece.text for piece in stop.pieces[stop.first : stop.at]]
    got = stop.piece.text if stop.piece is not None else ""
    if words[-3:] == ["count", "of", "last"] and stop.accepted == {"LPAR"}:
        last = stop.pieces[stop.at - 1]
        return Problem("EP313", "`last` follows `count of`", last.start, last.end, _counted(stop))
    if words[-2:] == ["in", "last"] and stop.accepted == {"LPAR"}:
        tested = stop.text(stop.first, stop.at - 2)
        whole = tested if words[0] == "(" else f"({tested})"
        help_ = f"write `any of last {got or 'N'} where {whole}`, or `all of last {got or 'N'} where {whole}`"
        return Problem(
            "EP313",
            "`last` follows `in`",
            stop.pieces[stop.at - 1].start,
            stop.pieces[stop.at - 1].end,
            help_,
        )
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
    if (
        words[-1:] in (["at"], ["least"], ["most"])
        and stop.piece
        and stop.piece.kind in ("number", "parameter")
    ):
        limit = "at most" if words[-1] == "most" else "at least"
        help_ = f"write `{limit} {stop.text(stop.at, stop.last)}`"
        return stop.problem("EP313", f"`{got}` follows `{words[-1]}`", help_)
    if not words and got == "of":
        rest = stop.text(stop.at, stop.last)
        return stop.problem("EP313", "`of` begins a condition", f"write `any {rest}`, or `all {rest}`")
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


def _counted(stop: Stop) -> str:
    """Return the help for `count of last 3 where (P)`: the function that counts iterations."""
    size = stop.piece.text if stop.piece is not None else "3"
    behind = stop.pieces[stop.at + 1 : stop.last]
    if [piece.text for piece in behind[:2]] != ["where", "("]:
        return f"write `count(..., last {size})`"
    depth, end = 1, stop.at + 3
    while depth and end < len(stop.pieces):
        depth += (stop.pieces[end].text == "(") - (stop.pieces[end].text == ")")
        end += 1
    end -= 1
    rest = stop.text(end + 1, stop.last)
    counted = f"count({stop.text(stop.at + 3, end)}, last {size})"
    return f"write `{counted} {rest}`" if rest else f"write `{counted} >= 3`"


def between(stop: Stop) -> Problem | None:
    """`between 1 to 5`: any word but `and` between the two ends."""
    if "AND" not in stop.accepted or "OR" in stop.accepted or not ends_between(stop.pieces, stop.at):
        return None
    if stop.piece is None or stop.piece.text in (")", "or"):
        end = f"{stop.text(stop.first, stop.at)} and ..."
        return stop.problem("EP314", "`between` has only one end", f"write `{end}`")
    message = f"`{stop.piece.text}` is between the two ends of `between`"
    low, rest = stop.text(stop.first, stop.at), [piece.text for piece in stop.pieces[stop.at + 1 : stop.last]]
    if stop.piece.kind in ("number", "parameter") or stop.piece.text in ("(", "-"):
        message = f"`{stop.piece.text}` follows `{stop.pieces[stop.at - 1].text}` with nothing between them"
        return stop.problem("EP313", message, f"write `{low} and {stop.text(stop.at, stop.last)}`")
    behind = stop.at + 2 if rest[:1] == ["and"] else stop.at + 1
    right = f"{low} and {stop.text(behind, stop.last) or '...'}"
    return stop.problem("EP313", message, f"write `{right}`")


def parentheses(stop: Stop) -> Problem | None:
    """`P for 3 consecutive iterations` and `where P`: the condition has no parentheses."""
    if stop.piece is None:
        return None
    if stop.piece.text == "for" and "FOR" not in stop.accepted:
        operand = stop.text(stop.first, stop.at)
        behind = stop.pieces[stop.at + 1 : stop.last]
        if not operand:
            help_ = "begin with a condition in parentheses, for example `(tests.passing) for 45m`"
            return stop.problem("EP316", "there is no condition before `for`", help_)
        span, word = _lasting(behind)
        if not span:
            help_ = "put the condition in parentheses, and say for how many iterations, or for what time"
            return stop.problem("EP316", "the condition before `for` has no parentheses", help_)
        help_ = f"write `({operand}) for {span}{' consecutive' if word else ''}{word}`"
        if stop.at - stop.first == 1:
            help_ += f", or `{operand} unchanged for {span}{word}`"
        return stop.problem("EP316", "the condition before `for` has no parentheses", help_)
    if stop.accepted == {"LPAR"} and stop.before is not None and stop.before.text in ("where", "skipping"):
        help_ = f"write `{stop.before.text} ({stop.text(stop.at, stop.last)})`"
        return stop.problem("EP316", f"the condition after `{stop.before.text}` has no parentheses", help_)
    return None


def _lasting(behind: list[Piece]) -> tuple[str, str]:
    """
    Return what follows a `for` as it should be: a time and nothing, or a number and ` iterations`.

    Both are empty where what follows says something else.
    """
    if not behind:
        return "3", " iterations"
    if [piece.text for piece in behind[:2]] == ["at", "least"]:
        behind = behind[2:]
    while behind and behind[0].text in ("the", "last", "past", "all", "consecutive"):
        behind = behind[1:]
    if not behind or behind[0].kind not in ("number", "parameter"):
        return "", ""
    text = behind[0].text
    if text[-1:].isalpha() and text[:1].isdigit():
        return text, ""
    return text, " iteration" if text == "1" else " iterations"


def iterations(stop: Stop) -> Problem | None:
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


def function(stop: Stop) -> Problem | None:
    """`count a, last 5 >= 3`: a function without parentheses."""
    before = stop.before
    if stop.piece is None or before is None or before.text not in FUNCTIONS or stop.piece.kind == "sign":
        return None
    if before.text == "previous" and stop.piece.kind == "number":
        return None  # for `last 5`
    if stop.at > 1 and stop.pieces[stop.at - 2].text in ("over", "within", "of"):
        return None  # a window
    end, depth = stop.at, 0
    while end < len(stop.pieces):
        text = stop.pieces[end].text
        if depth == 0 and text in (*COMPARING, "and", "or", ")"):
            break
        depth += (text == "(") - (text == ")")
        end += 1
    message = f"the arguments of `{before.text}` have no parentheses"
    if stop.pieces[end - 1].text == ",":
        return None
    help_ = f"write `{before.text}({stop.text(stop.at, end)})`"
    return Problem("EP316", message, before.start, stop.pieces[end - 1].end, help_)


# The single test, between `and`, `or` and parentheses, around a piece of a condition.

_OPENING, _CLOSING = ("(", "["), (")", "]")


def leaf(pieces: list[Piece], at: int) -> tuple[int, int]:
    """
    Return the first and behind the last index of the test around the piece at `at`.

    Where the piece itself ends a test (`and`, `or`, a closing parenthesis, the end), it is the test
    before it, which may be empty. Pieces must have brackets that pair.
    """
    first = _first(pieces, at)
    depth, last = 0, at
    while last < len(pieces):
        text = pieces[last].text
        if depth == 0 and (text in _CLOSING or _divides(pieces, last)):
            break
        depth += (text in _OPENING) - (text in _CLOSING)
        last += 1
    return first, last


def _first(pieces: list[Piece], at: int) -> int:
    depth, first = 0, at
    while first > 0:
        text = pieces[first - 1].text
        if depth == 0 and (text in _OPENING or _divides(pieces, first - 1)):
            break
        depth += (text in _CLOSING) - (text in _OPENING)
        first -= 1
    return first


def _divides(pieces: list[Piece], at: int) -> bool:
    """Return whether the piece is between two tests."""
    text = pieces[at].text
    if text == ",":
        return True
    if text == "or":
        return at + 1 >= len(pieces) or pieces[at + 1].text != "else"
    return text == "and" and not ends_between(pieces, at)


def ends_between(pieces: list[Piece], at: int) -> bool:
    """Return whether the `and` at `at` would belong to a `between` before it."""
    depth = 0
    for piece in reversed(pieces[:at]):
        text = piece.text
        if depth == 0:
            if text == "between":
                return True
            if text in ("and", "or", ",") or text in _OPENING:
                return False
        depth += (text in _CLOSING) - (text in _OPENING)
    return False
