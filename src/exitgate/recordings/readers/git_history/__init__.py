"""
A loop seen through git: commits that touch its state files.

These are `prd.json`, `progress.txt`, `fix_plan.md`, and what is in `.ralph/`. Either JSON lines, one a
commit (`commit`, `date`, `subject`, `paths`, `stories_passing`, `progress_appended`), or a repository
itself: its root, or its `.git` folder where the loop's own logs are beside it and must be passed over.
A commit stands for an iteration, of which it tells no response, no tool and no cost; an iteration that made
no commit is not seen. A commit that a rebase wrote twice counts once, a list of stories that is replaced
begins another run. The count of stories in a line is all that is known of them: their `prd.json` is made up
of so many without titles.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from typing import Any

from msgspec import UNSET, Struct, UnsetType

from exitgate.core.model import capabilities
from exitgate.core.system.lenient import Amount, read_as, summed
from exitgate.recordings.formats.json_files import fitting_lines
from exitgate.recordings.formats.timestamps import instant as seconds
from exitgate.recordings.location import Location
from exitgate.recordings.model import PROCESS, Begin, End, Part, Problem, Provenance, RecordedIteration
from exitgate.recordings.probe import Probe
from exitgate.recordings.readers.git_history.commits import (
    CAVEAT,
    LOGS,
    PATHSPECS,
    PLANS,
    SILENT,
    STORIES,
    changed,
    is_state,
    runs,
    stories_text,
)

ID = "git-history"
TITLE = "git history of a loop's state files: a repository, or JSON lines of commits"
FOLDER = True
GIVES = frozenset(
    (capabilities.PLAN, capabilities.FILES, capabilities.GIT, capabilities.TIMES, capabilities.FILES_CHANGED)
)

_GIT = ".git"
#: What only a folder that git keeps has, all of it.
_GIT_FOLDER = frozenset(("HEAD", "objects/", "refs/"))
_STATE = frozenset((STORIES, *PLANS, *LOGS, ".ralph/"))
#: Beside these, or with them in `.ralph/`, the loop has recorded itself; its own records say more.
_RECORDS = ("logs/", "runs/", "activity.log", "history.jsonl", "exitgate/", "ralph_loop.log")


def fits(look: Probe) -> bool:
    """Return whether it is such a file, or a repository of a loop that kept no records of its own."""
    if not look.place.is_folder:
        return bool(look.events) and is_commit(look.events[0])
    if look.place.system is not None:
        return False
    names = frozenset(look.names)
    if names >= _GIT_FOLDER:
        return look.place.name == _GIT or look.place.name.endswith(_GIT)
    if not names & {_GIT, f"{_GIT}/"} or not names & _STATE:
        return False
    return not any(_recorded(found) for found in (look.names, _below(look)))


def _below(look: Probe) -> tuple[str, ...]:
    try:
        return look.place.at(".ralph", True).names() if ".ralph/" in look.names else ()
    except OSError:
        return ()


def _recorded(names: tuple[str, ...]) -> bool:
    return any(name in _RECORDS or name.startswith("events-") for name in names)


def claims(look: Probe) -> frozenset[str]:
    """Return the state files in the folder, which its history shows."""
    return frozenset(name for name in look.names if name in _STATE)


def read(place: Location, wants: frozenset[str]) -> Iterator[Part]:  # noqa: ARG001
    """Yield the runs. Raises OSError when a file cannot be read."""
    if not place.is_folder:
        yield from runs_of_lines(place)
        return
    folder = place.parent().path if place.name == _GIT else place.path
    found = False
    for part in runs(place.path, folder, PATHSPECS):
        found = True
        yield part
    if not found:
        yield Problem(place.path, "git has no commit that touches a state file of a loop")


# Commits as JSON lines, one a line: from lines to runs.

#: What replaces the text, or before it: the file is new, or was written anew.
_FIRST, _REWRITTEN = "[first]", "[rewritten]"
#: Stories of one list beyond which a count is none.
_STORIES = 10_000


class _Commit(Struct, frozen=True):
    """A commit; of the stories as many are done as the first number says, of so many."""

    commit: str | None = None
    date: Any = None
    subject: str | None = None
    paths: tuple[Any, ...] | None = None
    stories_passing: Any = UNSET
    progress_appended: str | UnsetType | None = UNSET
    files_changed: Amount = None
    state_only: Any = None

    @property
    def named(self) -> list[str]:
        """The paths that are texts."""
        return [path for path in self.paths or () if isinstance(path, str)]


class _Passing(Struct, frozen=True):
    stories: tuple[int, int] | None = None


def is_commit(plain: dict[str, Any]) -> bool:
    """Return whether an object is a commit of this kind."""
    one = read_as(_Commit, plain)
    named = one.commit is not None and one.subject is not None and one.paths is not None
    return named and ("progress_appended" in plain or "stories_passing" in plain)


def runs_of_lines(place: Location) -> Iterator[Part]:
    """Yield a run for each list of stories. Raises OSError."""
    seen: set[bytes] = set()
    told = _Progress()
    number = 0
    ended = End()
    for found in fitting_lines(place, is_commit, "this line is not a commit"):
        if isinstance(found, Problem):
            yield found
            continue
        line, plain = found
        key = _key(plain)
        if key in seen:
            continue
        seen.add(key)
        commit = read_as(_Commit, plain)
        if told.take(commit) or not number:
            if number:
                yield ended
            number += 1
            yield Begin(f"stories-{number}", PROCESS, place.path, title=CAVEAT)
        one = told.iteration(commit, Provenance(place.path, line, line))
        yield one
        ended = End(ended_at=one.ended_at)
    if number:
        yield ended


def _key(plain: dict[str, Any]) -> bytes:
    """Return what a commit and its copy by a rebase have in common."""
    names = ("date", "subject", "paths", "files_changed", "lines_added", "lines_deleted")
    return sha256(repr([plain.get(name) for name in names]).encode("utf-8", "replace")).digest()


class _Progress:
    """What the lines so far say of stories and of the progress file."""

    def __init__(self) -> None:
        self._stories: tuple[int, int] | None = None
        self._path = STORIES
        self._log: str | None = ""
        self._log_path = LOGS[0]
        self._index = 0

    def take(self, commit: _Commit) -> bool:
        """Add the next commit; return whether its list of stories is another one than before."""
        paths = [path for path in commit.named if is_state(path)]
        self._path = next((p for p in paths if p.endswith(STORIES)), self._path)
        self._log_path = next((p for p in paths if p.endswith(LOGS)), self._log_path)
        self._grow(commit.progress_appended or "")
        now = _counts(commit.stories_passing)
        before, self._stories = self._stories, now or self._stories
        if before is None or now is None or now[0] >= before[0] or now[1] == before[1]:
            return False
        self._index = 0
        return True

    def _grow(self, added: str) -> None:
        if added.startswith(_FIRST):
            self._log = added.removeprefix(_FIRST)
        elif added == _REWRITTEN:
            self._log = None
        elif self._log is not None:
            self._log += added

    def iteration(self, commit: _Commit, where: Provenance) -> RecordedIteration:
        """Return the iteration that a commit stands for."""
        self._index += 1
        files = {self._log_path: self._log} if self._log else {}
        if self._stories is not None:
            files[self._path] = stories_text(*self._stories)
        return RecordedIteration(
            self._index,
            where,
            ended_at=seconds(commit.date),
            files_changed=changed(commit.named),
            files=files,
            git=_git(commit),
            not_known=SILENT,
        )


def _git(commit: _Commit) -> dict[str, object]:
    """Return the source `git` as far as a line tells it; the loop's own files are not a change."""
    paths, total = commit.named, summed(commit.files_changed)
    own = len(paths) - sum(map(is_state, paths))
    whole = total is None or total <= len(paths)
    if total is not None and not whole:
        own += total - len(paths)  # not all of them are listed; state files are few
    only = commit.state_only is True
    return {
        "head": commit.commit,
        "commits": 1,
        "head_changed": True,
        "files_changed": 0 if only else own,
        "changed": own > 0 and not only,
        **({"listed": [path for path in paths if not is_state(path)]} if whole and not only else {}),
        "reasons": dict.fromkeys(
            ("content", "uncommitted", "untracked", "branch", "since_commit", "since_change"),
            "the line does not record it",
        ),
    }


def _counts(value: object) -> tuple[int, int] | None:
    """Return how many stories are done, and of how many."""
    found = read_as(_Passing, {"stories": value}).stories
    return found if found is not None and 0 <= found[0] <= found[1] <= _STORIES else None
