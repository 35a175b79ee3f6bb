"""
The source `tampering`: what was done to files since the run began.

What the run began with is kept as one document: HEAD, digests of the files that differed from it, and of
their lines, digests of exitgate's own files. What did not differ from HEAD then is in git itself. So a change
counts however often it was committed since, and one that was undone does not.
"""

from __future__ import annotations

import os
import stat

from exitgate.core.model.fact import Source
from exitgate.core.model.json_object import JsonObject
from exitgate.core.observe.added_lines import Side, added, packed, side_of, unpacked
from exitgate.core.observe.git import BASELINE_LIMIT, commit_id, head_of, minds_permissions
from exitgate.core.observe.git_command import ABSENT, TIME_LIMIT, GitError, LateError, ask, digest_files
from exitgate.core.observe.git_index import Entry, differs, path_of
from exitgate.core.state.began import LOST
from exitgate.core.system import portable, safe_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from exitgate.core.observe.git import Tree


NAME = "tampering"
#: How a file is not what it was.
CHANGED, DELETED, ADDED = "changed", "deleted", "added"

#: Files that differ from the start of the run, at most; beyond, it is not looked at how.
FILE_LIMIT = BASELINE_LIMIT
#: Bytes of the largest file whose lines are looked at, and of all of them.
LINES_LIMIT, TOTAL_LIMIT = 1_000_000, 20_000_000
#: Lines of which digests are kept when a run begins.
KEPT_LINES = 20_000
#: Lines that were added, at most, and characters of one.
ADDED_LIMIT, LINE_LIMIT = 20_000, 2_000
#: Bytes of a file in which a NUL says that it has no lines.
_LOOKED_AT = 8_000
#: Paths or ids that git is asked about at once: so many fit on a command line, and in a pipe.
_PATHS, _IDS = 100, 50
_NOT_RECORDED = "the start of the run was not recorded"
_TOO_MANY = f"more than {FILE_LIMIT} files differ from the start of the run"
_TOO_MANY_THEN = f"more than {BASELINE_LIMIT} files differed from the last commit when the run began"
_TOO_LARGE = f"it has more than {LINES_LIMIT} bytes"


class Look:
    """
    One look at what was done since a run began.

    Args:
        began: What was kept when it began; None where it begins now.
        own: exitgate's own files, absolute.
        number: Of the iteration.
        policy: Digest of what decides.
        plan: The plan as it is now, as `exitgate.core.observe.masking.kept_text` gives it.
        lost: Whether what was kept is no longer there: then nothing is known, and no new beginning is made.
    """

    __slots__ = ("_began", "_lost", "_now", "_seen", "own")

    def __init__(
        self,
        began: JsonObject | None,
        own: Sequence[str],
        number: int,
        policy: str,
        plan: JsonObject | None = None,
        lost: bool = False,
    ) -> None:
        import time

        self._began = began
        self._lost = lost
        self.own = tuple(own)
        self._now = JsonObject(iteration=number, policy=policy, plan=plan or {})
        self._now["own"] = digest_files("", own, time.monotonic() + TIME_LIMIT)
        self._seen = JsonObject()

    @property
    def head(self) -> str | None:
        """HEAD when the run began, where that is known."""
        return None if self._began is None else self._began.text("head")

    def at(self, tree: Tree) -> None:
        """Look at the working tree; what cannot be known of it has its reason."""
        try:
            if self._lost:
                return
            if self._began is None:
                self._now.update(beginning(tree))
            elif "head" in self._began:
                self._seen.update(since(tree, self._began))
        except GitError as error:
            self._seen["reason"] = str(error)
        except LateError:
            self._seen["reason"] = "git and the changed files were not read in time"

    def source(self, git: Source) -> Source:
        """
        Return the source, `git` being what came of the working tree.

        Its record has `began` where the run begins with it; otherwise `since`, the iteration that everything
        is compared with, `own` and `policy_changed`, and `changed`, `added`, `unread`, or the `reason` why
        these are not known.
        """
        if self._lost:
            return Source(NAME, reason=LOST)
        if self._began is None:
            if git.record is None:
                self._now["reason"] = git.reason
            return Source(NAME, record={"began": self._now, "reason": _NOT_RECORDED})
        record = JsonObject(since=self._began.whole("iteration", 0), **self._seen)
        before, now = self._began.object("own"), self._now.object("own")
        record["own"] = [path for path in self.own if path in before and before[path] != now[path]]
        record["plan"], record["plan_now"] = self._began.object("plan"), self._now["plan"]
        record["policy_changed"] = self._began.get("policy") != self._now.get("policy")
        if git.record is None:
            record["reason"] = git.reason
        elif "head" not in self._began:
            record["reason"] = self._began.text("reason", _NOT_RECORDED)
        return Source(NAME, record=record)


