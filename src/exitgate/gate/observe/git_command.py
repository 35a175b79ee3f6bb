"""Asking git, within a time limit and with nothing of the repository's or the user's choosing run."""

from __future__ import annotations

import os

from exitgate.gate.observe.git_process import GitError, LateError, answer_of

__all__ = ["GitError", "LateError", "ask"]

#: Seconds that all questions of one observation may take together.
TIME_LIMIT = 2.0

#: Settings of a repository that would start programs or answer from elsewhere, switched off.
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
    "diff.autoRefreshIndex=false",
    "status.renames=true",
    "submodule.recurse=false",
    "maintenance.auto=false",
    "gc.auto=0",
)


def ask(root: str, words: tuple[str, ...], deadline: float, extra: tuple[tuple[str, str], ...] = ()) -> bytes:
    """
    Return what git answers to `words`, asked in folder `root`.

    Args:
        root: Folder within the working tree.
        words: Command and arguments, no shell.
        deadline: Instant of `time.monotonic` by which it must have answered.
        extra: Further settings, key and value.

    Raises:
        GitError: Without git, outside a repository, or when it fails.
        LateError: When it does not answer by the deadline; it is ended then.
    """
    import time

    if deadline - time.monotonic() <= 0:
        raise LateError
    if not os.path.isdir(root):
        raise GitError(f"there is no folder `{root}`")
    settings = [part for setting in _SETTINGS for part in ("-c", setting)]
    given = ["-C", root, "--no-pager", "--no-optional-locks", "--literal-pathspecs", *settings, *words]
    code, answer, complaint = answer_of(["git", *given], _environment(extra), deadline)
    if code != 0:
        raise GitError(_complaint(complaint))
    return answer


def _environment(extra: tuple[tuple[str, str], ...]) -> dict[str, str]:
    """Return this process's environment without what would steer git, and with English answers."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    kept.update(
        GIT_OPTIONAL_LOCKS="0",
        GIT_TERMINAL_PROMPT="0",
        GIT_NO_LAZY_FETCH="1",
        GIT_PAGER="cat",
        LC_ALL="C",
    )
    if extra:  # in the environment, where a key may hold any character
        kept["GIT_CONFIG_COUNT"] = str(len(extra))
    for number, (key, value) in enumerate(extra):
        kept[f"GIT_CONFIG_KEY_{number}"] = key
        kept[f"GIT_CONFIG_VALUE_{number}"] = value
    return kept


def _complaint(raw: bytes) -> str:
    first = raw.decode("utf-8", "replace").strip().partition("\n")[0].removeprefix("fatal: ")
    if first.startswith("not a git repository"):
        return "not inside a git repository"
    if first.startswith("this operation must be run in a work tree"):
        return "not inside a git working tree"
    return f"git refused: {first[:160]}" if first else "git failed"
