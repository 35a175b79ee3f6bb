"""What is wrong with the text of a condition."""

from __future__ import annotations

from exitgate.core.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


class Problem(Value):
    """
    One problem in a condition's text; `policy` turns it into a diagnostic with file, line, column.

    Args:
        code: ``EP3xx`` for syntax, ``EP4xx`` for names, types, history and cost.
        message: What is wrong.
        start: Offset in characters of the first wrong character.
        end: Offset behind the last one.
        help: What to write instead, or the empty text.
    """

    __slots__ = ("code", "end", "help", "message", "start")

    def __init__(self, code: str, message: str, start: int, end: int, help: str = "") -> None:
        self.code = code
        self.message = message
        self.start = start
        self.end = end
        self.help = help


class LanguageError(Exception):
    """A condition that cannot be used, with every problem found in it."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("; ".join(f"{p.code} {p.message}" for p in self.problems))
