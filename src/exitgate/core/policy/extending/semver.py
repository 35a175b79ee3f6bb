"""Semantic versions and the ranges `extends:` accepts."""

from __future__ import annotations

Version = tuple[int, int, int]


def version(text: str) -> Version:
    """
    Return ``1.2.3`` as numbers.

    Raises:
        ValueError: It is not three numbers with points between.
    """
    pieces = text.split(".")
    if len(pieces) != 3:
        raise ValueError(text)
    major, minor, patch = (_number(piece) for piece in pieces)
    return major, minor, patch


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit()) or len(text) > 9:
        raise ValueError(text)
    return int(text)


def accepts(wanted: str, found: str) -> bool:
    """
    Return whether version `found` is in the range `wanted`.

    Ranges: ``1.2.3`` or ``=1.2.3`` exactly; ``1.2`` and ``1`` any with these numbers first;
    ``^1.2.3`` from there to before the next change of the first number that is not 0;
    ``~1.2.3`` from there to before ``1.3.0``; ``>= > <= <`` as they say; several with spaces
    between must all hold; ``*`` any.

    Raises:
        ValueError: `wanted` or `found` cannot be read.
    """
    pieces = wanted.split()
    if not pieces:
        raise ValueError(wanted)
    return all(_accepts(piece, version(found)) for piece in pieces)


def _accepts(wanted: str, found: Version) -> bool:
    if wanted == "*":
        return True
    sign = wanted[: len(wanted) - len(wanted.lstrip("^~<>="))]
    numbers = tuple(_number(piece) for piece in wanted[len(sign) :].split("."))
    if not 1 <= len(numbers) <= 3:
        raise ValueError(wanted)
    low: Version = (*numbers, 0, 0)[:3]  # type: ignore[assignment]
    if sign in ("", "="):
        return found[: len(numbers)] == numbers
    if sign == "^":
        return low <= found < _next(numbers, _caret(numbers))
    if sign == "~":
        return low <= found < _next(numbers, min(len(numbers), 2) - 1)
    compared = {">=": found >= low, ">": found > low, "<=": found <= low, "<": found < low}
    if sign not in compared:
        raise ValueError(wanted)
    return compared[sign]


def _caret(numbers: tuple[int, ...]) -> int:
    """Return the index of the number that must stay: the first that is not 0, else the last written."""
    return next((index for index, number in enumerate(numbers) if number), len(numbers) - 1)


def _next(numbers: tuple[int, ...], index: int) -> Version:
    raised = (*numbers[:index], numbers[index] + 1)
    return (*raised, 0, 0)[:3]  # type: ignore[return-value]
