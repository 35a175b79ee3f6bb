"""One test of a text that a condition makes."""

from __future__ import annotations

from exitgate.analysis.space.texts.machine import Contains, Found, Is
from exitgate.analysis.space.texts.pattern import read
from exitgate.language.patterns import searcher
from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.analysis.space.texts.machine import Machine

MATCHES, CONTAINS, IS, LENGTH = "matches", "contains", "is", "length"


class TextTest(Value):
    """
    One test.

    Args:
        kind: ``matches`` (a pattern), ``contains`` or ``is`` (a text), or ``length`` (against a number).
        against: The pattern, text or number; of a list that is a whole, the list.
        lowered: Whether it is the lower case of the text that is tested.
    """

    __slots__ = ("against", "kind", "lowered")

    def __init__(self, kind: str, against: str | float | tuple[str, ...], lowered: bool = False) -> None:
        self.kind = kind
        self.against = against
        self.lowered = lowered

    def outcome(self, text: str) -> int:
        """
        Return how the test comes out for a text, on the engine itself.

        Whether it passes, 1 or 0; of a length whether it is less, the same or more: -1, 0 or 1.
        """
        if self.kind == LENGTH:
            return self.compared(len(text))
        read, against = text.lower() if self.lowered else text, str(self.against)
        if self.kind == MATCHES:
            return int(searcher(against)(read))
        return int(against in read if self.kind == CONTAINS else against == read)

    def compared(self, length: float) -> int:
        """Return how a length comes out against that of the test: less, the same or more is -1, 0 or 1."""
        assert isinstance(self.against, int | float)
        return (length > self.against) - (length < self.against)

    def machine(self) -> Machine:
        """
        Return the test, which is not one of a length, as a machine.

        Raises:
            UnreadError, TooLargeError: It is a pattern for which there is none.
        """
        against = str(self.against)
        if self.kind == MATCHES:
            return Found(read(against))
        return Contains(against) if self.kind == CONTAINS else Is(against)
