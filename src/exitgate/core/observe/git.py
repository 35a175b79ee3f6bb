"""The source `git`: what the working tree holds, and what changed since the iteration began."""

from __future__ import annotations

import os
import stat

from exitgate.core.facts.file_patterns import FilePatterns
from exitgate.core.model.fact import Source
from exitgate.core.model.json_object import JsonObject
from exitgate.core.observe.git_command import (
    TIME_LIMIT,
    GitError,
    LateError,
    ask,
    digest_files,
    digest_map,
    read_once,
)
from exitgate.core.observe.git_index import (
    REPOSITORY_LISTED,
    differing,
    entry_of,
    hidden,
    parse_list,
    parse_names,
)
from exitgate.core.observe.git_line import CONDITIONS, ID_LENGTHS, INDEX, LIST
from exitgate.core.system import portable
from exitgate.core.system.digest import hex_digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    #: What `parse_list` returns.
    Listed = tuple[tuple[tuple[bytes, bytes], ...], tuple[str, ...]]


#: Changed paths that a record names for people.
NAMED_PATHS = 10

#: Changed files beyond which a working tree is not looked at further.
FILE_LIMIT = 100_000

#: Files that a baseline keeps digests of one by one; beyond, it keeps one digest of all.
BASELINE_LIMIT = 2_000

_HEADS = "refs/heads/"
_NO_BASELINE = "the start of the iteration was not recorded"


def observe(
    root: str,
    exclude: tuple[str, ...] = (),
    baseline: JsonObject | None = None,
    limit: float = TIME_LIMIT,
    ignore: tuple[str, ...] = (),
    dated: bool = False,
    origin: str | None = None,
    look: Callable[[Tree], None] | None = None,
) -> Source:
    """
    Return the source `git` for the working tree that folder `root` is in.

    Args:
        root: A folder.
        exclude: Files and folders, absolute or relative to `root`, that do not count.
        baseline: What `baseline_of` gave for the observation when the iteration began.
        limit: Seconds that everything may take together.
        ignore: Patterns of files that do not count, as `FilePatterns` takes them.
        dated: Whether to ask when HEAD was committed.
        origin: HEAD when the run began, where it is known otherwise than from `baseline`.
        look: Is given what was seen of the working tree, within the limit: for what else rests on it.

    The record has the fields that `exitgate.core.facts.extractors.git` reads, and `head`, `dirty` (path
    -> digest), `origin` (HEAD when the run began) for the next baseline. Without git, outside a
    working tree or past the limit, the source has no record but the reason. Nothing is written, no
    lock is taken. A file that this process prints into does not count: `exitgate run > night.txt`.
    """
    import time

    deadline = time.monotonic() + limit
    try:
        top, index, head, branch = _place(root, deadline)
        raw = ask(top, LIST, deadline)
        listed = parse_list(raw)
        *changed, apart = _changed(top, index, head, deadline, (raw, listed))
        printed = printed_into(top, (path for paths in changed for path in paths))
        places = (*relative(root, top, exclude), *printed)
        tree = Tree(top, head, changed, FilePatterns(places, ignore), deadline, listed, places)
        tree.record["branch"] = branch
        tree.record.update(apart)
        _sign(tree, baseline, origin)
        _compare(tree, baseline)
        if dated:
            _date(tree)
        if look is not None:
            look(tree)
    except GitError as error:
        return Source("git", reason=str(error))
    except LateError:
        return Source("git", reason=f"git and the changed files were not read within {limit:g} s")
    return Source("git", record=tree.record, path=top)


def baseline_of(record: JsonObject) -> JsonObject:
    """Return what the next observation needs of this one's record, as JSON of bounded size."""
    kept = JsonObject(head=record.get("head"), origin=record.get("origin"))
    digests = {path: str(digest) for path, digest in record.object("dirty").items()}
    if len(digests) <= BASELINE_LIMIT:
        kept["dirty"] = digests
    else:
        kept["dirty_digest"] = digest_map(digests)
    return kept


