"""Numbers, durations, amounts and texts, as they are written and as they are meant."""

from __future__ import annotations

from exitgate.core.language.problem import LanguageError, Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


#: Seconds in each unit, in the order in which units may follow one another.
UNITS = {"d": 86400, "h": 3600, "m": 60, "s": 1, "ms": 0.001}

#: No number may be larger: up to here floating point numbers hold every whole number.
LARGEST = 10**15


def number(text: str, start: int) -> int | float:
    """
    Return the number that `text` (digits, at most one point) stands for: `int` where it is whole.

    Raises `LanguageError` for one larger than `LARGEST`, and for one of which a digit would be lost;
    `start` is its offset.
    """
    whole, _, fraction = text.partition(".")
    if len(whole.lstrip("0")) > 16 or int(whole) > LARGEST:
        problem = Problem(
            "EP312",
            f"`{text[:20]}` is too large for a number",
            start,
            start + len(text),
            f"write a number up to {LARGEST}",
        )
        raise LanguageError([problem])
    fraction = fraction.rstrip("0")
    if not fraction:
        return int(whole)
    value = float(text)
    if shown(value) != f"{int(whole)}.{fraction}":
        problem = Problem(
            "EP312",
            f"`{text[:40]}` has more digits than a number holds",
            start,
            start + len(text),
            f"write `{shown(value)}`",
        )
        raise LanguageError([problem])
    return value


def duration(text: str, start: int) -> int | float:
    """
    Return the seconds of a duration such as ``30m`` or ``1h30m``.

    Raises `LanguageError` unless each unit is smaller than the one before it.
    """
    from exitgate.core.model.exact import calculate, recorded

    seconds: object = 0
    order = list(UNITS)
    last = -1
    for amount, unit in pieces(text):
        if order.index(unit) <= last:
            problem = Problem(
                "EP312",
                f"the units of `{text}` do not go from large to small",
                start,
                start + len(text),
                "write each unit once, days before hours before minutes, for example `1h30m`",
            )
            raise LanguageError([problem])
        last = order.index(unit)
        seconds = calculate("add", seconds, calculate("mul", number(amount, start), UNITS[unit]))
    total = recorded(seconds)
    assert isinstance(total, int | float)
    return total


def money(text: str, start: int) -> tuple[int | float, str]:
    """
    Return amount and currency of ``5 USD``.

    Raises `LanguageError` where the three letters are a keyword in upper case.
    """
    currency = text[-3:]
    if currency.lower() in RESERVED:
        problem = Problem(
            "EP306",
            f"`{currency}` is written in upper case",
            start + len(text) - 3,
            start + len(text),
            f"write `{currency.lower()}`",
        )
        raise LanguageError([problem])
    return number(text[:-3].strip(), start), currency


def pieces(text: str) -> list[tuple[str, str]]:
    """Return ``1h30m`` as pairs of digits and unit: ``[("1", "h"), ("30", "m")]``."""
    found: list[tuple[str, str]] = []
    amount = unit = ""
    for character in text:
        if character.isdigit() or character == ".":
            if unit:
                found.append((amount, unit))
                amount = unit = ""
            amount += character
        else:
            unit += character
    return [*found, (amount, unit)]


def unquoted(text: str) -> str:
    """Return what a quoted text holds; a doubled quote inside stands for one."""
    quote = text[0]
    return text[1:-1].replace(quote * 2, quote)


def quoted(value: str) -> str:
    """Return `value` in the quotes that need the least doubling, double quotes if there is a choice."""
    if '"' in value and "'" not in value:
        return f"'{value}'"
    return '"' + value.replace('"', '""') + '"'


def shown(value: float) -> str:
    """Return a number as the language writes it: no exponent, no point where it is whole."""
    if value == int(value):
        return str(int(value))
    text = repr(value)
    if "e" not in text:
        return text
    from decimal import Decimal

    return format(Decimal(text), "f")


# The terminals of the grammar in words, for messages, and the words that no fact may be called.

