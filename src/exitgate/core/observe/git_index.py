"""
Which files of a working tree differ from git's index, found without git reading any of them.

`git status` and `git diff` pass a changed file through the filters that the repository's settings and
attributes name: a repository would run programs. So git lists its index, and the files are compared here
(`docs/decisions/0930-git-facts-run-nothing.md`).
"""

from __future__ import annotations

import os
import stat

from exitgate.core.model.value import Value
from exitgate.core.observe.git_command import GitError, LateError, read_once
from exitgate.core.system import safe_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator


#: Bytes of a file that are read to compare it; a larger one that was touched counts as changed.
CONTENT_LIMIT = 50_000_000

_OTHER, _LEFT_OUT, _UNMERGED = b"?", (b"S", b"s"), b"M"
_LINK, _REPOSITORY = 0o120000, 0o160000
#: In a list of the index with an entry that is a repository inside this one.
REPOSITORY_LISTED = b" 160000 "
#: Begins the line of a plain file that is checked out; its kind, and who may execute it, in `st_mode`.
_PLAIN, _PLAIN_FILE, _KIND = b"H 100644 ", stat.S_IFREG, stat.S_IFMT(0o170000) | stat.S_IXUSR
#: Begins what git knows of a file.
_KNOWN = b"  ctime: "
_EXECUTABLE = 0o755
#: Mark of a file that is compared.
_COMPARED = b"H"
#: Hex digits of an id in a repository with SHA-256; any other length means SHA-1.
_LONG_ID = 64
#: Between these many entries the time is looked at.
_EVERY = 512
_BILLION = 1_000_000_000
_MASK = 0xFFFFFFFF


class Entry(Value):
    """
    A path of the index.

    Args:
        path: Relative to the root of the working tree.
        mode: Kind and permissions, as git counts them: ``0o100644``, ``0o120000`` for a link.
        blob: Hex id of its content, or of the commit of a repository inside.
        followed: Whether its file must be compared: false for one that is not checked out, or that the
            user has git take for unchanged.
        merged: False for a path in conflict, which has an entry for each side.
        changed_at: Instants of the last change of its content and of its inode, in ns, as git saw them.
        size: Bytes of its file, modulo 2 ** 32.
        inode: Modulo 2 ** 32.
    """

    __slots__ = ("blob", "changed_at", "followed", "inode", "merged", "mode", "path", "size")

    def __init__(
        self,
        path: str,
        mode: int,
        blob: str,
        followed: bool,
        merged: bool,
        changed_at: tuple[int, int],
        size: int,
        inode: int,
    ) -> None:
        self.path = path
        self.mode = mode
        self.blob = blob
        self.followed = followed
        self.merged = merged
        self.changed_at = changed_at
        self.size = size
        self.inode = inode


def parse_list(answer: bytes) -> tuple[tuple[tuple[bytes, bytes], ...], tuple[str, ...]]:
    """
    Return a line of the index for each of its paths, and the paths that are not in it.

    A line has two parts, as git answered to `LIST` of `git_line`: ``H 100644 <id> 0<tab>path``, and what git
    knows of the file, for `entry_of`.

    Raises:
        GitError: The answer has another form.
    """
    lines: list[tuple[bytes, bytes]] = []
    others: list[str] = []
    before = b""
    for piece in answer.split(b"\0"):
        head = piece
        if before:
            end = piece.find(b"\n", piece.find(b"flags: ")) + 1
            if end == 0 or not piece.startswith(_KNOWN):
                raise _unknown()
            head = piece[end:]
            lines.append((before, piece[:end]))
            before = b""
        if head.startswith(_OTHER):
            others.append(path_of(head[2:]))
        elif head:
            before = head
    if before:
        raise _unknown()
    return tuple(lines), tuple(others)