def _place(root: str, deadline: float) -> tuple[str, str, str | None, str | None]:
    """
    Return the root of the working tree, the file of the index, the commit and the branch it is at.

    The commit is None before the first one, the branch on a detached HEAD.
    """
    where = ("rev-parse", "--show-toplevel", "--git-path", "index")
    try:
        *lines, index, head, name = _lines(
            ask(root, (*where, "HEAD", "--symbolic-full-name", "HEAD"), deadline)
        )
    except GitError:
        *lines, index = _lines(ask(root, where, deadline))
        head, name = "", _lines(ask(root, ("symbolic-ref", "HEAD"), deadline))[0]
    top = "\n".join(lines)
    inside, above = os.path.realpath(root), os.path.realpath(top)
    if inside != above and not portable.is_below(inside, above):
        raise GitError("the repository's settings say that its files are in another folder")
    branch = name.removeprefix(_HEADS) if name.startswith(_HEADS) else None
    return top, os.path.join(root, index), head or None, branch


def _lines(answer: bytes) -> list[str]:
    return os.fsdecode(answer).removesuffix("\n").split("\n")


def _changed(
    top: str, index: str, head: str | None, deadline: float, known: tuple[bytes, Listed] | None = None
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...], JsonObject]:
    """
    Return the tracked paths that differ from the commit or the index, those that git does not know, and
    those that differ and that the user has git take for unchanged.

    The last part says of what lies apart from these: `nested`, that a repository is inside this one, of which
    only HEAD is known; `absent`, a digest of the paths that are not checked out, as the user asked of git.
    """
    listed = ask(top, LIST, deadline) if known is None else known[0]
    lines, others = parse_list(listed) if known is None else known[1]
    apart = JsonObject()
    if REPOSITORY_LISTED in listed or any(path.endswith("/") for path in others):
        apart["nested"] = True
    try:
        status = os.stat(index)
    except OSError:
        status = None  # there is none before the first file is added
    written_at = 0 if status is None else status.st_mtime_ns
    if head is None:
        staged = tuple(dict.fromkeys(entry_of(*line).path for line in lines))
    elif status is None:
        staged = parse_names(ask(top, (*INDEX, head), deadline))
    else:
        commit = head
        staged = read_once(index, status, head, lambda: parse_names(ask(top, (*INDEX, commit), deadline)))
    found = dict.fromkeys(staged)

    def compared(lines: Iterable[tuple[bytes, bytes]]) -> Iterator[str]:
        return differing(
            top, lines, written_at, lambda path: head_of(path, deadline), lambda: minds_permissions(top,
            deadline), deadline,
        )  # fmt: skip

    for path in compared(lines):
        found[path] = None
        if len(found) > FILE_LIMIT:
            break
    if len(found) + len(others) > FILE_LIMIT:
        raise GitError(f"more than {FILE_LIMIT} files differ from the last commit")
    absent: list[bytes] = []
    compared_too = compared(hidden(top, lines, absent))
    unseen = tuple(path for path, _ in zip(compared_too, range(FILE_LIMIT), strict=False))
    if absent:
        apart["absent"] = hex_digest(b"\0".join(sorted(absent)))
    return tuple(found), others, unseen, apart


def head_of(path: str, deadline: float) -> str | None:
    """Return the commit that a repository inside this one is at, None where it has none."""
    try:
        return _lines(ask(path, ("rev-parse", "HEAD"), deadline))[0]
    except GitError:
        return None


def minds_permissions(top: str, deadline: float) -> bool:
    """Return whether a file that may be executed differs from one that may not, as it does by default."""
    try:
        answer = ask(top, ("config", "--type=bool", "core.fileMode"), deadline)
    except GitError:
        return True
    return answer.strip() != b"false"


