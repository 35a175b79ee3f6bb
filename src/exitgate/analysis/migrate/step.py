"""One step of a migration, and what it has to say."""

from __future__ import annotations

from msgspec import Struct

from exitgate.core.model.diagnostic import ERROR, WARNING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, MutableMapping

    Path = tuple[str | int, ...]
    Mapping = MutableMapping[str, object]


class Remark(Struct, frozen=True):
    """
    What is to be said about a value of the old document.

    `path` leads to it; `severity` is `ERROR` where the step cannot go on in a way that means the same, and
    `WARNING` for what is kept and not read any more.
    """

    path: Path
    message: str
    help: str
    severity: str = ERROR


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


class Step(Struct, frozen=True):
    """
    A step from format `since` to the next.

    Args:
        since: The format it takes.
        doc: What it changes, for the reference.
        run: Makes a document of the next format out of one; it changes the document it is given, which
            keeps its comments, and returns it.
    """

    since: int
    doc: str
    run: Callable[[Mapping, Remarks], Mapping]
