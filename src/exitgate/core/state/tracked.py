"""
A state directory that git tracks: a clone or a checkout would bring a history along that was not made here.

A budget would count what the repository says was used up. So no run begins in such a directory; where it
became one during a run that began here, the run ends for review.
"""

from __future__ import annotations

import os

from exitgate.core.ledger.gitignore import holds_others, repository_of
from exitgate.core.model.decision import CANNOT_WRITE, EXIT, Decision
from exitgate.core.model.diagnostic import Diagnostic, ExitgateError
from exitgate.core.system import portable, safe_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


#: Code -> what it means.
CODES = {"EP819": "git tracks the state directory"}

#: Reason code of a run whose state directory became tracked.
OUTCOME = "state_tracked"
REMARK = (
    "git tracks the state directory: a checkout can change the history that this run is judged by;"
    " `exitgate check` says how to go on"
)
MESSAGE = "Git tracks the state directory: a checkout can change what this run is judged by"
#: Bytes of the largest index that is read here; a larger one is git's to search.
_LARGEST = 128_000_000
_FOLDER_OF_ITS_OWN = b".gitignore"
#: Formats of the index in which every path is written out.
_WRITTEN_OUT = (b"\0\0\0\2", b"\0\0\0\3")
_LENGTH = 0x0FFF


def tracked_during(directory: str, new: bool, known: Callable[[], bool]) -> bool:
    """
    Return whether git tracks a state directory in which a run of this user's continues.

    Args:
        directory: The state directory.
        new: A run is to begin.
        known: Whether this user's exitgate wrote the ledger; asked only where git tracks it.

    Raises:
        ExitgateError: 73 where it is tracked, and a run is to begin or the ledger came from elsewhere.
    """
    if not is_tracked(directory):
        return False
    if new or not known():
        raise _refused(directory)
    return True


def is_tracked(directory: str) -> bool:
    """
    Return whether git's index has a file of the state directory, its own ``.gitignore`` aside.

    The index is searched here; git is asked only if that finds something, or cannot tell.
    """
    try:
        place = repository_of(directory)
        if place is None:
            return False
        top, folder, _ = place
        below = portable.with_slashes(portable.relative(os.path.realpath(directory), top))
        found = _found(folder, os.fsencode(below)) if below != "." else None
    except FileNotFoundError:
        return False  # no index: nothing was ever added
    except (OSError, ValueError):
        top, found = os.path.dirname(os.path.realpath(directory)), None
    return False if found is False else _git_lists(directory, top, found is True)


def for_review(decision: Decision, tracked: bool) -> Decision:
    """Return the decision of a run whose state directory is tracked: it ends for review, if not anyway."""
    if not tracked or decision.verdict == EXIT:
        return decision
    return Decision(
        EXIT, "review", OUTCOME, None, MESSAGE, decision.stage,
        True, decision.blind, (), decision.warnings, decision.shadows, decision.steps, "",
        "The state directory was added to git. Find out why, then remove it from the"
        " index: `git rm -r -f --cached` keeps the files.",
    )  # fmt: skip


def _found(folder: str, below: bytes) -> bool | None:
    """Return whether the index of a git folder has a path below `below`; None where only git can tell."""
    raw = safe_files.content(os.path.join(folder, "index"), _LARGEST)
    if not raw.startswith(b"DIRC") or raw[4:8] not in _WRITTEN_OUT:
        return None
    if any(name.startswith("sharedindex.") for name in safe_files.names(folder)):
        return None  # some of the paths are in another file
    at = -1
    while (at := raw.find(below, at + 1)) >= 0:
        end = raw.find(b"\0", at)
        path = raw[at:end]
        rest = path[len(below) :]
        if not _begins_entry(raw, at, len(path)) or rest == b"/" + _FOLDER_OF_ITS_OWN:
            continue
        if not rest or rest.startswith(b"/"):
            return True
    parts = below.split(b"/")
    # A folder that is not checked out is in the index as a whole.
    above = (b"/".join(parts[:count]) + b"/" for count in range(1, len(parts) + 1))
    return None if any(_has_entry(raw, path) for path in above) else False


def _has_entry(raw: bytes, path: bytes) -> bool:
    at = -1
    while (at := raw.find(path + b"\0", at + 1)) >= 0:
        if _begins_entry(raw, at, len(path)):
            return True
    return False


def _begins_entry(raw: bytes, at: int, length: int) -> bool:
    """Return whether a path begins at an offset of the index: before it, or two bytes on, is its length."""
    told = (int.from_bytes(raw[at - back : at - back + 2], "big") & _LENGTH for back in (2, 4) if at >= back)
    return min(length, _LENGTH) in told


def _git_lists(directory: str, top: str, otherwise: bool) -> bool:
    """Return whether git lists files of the state directory; `otherwise` where it cannot be asked."""
    import time

    from exitgate.core.observe.git_command import TIME_LIMIT, GitError, LateError, ask

    path = os.path.realpath(directory)
    try:
        answer = ask(top, ("ls-files", "-z", "--", path), time.monotonic() + TIME_LIMIT)
    except (GitError, LateError):
        return otherwise
    own = os.fsencode(portable.with_slashes(portable.relative(path, os.path.realpath(top))))
    return any(name and name != own + b"/" + _FOLDER_OF_ITS_OWN for name in answer.split(b"\0"))


def _refused(directory: str) -> ExitgateError:
    message = f"git tracks `{directory}`: its history could then come from a clone or a checkout"
    if holds_others(directory):  # removing all of it from git would remove the user's files, too
        help = "name a folder that holds nothing else with `--state-dir`"
        return ExitgateError([Diagnostic("EP819", message, help=help)], CANNOT_WRITE)
    help = (
        f"remove it from git: `git rm -r -f -q --cached -- {directory}`, and remove the folder unless its"
        " history is yours; or name another one with `--state-dir`"
    )
    return ExitgateError([Diagnostic("EP819", message, help=help)], CANNOT_WRITE)
