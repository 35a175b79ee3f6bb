"""What is said when exitgate itself is at fault."""

from __future__ import annotations

import os
import traceback
from collections.abc import Sequence

from exitgate import __version__
from exitgate.report.terminal import safe

#: Commands that decide for a loop: its terminal is seldom looked at, so `doctor` shows what happened to them.
DECIDING = ("check", "run", "shim")
_STATE_DIR = "--state-dir"


def crash_note(error: Exception) -> str:
    """
    Return a short note for stderr: what went wrong and where in exitgate, not the user's text.

    With ``EXITGATE_DEBUG=1`` in the environment the whole traceback is before it.
    """
    note = [
        f"error[EP999]: internal error, not a decision: {type(error).__name__}: {safe(str(error))[:200]}",
        f"  --> {_where(error)} (exitgate {__version__})",
        "  help: this is a bug in exitgate; EXITGATE_DEBUG=1 shows where it happened",
    ]
    full = "".join(traceback.format_exception(error)) if os.environ.get("EXITGATE_DEBUG") == "1" else ""
    return full + "\n".join(note) + "\n"


def keep_crash(error: Exception, given: Sequence[str]) -> None:
    """Keep for `exitgate doctor` that a command which decides met a fault of exitgate. Never raises."""
    if not given or given[0] not in DECIDING:
        return
    from exitgate.core.state.discover import STATE_DIR, planted_link
    from exitgate.core.state.incidents import note

    named = _named(given) or os.environ.get("EXITGATE_STATE_DIR")
    directory = named or STATE_DIR
    if os.path.isdir(directory) and not planted_link(os.curdir, named):
        message = f"{type(error).__name__}: {safe(str(error))[:200]}"
        note(directory, "crashed", message, command=given[0], at=_where(error), version=__version__)


def _named(given: Sequence[str]) -> str:
    """Return the state directory that is among the words, or nothing."""
    for word, following in zip(given, (*given[1:], ""), strict=True):
        if word == _STATE_DIR:
            return following
        if word.startswith(f"{_STATE_DIR}="):
            return word.partition("=")[2]
    return ""


def _where(error: Exception) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    return (
        f"{os.path.basename(frames[-1].filename)}:{frames[-1].lineno} in {frames[-1].name}" if frames else ""
    )
