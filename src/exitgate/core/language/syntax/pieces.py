"""Problems that one piece shows by itself, and the piece as it should have been."""

from __future__ import annotations

from exitgate.core.language.functions import FUNCTIONS
from exitgate.core.language.literals import KEYWORDS, RESERVED, UNITS, pieces, quoted
from exitgate.core.language.problem import Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.language.syntax.scan import Piece


#: Sign that has no meaning here -> the one that is meant, and the help where that is not plain.
_SIGNS: dict[str, tuple[str, str]] = {
    "=": ("==", "write `is`, or `==`"),
    "===": ("==", ""),
    "??": ("or else", ""),
    "!==": ("!=", ""),
    "<>": ("!=", ""),
    "=!": ("!=", ""),
    "!>": ("<=", ""),
    "!<": (">=", ""),
    "!>=": ("<", ""),
    "!<=": (">", ""),
    "=~": ("matches", ""),
    "=>": (">=", ""),
    "=<": ("<=", ""),
    "≥": (">=", ""),
    "≤": ("<=", ""),
    "≠": ("!=", ""),
    "&&": ("and", ""),
    "&": ("and", ""),
    "\N{LOGICAL AND}": ("and", ""),
    "||": ("or", ""),
    "|": ("or", ""),
    "\N{LOGICAL OR}": ("or", ""),
    "!": ("not", ""),
    "¬": ("not", ""),
    "\N{MULTIPLICATION SIGN}": ("*", ""),
    "÷": ("/", ""),
    "\N{MINUS SIGN}": ("-", ""),
    "\N{EN DASH}": ("-", ""),
}

#: What to do about a sign that stands for nothing here.
_HELP: dict[str, str] = {
    "#": "conditions have no comments",
    ":": "a time is written with its units, for example `1h30m`",
    "%": "there is no remainder operator; a percentage is written without a space, `70%`",
    "**": "there is no power operator; multiply",
    "?": "there is no choice between two values; join conditions with `and` or `or`",
    "~": "use `matches` for a pattern",
    "!~": "use `matches` for a pattern, with `not` before the test",
    "~=": "use `is`, `!=`, or `matches` for a pattern",
    "^": "there is no power operator; multiply",
}

_KNOWN_SIGNS = frozenset((">=", "<=", "==", "!=", *"><+-*/()[],"))
_OPENING = ("(", "[", "-", "!")
_SINGLE_KEYWORDS = frozenset(word for words in KEYWORDS.values() for word in words.split()) | {"iteration"}

#: Pieces behind which an upper-case word is a member of an enum, no matter what it looks like.
_BEFORE_MEMBER = frozenset(("is", "==", "!=", "[", ",", "else"))


def mend(pieces: list[Piece]) -> tuple[list[Piece], list[Problem]]:
    """Return the pieces as they should be, and a problem for each that was not."""
    repaired: list[Piece] = []
    problems: list[Problem] = []
    skip = False
    for i, piece in enumerate(pieces):
        if skip:
            skip = False
            continue
        behind = pieces[i + 1] if i + 1 < len(pieces) else None
        found, text, skip = _look(piece, pieces[i - 1] if i else None, behind)
        if found is not None:
            problems.append(found)
        if text:
            repaired.append(piece.repaired(text))
    return repaired, problems


def _look(piece: Piece, before: Piece | None, behind: Piece | None) -> tuple[Problem | None, str, bool]:
    """Return the problem of a piece or None, its right text, and whether `behind` went into it."""
    if piece.kind == "number":
        return number_problem(piece, behind) or (None, piece.text, False)
    if piece.kind == "word" and behind is not None and behind.text == "(" and _is_function(piece.text):
        lowered = piece.text.lower()
        message = f"`{piece.text}` is written in upper case"
        return _problem("EP306", message, piece, f"write `{lowered}`"), lowered, False
    if piece.kind == "word" and behind is not None and behind.kind in ("number", "parameter"):
        before = None  # no member of an enum, as `LAST` in `count(a, LAST 5)`
    if piece.text in ("!", "¬") and before is not None and _is_value(before):
        found = _behind_value(piece, before, behind)
        if found is not None:
            return (*found, False)
    look = _LOOKS.get(piece.kind)
    if look is not None:
        return (*look(piece, before), False)
    return (*_text(piece), False)


def _behind_value(piece: Piece, before: Piece, behind: Piece | None) -> tuple[Problem, str] | None:
    """`x > 3!` and `x ! 3`; not `x !in [A]`."""
    message = f"`{piece.text}` has no meaning behind `{before.text}`"
    opens = behind is not None and (behind.kind != "sign" or behind.text in _OPENING)
    if behind is None or not opens or behind.text in ("and", "or"):
        return _problem("EP305", message, piece, "remove it"), ""
    if behind.text in _SINGLE_KEYWORDS:
        return None
    return _problem("EP305", message, piece, "write `!=`"), "!="


def _is_value(piece: Piece) -> bool:
    """Return whether a value may end with a piece."""
    if piece.kind == "sign":
        return piece.text in (")", "]")
    return piece.kind != "word" or piece.text not in _SINGLE_KEYWORDS


