"""
What changed in the working tree since the iteration began, commits included.

Files marked as unchanged in the index (`git update-index --assume-unchanged`, `--skip-worktree`) count
as changed when they change; only `uncommitted` leaves them out, as `git status` does. Not seen are

- files that git ignores: by `.gitignore`, by `.git/info/exclude`, by the user's own list of ignored files. An
  agent that can write one of these can hide new files;
- what changes inside another repository below this one, a submodule or an untracked one: it counts as changed
  when its HEAD is another commit, not when its files are edited;
- files under `skip-worktree` that are missing, as in a sparse checkout.
"""

from __future__ import annotations

from exitgate.core.facts.records import amount, count
from exitgate.core.model.fact import EXCERPT_LIMIT, Evidence, Fact, FactSpec
from exitgate.core.model.value import BOOL, COUNT, DURATION, SIGNATURE, TEXT, Type, Unknown, micro

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.model.fact import Iteration
    from exitgate.core.model.json_object import JsonObject


NAME = "git"
SOURCE = "git"
#: Changed paths that are listed, and their characters, at most.
LISTED_PATHS, LISTED_CHARACTERS = 500, 32_000
#: Files that loops, tests and tools write beside the work: logs, state of loops, caches.
IGNORED = (
    "*.log", "*.log.*", "logs/", "nohup.out", "*.pid", "*.tmp", "*.swp", "*~", ".DS_Store",
    ".exitgate*", ".ralph/exitgate/", ".ralph/logs/", ".ralph/.*", ".ralph/status.json",
    ".ralph/progress.json", ".ralph/exit-state.json", ".ralph/last-response.md", ".ralph/output*",
    ".ralph/activity*", ".ralph/progress*", ".ralph/errors*", ".ralph/runs/", ".ralph/events*",
    ".ralph/diagnostics/", ".ralph-*", "ralph-output*", "progress.txt", ".claude/worktrees/",
    "__pycache__/", "*.pyc", ".*_cache/", ".cache/", "node_modules/", ".venv/", ".coverage",
    ".coverage.*", "coverage/", ".nyc_output/", "htmlcov/", "test-results/", "playwright-report/",
    "*.tsbuildinfo",
)  # fmt: skip
OPTIONS: dict[str, object] = {
    "ignore": {
        "type": "array",
        "items": {"type": "string", "minLength": 1},
        "default": list(IGNORED),
        "description": "Files that are not the agent's work: they do not count as changes. A name"
        " (`*.log`) or, with a trailing `/`, a folder (`logs/`) anywhere; with a `/` inside, a path from "
        "the root of the working tree. `*` matches any characters. The list replaces the default.",
        "examples": [["*.log", "build/", "docs/*.html"]],
    },
}

_NO_TREE = "outside a working tree, without git, or when it takes too long"
_NO_START = f"{_NO_TREE}; also if the start of the iteration was not recorded"

_SPECS = (
    FactSpec("available", BOOL, "The working tree could be read.", read=False),
    FactSpec(
        "changed",
        BOOL,
        "Anything changed since the iteration began, committed or not.",
        _NO_START,
        read=False,
    ),
    FactSpec(
        "files_changed",
        COUNT,
        "Files whose content changed since the iteration began.",
        _NO_START,
        low=0,
        read=False,
    ),
    FactSpec("commits", COUNT, "Commits made since the iteration began.", _NO_START, low=0, read=False),
    FactSpec(
        "head_changed",
        BOOL,
        "HEAD is a different commit from the one at the start of the iteration.",
        _NO_START,
        read=False,
    ),
    FactSpec(
        "uncommitted",
        COUNT,
        "Tracked files with changes that are not committed.",
        _NO_TREE,
        low=0,
        read=False,
    ),
    FactSpec("untracked", COUNT, "Files that git neither tracks nor ignores.", _NO_TREE, low=0, read=False),
    FactSpec(
        "content",
        SIGNATURE,
        "A hash of the content of every file that differs from the start of the run.",
        _NO_TREE,
        read=False,
    ),
    FactSpec("branch", TEXT, "Name of the branch.", f"{_NO_TREE}; also on a detached HEAD", read=False),
    FactSpec(
        "paths",
        Type("list", item=TEXT),
        "Paths of those files from the root of the working tree, in the order of the alphabet.",
        f"{_NO_START}, or if they are more than 500",
        read=False,
    ),
    FactSpec(
        "since_commit",
        DURATION,
        "Time since HEAD was committed, by the committer's date.",
        f"{_NO_TREE}; before the first commit, and where its date lies ahead",
        low=0,
        read=False,
    ),
    FactSpec(
        "since_change",
        DURATION,
        "Time since a check last found that files had changed, or else since the run began. Their content "
        "is compared, not the times of files, which programs set as they like.",
        f"{_NO_TREE}; until the next change if a check could not compare",
        low=0,
        read=False,
    ),
)
_LISTED = _SPECS[-3:]
#: Facts that cost more than the others to observe or to keep: only where a policy names them.
WHEN_ASKED = frozenset(spec.name for spec in _LISTED)