class Tree:
    """
    One look at a working tree.

    Args:
        top: Its root.
        head: The commit it is at, None before the first one.
        changed: What `_changed` found.
        exclude: What does not count.
        deadline: Until when git may be asked.
        listed: The index and the files that are not in it, as git lists them.
        places: What does not count, without what patterns say.

    `record` takes what is known of it, `reasons` why a field is missing, and `dirty` has the digests of the
    files that differ from the last commit, `differing` of those that differ from the run's first one; that is
    None where it is not known.
    """

    __slots__ = (
        "deadline", "differing", "dirty", "exclude", "head", "listed", "places", "reasons", "record", "top",
    )  # fmt: skip

    def __init__(
        self,
        top: str,
        head: str | None,
        changed: Sequence[tuple[str, ...]],
        exclude: FilePatterns,
        deadline: float,
        listed: Listed,
        places: tuple[str, ...],
    ) -> None:
        tracked, untracked, unseen = ([path for path in paths if not exclude(path)] for paths in changed)
        self.top = top
        self.head = head
        self.exclude = exclude
        self.deadline = deadline
        self.listed = listed
        self.places = FilePatterns(places)
        self.dirty = self.digests(dict.fromkeys((*tracked, *untracked, *unseen)))
        self.differing: dict[str, str] | None = None
        self.reasons = {"branch": "HEAD is detached"}
        self.record = JsonObject(
            dirty=self.dirty,
            uncommitted=len(tracked),
            untracked=len(untracked),
            reasons=self.reasons,
            head=head,
        )

    def check(self) -> None:
        """Raise LateError once the time is over."""
        import time

        if time.monotonic() > self.deadline:
            raise LateError

    def digests(self, paths: Iterable[str]) -> dict[str, str]:
        """Return the digests of files of the tree."""
        return digest_files(self.top, paths, self.deadline)


def _compare(tree: Tree, baseline: JsonObject | None) -> None:
    """Complete the fresh record with what changed since the baseline."""
    record, reasons = tree.record, tree.reasons
    if baseline is None:
        reasons.update(
            dict.fromkeys(("changed", "files_changed", "paths", "commits", "head_changed"), _NO_BASELINE)
        )
        return
    before = baseline.get("head")
    moved = record["head_changed"] = before != tree.head
    committed: tuple[str, ...] = ()
    if not moved:
        record["commits"] = 0
    else:
        try:
            committed = _between(tree, before, tree.head)
            record["commits"] = _count_commits(tree, before)
        except GitError as error:
            reasons.update(files_changed=str(error), paths=str(error), commits=str(error))
            record["changed"] = True
            return
    work = tuple(path for path in committed if not tree.exclude(path))
    # commits of nothing but files that are left out are not a change
    _count_changes(tree, baseline, work, moved and not (committed and not work))


def _count_changes(tree: Tree, baseline: JsonObject, committed: tuple[str, ...], moved: bool) -> None:
    """
    Fill in which files changed.

    `committed` are the files of new commits, `moved` says that these count as a change by themselves. A file
    changed when its digest is another than when the iteration began. One that was dirty then
    and has been committed unchanged did not change; one that was clean and now differs, or was
    committed, did.
    """
    record, now, before = tree.record, tree.dirty, baseline.get("dirty")
    if not isinstance(before, dict):
        record["changed"] = moved or digest_map(now) != baseline.get("dirty_digest")
        reason = f"more than {BASELINE_LIMIT} files differed when the iteration began"
        tree.reasons.update(files_changed=reason, paths=reason)
        return
    candidates = dict.fromkeys((*now, *before, *committed))
    current = {**tree.digests(p for p in candidates if p not in now), **now}
    changed = sorted(p for p in candidates if p not in before or current[p] != before[p])
    record["files_changed"] = len(changed)
    record["changed"] = bool(changed) or moved
    record["paths"] = changed[:NAMED_PATHS]
    record["listed"] = changed


