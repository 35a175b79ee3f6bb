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

from exitgate.transcripts import gives
from exitgate.transcripts.readers.git_history_files import LOGS, PATHSPECS, PLANS, STORIES
from exitgate.transcripts.readers.git_history_lines import is_commit, runs_of_lines
from exitgate.transcripts.readers.git_history_runs import runs
from exitgate.transcripts.run import Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.transcripts.look import Look
    from exitgate.transcripts.place import Place
    from exitgate.transcripts.run import Part

ID = "git-history"
TITLE = "git history of a loop's state files: a repository, or JSON lines of commits"
FOLDER = True
GIVES = frozenset((gives.PLAN, gives.FILES, gives.GIT, gives.TIMES, gives.FILES_CHANGED))

_GIT = ".git"
#: What only a folder that git keeps has, all of it.
_GIT_FOLDER = frozenset(("HEAD", "objects/", "refs/"))
_STATE = frozenset((STORIES, *PLANS, *LOGS, ".ralph/"))
#: Beside these, or with them in `.ralph/`, the loop has recorded itself; its own records say more.
_RECORDS = ("logs/", "runs/", "activity.log", "history.jsonl", "exitgate/", "ralph_loop.log")


def fits(look: Look) -> bool:
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


def _below(look: Look) -> tuple[str, ...]:
    try:
        return look.place.at(".ralph", True).names() if ".ralph/" in look.names else ()
    except OSError:
        return ()


def _recorded(names: tuple[str, ...]) -> bool:
    return any(name in _RECORDS or name.startswith("events-") for name in names)


def claims(look: Look) -> frozenset[str]:
    """Return the state files in the folder, which its history shows."""
    return frozenset(name for name in look.names if name in _STATE)


def read(place: Place, wants: frozenset[str]) -> Iterator[Part]:  # noqa: ARG001
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
