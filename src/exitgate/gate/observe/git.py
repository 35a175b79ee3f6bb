"""The source `git`: what the working tree holds, and what changed since the iteration began."""

from __future__ import annotations

import os

from exitgate.gate.observe.git_command import TIME_LIMIT, GitError, LateError, ask
from exitgate.gate.observe.git_content import digest_files, digest_map
from exitgate.gate.observe.git_filters import silenced_filters
from exitgate.gate.observe.git_status import FILE_LIMIT, LeftOut, parse_names, parse_status
from exitgate.model.iteration import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.gate.observe.git_status import Status

#: Changed paths that a record names for people.
NAMED_PATHS = 10

#: Files that a baseline keeps digests of one by one; beyond, it keeps one digest of all.
BASELINE_LIMIT = 2_000

_STATUS = ("status", "--porcelain=v2", "-z", "--untracked-files=all", "--branch", "--no-renames")
_DIFF = ("diff", "--name-only", "--no-renames", "--no-ext-diff", "-z")
_NO_BASELINE = "it was not seen how the iteration began"


def observe(
    root: str,
    exclude: tuple[str, ...] = (),
    baseline: Mapping[str, object] | None = None,
    limit: float = TIME_LIMIT,
    ignore: tuple[str, ...] = (),
) -> Source:
    """
    Return the source `git` for the working tree that folder `root` lies in.

    Args:
        root: A folder.
        exclude: Files and folders, absolute or relative to `root`, that do not count.
        baseline: What `baseline_of` gave for the observation when the iteration began.
        limit: Seconds that everything may take together.
        ignore: Patterns of files that do not count, as `LeftOut` takes them.

    The record has the fields that `exitgate.facts.extractors.git` reads, and `head`, `dirty` (path
    -> digest), `origin` (HEAD when the run began) for the next baseline. Without git, outside a
    working tree or past the limit, the source has no record but the reason. Nothing is written, no
    lock is taken.
    """
    import time

    deadline = time.monotonic() + limit
    try:
        top = os.fsdecode(ask(root, ("rev-parse", "--show-toplevel"), deadline).removesuffix(b"\n"))
        silenced = silenced_filters(top, deadline)
        status = parse_status(ask(top, _STATUS, deadline, silenced))
        if status.cut:
            return Source("git", reason=f"more than {FILE_LIMIT} files differ from the last commit")
        left_out = LeftOut(_relative(root, top, exclude), ignore)
        record = _snapshot(top, status, left_out, deadline)
        _sign(top, record, baseline, left_out, deadline, silenced)
        _compare(top, record, baseline, left_out, deadline)
    except GitError as error:
        return Source("git", reason=str(error))
    except LateError:
        return Source("git", reason=f"git and the changed files were not read within {limit:g} s")
    return Source("git", record=record, path=top)


def baseline_of(record: Mapping[str, object]) -> dict[str, object]:
    """Return what the next observation needs of this one's record, as JSON of bounded size."""
    dirty = record.get("dirty")
    digests: dict[str, str] = dirty if isinstance(dirty, dict) else {}
    kept: dict[str, object] = {"head": record.get("head"), "origin": record.get("origin")}
    if len(digests) <= BASELINE_LIMIT:
        kept["dirty"] = dict(digests)
    else:
        kept["dirty_digest"] = digest_map(digests)
    return kept


def _snapshot(top: str, status: Status, exclude: LeftOut, deadline: float) -> dict[str, object]:
    """Return what is known without a baseline."""
    tracked = [path for path in status.tracked if not exclude(path)]
    untracked = [path for path in status.untracked if not exclude(path)]
    return {
        "head": status.head,
        "branch": status.branch,
        "dirty": digest_files(top, (*tracked, *untracked), deadline),
        "uncommitted": len(tracked),
        "untracked": len(untracked),
        "reasons": {"branch": "HEAD is detached"},
    }