#: Terminal of `grammar.lark` -> the keyword it stands for.
KEYWORDS: dict[str, str] = {
    "AFTER": "after",
    "ALL": "all",
    "AND": "and",
    "ANY": "any",
    "AT_LEAST": "at least",
    "AT_MOST": "at most",
    "BETWEEN": "between",
    "BY": "by",
    "CONSECUTIVE": "consecutive",
    "CONTAINS": "contains",
    "COUNT_OF": "count of",
    "DECLINED": "declined",
    "FALSE": "false",
    "FOR": "for",
    "IN": "in",
    "IS": "is",
    "ITERATIONS": "iterations",
    "KNOWN": "known",
    "LAST": "last",
    "MATCHES": "matches",
    "NOT": "not",
    "NOTHING": "nothing",
    "OF": "of",
    "OR": "or",
    "OR_ELSE": "or else",
    "OVER": "over",
    "PER": "per",
    "REPEATS": "repeats",
    "ROSE": "rose",
    "SKIPPING": "skipping",
    "TIMES": "times",
    "TRUE": "true",
    "UNCHANGED": "unchanged",
    "UNKNOWN": "unknown",
    "WHERE": "where",
    "WITHIN": "within",
}

#: Names that a fact may not have, since they would be read as keywords.
RESERVED = frozenset(KEYWORDS.values()) | {"iteration", "time"}

#: Terminal -> the sign it stands for.
SIGNS: dict[str, str] = {
    "GE": ">=",
    "LE": "<=",
    "EQ": "==",
    "NE": "!=",
    "GT": ">",
    "LT": "<",
    "PLUS": "+",
    "MINUS": "-",
    "STAR": "*",
    "SLASH": "/",
    "LPAR": "(",
    "RPAR": ")",
    "LSQB": "[",
    "RSQB": "]",
    "COMMA": ",",
}

#: Terminals with any of which a value may begin.
VALUES = frozenset(
    {"NUMBER", "PERCENT", "DURATION", "MONEY", "STRING", "ENUM", "FACT", "PARAMETER", "CONDITION"}
)

#: Terminals that compare the value before them with the one behind.
COMPARISONS = frozenset({"GE", "LE", "EQ", "NE", "GT", "LT"})

#: What a reader sees for a terminal that is neither keyword nor sign.
VALUE_WORDS: dict[str, str] = {
    "NUMBER": "a number",
    "PERCENT": "a percentage such as `70%`",
    "DURATION": "a duration such as `30m`",
    "MONEY": "an amount such as `5 USD`",
    "STRING": "a text in quotes",
    "ENUM": "an upper-case member such as `OPEN`",
    "FACT": "a fact",
    "PARAMETER": "a parameter such as `$limit`",
    "CONDITION": "a named condition such as `@ready`",
}


def written(terminal: str) -> str:
    """Return the words for a terminal of the grammar, keywords and signs in backticks."""
    if terminal == "$END":
        return "the end of the condition"
    exact = KEYWORDS.get(terminal) or SIGNS.get(terminal)
    return f"`{exact}`" if exact else VALUE_WORDS[terminal]


# Texts that differ in their numbers alone have trees that differ in no more.

#: A row of digits, as a pattern; `re` is imported only where a condition is new.
_DIGITS = "[0-9]+"


def shape_of(text: str) -> str:
    """Return a text with one digit for each row of digits: the same for texts that differ in no more."""
    import re

    return re.sub(_DIGITS, "0", text)


def renumbered(plain: Any, before: str, after: str) -> object:
    """
    Return the tree of a text that is another but for digits, or None where only the parser can tell.

    A literal that is a row of digits is still one with other digits in their place: no rule of the grammar
    counts digits or looks at them. A number that is more than that, such as a percentage, is left to the
    parser, and so are digits in names and texts.

    Args:
        plain: The tree of `before`, as `exitgate.core.language.tree.Node.to_json` writes it.
        before: A text.
        after: One that is the same but for digits.

    Raises:
        LookupError, TypeError, ValueError: `plain` is not a tree.
    """
    import re

    rows = list(zip(re.finditer(_DIGITS, before), re.finditer(_DIGITS, after), strict=True))
    moved = {old.span(): new for old, new in rows if old[0] != new[0]}
    grown = [(old.end(), len(new[0]) - len(old[0])) for old, new in rows]

    def at(offset: int) -> int:
        return offset + sum(by for end, by in grown if end <= offset)

    def changed(node: Any) -> object:
        if not isinstance(node, list):
            return node
        op, start, end, type_, *args = node
        new = moved.pop((start, end), None) if op == "number" else None
        args = [number(new[0], new.start())] if new is not None else [changed(arg) for arg in args]
        return [op, at(start), at(end), type_, *args]

    try:
        tree = changed(plain)
    except LanguageError:
        return None  # a number that is too large: the parser says so
    return None if moved else tree
