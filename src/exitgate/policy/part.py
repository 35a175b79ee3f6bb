"""One value of a YAML document together with where it was written."""

from __future__ import annotations

from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from exitgate.model.place import Place
    from exitgate.policy.written import Written

    Scalar = str | int | float | bool | None


class Part(Value):
    """
    A scalar, a mapping of parts or a sequence of parts.

    Args:
        value: Text, number, bool or None; or a dict of parts by key; or a tuple of parts.
        place: Where the value is.
        key: Where its key is, or None for items of a sequence and the root.
        written: For scalars: how it was written.

    Composition makes new parts out of the parts of several files; each keeps its own place.
    """

    __slots__ = ("key", "place", "value", "written")

    def __init__(
        self,
        value: Scalar | dict[str, Part] | tuple[Part, ...],
        place: Place,
        key: Place | None = None,
        written: Written | None = None,
    ) -> None:
        self.value = value
        self.place = place
        self.key = key
        self.written = written

    @property
    def fields(self) -> dict[str, Part]:
        """The parts by key; empty when this is not a mapping."""
        return self.value if isinstance(self.value, dict) else {}

    @property
    def items(self) -> tuple[Part, ...]:
        """The parts in order; empty when this is not a sequence."""
        return self.value if isinstance(self.value, tuple) else ()

    @property
    def text(self) -> str:
        """The scalar as text: its own if it is one, else as it was written (``true``, ``70``)."""
        if isinstance(self.value, str):
            return self.value
        return self.written.value if self.written is not None else ""

    @property
    def label(self) -> Place:
        """Where to point when the key is meant: its key, or itself where it has none."""
        return self.key if self.key is not None else self.place

    def get(self, key: str) -> Part | None:
        """Return the part under `key`, or None."""
        return self.fields.get(key)

    def plain(self) -> object:
        """Return the value without places: dicts, lists and scalars."""
        if isinstance(self.value, dict):
            return {key: part.plain() for key, part in self.value.items()}
        if isinstance(self.value, tuple):
            return [part.plain() for part in self.value]
        return self.value

    def at(self, path: Sequence[str | int]) -> Part:
        """
        Return the part at the end of `path`.

        Raises:
            KeyError: There is none.
        """
        part = self
        for step in path:
            if isinstance(step, int):
                if not 0 <= step < len(part.items):
                    raise KeyError(step)
                part = part.items[step]
            else:
                part = part.fields[step]
        return part

    def with_fields(self, fields: Mapping[str, Part]) -> Part:
        """Return this mapping with other fields, at the same place."""
        return Part(dict(fields), self.place, self.key)

    def with_items(self, items: Sequence[Part]) -> Part:
        """Return this sequence with other items, at the same place."""
        return Part(tuple(items), self.place, self.key)

    def walk(self) -> Iterator[Part]:
        """Yield this part and everything below it, parents first."""
        yield self
        for part in (*self.fields.values(), *self.items):
            yield from part.walk()
