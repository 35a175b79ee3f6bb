"""Commits as JSON lines, one a line: from lines to runs."""

from __future__ import annotations

from hashlib import sha256

from exitgate.transcripts.instants import instant as seconds
from exitgate.transcripts.readers.git_history_files import LOGS, STORIES, changed, is_state, stories_text
from exitgate.transcripts.readers.git_history_runs import CAVEAT, SILENT
from exitgate.transcripts.readers.ralph_orchestrator_names import object_of
from exitgate.transcripts.recorded import Provenance, RecordedIteration
from exitgate.transcripts.run import PROCESS, Begin, End, Problem
from exitgate.transcripts.values import count_at, text_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.transcripts.place import Place
    from exitgate.transcripts.run import Part
    from exitgate.transcripts.values import Event

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


def runs_of_lines(place: Place) -> Iterator[Part]:
    """Yield a run for each list of stories. Raises OSError."""
    seen: set[bytes] = set()
    told = _Told()
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


class _Told:
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
