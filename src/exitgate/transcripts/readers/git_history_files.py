"""Which files of a repository are a loop's state, and what a text of them says."""

from __future__ import annotations

import json
import posixpath

from exitgate.transcripts.recorded import COMMIT, LOOP, FileChange
from exitgate.transcripts.values import writable_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

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
