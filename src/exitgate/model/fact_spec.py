"""What an extractor promises about a fact before any text is seen."""

from __future__ import annotations

from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.model.type import Type


class FactSpec(Value):
    """
    Name, type, range and meaning of a fact.

    Args:
        name: In an extractor: the part behind the policy's prefix (``percent``; the empty text
            for the prefix itself). In a compiled policy: the full name (``tasks.percent``).
        type: Its type.
        doc: What it means, one sentence.
        unknown_when: When it is unknown, as a sentence part; the empty text for a detector that
            always knows on a readable source.
        low: Smallest value, or None.
        high: Largest value, or None.
        read: True for a fact read from what the agent said or did (response, output, plan, diff,
            ...); False for clocks, limits, breaker and run counters. Decides what "blind" means.
    """

    __slots__ = ("doc", "high", "low", "name", "read", "type", "unknown_when")

    def __init__(
        self,
        name: str,
        type: Type,
        doc: str,
        unknown_when: str = "",
        low: float | None = None,
        high: float | None = None,
        read: bool = True,
    ) -> None:
        self.name = name
        self.type = type
        self.doc = doc
        self.unknown_when = unknown_when
        self.low = low
        self.high = high
        self.read = read
