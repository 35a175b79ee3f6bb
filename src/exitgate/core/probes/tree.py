"""The working tree that an answer is about: its digest, and what a command changed in it."""

from __future__ import annotations

from exitgate.core.model.value import Value
from exitgate.core.observe import git
from exitgate.core.observe.git_command import NOT_READ, TIME_LIMIT, GitError, LateError, ask
from exitgate.core.system.digest import hex_digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.core.model.fact import Source
    from exitgate.core.model.json_object import JsonObject

#: Paths that a note names.
NAMED = 5


class Tree(Value):
    """
    A working tree as it was at an instant.

    Args:
        digest: Of its content: equal for equal content, however much of it is committed; empty where it is
            not known.
        top: Its root; empty where there is none.
        dirty: Path -> digest, of what differs from HEAD.
        head: The commit that it is at.
        origin: The commit with which it is compared.
        whole: Whether the digest speaks of all content: not of what is in a repository inside this one, of a
            file that cannot be read or of one so large that its size and its time stand for it.
    """

    __slots__ = ("digest", "dirty", "head", "origin", "top", "whole")

    def __init__(
        self,
        digest: str = "",
        top: str = "",
        dirty: Mapping[str, object] | None = None,
        head: object = None,
        origin: object = None,
        whole: bool = False,
    ) -> None:
        self.digest = digest
        self.top = top
        self.dirty = dirty or {}
        self.head = head
        self.origin = origin
        self.whole = whole


def look(
    root: str,
    left_out: tuple[str, ...],
    ignored: tuple[str, ...],
    baseline: JsonObject | None,
    origin: str | None = None,
) -> Tree:
    """
    Return the working tree that a folder is in, ignored files aside.

    Args:
        root: The folder.
        left_out: Files and folders that do not count.
        ignored: Patterns of files that do not count.
        baseline: What git said when the iteration began, which has the run's first commit.
        origin: The run's first commit, where it is known otherwise.
    """
    return tree_of(git.observe(root, left_out, baseline, ignore=ignored, origin=origin))


def tree_of(source: Source) -> Tree:
    """Return the working tree that a source `git` describes; one without a digest where it does not."""
    record = source.record
    if record is None or "content" not in record:
        return Tree()
    content = "\n".join(str(record.get(key, "")) for key in ("origin", "content", "absent"))
    dirty = record.object("dirty")
    whole = not record.flag("nested") and not any(str(one).startswith(NOT_READ) for one in dirty.values())
    return Tree(
        hex_digest(content.encode()),
        source.path or "",
        dirty,
        record.get("head"),
        record.get("origin"),
        whole,
    )


def changed(before: Tree, after: Tree) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """
    Return the tracked paths and the others that differ between two looks; none where none was known before.

    A tree that can no longer be looked at has changed.
    """
    if not before.digest or before.digest == after.digest:
        return (), ()
    if not after.digest:
        return (".git",), ()
    paths = sorted(
        path for path in {*before.dirty, *after.dirty} if before.dirty.get(path) != after.dirty.get(path)
    )
    if not paths:  # it committed, or took a commit back
        return ("HEAD",), ()
    import time

    try:
        listed = ask(after.top, ("ls-files", "-z"), time.monotonic() + TIME_LIMIT)
    except (GitError, LateError):
        return tuple(paths), ()
    tracked = set(listed.decode("utf-8", "surrogateescape").split("\0"))
    return tuple(one for one in paths if one in tracked), tuple(one for one in paths if one not in tracked)


def named(paths: tuple[str, ...]) -> str:
    """Return some paths as a message lists them."""
    more = len(paths) - NAMED
    return ", ".join(f"`{path}`" for path in paths[:NAMED]) + (f" and {more} more" if more > 0 else "")
