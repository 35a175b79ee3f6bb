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


class LeftOut(Value):
    """
    Which files are no work of the agent; paths are relative to the root of the working tree.

    Args:
        places: Files and folders, each with all that lies below it.
        patterns: As `ignore:` of the git facts has them. One with a `/` before its end is a path from
            the root; any other is the name of a file or folder, wherever it lies. One that ends in `/`
            is a folder. `*` stands for any characters, also for none.
    """

    __slots__ = ("patterns", "places")

    def __init__(self, places: tuple[str, ...] = (), patterns: tuple[str, ...] = ()) -> None:
        self.places = places
        self.patterns = patterns

    def __call__(self, path: str) -> bool:
        """Return whether `path` is left out."""
        if any(path == out or path.startswith(f"{out}/") for out in self.places):
            return True
        *folders, _ = names = path.split("/")
        for pattern in self.patterns:
            bare = pattern.rstrip("/")
            if "/" in bare:
                whole = path if bare == pattern else "/".join(folders)
                depth = bare.count("/") + 1
                if matches(bare, "/".join(whole.split("/")[:depth])):
                    return True
            elif any(matches(bare, name) for name in (names if bare == pattern else folders)):
                return True
        return False


def matches(pattern: str, text: str) -> bool:
    """Return whether a pattern in which `*` stands for any characters fits the whole text; linear in both."""
    first, *rest = pattern.split("*")
    if not rest:
        return text == pattern
    *middle, last = rest
    end = len(text) - len(last)
    if not text.startswith(first) or not text.endswith(last) or end < len(first):
        return False
    at = len(first)
    for piece in middle:
        found = text.find(piece, at, end)
        if found < 0:
            return False
        at = found + len(piece)
    return True
