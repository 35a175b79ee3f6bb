"""Which rules of a chain are elsewhere in another: as few as can be."""

from __future__ import annotations

from bisect import bisect_left

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence
    from typing import TypeVar

    Name = TypeVar("Name", bound=Hashable)


def moved(before: Sequence[Name], after: Sequence[Name]) -> tuple[Name, ...]:
    """
    Return the names that both hold and that must move to make one order of the other, in the new order.

    The names that stay are a longest increasing subsequence of their former places (patience sorting), so
    a rule that is put first is one move and not one for every other rule.
    """
    places = {name: at for at, name in enumerate(before)}
    shared = [name for name in after if name in places]
    staying = set(_longest([places[name] for name in shared]))
    return tuple(name for name in shared if places[name] not in staying)


def between(names: Sequence[str], name: str) -> str:
    """Return in words where a name is: ``first``, or behind which other one."""
    at = names.index(name)
    return "first" if at == 0 else f"after `{names[at - 1]}`"


def _longest(numbers: Sequence[int]) -> list[int]:
    """Return a longest increasing subsequence of distinct numbers."""
    tails: list[int] = []
    before: dict[int, int | None] = {}
    for number in numbers:
        at = bisect_left(tails, number)
        before[number] = tails[at - 1] if at else None
        tails[at : at + 1] = [number]
    found: list[int] = []
    number_ = tails[-1] if tails else None
    while number_ is not None:
        found.append(number_)
        number_ = before[number_]
    return found[::-1]
