"""From commits of a live repository to runs: what each shows of the loop's files as they were then."""

from __future__ import annotations

import json
from hashlib import sha256

from exitgate.transcripts.readers import git_history_live as live
from exitgate.transcripts.readers.git_history_files import ITEMS, STORIES, changed, is_plan, is_state
from exitgate.transcripts.recorded import Provenance, RecordedIteration
from exitgate.transcripts.run import PROCESS, Begin, End
from exitgate.transcripts.values import writable_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from exitgate.transcripts.readers.git_history_live import Commit
    from exitgate.transcripts.run import Part

#: What is shown to people with every such run.
CAVEAT = "a commit that touches a state file represents an iteration; one without a commit is not seen"
NO_TEXT = "a commit does not contain the agent's response"
SILENT = dict.fromkeys(("response", "output", "tool_results", "prompt"), NO_TEXT)
#: State files whose texts are kept at one time; a loop has a handful.
_FILES = 40
_NOTHING = frozenset("0")
_NEVER_SAID = ("uncommitted", "untracked", "branch", "since_commit", "since_change")


def runs(file: str, folder: str, pathspecs: Sequence[str]) -> Iterator[Part]:
    """
    Yield a run for each list of stories, its commits as iterations, oldest first.

    Args:
        file: What people are shown as the place.
        folder: Within the working tree, or its git folder.
        pathspecs: Which files make a commit an iteration.

    A commit that a rebase left there twice (author's instant, subject and changes the same) counts once.
    """
    seen: set[bytes] = set()
    told: _Told | None = None
    number = 0
    ended = End()
    for commit in live.commits(folder, pathspecs):
        key = sha256(
            repr((commit.authored_at, commit.subject, sorted(commit.changes))).encode("utf-8", "replace")
        ).digest()
        if key in seen:
            continue
        seen.add(key)
        before = None if told is None else told.stories()
        told = _Told() if told is None else told
        told.take(commit, folder)
        if before is None or _replaced(before, told.stories()):
            if number:
                yield ended
            number += 1
            told.begin()
            yield Begin(f"stories-{number}", PROCESS, file, title=CAVEAT)
        yield told.iteration(commit, file)
        ended = End(ended_at=commit.authored_at)
    if number:
        yield ended


def _replaced(before: frozenset[str], now: frozenset[str]) -> bool:
    """Return whether the list of stories is another one: it has nothing in common with the one before."""
    return bool(before) and bool(now) and not before & now


class _Told:
    """What the commits so far show."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}
        self._plan: str | None = None
        self._index = 0
        self._content: dict[str, str] = {}
        self._start: dict[str, str] = {}

    def take(self, commit: Commit, folder: str) -> None:
        """Add what the next commit changed."""
        for path, (before, after) in commit.changes.items():
            if is_state(path):
                self._keep(path, None if _is_nothing(after) else live.text_at(folder, commit.hash, path))
                continue
            self._start.setdefault(path, before)
            self._content[path] = after
        for path in [path for path, id in self._content.items() if id == self._start[path]]:
            del self._content[path]

    def _keep(self, path: str, text: str | None) -> None:
        self._texts.pop(path, None)
        if text is None:
            self._plan = None if self._plan == path else self._plan
            return
        while len(self._texts) >= _FILES:
            del self._texts[next(iter(self._texts))]
        self._texts[path] = text
        if is_plan(path):
            self._plan = path

    def begin(self) -> None:
        """Begin a run: iterations are counted, and changes seen, from here on."""
        self._index = 0

    def stories(self) -> frozenset[str]:
        """Return the ids and titles of the stories, none where there is no list of them."""
        text = next((t for p, t in reversed(self._texts.items()) if p.rsplit("/", 1)[-1] == STORIES), None)
        return frozenset() if text is None else names_of(text)

    def iteration(self, commit: Commit, file: str) -> RecordedIteration:
        """Return the iteration that a commit stands for."""
        self._index += 1
        files = changed(commit.changes)
        own = sum(not is_state(path) for path in commit.changes)
        pieces = sorted(self._content.items())
        record = {
            "head": commit.hash, "changed": own > 0, "files_changed": own, "commits": 1,
            "listed": [writable_text(path) for path in commit.changes if not is_state(path)],
            "head_changed": True, "content": sha256(repr(pieces).encode("utf-8", "replace")).hexdigest(),
            "reasons": dict.fromkeys(_NEVER_SAID, "a commit does not record it"),
        }  # fmt: skip
        return RecordedIteration(
            self._index,
            Provenance(f"{file}@{commit.hash[:12]}"),
            ended_at=commit.authored_at,
            files_changed=files,
            plan=self._texts.get(self._plan) if self._plan else None,
            files={writable_text(path): text for path, text in self._texts.items()},
            git=record,
            not_known=SILENT,
        )


def names_of(text: str) -> frozenset[str]:
    """Return id and title of each story in a `prd.json`, none where it cannot be read."""
    try:
        value = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return frozenset()
    items = value.get(ITEMS) if isinstance(value, dict) else None
    if not isinstance(items, list):
        return frozenset()
    return frozenset(repr((i.get("id"), i.get("title"))) for i in items if isinstance(i, dict))


def _is_nothing(id: str) -> bool:
    return _NOTHING.issuperset(id)
