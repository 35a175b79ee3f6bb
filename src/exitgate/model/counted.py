"""Numbers of things in words."""

from __future__ import annotations


def counted(number: int, one: str, many: str = "") -> str:
    """Return ``1 run``, ``3 runs``; `many` where the plural has more than an `s`, or words that follow it."""
    return f"{number} {one if number == 1 else many or one + 's'}"
