"""Answers of git, parsed. Pure; any bytes give an answer."""

from __future__ import annotations

from exitgate.model.value import Value

#: Changed files beyond which a working tree is not looked at further.
FILE_LIMIT = 100_000

#: How many fields stand before the path in each kind of entry of porcelain v2.
_FIELDS = {b"1": 8, b"2": 9, b"u": 10}

_NO_COMMIT = "(initial)"
_DETACHED = "(detached)"


class Status(Value):
    """
    What `git status --porcelain=v2 --branch -z` says.

    Paths are relative to the root of the working tree. `head` is None before the first commit,
    `branch` None on a detached HEAD. `cut` says that there were more than `FILE_LIMIT` entries.
    """

    __slots__ = ("branch", "cut", "head", "tracked", "untracked")

    def __init__(
        self,
        head: str | None,
        branch: str | None,
        tracked: tuple[str, ...],
        untracked: tuple[str, ...],
        cut: bool,
    ) -> None:
        self.head = head
        self.branch = branch
        self.tracked = tracked
        self.untracked = untracked
        self.cut = cut


def parse_status(answer: bytes) -> Status:
    """Return what the answer says; both paths of a rename count. Lines of unknown kind are skipped."""
    header: dict[str, str] = {}
    tracked: list[str] = []
    untracked: list[str] = []
    parts = iter(answer.split(b"\0"))
    cut = False
    for part in parts:
        if not part:
            continue
        if len(tracked) + len(untracked) >= FILE_LIMIT:
            cut = True
            break
        kind, _, rest = part.partition(b" ")
        if kind == b"#":
            name, _, value = rest.partition(b" ")
            header[path_of(name)] = path_of(value)
        elif kind == b"?":
            untracked.append(path_of(rest))
        elif kind in _FIELDS:
            fields = part.split(b" ", _FIELDS[kind])
            if len(fields) == _FIELDS[kind] + 1:
                tracked.append(path_of(fields[-1]))
            if kind == b"2":
                origin = next(parts, b"")
                if origin:
                    tracked.append(path_of(origin))
    head, branch = header.get("branch.oid"), header.get("branch.head")
    return Status(
        None if head == _NO_COMMIT else head,
        None if branch == _DETACHED else branch,
        tuple(dict.fromkeys(tracked)),
        tuple(dict.fromkeys(untracked)),
        cut,
    )


def parse_names(answer: bytes) -> tuple[str, ...]:
    """Return the paths of a ``-z`` list of names, in order, without doubles."""
    return tuple(dict.fromkeys(path_of(part) for part in answer.split(b"\0") if part))


def path_of(raw: bytes) -> str:
    """Return a path as the file system functions take it; bytes that are no UTF-8 survive the way back."""
    return raw.decode("utf-8", "surrogateescape")


def excluded(path: str, exclude: tuple[str, ...]) -> bool:
    """Return whether `path` is one of the excluded files or lies below an excluded folder."""
    return any(path == out or path.startswith(f"{out}/") for out in exclude)
