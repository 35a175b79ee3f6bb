"""
Words of other languages that mean the opposite of what a small change would make of them.

Their advice says what they mean, or names no replacement; the grammar alone would take the nearest keyword.
"""

from __future__ import annotations

from exitgate.core.language.literals import quoted, unquoted
from exitgate.core.language.problem import Problem
from exitgate.core.language.syntax.scan import Piece

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.language.syntax.problems import Stop


_CHANGED = frozenset(("change", "changed", "changes", "varied", "varies"))
_AUXILIARY = frozenset(("did", "does", "had", "has", "have", "is", "was"))
_NEGATIONS = frozenset(("never", "not"))
_GATES = frozenset(("nand", "neither", "nor", "xnor", "xor"))
#: Words with a meaning that no keyword has: none is a misspelt keyword.
OWN = _CHANGED | _GATES
#: Words that turn a test around or limit it: what has them is not repaired word by word.
TURNING = OWN | frozenset((
    "above", "below", "before", "beyond", "exactly", "except", "excluding", "fewer", "less", "more", "never",
    "no", "none", "only", "outside", "under", "unless", "unlike", "until",
))  # fmt: skip
_UP = frozenset(("climbed", "grew", "grown", "increased", "risen", "rose"))
_DOWN = frozenset(("declined", "decreased", "dropped", "fallen", "fell", "shrank", "sank"))
#: Word behind a verb that goes up, or down -> the comparison with what it leads to.
_LEADS_UP = {"to": ">=", "above": ">", "beyond": ">", "past": ">", "over": ">"}
_LEADS_DOWN = {"to": "<=", "below": "<", "under": "<", "beneath": "<"}
_TEXT_TESTS = {
    "begins": "^{}", "starts": "^{}", "startswith": "^{}", "ends": "{}$", "endswith": "{}$", "like": "",
}  # fmt: skip
_SPECIAL = frozenset("\\.^$*+?{}[]|()")


def meant(stop: Stop) -> Problem | None:
    """Return the problem where the grammar stopped at a word with a meaning of its own."""
    return _gate(stop) or _changed(stop) or _led(stop) or _text_test(stop) or _all_unknown(stop)


def _gate(stop: Stop) -> Problem | None:
    """`A xor B`, `neither A nor B`."""
    at = stop.at
    if stop.piece is None or stop.piece.text not in _GATES:
        at -= 1
        if at < 0 or stop.pieces[at].text not in _GATES or at < stop.first:
            return None
    word = stop.pieces[at]
    message = f"`{word.text}` is not a word of the language"
    left, right = stop.text(stop.first, at), stop.text(at + 1, stop.last)
    alone = (stop.first == 0 or stop.pieces[stop.first - 1].text == "(") and (
        stop.last == len(stop.pieces) or stop.pieces[stop.last].text == ")"
    )
    help_ = "join conditions with `and`, `or` and `not`"
    if word.text == "xor" and left and right and alone and not OWN & set(right.split()):
        help_ = f"write `({left}) != ({right})`"
        word = Piece("word", word.text, stop.pieces[stop.first].start, stop.pieces[stop.last - 1].end)
    return Problem("EP307", message, word.start, word.end, help_)


def _changed(stop: Stop) -> Problem | None:
    """`x changed`, `x has not changed for 3 iterations`."""
    words = [piece.text for piece in stop.pieces[stop.first : stop.last]]
    at = next((i for i, word in enumerate(words) if word in _CHANGED), 0)
    if not at or stop.at > stop.first + at + 1:
        return None
    end = at
    while end and words[end - 1] in _AUXILIARY | _NEGATIONS:
        end -= 1
    if not end or stop.at < stop.first + end:
        return None
    before, first = _not_before(stop)
    value = stop.text(first, stop.first + end)
    if not value:
        return None
    negated = not _NEGATIONS.isdisjoint(words[end:at])
    behind = words[at + 1 :]
    help_ = f"use `previous({value})`, or `{value} unchanged for 3 iterations`"
    if not behind:
        help_ = f"write `{before}{value} {'==' if negated else '!='} previous({value})`"
    lasting = _lasting(behind)
    if lasting:
        same = f"{value} unchanged for {lasting}"
        help_ = f"write `{before}{same}`" if negated else f"write `{before}not ({same})`"
        if behind[0] == "for" and not negated and lasting.endswith("iterations"):
            often = f"({value} != previous({value})) for {lasting.replace(' ', ' consecutive ')}"
            help_ += f", or `{before}{often}`"
    return stop.problem("EP313", f"`{words[at]}` is not a word of the language", help_)


