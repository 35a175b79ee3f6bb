"""Scalars of the YAML 1.2 core schema, and what YAML 1.1 would have made of them."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from exitgate.core.policy.yaml.node import Scalar


DIGITS_LIMIT = 300

_WORDS: dict[str, bool | None] = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None,
    "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
}  # fmt: skip
_TRUE_1_1 = ("y", "yes", "on")
_FALSE_1_1 = ("n", "no", "off")


def resolve(text: str) -> Scalar:
    """
    Return what a plain scalar means: None, a bool, an int, a float, or the text itself.

    Numbers that start with a needless zero (``014``) stay text: YAML 1.1 and 1.2 read them
    differently.

    Raises:
        OverflowError: It is a number that is infinite, not a number, or longer than `DIGITS_LIMIT`.
    """
    if text in _WORDS:
        return _WORDS[text]
    if not text.isascii() or text[0] not in "+-.0123456789":
        return text
    if text.lstrip("+-").lower() in (".inf", ".nan"):
        raise OverflowError(text)
    number = _number(text)
    return text if number is None else number


def _number(text: str) -> int | float | None:
    for prefix, base, digits in (("0o", 8, "01234567"), ("0x", 16, "0123456789abcdefABCDEF")):
        if text.startswith(prefix) and len(text) > len(prefix):
            return int(text[2:], base) if not text[2:].strip(digits) and len(text) < DIGITS_LIMIT else None
    unsigned = text[1:] if text[0] in "+-" else text
    mantissa, _, exponent = unsigned.replace("E", "e").partition("e")
    whole, point, fraction = mantissa.partition(".")
    if not _digits(whole + fraction) or (len(whole) > 1 and whole[0] == "0"):
        return None
    if "e" in unsigned.lower() and not _digits(exponent[1:] if exponent[:1] in ("+", "-") else exponent):
        return None
    if len(text) > DIGITS_LIMIT:
        raise OverflowError(text[:20])
    if not point and "e" not in unsigned.lower():
        return int(text)
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise OverflowError(text)
    return value


def _digits(text: str) -> bool:
    return text != "" and text.isascii() and text.isdigit()


def _clock(pieces: Sequence[int], seconds: int) -> str:
    """Return minutes and seconds, or hours, minutes and seconds, as durations to write."""
    units = ("h", "m", "s")[-len(pieces) :]
    spoken = "".join(f"{piece}{unit}" for piece, unit in zip(pieces, units, strict=False) if piece)
    return f"`{seconds}s` or `{spoken}`" if spoken and len(pieces) <= len(units) else f"`{seconds}s`"


def surprise(text: str, wanted: str) -> str:
    """
    Return what to write where YAML 1.1 would have read `text` as the `wanted` kind of value.

    Args:
        text: The scalar as written.
        wanted: ``bool``, ``number`` or ``duration``.

    Returns:
        A line of help, or the empty text when YAML 1.1 holds no surprise here.
    """
    if wanted == "bool":
        if text.lower() in _TRUE_1_1:
            return f"YAML 1.1 reads `{text}` as true, YAML 1.2 as text: write `true`"
        if text.lower() in _FALSE_1_1:
            return f"YAML 1.1 reads `{text}` as false, YAML 1.2 as text: write `false`"
        return ""
    unsigned = text.lstrip("+-")
    if not unsigned or not unsigned[0].isdigit():
        return ""
    if ":" in unsigned and all(_digits(piece) for piece in unsigned.split(":")):
        pieces = [int(piece[:DIGITS_LIMIT]) for piece in unsigned.split(":")]
        total = 0
        for piece in pieces:
            total = total * 60 + piece
        write = _clock(pieces, total) if wanted == "duration" else "a plain number"
        return f"YAML 1.1 reads `{text}` as {total}, in base 60: write {write}"
    if _digits(unsigned) and unsigned[0] == "0":
        return f"YAML 1.1 reads `{text}` in base 8: write it without the leading zero"
    if "_" in unsigned and _digits(unsigned.replace("_", "")):
        return f"write `{text.replace('_', '')}`: YAML 1.2 numbers have no `_`"
    return ""
