"""A share of many cases: the suite takes some, `make soak` takes them all."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import TypeVar

    One = TypeVar("One")

#: Set by `--every-case`, before any test file is read.
EVERY: list[bool] = []


def some(cases: Iterable[One], count: int) -> list[One]:
    """
    Return `count` of the cases, spread evenly and always the same; all of them with `--every-case`.

    For cases that differ in what they are about alone, never for those that pin a fault each.
    """
    every = list(cases)
    if EVERY or len(every) <= count:
        return every
    return [every[place * len(every) // count] for place in range(count)]
