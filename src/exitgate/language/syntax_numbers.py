"""Numbers, percentages, durations and amounts that are not well written, and how they should be."""

from __future__ import annotations

from exitgate.language.keywords import RESERVED
from exitgate.language.literals import UNITS, pieces
from exitgate.language.problem import Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.language.syntax_scan import Piece

#: The units spelt out, to recognise one that is spelt out or shortened in another way.
_UNIT_NAMES = {"d": "days", "h": "hours", "m": "minutes", "s": "seconds", "ms": "milliseconds"}


_PERCENT = frozenset(("%", "percent", "percents", "percentage", "pct"))
_SIGNS = ("%", "$", "€", "£", "¥")
#: Longer units -> what they are called, and days in each: a month or year has no length of its own.
_LONG = {
    **dict.fromkeys(("week", "weeks", "w", "wk", "wks"), ("weeks", 7)),
    **dict.fromkeys(("mo", "mos", "mon", "mons", "mth", "mths", "month", "months"), ("months", 30)),
    **dict.fromkeys(("y", "yr", "yrs", "year", "years"), ("years", 365)),
}
#: Currencies recognised in lower case, and by their names and signs.
CURRENCIES = frozenset(("CHF", "EUR", "GBP", "JPY", "USD"))
_CURRENCY_NAMES = {
    "$": "USD", "buck": "USD", "bucks": "USD", "dollar": "USD", "dollars": "USD",
    "€": "EUR", "euro": "EUR", "euros": "EUR", "franc": "CHF", "francs": "CHF",
    "£": "GBP", "yen": "JPY", "¥": "JPY",
}  # fmt: skip


def number_problem(piece: Piece, behind: Piece | None) -> tuple[Problem, str, bool] | None:
    """
    Return what is wrong with a number, what it should be, and whether `behind` belongs to it.

    `behind` is the next piece: a unit or a ``%`` behind a space is part of the number. None when
    nothing is wrong.
    """
    text = piece.text
    if behind is not None and _plain(text):
        joined = with_unit(text, behind.text)
        if joined is not None and (behind.kind == "word" or behind.text in _SIGNS):
            between = "" if behind.start == piece.end else " "
            whole = f"{text}{between}{behind.text}"
            return _problem(piece.start, behind.end, whole, joined, behind.text), joined, True
    if _well_written(text):
        return None
    right = _repaired(text)
    if right is None:
        message = f"`{text}` is neither a number nor a percentage, duration or amount"
        help_ = "write for example `5`, `0.5`, `70%`, `30m` or `5 USD`"
        return Problem("EP312", message, piece.start, piece.end, help_), "1", False
    unit = pieces(text)[-1][1] if text[:1].isdecimal() else ""
    return _problem(piece.start, piece.end, text, right, unit), right, False


def _problem(start: int, end: int, wrong: str, right: str, unit: str = "") -> Problem:
    name, days = _LONG.get(unit.lower(), ("", 0))
    if days > 7:
        message = f"`{wrong}` is not valid: the language has no {name}"
        return Problem("EP312", message, start, end, f"write days: `{right}`")
    return Problem("EP312", f"`{wrong}` is not valid", start, end, f"write `{right}`")


def with_unit(number: str, word: str) -> str | None:
    """Return a number with the unit behind it as the language writes both, ``1.5h`` or ``5 USD``; or None."""
    unit = unit_of(word)
    if unit is not None:
        return number + unit
    lowered = word.lower()
    if lowered in _PERCENT:
        return f"{number}%"
    if lowered in _LONG:
        return _days(number, lowered)
    currency = _CURRENCY_NAMES.get(lowered, word.upper() if word.upper() in CURRENCIES else None)
    return f"{number} {currency}" if currency and word != currency else None


def _days(number: str, unit: str) -> str | None:
    whole, _, fraction = number.partition(".")
    return f"{int(whole) * _LONG[unit][1]}d" if whole and not fraction else None


def unit_of(word: str) -> str | None:
    """Return the unit that a word such as ``mins`` stands for, or None."""
    lowered = word.lower()
    if lowered in UNITS:
        return lowered
    if lowered in RESERVED or lowered in _LONG or not lowered.isalpha():
        return None
    stem = lowered.removesuffix("s")
    if stem == "msec":
        return "ms"
    for near in (str.startswith, _shortened):
        for unit, name in _UNIT_NAMES.items():
            if near(name, stem) and (unit != "ms" or (near is not _shortened and len(stem) > 2)):
                return unit
    return None


def _shortened(name: str, stem: str) -> bool:
    """Return whether the few letters of `stem` are in `name` in order, from its first letter on."""
    rest = iter(name)
    return len(stem) <= 3 and name[0] == stem[:1] and all(letter in rest for letter in stem)


def _plain(text: str) -> bool:
    whole, point, fraction = text.partition(".")
    return whole.isdecimal() and whole.isascii() and (not point or fraction.isdecimal())


def _well_written(text: str) -> bool:
    if _plain(text.removesuffix("%")):
        return True
    if text[-3:].isupper() and text[-3:].isalpha() and _plain(text[:-3]):
        return True
    return all(_plain(amount) and unit in UNITS for amount, unit in pieces(text))


def _repaired(text: str) -> str | None:
    """Return what was most likely meant by an ill-written number, or None."""
    bare = text.replace("_", "")
    if bare.startswith("."):
        bare = "0" + bare
    if bare.endswith("."):
        bare = bare[:-1]
    if bare != text and _well_written(bare):
        return bare
    parts = pieces(bare)
    if len(parts) == 1 and parts[0][1].lower() in _LONG and _plain(parts[0][0]):
        return _days(parts[0][0], parts[0][1].lower())
    units = [unit_of(unit) for _, unit in parts]
    if all(_plain(amount) and unit for (amount, _), unit in zip(parts, units, strict=True)):
        return "".join(f"{amount}{unit}" for (amount, _), unit in zip(parts, units, strict=True))
    return None
