"""Problems that one piece shows by itself, and the piece as it should have been."""

from __future__ import annotations

from exitgate.language.functions import FUNCTIONS
from exitgate.language.keywords import KEYWORDS
from exitgate.language.literals import quoted
from exitgate.language.problem import Problem
from exitgate.language.syntax_numbers import number_problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.language.syntax_scan import Piece

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
