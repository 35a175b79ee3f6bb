"""Where in a file the user wrote something."""

from __future__ import annotations

from exitgate.model.value import Value


class Place(Value):
    """
    A stretch of a file: 1-based lines and columns in characters, the end exclusive.

    `file` is the path as the user would write it, or a name in angle brackets
    (``<command line>``).
    """

    __slots__ = ("column", "end_column", "end_line", "file", "line")

    def __init__(
        self, file: str, line: int = 1, column: int = 1, end_line: int = 0, end_column: int = 0
    ) -> None:
        self.file = file
        self.line = line
        self.column = column
        self.end_line = end_line or line
        self.end_column = end_column or column + 1

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"

    def to_json(self) -> list[object]:
        """Return the five slots in reading order."""
        return [self.file, self.line, self.column, self.end_line, self.end_column]

    @staticmethod
    def from_json(plain: list[object]) -> Place:
        """Return the place that `to_json` wrote."""
        file, line, column, end_line, end_column = plain
        return Place(str(file), int(str(line)), int(str(column)), int(str(end_line)), int(str(end_column)))