def _date(tree: Tree) -> None:
    """Fill in when HEAD was committed, by the committer's date that it holds."""
    if tree.head is None:
        tree.reasons["since_commit"] = "there is no commit yet"
        return
    words = ("rev-list", "--max-count=1", "--timestamp", commit_id(tree.head))
    try:
        dated = ask(tree.top, words, tree.deadline).split()
    except GitError as error:
        tree.reasons["since_commit"] = str(error)
        return
    if dated and dated[0].isdigit():
        tree.record["committed_at"] = int(dated[0])


def _sign(tree: Tree, baseline: JsonObject | None, first: str | None) -> None:
    """
    Sign the content of every file that differs from the run's first commit.

    Committing what was already in the working tree does not change the signature: it speaks of
    content, not of where git keeps it.
    """
    known = tree.head if baseline is None else baseline.get("origin")
    origin = tree.record["origin"] = first or known
    differing = dict(tree.dirty)
    if origin != tree.head:
        try:
            names = _since(tree, origin)
        except GitError as error:
            tree.reasons["content"] = str(error)
            return
        differing = {
            **tree.digests(p for p in names if p not in tree.dirty and not tree.exclude(p)),
            **tree.dirty,
        }
    tree.differing = differing
    tree.record["content"] = digest_map(differing)


def _since(tree: Tree, origin: object) -> tuple[str, ...]:
    """Return the tracked paths that differ between a commit and the index; all of them for none."""
    if origin is not None:
        return parse_names(ask(tree.top, (*INDEX, commit_id(origin)), tree.deadline))
    return _between(tree, None, tree.head)


def _between(tree: Tree, before: object, head: object) -> tuple[str, ...]:
    """Return the paths that differ between two commits; before the first commit, all of the second."""
    if head is None:
        return ()
    if before is not None:
        words: tuple[str, ...] = (*CONDITIONS, commit_id(before), commit_id(head))
    else:
        words = ("ls-tree", "-r", "--name-only", "--full-tree", "-z", commit_id(head))
    return parse_names(ask(tree.top, words, tree.deadline))


def commit_id(id: object) -> str:
    """Return the id of a commit. An edited ledger could hold an option instead."""
    if not isinstance(id, str) or len(id) not in ID_LENGTHS or id.strip("0123456789abcdef"):
        raise GitError("the commit that the iteration began at is not recorded")
    return id


def _count_commits(tree: Tree, before: object) -> int:
    if tree.head is None:
        return 0
    span = commit_id(tree.head) if before is None else f"{commit_id(before)}..{commit_id(tree.head)}"
    answer = ask(tree.top, ("rev-list", "--count", span), tree.deadline).strip()
    return int(answer) if answer.isdigit() else 0


def relative(root: str, top: str, exclude: tuple[str, ...]) -> tuple[str, ...]:
    """Return the excluded paths relative to the root of the working tree; those outside it fall away."""
    real_top = os.path.realpath(top)
    found = []
    for path in exclude:
        place = portable.with_slashes(portable.relative(os.path.realpath(os.path.join(root, path)), real_top))
        if not place.startswith("..") and not os.path.isabs(place):
            found.append(place)
    return tuple(found)


# Files that this process prints into: what a loop prints is not the agent's work.

_STREAMS = (1, 2)


def printed_into(top: str, paths: Iterable[str]) -> tuple[str, ...]:
    """Return those of `paths`, relative to folder `top`, to which standard output or standard error goes."""
    streams = set()
    for stream in _STREAMS:
        try:
            status = os.fstat(stream)
        except OSError:
            continue  # closed
        if stat.S_ISREG(status.st_mode):
            streams.add((status.st_dev, status.st_ino))
    if not streams:
        return ()
    return tuple(path for path in paths if _identity(os.path.join(top, path)) in streams)


def _identity(path: str) -> tuple[int, int] | None:
    try:
        status = os.lstat(path)
    except (OSError, ValueError):
        return None
    return status.st_dev, status.st_ino
