"""One value of a YAML document together with where it was written."""

from __future__ import annotations

from exitgate.core.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from exitgate.core.model.diagnostic import Location

    Scalar = str | int | float | bool | None
    from exitgate.core.policy.yaml.lines import Lines


class YamlNode(Value):
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
        value: Scalar | dict[str, YamlNode] | tuple[YamlNode, ...],
        place: Location,
        key: Location | None = None,
        written: Written | None = None,
    ) -> None:
        self.value = value
        self.place = place
        self.key = key
        self.written = written

    @property
    def is_mapping(self) -> bool:
        """Whether it has parts by key."""
        return isinstance(self.value, dict)

    @property
    def is_sequence(self) -> bool:
        """Whether it has parts in order."""
        return isinstance(self.value, tuple)

    @property
    def is_text(self) -> bool:
        """Whether it is a text, and no number, bool or null."""
        return isinstance(self.value, str)

    @property
    def fields(self) -> dict[str, YamlNode]:
        """The parts by key; empty when this is not a mapping."""
        return self.value if isinstance(self.value, dict) else {}

    @property
    def items(self) -> tuple[YamlNode, ...]:
        """The parts in order; empty when this is not a sequence."""
        return self.value if isinstance(self.value, tuple) else ()

    @property
    def text(self) -> str:
        """The scalar as text: its own if it is one, else as it was written (``true``, ``70``)."""
        if isinstance(self.value, str):
            return self.value
        return self.written.value if self.written is not None else ""

    @property
    def label(self) -> Location:
        """Where to point when the key is meant: its key, or itself where it has none."""
        return self.key if self.key is not None else self.place

    def get(self, key: str) -> YamlNode | None:
        """Return the part under `key`, or None."""
        return self.fields.get(key)

    def plain(self) -> object:
        """Return the value without places: dicts, lists and scalars."""
        if isinstance(self.value, dict):
            return {key: part.plain() for key, part in self.value.items()}
        if isinstance(self.value, tuple):
            return [part.plain() for part in self.value]
        return self.value

    def at(self, path: Sequence[str | int]) -> YamlNode:
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

    def with_fields(self, fields: Mapping[str, YamlNode]) -> YamlNode:
        """Return this mapping with other fields, at the same place."""
        return YamlNode(dict(fields), self.place, self.key)

    def with_items(self, items: Sequence[YamlNode]) -> YamlNode:
        """Return this sequence with other items, at the same place."""
        return YamlNode(tuple(items), self.place, self.key)

    def walk(self) -> Iterator[YamlNode]:
        """Yield this part and everything below it, parents first."""
        yield self
        for part in (*self.fields.values(), *self.items):
            yield from part.walk()


# How a scalar is in its file: from offsets in its value to places in the file.

#: Characters after the backslash of an escape in double quotes, where it is not one.
_ESCAPE_LENGTH = {"x": 3, "u": 5, "U": 9}


class Written(Value):
    """
    A scalar as it was written.

    Args:
        lines: The file.
        start: Offset in the file's text of the scalar's first character, quote or block sign included.
        end: Offset behind its last character.
        style: ``plain``, ``'``, ``"``, ``|`` or ``>``.
        value: The text YAML makes of it.
        flow: It is inside brackets or braces.
    """

    __slots__ = ("end", "flow", "lines", "start", "style", "value")

    def __init__(
        self, lines: Lines, start: int, end: int, style: str, value: str, flow: bool = False
    ) -> None:
        self.lines = lines
        self.start = start
        self.end = end
        self.style = style
        self.value = value
        self.flow = flow

    @property
    def raw(self) -> str:
        """The characters of the file."""
        return self.lines.text[self.start : self.end]

    def place(self, start: int, end: int) -> Location:
        """Return the place in the file of the value's characters from `start` to before `end`."""
        offsets = self.offsets()
        first = offsets[min(start, len(self.value))]
        last = offsets[end - 1] + 1 if start < end <= len(self.value) else first + 1
        return self.lines.place(first, last)

    def comment(self) -> int | None:
        """Return the offset in the file of a ``#`` that follows a plain scalar on its line, or None."""
        if self.style != "plain":
            return None
        text = self.lines.text
        position = self.end
        while position < len(text) and text[position] == " ":
            position += 1
        return position if text[position : position + 1] == "#" and position > self.end else None

    def offsets(self) -> list[int]:
        """
        Return the offset in the file of every character of the value, and one for its end.

        All but white space is in the file in the order of the value, so the two are walked
        together: white space that folding or indentation added or removed is stepped over.
        """
        raw = self.raw
        position = _first(raw, self.style)
        found = []
        for character in self.value:
            position, length = _step(raw, position, character, self.style)
            found.append(self.start + min(position, len(raw)))
            position += length
        found.append(self.start + min(position, len(raw)))
        return found


def _first(raw: str, style: str) -> int:
    if style in "'\"":
        return 1
    if style in "|>":
        return raw.find("\n") + 1 or len(raw)
    return 0


def _step(raw: str, position: int, character: str, style: str) -> tuple[int, int]:
    """Return where `character` is at or behind `position` of `raw`, and how much of it that takes."""
    blank = character in " \n"
    while position < len(raw):
        here = raw[position]
        if style == '"' and here == "\\":
            if raw[position + 1 : position + 2] in ("\n", "\r"):
                position = _skip_blanks(raw, position + 1)
                continue
            return position, 1 + _ESCAPE_LENGTH.get(raw[position + 1 : position + 2], 1)
        if here in " \n\r":
            if blank:
                return position, 1
            position += 1
            continue
        return position, 2 if style == "'" and here == "'" else 1
    return position, 0


def _skip_blanks(raw: str, position: int) -> int:
    while position < len(raw) and raw[position] in " \n\r":
        position += 1
    return position
