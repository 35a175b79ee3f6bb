"""
The source `tampering`: what was done to files since the run began.

What the run began with is kept as one document: HEAD, digests of the files that differed from it, and of
their lines, digests of protected files that git does not follow and of exitgate's own files. What did not
differ from HEAD then is in git itself. So a change counts however often it was committed since, and one that
was undone does not.

If the first check of a run comes after a turn of the agent, its beginning is HEAD, without what was not
committed. Without git, the protected files alone are known, by their digests.
"""

from __future__ import annotations

import os
import stat

from exitgate.core.facts.file_patterns import FilePatterns
from exitgate.core.model.fact import Source
from exitgate.core.model.json_object import JsonObject
from exitgate.core.observe.added_lines import Side, added, packed, side_of, unpacked
from exitgate.core.observe.git import BASELINE_LIMIT, commit_id, head_of, minds_permissions
from exitgate.core.observe.git_command import ABSENT, TIME_LIMIT, GitError, LateError, ask, digest_files
from exitgate.core.observe.git_index import Entry, differs, path_of
from exitgate.core.observe.protected_files import Protected
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
_UNRECORDED = "it was not recorded how the run began, as `exitgate new-run` does before the first turn"
_MORE_FOLDERS = "there are more folders than are looked into without git"
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
        protected: The files that the policy protects.
        root: Root of the project.
        left_out: What does not count where git does not say it, relative to the root.
    """

    __slots__ = ("_began", "_left_out", "_lost", "_named", "_now", "_protected", "_root", "_seen", "own")

    def __init__(
        self,
        began: JsonObject | None,
        own: Sequence[str],
        number: int,
        policy: str,
        plan: JsonObject | None = None,
        lost: bool = False,
        protected: Protected | None = None,
        root: str = "",
        left_out: FilePatterns | None = None,
    ) -> None:
        import time

        self._began = began
        self._lost = lost
        self._protected = protected or Protected()
        self._root = root
        self._left_out = left_out or FilePatterns()
        self._named = list(self._protected.words)
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
        began = self._began
        try:
            if self._lost or (began is not None and "head" not in began):
                return
            self._named = self._protected.named(self._root, tree.top)
            if began is not None:
                self._seen.update(since(tree, began, self._protected))
            elif self._now["iteration"]:
                began = uncommitted(tree, self._protected)
                self._now.update(began)
                self._seen.update(since(tree, began, self._protected))
            else:
                self._now.update(beginning(tree, self._protected))
        except GitError as error:
            self._seen["reason"] = str(error)
        except LateError:
            self._seen["reason"] = "git and the changed files were not read in time"

    def source(self, git: Source) -> Source:
        """
        Return the source, `git` being what came of the working tree.

        Its record has `began` where the run begins with it; otherwise `since`, the iteration that everything
        is compared with, `own` and `policy_changed`. It has `changed`, `added`, `unread`, or the `reason` why
        these are not known, `named`, the words of commands, and `uncompared`: why it cannot be said what was
        done, empty where it can.
        """
        if self._lost:
            return Source(NAME, reason=LOST)
        began = self._began
        if began is not None and "head" in began:
            if git.record is None:
                self._seen = JsonObject(reason=git.reason)
        elif began is not None or git.record is None:
            self._beside(git.reason or "")
        record = JsonObject(since=0, named=self._named, **self._seen)
        reason = record.text("reason", "")
        if began is None:
            if "head" not in self._now:
                self._now["reason"] = reason
            if self._now["iteration"]:
                record["unrecorded"] = True
                record["uncompared"] = self._unrecorded(self._now) or record.text("uncompared", reason)
            else:
                record.pop("uncompared", None)
            return Source(NAME, record={**record, "began": self._now, "reason": reason or _NOT_RECORDED})
        record["since"] = began.whole("iteration", 0)
        record["unrecorded"] = began.flag("unrecorded") is True
        before, now = began.object("own"), self._now.object("own")
        record["own"] = [path for path in self.own if path in before and before[path] != now[path]]
        record["plan"], record["plan_now"] = began.object("plan"), self._now["plan"]
        record["policy_changed"] = began.get("policy") != self._now.get("policy")
        record["uncompared"] = self._unrecorded(began) or record.text("uncompared", reason)
        return Source(NAME, record=record)

    def _beside(self, reason: str) -> None:
        """Look at protected files without git, for which there is a reason."""
        import time

        began = self._began
        known = None if began is None else began.object("aside")
        try:
            found, whole = self._protected.without_git(
                self._root, self._left_out, known, time.monotonic() + TIME_LIMIT
            )
        except GitError as error:
            self._seen = JsonObject(reason=str(error))
            return
        except LateError:
            self._seen = JsonObject(reason="the protected files were not read in time")
            return
        if known is None or began is None:
            self._now.update(aside=found, whole=whole)
            if self._now["iteration"]:
                self._now.update(unrecorded=True, unknown=sorted(found)[:BASELINE_LIMIT])
            self._seen = JsonObject(reason=reason, uncompared="", **({} if found else {"changed": []}))
            return
        pairs = [
            [path, _how(known.get(path, ABSENT) == ABSENT, found[path] == ABSENT)]
            for path in sorted(found)
            if known.get(path, ABSENT) != found[path]
        ]
        self._seen = JsonObject(changed=pairs, reason=began.text("reason", "") or reason, uncompared="")
        if "aside" not in began:
            self._seen = JsonObject(reason=began.text("reason", _NOT_RECORDED))
        elif began.flag("whole") and not whole:
            self._seen["uncompared"] = _MORE_FOLDERS

    @staticmethod
    def _unrecorded(began: JsonObject) -> str:
        """Return what cannot be known, as it was not recorded how the run began; empty where it was."""
        if began.flag("unrecorded") is not True:
            return ""
        unknown = began.texts("unknown")
        more = f" and {len(unknown) - 1} more" if len(unknown) > 1 else ""
        return f"{_UNRECORDED}, and no commit has `{unknown[0]}`{more}" if unknown else ""


def beginning(tree: Tree, protected: Protected) -> JsonObject:
    """Return what a run keeps of the working tree it begins in."""
    kept = JsonObject(head=tree.head, aside=protected.aside(tree))
    if len(tree.dirty) > BASELINE_LIMIT:
        kept["part"] = True
        kept["dirty"] = {path: tree.dirty[path] for path in tree.dirty if protected(path)}
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


def uncommitted(tree: Tree, protected: Protected) -> JsonObject:
    """
    Return what a run keeps that begins with a check after a turn: the last commit, and no more.

    Protected files that no commit has are as they are found, and named under `unknown`. Before the first
    commit all files are. Of files that are not checked out, those count as there whose folder is.
    """
    if tree.head is None:
        kept = beginning(tree, protected)
        unknown = [path for path in (*kept.object("aside"), *tree.dirty) if protected(path)]
        return JsonObject({**kept, "unrecorded": True, "unknown": sorted({*unknown})[:BASELINE_LIMIT]})
    kept = JsonObject(head=tree.head, dirty={}, lines={}, unrecorded=True)
    aside = protected.aside(tree)
    absent = {path for path, digest in aside.items() if digest == ABSENT}
    sparse = {path for path in absent if not os.path.isdir(os.path.dirname(os.path.join(tree.top, path)))}
    committed = _entries(tree, tree.head, [path for path in aside if path not in absent])
    unknown = [path for path in aside if path not in absent and path not in committed]
    kept["aside"] = {path: aside[path] for path in (*sparse, *unknown)}
    kept["unknown"] = sorted(unknown)[:BASELINE_LIMIT]
    return kept


def since(tree: Tree, began: JsonObject, protected: Protected) -> JsonObject:
    """
    Return `changed`, pairs of a path and how it changed, and `added`, lines as path, number and text.

    `unread` says of which of those files the lines are not known, and why; `more` that more were added. Where
    too many files differ, `changed` has protected files alone, and `reason` says why there are no lines;
    `uncompared` is empty if that was so when the run began.

    Raises:
        GitError: It cannot be known which files changed.
        LateError: It takes too long.
    """
    differing, origin = tree.differing, began.get("head")
    if differing is None or tree.record.get("origin") != origin:
        raise GitError("git does not say which files differ from the start of the run")
    if "dirty" not in began:
        raise GitError(_TOO_MANY_THEN)
    dirty, aside, now_aside = began.object("dirty"), began.object("aside"), protected.aside(tree)
    before = {path: str(dirty[path]) for path in dirty if not tree.exclude(path)}
    before.update((path, str(aside[path])) for path in aside)
    other = [path for path in {*aside, *now_aside} if aside.get(path) != now_aside.get(path)]
    paths = sorted({*differing, *other, *(path for path in before if path not in aside)})
    few = began.flag("part") is not True and len(paths) <= FILE_LIMIT
    if not few:
        paths = [path for path in paths if protected(path)]
        if len(paths) > FILE_LIMIT:
            raise GitError(_TOO_MANY)
    entries = _entries(tree, origin, [path for path in paths if before.get(path, ABSENT) == ABSENT])
    now = {**tree.digests(path for path in paths if path not in differing), **differing}
    changed = {}
    for path in paths:
        absent = now[path] == ABSENT
        known = before.get(path)
        if known is not None and (known != ABSENT or path not in aside):
            how = _how(known == ABSENT, absent) if known != now[path] else ""
        else:
            how = _how(path not in entries, absent)
            if how == CHANGED and not _differs(tree, entries[path][0]):
                how = ""
        if how:
            changed[path] = how
    found = JsonObject(changed=[[path, how] for path, how in changed.items()])
    if not few:
        then = began.flag("part") is True
        return JsonObject(
            {**found, "reason": _TOO_MANY_THEN if then else _TOO_MANY}, **({"uncompared": ""} if then else {})
        )
    fresh, found["unread"] = _added(tree, changed, entries, before, began.object("lines"))
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
        elif path in before and before[path] != ABSENT:
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
