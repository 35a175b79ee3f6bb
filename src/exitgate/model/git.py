"""
The command line of every question to git, and its environment: nothing of a repository's choosing runs.

Only commands that read git's own files are asked for: one that read a file of the working tree would pass it
through the filters that the repository names (`docs/decisions/0930-git-facts-run-nothing.md`).
"""

from __future__ import annotations

import errno
import os

from exitgate.children.start import found

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

#: Settings that would start programs or answer from elsewhere, switched off; each command line has them all.
_SETTINGS = (
    "core.fsmonitor=false",
    f"core.hooksPath={os.devnull}",
    f"core.attributesFile={os.devnull}",
    "core.untrackedCache=false",
    "core.quotePath=false",
    "core.pager=cat",
    "core.sshCommand=false",
    "credential.helper=",
    "diff.external=",
    f"diff.orderFile={os.devnull}",
    "diff.autoRefreshIndex=false",
    "log.showSignature=false",
    "protocol.allow=never",
    "submodule.recurse=false",
    "maintenance.auto=false",
    "gc.auto=0",
)
_SWITCHES = ("--no-pager", "--no-optional-locks", "--no-replace-objects")


def command(words: Sequence[str], *, literal: bool = True) -> list[str]:
    """
    Return the command line for `words`, a command of git that reads nothing but git's own files.

    Paths among them are taken as they are written, unless `literal` is false: then they are git's patterns.
    Raises `FileNotFoundError` without a git in a folder of `PATH` that is absolute.
    """
    program = found("git")
    if program is None:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), "git")
    settings = [part for setting in _SETTINGS for part in ("-c", setting)]
    paths = ["--literal-pathspecs"] if literal else []
    return [program, *_SWITCHES, *paths, *settings, *words]


def environment() -> dict[str, str]:
    """Return this process's environment without what steers git, with no transport and English answers."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    kept.update(
        GIT_ALLOW_PROTOCOL="",
        GIT_ATTR_NOSYSTEM="1",
        GIT_NO_LAZY_FETCH="1",
        GIT_OPTIONAL_LOCKS="0",
        GIT_PAGER="cat",
        GIT_TERMINAL_PROMPT="0",
        LC_ALL="C",
    )
    return kept
