"""From commits of a live repository to runs: what each shows of the loop's files as they were then."""

from __future__ import annotations

import json
import os
import posixpath
from hashlib import sha256
from typing import Any

from msgspec import Struct

from exitgate.core.envelopes.members import writable_text
from exitgate.core.observe.git_command import command, environment
from exitgate.core.system import portable
from exitgate.core.system.child import PIPE, AnswerError, LateError, answer_of, start
from exitgate.core.system.lenient import read_as
from exitgate.recordings.model import (
    COMMIT,
    LOOP,
    PROCESS,
    Begin,
    End,
    FileChange,
    Provenance,
    RecordedIteration,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from exitgate.core.system.child import Child
    from exitgate.recordings.model import Part


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
    told: _CommitState | None = None
    number = 0
    ended = End()
    for commit in commits(folder, pathspecs):
        key = sha256(
            repr((commit.authored_at, commit.subject, sorted(commit.changes))).encode("utf-8", "replace")
        ).digest()
        if key in seen:
            continue
        seen.add(key)
        before = None if told is None else told.stories()
        told = _CommitState() if told is None else told
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


class _CommitState:
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
                self._keep(path, None if _is_nothing(after) else text_at(folder, commit.hash, path))
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


class Story(Struct, frozen=True):
    """A story of the list."""

    id: Any = None
    title: Any = None
    passes: Any = None


class Stories(Struct, frozen=True, rename="camel"):
    """A `prd.json`."""

    user_stories: tuple[Story, ...] = ()


def names_of(text: str) -> frozenset[str]:
    """Return id and title of each story in a `prd.json`, none where it cannot be read."""
    try:
        value = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return frozenset()
    return frozenset(repr((one.id, one.title)) for one in read_as(Stories, value).user_stories)


def _is_nothing(id: str) -> bool:
    return _NOTHING.issuperset(id)


# Which files of a repository are a loop's state, and what a text of them says.

STORIES = "prd.json"
#: Names of state files wherever they lie; a plan is a file with boxes.
PLANS = ("fix_plan.md", "@fix_plan.md", "IMPLEMENTATION_PLAN.md", "RALPH_TASK.md")
LOGS = ("progress.txt", "progress.md")
FOLDERS = (".ralph/", ".agents/tasks/")
#: Pathspecs that git takes for the same files, anywhere in the repository.
PATHSPECS = (
    *(f":(top,glob)**/{name}" for name in (STORIES, *PLANS, *LOGS)),
    ":(top,glob)**/.ralph/**/*.md",
    ":(top,glob)**/.ralph/**/*.txt",
    ":(top,glob)**/.ralph/**/*.json",
)
#: Members of the object that holds the stories, and of a story.
ITEMS, PASSES = "userStories", "passes"


def is_state(path: str) -> bool:
    """Return whether a file is the loop's own: its state, its logs."""
    if posixpath.basename(path) in (STORIES, *PLANS, *LOGS):
        return True
    return any(path.startswith(folder) or f"/{folder}" in path for folder in FOLDERS)


def is_plan(path: str) -> bool:
    """Return whether a file is a plan with boxes."""
    return posixpath.basename(path) in PLANS


def changed(paths: Iterable[str]) -> tuple[FileChange, ...]:
    """Return changes by commits, those of state files as the loop's."""
    return tuple(FileChange(writable_text(path), LOOP if is_state(path) else COMMIT) for path in paths)


def stories_text(done: int, total: int) -> str:
    """Return a `prd.json` of as many stories, of which only the counts are known."""
    stories = [{"id": str(n + 1), PASSES: n < done} for n in range(total)]
    return json.dumps({ITEMS: stories})


# Commits of a git repository that touch a loop's state files, asked of git itself.
#
# Nothing of the repository's or the user's choosing runs: no hooks, filters, pagers or external programs,
# no lock is taken, nothing is fetched. Commits come oldest first, one at a time.

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


class Commit(Struct, frozen=True):
    """
    A commit.

    Args:
        hash: In full.
        authored_at: Seconds since the epoch, as its author's clock said: a rebase keeps it.
        committed_at: Seconds since the epoch.
        subject: First line of its message.
        changes: Path from the root of the repository -> ids of its content before and after.
    """

    hash: str
    authored_at: float
    committed_at: float
    subject: str
    changes: Mapping[str, tuple[str, str]]


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
    if portable.WINDOWS:
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