_BOOLS = ("changed", "head_changed")
#: Facts whose evidence names the files.
_WITH_FILES = ("changed", "files_changed", "content", "since_change")
_TEXTS = ("content", "branch")


def specs(options: JsonObject) -> tuple[FactSpec, ...]:  # noqa: ARG001
    """Return the facts behind the prefix."""
    return _SPECS


def extract(
    prefix: str,
    source: str,
    options: JsonObject,  # noqa: ARG001
    iteration: Iteration,
) -> tuple[Fact, ...]:
    """
    Return the facts in the source's record.

    The record has a field for each fact that is known, `listed` with the paths of all files that changed and
    `paths` with some of them, `committed_at` (of HEAD, seconds since the epoch), and under `reasons` why a
    field is missing.
    """
    given = iteration.source(source)
    record = given.record
    if record is None:
        available = Fact(f"{prefix}.available", False, note=given.reason)
        return (available, *(_unknown(f"{prefix}.{spec.name}", given.reason) for spec in _SPECS[1:]))
    facts = [Fact(f"{prefix}.available", True)]
    for spec in _SPECS[1:]:
        name = f"{prefix}.{spec.name}"
        value = _value(spec.name, record, iteration.time)
        evidence = _evidence(source, record) if spec.name in _WITH_FILES else ()
        if value is None or isinstance(value, Unknown):
            facts.append(_unknown(name, _reason(record, spec.name) if value is None else value.reason))
        else:
            facts.append(Fact(name, value, evidence))
    return tuple(facts)


def _value(name: str, record: JsonObject, now: float) -> object:
    value = record.get(name)
    if name in _BOOLS:
        return record.flag(name)
    if name in _TEXTS:
        return record.text(name) or None
    if name == "paths":
        return _listed(record.get("listed"))
    if name == "since_commit":
        return _since_commit(amount(record.get("committed_at")), now)
    if name == "since_change":
        since = amount(value)
        return None if since is None or since < 0 else micro(since)
    return count(value)


def _listed(paths: object) -> object:
    """Return all paths that changed, or none of them: a part would mislead."""
    if not isinstance(paths, list | tuple):
        return None
    if len(paths) > LISTED_PATHS or sum(len(str(path)) for path in paths) > LISTED_CHARACTERS:
        return Unknown(f"{len(paths)} files changed: too many to list")
    return tuple(sorted(map(str, paths)))


def _since_commit(at: float | None, now: float) -> object:
    if at is None:
        return None
    # the date is one of whole seconds: a commit of this second may seem to lie ahead of it
    return micro(max(0, now - at)) if at < now + 1 else Unknown("HEAD is dated after this check")


def _reason(record: JsonObject, name: str) -> str:
    return record.object("reasons").text(name, "git gave no answer")


def _evidence(source: str, record: JsonObject) -> tuple[Evidence, ...]:
    return tuple(
        Evidence(source, number, 1, 0, len(str(path)), str(path)[:EXCERPT_LIMIT], "changed")
        for number, path in enumerate(record.array("paths"), 1)
    )


def _unknown(name: str, reason: str) -> Fact:
    return Fact(name, Unknown(reason, name))