def beginning(tree: Tree) -> JsonObject:
    """Return what a run keeps of the working tree it begins in."""
    kept = JsonObject(head=tree.head)
    if len(tree.dirty) > BASELINE_LIMIT:
        return kept
    kept["dirty"] = dict(tree.dirty)
    lines: dict[str, str] = {}
    left = KEPT_LINES
    for path, raw in _texts(tree, (path for path in tree.dirty if tree.dirty[path] != ABSENT), {}):
        side = side_of(raw)
        if len(side.keys) <= left:
            lines[path] = packed(side)
            left -= len(side.keys)
    kept["lines"] = lines
    return kept


def since(tree: Tree, began: JsonObject) -> JsonObject:
    """
    Return `changed`, pairs of a path and how it changed, and `added`, lines as path, number and text.

    `unread` says of which of those files the lines are not known, and why; `more` that more were added.

    Raises:
        GitError: It cannot be known which files changed.
        LateError: It takes too long.
    """
    differing, origin = tree.differing, began.get("head")
    if differing is None or tree.record.get("origin") != origin:
        raise GitError("git does not say which files differ from the start of the run")
    if "dirty" not in began:
        raise GitError(_TOO_MANY_THEN)
    dirty = began.object("dirty")
    before = {path: str(dirty[path]) for path in dirty if not tree.exclude(path)}
    paths = sorted({*differing, *before})
    if len(paths) > FILE_LIMIT:
        raise GitError(_TOO_MANY)
    clean = [path for path in paths if path not in before]
    entries = _entries(tree, origin, clean)
    now = {**tree.digests(path for path in paths if path not in differing), **differing}
    changed = {}
    for path in paths:
        absent = now[path] == ABSENT
        if path in before:
            how = _how(before[path] == ABSENT, absent) if before[path] != now[path] else ""
        else:
            how = _how(path not in entries, absent)
            if how == CHANGED and not _differs(tree, entries[path][0]):
                how = ""
        if how:
            changed[path] = how
    fresh, unread = _added(tree, changed, entries, before, began.object("lines"))
    found = JsonObject(changed=[[path, how] for path, how in changed.items()], unread=unread)
    found["added"] = [[path, at, line[:LINE_LIMIT]] for path, at, line in fresh[:ADDED_LIMIT]]
    if len(fresh) > ADDED_LIMIT:
        found["more"] = True
    return found


def _how(absent_then: bool, absent: bool) -> str:
    if absent_then:
        return "" if absent else ADDED
    return DELETED if absent else CHANGED


def _differs(tree: Tree, entry: Entry) -> bool:
    return differs(
        os.path.join(tree.top, entry.path), entry, 0,
        lambda path: head_of(path, tree.deadline), lambda: minds_permissions(tree.top, tree.deadline),
        tree.deadline,
    )  # fmt: skip


def _entries(tree: Tree, commit: object, paths: Sequence[str]) -> dict[str, tuple[Entry, int]]:
    """Return those of the paths that a commit has, each with its size in bytes; none before the first."""
    found: dict[str, tuple[Entry, int]] = {}
    for at in range(0, len(paths) if commit is not None else 0, _PATHS):
        some = paths[at : at + _PATHS]
        words = ("ls-tree", "-r", "-l", "-z", "--full-tree", commit_id(commit), "--", *some)
        for line in ask(tree.top, words, tree.deadline).split(b"\0"):
            about, tab, path = line.partition(b"\t")
            parts = about.split()
            if tab and len(parts) == 4:
                name = path_of(path)
                size = int(parts[3]) if parts[3].isdigit() else 0
                id = parts[2].decode("ascii", "replace")
                found[name] = (Entry(name, int(parts[0], 8), id, True, True, (0, 0), 0, 0), size)
    return found


