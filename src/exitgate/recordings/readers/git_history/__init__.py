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

from hashlib import sha256

from exitgate.core.envelopes.members import count_at, text_at
from exitgate.core.model import capabilities
from exitgate.recordings.formats.json_files import object_of
from exitgate.recordings.formats.timestamps import instant as seconds
from exitgate.recordings.model import PROCESS, Begin, End, Problem, Provenance, RecordedIteration
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

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.core.envelopes.members import Event
    from exitgate.recordings.location import Location
    from exitgate.recordings.model import Part
    from exitgate.recordings.probe import Probe


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

_DONE = "stories_passing"
_GROWN = "progress_appended"
#: What replaces the text, or before it: the file is new, or was written anew.
_FIRST, _REWRITTEN = "[first]", "[rewritten]"
#: Stories of one list beyond which a count is none.
_STORIES = 10_000


def is_commit(event: Event) -> bool:
    """Return whether an object is a commit of this kind."""
    return (
        isinstance(event.get("commit"), str)
        and isinstance(event.get("subject"), str)
        and isinstance(event.get("paths"), list)
        and (_GROWN in event or _DONE in event)
    )


def runs_of_lines(place: Location) -> Iterator[Part]:
    """Yield a run for each list of stories. Raises OSError."""
    seen: set[bytes] = set()
    told = _Progress()
    number = 0
    ended = End()
    for line, raw in enumerate(place.lines(), 1):
        event = object_of(raw)
        if event is None or not is_commit(event):
            if raw.strip():
                yield Problem(place.path, "this line is not a commit", line)
            continue
        key = _key(event)
        if key in seen:
            continue
        seen.add(key)
        if told.take(event) or not number:
            if number:
                yield ended
            number += 1
            yield Begin(f"stories-{number}", PROCESS, place.path, title=CAVEAT)
        one = told.iteration(event, Provenance(place.path, line, line))
        yield one
        ended = End(ended_at=one.ended_at)
    if number:
        yield ended


def _key(event: Event) -> bytes:
    """Return what a commit and its copy by a rebase have in common."""
    names = ("date", "subject", "paths", "files_changed", "lines_added", "lines_deleted")
    return sha256(repr([event.get(name) for name in names]).encode("utf-8", "replace")).digest()


class _Progress:
    """What the lines so far say of stories and of the progress file."""

    def __init__(self) -> None:
        self._stories: tuple[int, int] | None = None
        self._path = STORIES
        self._log: str | None = ""
        self._log_path = LOGS[0]
        self._index = 0

    def take(self, event: Event) -> bool:
        """Add the next commit; return whether its list of stories is another one than before."""
        paths = [path for path in _paths(event) if is_state(path)]
        self._path = next((p for p in paths if p.endswith(STORIES)), self._path)
        self._log_path = next((p for p in paths if p.endswith(LOGS)), self._log_path)
        self._grow(text_at(event, _GROWN) or "")
        now = _counts(event.get(_DONE))
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

    def iteration(self, event: Event, where: Provenance) -> RecordedIteration:
        """Return the iteration that a commit stands for."""
        self._index += 1
        files = {self._log_path: self._log} if self._log else {}
        if self._stories is not None:
            files[self._path] = stories_text(*self._stories)
        return RecordedIteration(
            self._index,
            where,
            ended_at=seconds(event.get("date")),
            files_changed=changed(_paths(event)),
            files=files,
            git=_git(event),
            not_known=SILENT,
        )


def _git(event: Event) -> dict[str, object]:
    """Return the source `git` as far as a line tells it; the loop's own files are not a change."""
    paths = _paths(event)
    own = len(paths) - sum(map(is_state, paths))
    total = count_at(event, "files_changed")
    if total is not None and total > len(paths):
        own += total - len(paths)  # not all of them are listed; state files are few
    whole = isinstance(event.get("paths"), list) and (total is None or total <= len(paths))
    said = event.get("state_only")
    return {
        "head": event.get("commit"),
        "commits": 1,
        "head_changed": True,
        "files_changed": 0 if said is True else own,
        "changed": own > 0 and said is not True,
        **({"listed": [path for path in paths if not is_state(path)]} if whole and said is not True else {}),
        "reasons": dict.fromkeys(
            ("content", "uncommitted", "untracked", "branch", "since_commit", "since_change"),
            "the line does not record it",
        ),
    }


def _paths(event: Event) -> list[str]:
    paths = event.get("paths")
    return [path for path in paths if isinstance(path, str)] if isinstance(paths, list) else []


def _counts(value: object) -> tuple[int, int] | None:
    if not isinstance(value, list) or len(value) != 2:
        return None
    done, total = value
    whole = all(isinstance(n, int) and not isinstance(n, bool) for n in value)
    return (done, total) if whole and 0 <= done <= total <= _STORIES else None