def entry_of(head: bytes, known: bytes) -> Entry:
    """Return the entry that a line of the index is. Raises `GitError` for a line of another form."""
    about, tab, path = head.partition(b"\t")
    words, values = about.split(b" "), known.replace(b":", b" ").split()
    if not tab or len(words) != 4 or len(values) < 15:
        raise _unknown()
    tag, mode, blob, stage = words
    try:
        inode_changed, changed = (int(values[at]) * _BILLION + int(values[at + 1]) for at in (1, 4))
        size, inode = int(values[values.index(b"size") + 1]), int(values[values.index(b"ino") + 1])
        kind = int(mode, 8)
    except (ValueError, IndexError):
        raise _unknown() from None
    return Entry(
        path=path_of(path),
        mode=kind,
        blob=blob.decode("ascii", "replace"),
        followed=tag not in _LEFT_OUT and not tag.islower(),
        merged=stage == b"0" and tag.upper() != _UNMERGED,
        changed_at=(changed, inode_changed),
        size=size,
        inode=inode,
    )


def _unknown() -> GitError:
    return GitError("git lists its index in an unknown form")


def differing(
    top: str,
    lines: Iterable[tuple[bytes, bytes]],
    written_at: int,
    head_of: Callable[[str], str | None],
    permissions: Callable[[], bool],
    deadline: float,
) -> Iterator[str]:
    """
    Yield the paths whose files differ from the index, and those in conflict; each once.

    A file that was not touched since git saw it is the same. One that was is read: it is the same when its
    content is, with line ends as they are or as git keeps them. Filters are never run, so a file under one
    counts as changed when it was touched, until git takes it in again.

    Args:
        top: Root of the working tree.
        lines: Of the index, as `parse_list` gives them.
        written_at: Instant of the index's last change, ns: what was touched since then is read.
        head_of: Returns the commit that a repository inside, at this absolute path, is at.
        permissions: Returns whether git minds who may execute a file; asked when one differs in that alone.
        deadline: Instant of `time.monotonic`.

    Raises:
        GitError: A line has another form.
        LateError: When the deadline passes first.
    """
    import time

    seen = ""
    folder = os.path.join(os.fsencode(top), b"")
    for number, (head, known) in enumerate(lines):
        if number % _EVERY == 0 and time.monotonic() > deadline:
            raise LateError
        if _is_as_listed(folder, head, known, written_at):
            continue
        entry = entry_of(head, known)
        if not entry.merged:
            if entry.path != seen:
                yield entry.path
            seen = entry.path
        elif entry.followed and differs(
            os.path.join(top, entry.path), entry, written_at, head_of, permissions, deadline
        ):
            yield entry.path


def hidden(
    top: str, lines: Iterable[tuple[bytes, bytes]], absent: list[bytes]
) -> Iterator[tuple[bytes, bytes]]:
    """
    Yield the lines of files that `differing` passes over, as lines of files that it compares.

    The user has git take them for unchanged (`assume-unchanged`, `skip-worktree`). One that is not checked
    out, as most are under the second mark, has nothing to compare: its path is added to `absent`.
    """
    folder = os.path.join(os.fsencode(top), b"")
    for head, known in lines:
        left_out = head[:1] in _LEFT_OUT
        if left_out or head[:1].islower():
            path = head.partition(b"\t")[2]
            if not left_out or os.path.lexists(folder + path):
                yield _COMPARED + head[1:], known
            else:
                absent.append(path)


def _is_as_listed(folder: bytes, head: bytes, known: bytes, written_at: int) -> bool:
    """Return whether a plain file is as git knows it in every respect; nothing is parsed for these."""
    about, _, path = head.partition(b"\t")
    if not about.startswith(_PLAIN) or not about.endswith(b" 0"):
        return False
    try:
        status = os.lstat(folder + path)
    except (OSError, ValueError):
        return False
    if status.st_mode & _KIND != _PLAIN_FILE or status.st_mtime_ns >= written_at:
        return False
    return known.startswith(
        b"  ctime: %d:%d\n  mtime: %d:%d\n  dev: %d\tino: %d\n  uid: %d\tgid: %d\n  size: %d\t"
        % (
            *divmod(status.st_ctime_ns, _BILLION), *divmod(status.st_mtime_ns, _BILLION),
            status.st_dev & _MASK, status.st_ino & _MASK, status.st_uid, status.st_gid,
            status.st_size & _MASK,
        )
    )  # fmt: skip


