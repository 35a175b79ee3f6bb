"""Numbers with few digits for people: exact, or marked as rounded."""

from __future__ import annotations

#: In front of what is not the exact value.
ABOUT = "~"
#: A number of so few significant digits is shown in full.
_DIGITS = 6


def decimals(value: float) -> str:
    """
    Return a finite number without an exponent: in full, or rounded with `~` in front.

    Rounded it has as few decimals, from two on, as keep it apart from a whole number: 79.9999 is not shown as
    80, which a comparison may contradict. What has no mark is the number: another one is shown otherwise.
    """
    if value == int(value):
        return str(int(value))
    if float(f"{value:.{_DIGITS}g}") == value:
        return _full(value)
    for places in range(2, 7):
        text = f"{value:.{places}f}".rstrip("0")
        if text[-1] != ".":
            return text if float(text) == value else ABOUT + text
    return _full(value)


def _full(value: float) -> str:
    text = repr(value)
    if "e" not in text:
        return text
    from decimal import Decimal

    return format(Decimal(text), "f")


def negative(text: str) -> str:
    """Return the text of a number with a minus sign, behind the mark of a rounded one."""
    return ABOUT + "-" + text[1:] if text[:1] == ABOUT else "-" + text


def milliseconds(seconds: float) -> str:
    """Return less than a second in milliseconds, `~` in front where that is not the exact value."""
    text = decimals(round(seconds * 1000, 9))
    if text[0] == ABOUT or float(f"{text}e-3") == seconds:  # a quotient of floats would be rounded twice
        return f"{text}ms"
    return f"{ABOUT}{text}ms"
