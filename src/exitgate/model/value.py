"""The plain slotted value all nouns are made of, and the unknown."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Self


class Value:
    """
    A value that is never changed after it is made, compared by its slots.

    Slots in place of dataclasses: importing `dataclasses` costs more than a whole check
    may (`docs/decisions/0002-slotted-values.md`).
    """

    __slots__: tuple[str, ...] = ()

    def but(self, **parts: object) -> Self:
        """Return this value with `parts` in place of its own; for those made of their slots by name."""
        return type(self)(**{**{name: getattr(self, name) for name in self.__slots__}, **parts})

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in self.__slots__)

    def __hash__(self) -> int:
        return hash((type(self), *(getattr(self, name) for name in self.__slots__)))

    def __repr__(self) -> str:
        inner = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.__slots__)
        return f"{type(self).__name__}({inner})"


class Unknown(Value):
    """
    A value that is not known, with the reason and where that was found.

    Never a synonym for false, zero or the empty text. `reason` is a sentence part for people
    (``no task items in the plan``), `origin` names the fact, operator or extractor where the
    unknown was born (``tasks.percent``).

    A number may be known to lie between `least` and `most`, both included; an end that is open is
    infinite. Both are None where nothing is known of it. Comparisons and arithmetic read them
    (`exitgate.language.kleene.compared`, `exitgate.model.bounds`); to all else it is unknown.
    """

    __slots__ = ("least", "most", "origin", "reason")

    def __init__(self, reason: str, origin: str = "", least: object = None, most: object = None) -> None:
        self.reason = reason
        self.origin = origin
        self.least = least
        self.most = most

    def __repr__(self) -> str:
        bounds = "" if self.least is None else f", {self.least!r}, {self.most!r}"
        return f"Unknown({self.reason!r}, {self.origin!r}{bounds})"

    def bare(self) -> Unknown:
        """Return it without bounds: what it is for an answer that is of another type."""
        return self if self.least is None else Unknown(self.reason, self.origin)

    def like(self, other: object) -> bool:
        """Return whether another value is as unknown: conditions cannot tell the two apart."""
        return isinstance(other, Unknown) and (self.least, self.most) == (other.least, other.most)

    def __bool__(self) -> bool:
        raise TypeError("an unknown is neither true nor false; compare with `is True`")


def bounds_of(value: object) -> tuple[Any, Any] | None:
    """Return the least and the most that a value can be; None where nothing is known of it."""
    if not isinstance(value, Unknown):
        return value, value
    least = value.least
    return None if least is None else (least, value.most)
