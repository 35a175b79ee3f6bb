"""What was fetched, and why something was not."""

from __future__ import annotations

from exitgate.core.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.core.policy.locked.lock_file import Locked


class FetchError(Exception):
    """
    Something cannot be fetched, or is refused; the text says why, as a sentence part.

    Args:
        why: The sentence part.
        help: What to do about it, or the empty text.
    """

    def __init__(self, why: str, help: str = "") -> None:
        super().__init__(why)
        self.help = help


class RefusedError(FetchError):
    """What was fetched is refused, however often it is fetched."""


class Fetched(Value):
    """
    One version of a package, or one commit of a repository.

    Args:
        entry: How it is pinned.
        files: Name -> content of the files that are taken.
        remark: What was found out about who signed it.
    """

    __slots__ = ("entry", "files", "remark")

    def __init__(self, entry: Locked, files: Mapping[str, bytes], remark: str) -> None:
        self.entry = entry
        self.files = files
        self.remark = remark