# Lines that were added to the files that changed.


def _added(
    tree: Tree,
    changed: Mapping[str, str],
    entries: Mapping[str, tuple[Entry, int]],
    before: Mapping[str, str],
    kept: JsonObject,
) -> tuple[list[tuple[str, int, str]], dict[str, str]]:
    """Return the lines that were added, and of which files they are not known, and why."""
    unread: dict[str, str] = {}
    there = (path for path, how in changed.items() if how != DELETED)
    texts = dict(_texts(tree, there, unread))
    sides: dict[str, Side] = {}
    wanted: dict[str, str] = {}
    for path, how in changed.items():
        if how != DELETED and path not in texts:
            continue
        if how == ADDED:
            sides[path] = Side(())
        elif path in before:
            lines = kept.text(path)
            if lines is not None:
                sides[path] = unpacked(lines)
            elif how != DELETED:
                unread[path] = "its lines were not kept when the run began"
        else:
            entry, size = entries[path]
            if not stat.S_ISREG(entry.mode):
                sides[path] = Side(())
            elif size <= LINES_LIMIT:
                wanted[path] = entry.blob
            elif how != DELETED:
                unread[path] = _TOO_LARGE
    for path, raw in _blobs(tree, wanted):
        sides[path] = Side(()) if b"\0" in raw[:_LOOKED_AT] else side_of(raw)
    pairs = (
        (path, sides[path], side_of(texts[path]) if path in texts else Side((), ()))
        for path in changed
        if path in sides
    )
    return added(pairs), unread


def _texts(tree: Tree, paths: Iterable[str], unread: dict[str, str]) -> Iterator[tuple[str, bytes]]:
    """Yield the content of each path that is a file with lines, the small ones first; say why one is not."""
    sized = []
    for path in paths:
        try:
            status = os.lstat(os.path.join(tree.top, path))
        except (OSError, ValueError) as error:
            unread[path] = _said(error)
            continue
        if stat.S_ISREG(status.st_mode):
            sized.append((status.st_size, path))
        elif stat.S_ISLNK(status.st_mode) and not _stays_in(tree.top, path):
            unread[path] = "it is a link out of the working tree"
    left = TOTAL_LIMIT
    for size, path in sorted(sized):
        tree.check()
        left -= size
        if size > LINES_LIMIT or left < 0:
            unread[path] = (
                _TOO_LARGE if size > LINES_LIMIT else f"the files have more than {TOTAL_LIMIT} bytes"
            )
            continue
        try:
            raw = safe_files.content(os.path.join(tree.top, path), LINES_LIMIT)
        except (OSError, ValueError) as error:
            unread[path] = _said(error)
            continue
        if b"\0" not in raw[:_LOOKED_AT]:
            yield path, raw


def _stays_in(top: str, path: str) -> bool:
    """Return whether a link leads to a place in the tree: what is there is looked at for itself."""
    return portable.is_below(os.path.realpath(os.path.join(top, path)), os.path.realpath(top))


def _blobs(tree: Tree, wanted: Mapping[str, str]) -> Iterator[tuple[str, bytes]]:
    """Yield the content of each path by its id in git."""
    rest = list(wanted.items())
    for at in range(0, len(rest), _IDS):
        some = rest[at : at + _IDS]
        asked = "".join(f"{id}\n" for _, id in some).encode("ascii")
        answer = ask(tree.top, ("cat-file", "--batch"), tree.deadline, asked)
        place = 0
        for path, _ in some:
            end = answer.find(b"\n", place)
            parts = answer[place:end].split()
            if end < 0 or len(parts) != 3 or not parts[2].isdigit():
                raise GitError("git does not have the files that the run began with")
            size = int(parts[2])
            yield path, answer[end + 1 : end + 1 + size]
            place = end + 1 + size + 1


def _said(error: Exception) -> str:
    return (getattr(error, "strerror", None) or str(error)).lower()