def _not_before(stop: Stop) -> tuple[str, int]:
    """Return the `not` that begins the test, with a space, and the index behind it."""
    negated = stop.pieces[stop.first].text == "not"
    return ("not ", stop.first + 1) if negated else ("", stop.first)


def _lasting(words: list[str]) -> str:
    """Return `3 iterations` or `45m` for `for 3 iterations`, `in the last 3`, `over 45m`; else nothing."""
    if words[:1] not in (["for"], ["in"], ["over"], ["within"], ["during"]):
        return ""
    rest = [word for word in words[1:] if word not in ("the", "last", "past")]
    if not rest or rest[1:] not in ([], ["iterations"], ["iteration"]) or not rest[0][0].isdigit():
        return ""
    if rest[0].isdecimal():
        return f"{rest[0]} iteration" if rest[0] == "1" else f"{rest[0]} iterations"
    return rest[0] if rest[0][-1].isalpha() and len(rest) == 1 else ""


def _led(stop: Stop) -> Problem | None:
    """`x fell to 20%`, `x rose above 20%`: what it came to, not by how much."""
    at = stop.at
    if stop.before is not None and stop.before.text in ("declined", "rose"):
        at -= 1
    word = stop.pieces[at].text if at < stop.last else ""
    if word not in _UP | _DOWN or at <= stop.first or at + 1 >= stop.last:
        return None
    leads = _LEADS_UP if word in _UP else _LEADS_DOWN
    behind = stop.pieces[at + 1].text
    if behind == "from":
        help_ = "say by how much, or compare it with a value"
        return stop.problem("EP313", f"`from` follows `{word}`", help_)
    end = stop.text(at + 2, stop.last)
    if behind not in {**_LEADS_UP, **_LEADS_DOWN} or (behind == "over" and end.startswith("last")):
        return None
    help_ = "say by how much, or compare it with a value"
    sign = leads.get(behind)
    if sign and end:
        help_ = f"write `{stop.text(stop.first, at)} {sign} {end}`"
    return stop.problem("EP313", f"`{behind}` follows `{word}`", help_)


def _text_test(stop: Stop) -> Problem | None:
    """`x starts with "a"`, `x like "a%"`: a pattern for a text, or for the items of a list."""
    if stop.piece is None or stop.piece.text not in _TEXT_TESTS or "AND" not in stop.accepted:
        return None
    word, (before, first) = stop.piece.text, _not_before(stop)
    value = stop.text(first, stop.at)
    behind = stop.pieces[stop.at + 1 : stop.last]
    behind = behind[1:] if behind and behind[0].text in ("with", "by") else behind
    message = f"`{word}` comes after `{stop.pieces[stop.at - 1].text}`"
    escaped = word == "like" and any("\\" in piece.text for piece in behind)
    if len(behind) != 1 or behind[0].kind not in ("text", "number") or escaped:
        pattern = (_TEXT_TESTS[word] or "{}").format("...")
        return stop.problem("EP313", message, f'write `{before}{value} matches "{pattern}"`')
    said = unquoted(behind[0].text) if behind[0].kind == "text" else behind[0].text
    if word == "like" and not set(said) & {"%", "*"}:
        text = quoted(said)
        help_ = f"write `{before}{value} contains {text}`, or `{before}{value} is {text}`"
        return stop.problem("EP313", message, help_)
    pattern = _like(said) if word == "like" else _TEXT_TESTS[word].format(_literally(said))
    test = f"matches {quoted(pattern)}"
    help_ = f"write `{before}{value} {test}`, or `{before}any of {value} where (item {test})`"
    return stop.problem("EP313", message, help_)


def _like(said: str) -> str:
    """Return the pattern for one of SQL, `%` or `*` for anything and `_` for a character."""
    joined = said.replace("*", "%")
    inner = "".join({"%": ".*", "_": "."}.get(one, _literally(one)) for one in joined.strip("%"))
    return f"{'' if joined[0] == '%' else '^'}{inner}{'' if joined[-1] == '%' else '$'}"


def _literally(text: str) -> str:
    return "".join(f"\\{one}" if one in _SPECIAL else one for one in text)


def _all_unknown(stop: Stop) -> Problem | None:
    """`nothing is unknown`, which says that everything is known."""
    words = [piece.text for piece in stop.pieces[stop.first : stop.at + 1]]
    if words[-3:] != ["nothing", "is", "unknown"]:
        return None
    return stop.problem(
        "EP313", "expected `known`, got `unknown`", "name a fact, and test that it `is known`"
    )
