"""Types of the condition language and of facts."""

from __future__ import annotations

from exitgate.model.value import Value

KINDS = (
    "bool", "count", "number", "percent", "duration", "money", "text", "enum", "list", "signature",
)  # fmt: skip


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
