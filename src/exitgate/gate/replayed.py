"""A recorded decision beside the one made again, and the first place where they differ."""

from __future__ import annotations

from exitgate.model.quick_json import dumps
from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_SHOWN = 80


class Replayed(Value):
    """
    One decision made again.

    Args:
        line: Of the ledger, of kind `decision`.
        decision: As it came out now, in the form the ledger keeps; None when it could not be made.
        difference: Where it is not the recorded one, or why it could not be made; else empty.
    """

    __slots__ = ("decision", "difference", "line")

    def __init__(
        self, line: Mapping[str, object], decision: Mapping[str, object] | None, difference: str
    ) -> None:
        self.line = line
        self.decision = decision
        self.difference = difference

    @property
    def same(self) -> bool:
        """Whether the decision came out as recorded, byte for byte."""
        return not self.difference


def written(value: object) -> str:
    """Return a value as the bytes of a ledger line hold it, key order included."""
    return dumps(value)


def difference(recorded: object, again: object) -> str:
    """Return the first place at which two JSON values differ as text, empty when they are the same."""
    return "" if written(recorded) == written(again) else _first(recorded, again, "decision")


def _first(recorded: object, again: object, place: str) -> str:
    if isinstance(recorded, dict) and isinstance(again, dict) and list(recorded) == list(again):
        pairs = [(f"{place}.{key}", recorded[key], again[key]) for key in recorded]
    elif isinstance(recorded, list) and isinstance(again, list) and len(recorded) == len(again):
        pairs = [(f"{place}[{n}]", *pair) for n, pair in enumerate(zip(recorded, again, strict=True))]
    else:
        return f"`{place}` was {_cut(recorded)}, now {_cut(again)}"
    return next(_first(old, new, at) for at, old, new in pairs if written(old) != written(new))


def _cut(value: object) -> str:
    text = written(value)
    return f"`{text}`" if len(text) <= _SHOWN else f"`{text[:_SHOWN]}...`"