def differs(
    path: str,
    entry: Entry,
    written_at: int,
    head_of: Callable[[str], str | None],
    permissions: Callable[[], bool],
    deadline: float,
) -> bool:
    """Return whether what is at an absolute path differs from an entry; the rest as for `differing`."""
    try:
        status = os.lstat(path)
    except (OSError, ValueError):
        return True  # removed, or out of reach
    kind = stat.S_IFMT(status.st_mode)
    if entry.mode == _REPOSITORY:
        inside = kind == stat.S_IFDIR and os.path.lexists(os.path.join(path, ".git"))
        return kind != stat.S_IFDIR or (inside and head_of(path) not in (entry.blob, None))
    if kind != (stat.S_IFLNK if entry.mode == _LINK else stat.S_IFREG):
        return True
    executable = entry.mode & 0o777 == _EXECUTABLE
    turned = kind == stat.S_IFREG and bool(status.st_mode & stat.S_IXUSR) != executable and permissions()
    if turned or _untouched(status, entry, written_at):
        return turned
    try:
        blob, size = entry.blob, status.st_size
        return not read_once(path, status, blob, lambda: _same(path, kind, size, blob, deadline))
    except (OSError, ValueError):
        return True


def _untouched(status: os.stat_result, entry: Entry, written_at: int) -> bool:
    """Return whether a file is as git saw it, and was so before the index was written."""
    seen = (status.st_mtime_ns, status.st_ctime_ns)
    if not any(at % _BILLION for at in entry.changed_at):  # written by what knows whole seconds only
        seen = (seen[0] // _BILLION * _BILLION, seen[1] // _BILLION * _BILLION)
        written_at = written_at // _BILLION * _BILLION
    return (
        seen == entry.changed_at
        and status.st_size & _MASK == entry.size
        and status.st_ino & _MASK == entry.inode
        and entry.changed_at[0] < written_at
    )


def _same(path: str, kind: int, size: int, blob: str, deadline: float) -> bool:
    """Return whether what is at a path is the content with that id."""
    if kind == stat.S_IFLNK:
        return _blob_id(os.fsencode(os.readlink(path)), blob) == blob
    if size > CONTENT_LIMIT:
        return False
    content = _content(path, deadline)
    if _blob_id(content, blob) == blob:
        return True
    plain = content.replace(b"\r\n", b"\n")
    return plain != content and _blob_id(plain, blob) == blob


def _content(path: str, deadline: float) -> bytes:
    import time

    descriptor = safe_files.reading(path)
    try:
        pieces: list[bytes] = []
        while piece := os.read(descriptor, 1 << 20):
            pieces.append(piece)
            if time.monotonic() > deadline:
                raise LateError
            if len(pieces) << 20 > 2 * CONTENT_LIMIT:
                raise ValueError("it grew while being read")
        return b"".join(pieces)
    finally:
        os.close(descriptor)


def _blob_id(content: bytes, like: str) -> str:
    """Return git's id of a content, by the function whose ids are as long as `like`."""
    whole = b"blob %d\0" % len(content) + content
    if len(like) == _LONG_ID:
        from hashlib import sha256

        return sha256(whole).hexdigest()
    try:  # `hashlib` costs a check as much as git does
        from _sha1 import sha1  # type: ignore[import-not-found]
    except ImportError:  # pragma: no cover - a Python built without it
        from hashlib import sha1
    return str(sha1(whole, usedforsecurity=False).hexdigest())


# Paths as git lists them. Pure; any bytes give an answer.


def parse_names(answer: bytes) -> tuple[str, ...]:
    """Return the paths of a ``-z`` list of names, in order, without doubles."""
    return tuple(dict.fromkeys(path_of(part) for part in answer.split(b"\0") if part))


def path_of(raw: bytes) -> str:
    """
    Return a path as the file system functions take it; bytes that are not an UTF-8 survive the way back.
    """
    return raw.decode("utf-8", "surrogateescape")
