"""One step of a migration, and what it has to say."""

from __future__ import annotations

from exitgate.core.model.diagnostic import ERROR, WARNING
from exitgate.core.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, MutableMapping

    Path = tuple[str | int, ...]
    Mapping = MutableMapping[str, object]


class Remark(Value):
    """
    What is to be said about a value of the old document.

    `path` leads to it; `severity` is `ERROR` where the step cannot go on in a way that means the same, and
    `WARNING` for what is kept and not read any more.
    """

    __slots__ = ("help", "message", "path", "severity")

    def __init__(self, path: Path, message: str, help: str, severity: str = ERROR) -> None:
        self.path = path
        self.message = message
        self.help = help
        self.severity = severity


class Remarks:
    """Gathers remarks while a step works."""

    def __init__(self) -> None:
        self.found: list[Remark] = []

    def impossible(self, path: Path, message: str, help: str) -> None:
        """Add what has no counterpart."""
        self.found.append(Remark(path, message, help))

    def kept(self, path: Path, message: str, help: str) -> None:
        """Add what is kept and not read any more."""
        self.found.append(Remark(path, message, help, WARNING))


class Step(Value):
    """
    A step from format `since` to the next.

    Args:
        since: The format it takes.
        doc: What it changes, for the reference.
        run: Makes a document of the next format out of one; it changes the document it is given, which
            keeps its comments, and returns it.
    """

    __slots__ = ("doc", "run", "since")

    def __init__(self, since: int, doc: str, run: Callable[[Mapping, Remarks], Mapping]) -> None:
        self.since = since
        self.doc = doc
        self.run = run
