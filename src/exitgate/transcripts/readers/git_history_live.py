"""
Commits of a git repository that touch a loop's state files, asked of git itself.

Nothing of the repository's or the user's choosing runs: no hooks, filters, pagers or external programs, no
lock is taken, nothing is fetched. Commits come oldest first, one at a time.
"""

from __future__ import annotations

import os

from exitgate import system
from exitgate.children.answer import AnswerError, answer_of
from exitgate.children.start import PIPE, LateError, start
from exitgate.model.git import command, environment
from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from exitgate.children.start import Child

#: Bytes of a state file beyond which its text is not wanted.
TEXT_LIMIT = 4_000_000
#: Bytes of an answer to a short question.
ANSWER_LIMIT = 2 * TEXT_LIMIT
#: Seconds that git may take to say something, or to answer a short question.
PATIENCE = 30.0
_SILENT = f"git said nothing for {PATIENCE:g} seconds"
#: Author's and committer's instants, hash, subject; a mark that no subject holds is before each commit.
_FORMAT = "%x00%x01%H%x00%at%x00%ct%x00%s%x00"
_MARK = b"\x01"


class Commit(Value):
    """
    A commit.

    Args:
        hash: In full.
        authored_at: Seconds since the epoch, as its author's clock said: a rebase keeps it.
        committed_at: Seconds since the epoch.
        subject: First line of its message.
        changes: Path from the root of the repository -> ids of its content before and after.
    """

    __slots__ = ("authored_at", "changes", "committed_at", "hash", "subject")

    def __init__(
        self,
        hash: str,
        authored_at: float,
        committed_at: float,
        subject: str,
        changes: Mapping[str, tuple[str, str]],
    ) -> None:
        self.hash = hash
        self.authored_at = authored_at
        self.committed_at = committed_at
        self.subject = subject
        self.changes = changes


def top_of(folder: str) -> str | None:
    """Return the root of the working tree that contains `folder`; None outside one and without git."""
    answer = _ask(folder, ("rev-parse", "--show-toplevel"))
    return os.fsdecode(answer.rstrip(b"\n")) if answer else None


def commits(folder: str, pathspecs: Sequence[str]) -> Iterator[Commit]:
    """Yield the commits of the current branch that touch files of `pathspecs`, oldest first."""
    words = (
        "log", "--reverse", "--full-history", "--no-merges", "--full-diff", "--raw", "--no-abbrev",
        "-z", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-show-signature",
        f"--format={_FORMAT}", "--", *pathspecs,
    )  # fmt: skip
    for piece in _pieces(folder, words):
        found = _commit(piece)
        if found is not None:
            yield found


def text_at(folder: str, hash: str, path: str) -> str | None:
    """Return the text of a file as a commit has it; None where it does not exist or too long."""
    size = _ask(folder, ("cat-file", "-s", f"{hash}:{path}"))
    if size is None or not size.strip().isdigit() or int(size) > TEXT_LIMIT:
        return None
    raw = _ask(folder, ("cat-file", "blob", f"{hash}:{path}"))
    return None if raw is None else raw.decode("utf-8-sig", "replace")


def _commit(piece: bytes) -> Commit | None:
    fields = piece.split(b"\0", 4)
    if len(fields) < 5:
        return None
    hash, authored, committed, subject, rest = fields
    if not (authored.isdigit() and committed.isdigit()):
        return None
    parts = [part for raw in rest.split(b"\0") if (part := raw.strip(b"\n"))]
    changes: dict[str, tuple[str, str]] = {}
    for what, path in zip(parts[::2], parts[1::2], strict=False):
        ids = what.decode("ascii", "replace").split(" ")
        if what.startswith(b":") and len(ids) == 5:
            changes[os.fsdecode(path)] = (ids[2], ids[3])
    return Commit(
        hash.decode("ascii", "replace"), float(authored), float(committed),
        subject.decode("utf-8", "replace"), changes,
    )  # fmt: skip


def _pieces(folder: str, words: Sequence[str]) -> Iterator[bytes]:
    """Yield what git prints between the marks before commits. Raises `TimeoutError`."""
    try:
        child = start(
            command(("-C", folder, *words), literal=False), environment(), stdout=PIPE, session=False
        )
    except OSError:
        return
    assert child.stdout is not None
    try:
        rest = b""
        while chunk := _next(child):
            *whole, rest = (rest + chunk).split(b"\0" + _MARK)
            yield from whole
        yield rest
    finally:
        child.stdout.close()
        child.kill()
        child.wait()


def _next(child: Child) -> bytes:
    """Return what comes next, nothing at the end. Raises `TimeoutError` where nothing comes."""
    assert child.stdout is not None
    if system.WINDOWS:
        return _next_on_windows(child)
    import select

    if not select.select([child.stdout], [], [], PATIENCE)[0]:
        raise TimeoutError(_SILENT)
    return os.read(child.stdout.fileno(), 1 << 16)


def _next_on_windows(child: Child) -> bytes:
    """Do the same without waiting for a pipe: git is ended if nothing comes."""
    from threading import Timer

    assert child.stdout is not None
    was_late: list[bool] = []

    def end() -> None:
        was_late.append(True)
        child.kill()

    late = Timer(PATIENCE, end)
    late.start()
    try:
        piece = os.read(child.stdout.fileno(), 1 << 16)
    finally:
        late.cancel()
        late.join()
    if was_late:
        raise TimeoutError(_SILENT)
    return piece


def _ask(folder: str, words: Sequence[str]) -> bytes | None:
    import time

    try:
        asked = command(("-C", folder, *words))
        code, answer, _ = answer_of(asked, environment(), time.monotonic() + PATIENCE, ANSWER_LIMIT)
    except (OSError, ValueError, AnswerError, LateError):
        return None
    return answer if code == 0 else None
