"""Words that other languages use where this one has its own, and what is written here."""

from __future__ import annotations

from exitgate.core.language.literals import UNITS, pieces

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.language.problem import Problem
    from exitgate.core.language.syntax.problems import Stop
    from exitgate.core.language.syntax.scan import Piece


#: Word behind a value -> what is written there; `{}` stands for the value before it.
_BEHIND: dict[str, str] = {
    "above": "{} > ...",
    "below": "{} < ...",
    "decreased": "{} declined by ...",
    "dropped": "{} declined by ...",
    "else": "{} or else ...",
    "equal": "{} is ...",
    "equals": "{} is ...",
    "exceeds": "{} > ...",
    "exists": "{} is known",
    "fell": "{} declined by ...",
    "grew": "{} rose by ...",
    "has": "{} contains ...",
    "includes": "{} contains ...",
    "increased": "{} rose by ...",
    "reaches": "{} >= ...",
    "under": "{} < ...",
}

#: Word before `than` -> the sign.
THAN: dict[str, str] = {
    "bigger": ">",
    "fewer": "<",
    "greater": ">",
    "higher": ">",
    "larger": ">",
    "less": "<",
    "longer": ">",
    "lower": "<",
    "more": ">",
    "shorter": "<",
    "smaller": "<",
}
LIMITS: dict[str, str] = {"least": ">=", "most": "<="}

#: Words that introduce a condition elsewhere -> what is written here.
_BEFORE = ("if", "when")

#: For what does not exist.
UNKNOWN = "use `is unknown`, or `is known`"
#: Words for what does not exist, and for truth: what to write.
VALUES: dict[str, str] = {
    "false": "write `false`",
    "missing": UNKNOWN,
    "nil": UNKNOWN,
    "no": "write `false`",
    "none": UNKNOWN,
    "null": UNKNOWN,
    "true": "write `true`",
    "undefined": UNKNOWN,
    "yes": "write `true`",
    "zero": "write `0`",
}

#: Numbers in words, from one on.
NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def foreign(stop: Stop) -> Problem | None:
    """Return the problem where the grammar stopped at, or behind, a word of another language."""
    piece, before = stop.piece, stop.before
    if piece is None or before is None:
        return None
    if stop.pieces[0].text == "unless" and (stop.at == 1 or (stop.at == 2 and before.text == "not")):
        return _unless(stop)
    right = _comparison(stop) or _introduced(stop) or _unit(piece, before)
    if right is None and piece.text in _BEHIND and "AND" in stop.accepted:
        right = _filled(_BEHIND[piece.text].format(stop.text(stop.first, stop.at)), stop)
    if right is None:
        return None
    return stop.problem("EP313", f"`{piece.text}` comes after `{before.text}`", f"write `{right}`")


def _filled(right: str, stop: Stop) -> str:
    """Return what is written instead of a word, with what is behind it where that can be taken as it is."""
    words = stop.pieces[stop.at + 1 : stop.last]
    words = words[1:] if words and words[0].text in ("to", "by") else words
    if not right.endswith(" ...") or len(words) != 1:
        return right
    return right.removesuffix("...") + words[0].text


def _comparison(stop: Stop) -> str | None:
    """`x at least 3`, `x is at least 3`, `x is greater than 3`."""
    words = [piece.text for piece in stop.pieces[stop.first : stop.last]]
    at = stop.at - stop.first
    if at < 1 or at >= len(words):
        return None
    sign, end, behind = None, at, at + 1
    if words[at] == "at" and words[at + 1 : at + 2]:
        sign, end, behind = LIMITS.get(words[at + 1]), at, at + 2
    elif words[at - 1] == "at":
        sign, end = LIMITS.get(words[at]), at - 1
    elif words[at] == "than":
        sign, end = THAN.get(words[at - 1]), at - 1
    if sign is None or (words[:end] and words[end - 1] == "is" and end < 2) or end < 1:
        return None
    value = words[: end - 1] if words[end - 1] == "is" else words[:end]
    return f"{' '.join(value)} {sign} {' '.join(words[behind:]) or '...'}"


def _introduced(stop: Stop) -> str | None:
    """`if x > 3`, `x > 3 then ...`."""
    assert stop.before is not None
    assert stop.piece is not None
    negated = stop.at == 2 and stop.before.text == "not"
    if (stop.at == 1 or negated) and stop.pieces[0].text in _BEFORE:
        return stop.text(1, stop.last)
    if stop.piece.text == "then" and "AND" in stop.accepted:
        return stop.text(0, stop.at)
    return None


def _unless(stop: Stop) -> Problem:
    """`unless x > 3 or y`: the opposite of all that follows."""
    from exitgate.core.language.problem import Problem
    from exitgate.core.language.syntax.repair import reach

    rest, start = stop.pieces[1:], stop.pieces[0].start
    message = "`unless` begins the condition"
    if reach(rest) > len(rest):
        right = f"not ({stop.text(1, len(stop.pieces))})"
        return Problem("EP313", message, start, rest[-1].end, f"write `{right}`")
    help_ = "put `not` before what follows, in parentheses"
    return Problem("EP313", message, start, stop.pieces[0].end, help_)


def _unit(piece: Piece, before: Piece) -> str | None:
    """`1h 30m`."""
    if before.kind == piece.kind == "number" and all(_is_duration(each.text) for each in (before, piece)):
        return before.text + piece.text
    return None


def _is_duration(text: str) -> bool:
    return text[-1:].isalpha() and all(amount and unit in UNITS for amount, unit in pieces(text))
