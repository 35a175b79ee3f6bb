"""The plain slotted value all nouns are made of, and the unknown."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Self, TypeGuard


def is_number(value: object) -> TypeGuard[int | float]:
    """Return whether a value is a number; true and false are not."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_whole(value: object) -> TypeGuard[int]:
    """Return whether a value is a whole number of the type `int`; true and false are not."""
    return isinstance(value, int) and not isinstance(value, bool)


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
    (`exitgate.core.language.evaluation.kleene.compared`, `exitgate.core.model.exact`); to all else it is
    unknown.
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


# Types of the condition language and of facts.

KINDS = (
    "bool", "count", "number", "percent", "duration", "money", "text", "enum", "list", "signature",
)  # fmt: skip


#: Reason of a value that the world has not been asked for. It is not unknown: `is known` cannot be answered
#: either (`exitgate.core.language.evaluation.unasked`).
NOT_ASKED = "not asked yet"


def is_unasked(value: object) -> bool:
    """Return whether a value is one that the world has not been asked for."""
    return value.__class__ is Unknown and value.reason == NOT_ASKED


class Type(Value):
    """
    What a fact, a parameter or an expression holds.

    At run time: bool is `bool`; count is `int` >= 0; number and percent (0 to 100) are `int` or
    `float`; duration is seconds and money an amount, both `int` or `float`; text, signature and
    enum (upper case) are `str`; a list is a `tuple`. Any of them may be `Unknown` instead.

    Args:
        kind: One of `KINDS`.
        members: For enum: the upper-case members, in declaration order.
        item: For list: the type of its items.
        currency: For money: three upper-case letters.
    """

    __slots__ = ("currency", "item", "kind", "members")

    def __init__(
        self,
        kind: str,
        members: tuple[str, ...] = (),
        item: Type | None = None,
        currency: str | None = None,
    ) -> None:
        self.kind = kind
        self.members = members
        self.item = item
        self.currency = currency

    def __str__(self) -> str:
        if self.kind == "enum":
            return f"enum of {', '.join(self.members)}"
        if self.kind == "list":
            return f"list of {self.item}"
        if self.kind == "money":
            return f"money in {self.currency}"
        return self.kind

    def to_json(self) -> object:
        """Return the plain form: the kind, or a list that starts with it."""
        if self.kind == "enum":
            return ["enum", *self.members]
        if self.kind == "list" and self.item is not None:
            return ["list", self.item.to_json()]
        if self.kind == "money":
            return ["money", self.currency]
        return self.kind

    @staticmethod
    def from_json(plain: object) -> Type:
        """Return the type that `to_json` wrote."""
        if isinstance(plain, str):
            return Type(plain)
        assert isinstance(plain, list)
        if plain[0] == "enum":
            return Type("enum", members=tuple(plain[1:]))
        if plain[0] == "list":
            return Type("list", item=Type.from_json(plain[1]))
        return Type("money", currency=plain[1])


BOOL = Type("bool")
COUNT = Type("count")
NUMBER = Type("number")
PERCENT = Type("percent")
DURATION = Type("duration")
TEXT = Type("text")
SIGNATURE = Type("signature")

#: Decimal places of money and durations: millionths of a unit.
MICRO = 6


def micro(amount: float) -> float:
    """
    Return an amount of money or a number of seconds to a millionth, as facts and totals hold it.

    Of amounts that are held so, `micro` of the sum is the exact sum, up to 10**9: what a sum of floats is
    off is far less than a millionth.
    """
    return round(amount, MICRO) if amount.__class__ is float else amount


# The range of a fact or a parameter: which types have one, what it is by itself, and what one cannot be.

#: Kinds of types whose values are smaller and larger.
ORDERED = frozenset(("count", "number", "percent", "duration", "money"))
_FROM_ZERO = frozenset(("count", "duration", "money"))

TYPE_CHECKING = False
if TYPE_CHECKING:
    Ends = tuple[float | None, float | None]


def usual_range(kind: str) -> Ends:
    """Return the smallest and the largest value of a kind of type; None sets no bound."""
    if kind == "percent":
        return 0, 100
    return (0, None) if kind in _FROM_ZERO else (None, None)


def with_unit(value: object, type: Type) -> object:
    """Return the value of a parameter as a person writes it: with the unit that its type asks for."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return list(value) if isinstance(value, tuple) else value
    number = int(value) if isinstance(value, float) and value.is_integer() else value
    if type.kind == "duration":
        return f"{number}s"
    if type.kind == "money":
        return f"{number} {type.currency}"
    return number


def ends_of(kind: str, low: float | None, high: float | None) -> Ends:
    """Return the smallest and the largest value: those that are declared, else those of the kind."""
    least, most = usual_range(kind)
    return least if low is None else low, most if high is None else high


def range_fault(
    kind: str, low: float | None, high: float | None, named: str = "`range`"
) -> tuple[str, str] | None:
    """
    Return what is wrong with a range that somebody declared, and help; None for a good one.

    Args:
        kind: Of the type.
        low, high: The ends as declared, None where one is left out.
        named: What they are called where they are written.
    """
    if kind not in ORDERED:
        return f"type `{kind}` has no {named}", "remove it"
    if low is not None and high is not None and low > high:
        return "the range ends before it begins", "write `[smallest, largest]`"
    least, most = usual_range(kind)
    if outside(low, least, most) or outside(high, least, most):
        if kind == "percent":
            return "a percent is from 0 to 100", "write `range: [0, 100]`"
        return f"a {kind} is 0 or more", "write 0, or a larger number"
    return None


def outside(value: object, low: float | None, high: float | None) -> bool:
    """Return whether a value is a number that is not within the bounds; None sets no bound."""
    if not is_number(value):
        return False
    return (low is not None and value < low) or (high is not None and value > high)
