"""How a scalar is in its file: from offsets in its value to places in the file."""

from __future__ import annotations

from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.model.place import Place
    from exitgate.policy.lines import Lines

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

    def place(self, start: int, end: int) -> Place:
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
