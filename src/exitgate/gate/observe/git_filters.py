"""Content filters that a repository's own settings define, so that none of them is run."""

from __future__ import annotations

import os

from exitgate.gate.observe.git_command import ask

#: Words without which a repository's settings cannot define a filter, here or in files they include.
_SIGNS = (b"filter", b"include", b"worktreeconfig")
_PROGRAMS = ("clean", "smudge", "process")


def silenced_filters(top: str, deadline: float) -> tuple[tuple[str, str], ...]:
    """
    Return the settings that switch off every filter defined inside the repository.

    Filters of the user and the machine stay: without them files under large-file storage would all
    look changed.

    Raises:
        GitError: When git fails.
        LateError: When it does not answer by `deadline`.
    """
    if not _may_define(os.path.join(top, ".git")):
        return ()
    answer = ask(top, ("config", "--list", "--name-only", "--show-scope", "-z"), deadline)
    parts = answer.decode("utf-8", "surrogateescape").split("\0")
    names = {
        key[len("filter.") :].rpartition(".")[0]
        for scope, key in zip(parts[::2], parts[1::2], strict=False)
        if scope in ("local", "worktree") and key.startswith("filter.")
    }
    off = [(f"filter.{name}.{program}", "") for name in sorted(names) for program in _PROGRAMS]
    return (*off, *((f"filter.{name}.required", "false") for name in sorted(names)))


def _may_define(place: str) -> bool:
    """Return whether the settings need to be asked for: they name a filter, or cannot be looked at."""
    try:
        with open(os.path.join(place, "config"), "rb") as settings:
            text = settings.read(1_000_001).lower()
    except OSError:
        return True
    return len(text) > 1_000_000 or any(sign in text for sign in _SIGNS)