def _is_function(text: str) -> bool:
    """Return whether a word in other than lower case is the name of a function."""
    return text != text.lower() and text.lower() in FUNCTIONS and text.lower() not in _SINGLE_KEYWORDS


def _problem(code: str, message: str, piece: Piece, help_: str) -> Problem:
    return Problem(code, message, piece.start, piece.end, help_)


def _sign(piece: Piece, before: Piece | None) -> tuple[Problem | None, str]:
    del before
    text = piece.text
    if text in _KNOWN_SIGNS:
        return None, text
    if text in _SIGNS:
        right, help_ = _SIGNS[text]
        message = f"`{text}` has no meaning in a condition"
        return _problem("EP305", message, piece, help_ or f"write `{right}`"), right
    if text in "$@":
        kind = "parameter" if text == "$" else "named condition"
        help_ = f"write `{text}` and the name of a {kind}, without a space"
        return _problem("EP304", f"`{text}` has no name after it", piece, help_), f"{text}x"
    shown = text if text.isprintable() else f"U+{ord(text[0]):04X}"
    help_ = _HELP.get(text, "remove it")
    if text.isspace():
        help_ = "write a plain space"
    return _problem("EP304", f"`{shown}` has no meaning in a condition", piece, help_), ""


def _word(piece: Piece, before: Piece | None) -> tuple[Problem | None, str]:
    text, lowered = piece.text, piece.text.lower()
    member = before is not None and before.text in _BEFORE_MEMBER and lowered != "not"
    if text != lowered and lowered in _SINGLE_KEYWORDS and not member:
        message = f"`{text}` is written in upper case"
        return _problem("EP306", message, piece, f"write `{lowered}`"), lowered
    if text.isascii() and "." not in text and text[0].isupper():
        return None, text
    return _name(piece, before)


def _name(piece: Piece, before: Piece | None) -> tuple[Problem | None, str]:
    del before
    sign = piece.text[0] if piece.kind != "word" else ""
    name = piece.text[len(sign) :]
    if all(_is_name(part) for part in name.split(".")):
        return None, piece.text
    if sign == "$" and name.removesuffix(".").replace(".", "", 1).isdecimal():
        amount = f"{name.removesuffix('.')} USD"
        return _problem("EP312", f"`{piece.text}` is not a valid amount", piece, f"write `{amount}`"), amount
    right = ".".join(part.lower().strip("_") for part in name.split(".") if part)
    good = right != name and all(_is_name(part) for part in right.split("."))
    help_ = f"write `{sign}{right}`" if good else "write names in lower-case letters a to z, digits and `_`"
    return _problem("EP318", f"`{piece.text}` is not a name", piece, help_), sign + (right if good else "x")


def _braced(piece: Piece, before: Piece | None) -> tuple[Problem | None, str]:
    del before
    right = "$" + piece.text.strip("${} ").lower()
    message = f"`{piece.text}` is not a valid parameter"
    return _problem("EP318", message, piece, f"write `{right}`"), right


def _is_name(part: str) -> bool:
    return part.isascii() and part[:1].isalpha() and part == part.lower()


def _text(piece: Piece) -> tuple[Problem | None, str]:
    inner = piece.text[1:-1]
    if piece.kind == "text":
        return None, piece.text
    if piece.kind == "typographic":
        right = quoted(inner)
        message = f"`{piece.text[0]}` is a typographic quote"
        return _problem("EP311", message, piece, f"write straight quotes: `{right}`"), right
    quote = piece.text[0]
    message = f"the text that begins with `{quote}` here is never closed"
    return _problem("EP310", message, piece, f"add a `{quote}` where the text ends"), piece.text + quote


#: Kind of piece -> what looks at it.
_LOOKS = {"word": _word, "parameter": _name, "condition": _name, "sign": _sign, "braced": _braced}


# Numbers, percentages, durations and amounts that are not well written, and how they should be.

#: The units spelt out, to recognise one that is spelt out or shortened in another way.
_UNIT_NAMES = {"d": "days", "h": "hours", "m": "minutes", "s": "seconds", "ms": "milliseconds"}


_PERCENT = frozenset(("%", "percent", "percents", "percentage", "pct"))
_UNIT_SIGNS = ("%", "$", "€", "£", "¥")
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
        if joined is not None and (behind.kind == "word" or behind.text in _UNIT_SIGNS):
            between = "" if behind.start == piece.end else " "
            whole = f"{text}{between}{behind.text}"
            return _problem_of_number(piece.start, behind.end, whole, joined, behind.text), joined, True
    if _well_written(text):
        return None
    right = _repaired(text)
    if right is None:
        message = f"`{text}` is neither a number nor a percentage, duration or amount"
        help_ = "write for example `5`, `0.5`, `70%`, `30m` or `5 USD`"
        return Problem("EP312", message, piece.start, piece.end, help_), "1", False
    unit = pieces(text)[-1][1] if text[:1].isdecimal() else ""
    return _problem_of_number(piece.start, piece.end, text, right, unit), right, False


def _problem_of_number(start: int, end: int, wrong: str, right: str, unit: str = "") -> Problem:
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
