"""What was given on a command line, by name."""

from __future__ import annotations

from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


class Given(Value):
    """Values of options and arguments by key; reading one that was not given yields its empty form."""

    __slots__ = ("values",)

    def __init__(self, values: Mapping[str, object]) -> None:
        self.values = values

    def text(self, key: str) -> str | None:
        """Return the value, or None."""
        value = self.values.get(key)
        return value if isinstance(value, str) else None

    def word(self, key: str) -> str:
        """Return a value that has a default or must be given."""
        value = self.values[key]
        assert isinstance(value, str)
        return value

    def flag(self, key: str) -> bool:
        """Return whether the flag was given."""
        return self.values.get(key) is True

    def number(self, key: str) -> int | None:
        """Return the whole number, or None."""
        value = self.values.get(key)
        return value if isinstance(value, int) and not isinstance(value, bool) else None

    def texts(self, key: str) -> tuple[str, ...]:
        """Return every value given, in order."""
        value = self.values.get(key)
        return tuple(str(v) for v in value) if isinstance(value, tuple) else ()