def _compare(
    top: str,
    record: dict[str, object],
    baseline: Mapping[str, object] | None,
    exclude: LeftOut,
    deadline: float,
) -> None:
    """Complete the fresh `record` with what changed since the baseline."""
    head = record["head"]
    reasons = record["reasons"]
    assert isinstance(reasons, dict)
    if baseline is None:
        reasons.update(dict.fromkeys(("changed", "files_changed", "commits", "head_changed"), _NO_BASELINE))
        return
    before = baseline.get("head")
    record["head_changed"] = before != head
    moved = before != head
    committed: tuple[str, ...] = ()
    if not moved:
        record["commits"] = 0
    else:
        try:
            committed = _between(top, before, head, deadline)
            record["commits"] = _count_commits(top, before, head, deadline)
        except GitError as error:
            reasons.update(files_changed=str(error), commits=str(error))
            record["changed"] = True
            return
    work = tuple(path for path in committed if not exclude(path))
    # commits of nothing but files that are left out are no change
    _count_changes(top, record, baseline, work, moved and not (committed and not work), deadline)


def _count_changes(
    top: str,
    record: dict[str, object],
    baseline: Mapping[str, object],
    committed: tuple[str, ...],
    moved: bool,
    deadline: float,
) -> None:
    """
    Fill in which files changed.

    `committed` are the files of new commits, `moved` says that these count as a change by themselves. A file
    changed when its digest is another than when the iteration began. One that was dirty then
    and has been committed as it stood did not change; one that was clean and now differs, or was
    committed, did.
    """
    now = record["dirty"]
    before = baseline.get("dirty")
    assert isinstance(now, dict)
    if not isinstance(before, dict):
        same = digest_map(now) == baseline.get("dirty_digest")
        record["changed"] = moved or not same
        reasons = record["reasons"]
        assert isinstance(reasons, dict)
        reasons["files_changed"] = f"more than {BASELINE_LIMIT} files differed when the iteration began"
        return
    candidates = dict.fromkeys((*now, *before, *committed))
    current = {**digest_files(top, (p for p in candidates if p not in now), deadline), **now}
    changed = sorted(p for p in candidates if p not in before or current[p] != before[p])
    record["files_changed"] = len(changed)
    record["changed"] = bool(changed) or moved
    record["paths"] = changed[:NAMED_PATHS]


def _sign(
    top: str,
    record: dict[str, object],
    baseline: Mapping[str, object] | None,
    exclude: LeftOut,
    deadline: float,
    silenced: tuple[tuple[str, str], ...],
) -> None:
    """
    Sign the content of every file that differs from the run's first commit.

    Committing what already lay in the working tree does not change the signature: it speaks of
    content, not of where git keeps it.
    """
    origin = record["head"] if baseline is None else baseline.get("origin")
    record["origin"] = origin
    dirty = record["dirty"]
    assert isinstance(dirty, dict)
    differing: dict[str, str] = dict(dirty)
    if origin != record["head"]:
        try:
            names = _since(top, origin, record["head"], deadline, silenced)
        except GitError as error:
            reasons = record["reasons"]
            assert isinstance(reasons, dict)
            reasons["content"] = str(error)
            return
        paths = (p for p in names if p not in dirty and not exclude(p))
        differing = {**digest_files(top, paths, deadline), **dirty}
    record["content"] = digest_map(differing)


def _since(
    top: str, origin: object, head: object, deadline: float, silenced: tuple[tuple[str, str], ...]
) -> tuple[str, ...]:
    """Return the tracked paths that differ between a commit and the working tree; all of them for none."""
    if isinstance(origin, str):
        return parse_names(ask(top, (*_DIFF, origin), deadline, silenced))
    return _between(top, None, head, deadline)


def _between(top: str, before: object, head: object, deadline: float) -> tuple[str, ...]:
    """Return the paths that differ between two commits; before the first commit, all of the second."""
    if not isinstance(head, str):
        return ()
    if isinstance(before, str):
        answer = ask(top, (*_DIFF, before, head), deadline)
    else:
        answer = ask(top, ("ls-tree", "-r", "--name-only", "--full-tree", "-z", head), deadline)
    return parse_names(answer)


def _count_commits(top: str, before: object, head: object, deadline: float) -> int:
    if not isinstance(head, str):
        return 0
    span = f"{before}..{head}" if isinstance(before, str) else head
    answer = ask(top, ("rev-list", "--count", span), deadline).strip()
    return int(answer) if answer.isdigit() else 0


def _relative(root: str, top: str, exclude: tuple[str, ...]) -> tuple[str, ...]:
    """Return the excluded paths relative to the root of the working tree; those outside it fall away."""
    real_top = os.path.realpath(top)
    found = []
    for path in exclude:
        place = os.path.relpath(os.path.realpath(os.path.join(root, path)), real_top)
        if not place.startswith(".."):
            found.append(place)
    return tuple(found)
