"""Where a loop keeps its own files: transcripts in `runs` below the state directory, the rest in `loops`."""

from __future__ import annotations

import os

from exitgate.core.ledger.gitignore import leave_out_folder
from exitgate.core.ledger.runs import name_of, number_of
from exitgate.core.system import safe_files
from exitgate.core.system.digest import hex_digest

TRANSCRIPTS, OWN = "runs", "loops"

#: Longest part of a file's name that a run's name makes; beyond, a digest stands for the rest.
_LONGEST = 160
_KEPT = 100


def file_name(name: str) -> str:
    """
    Return a run's name as a name of a file: what is not a letter, digit, ``.``, ``_`` or ``-`` of ASCII is
    written ``%2F``, so that two names are never one file.
    """
    from urllib.parse import quote

    safe = quote(name, safe="").replace("~", "%7E")
    if len(safe) <= _LONGEST:
        return safe
    return f"{safe[:_KEPT]}~{hex_digest(name.encode('utf-8', 'surrogatepass'))[:32]}"


def transcript_path(directory: str, run: str) -> str:
    """Return the path of the transcript of run id `run`: ``runs/nightly.3.jsonl`` for ``nightly#3``."""
    return os.path.join(directory, TRANSCRIPTS, f"{file_name(name_of(run))}.{number_of(run)}.jsonl")


def lock_path(directory: str, name: str) -> str:
    """Return the path of the file that a loop of the run called `name` holds."""
    return os.path.join(directory, OWN, f"{file_name(name)}.lock")


def prompt_path(directory: str, name: str) -> str:
    """Return the path at which ``{prompt_file}`` of the run called `name` is."""
    return os.path.join(directory, OWN, f"{file_name(name)}.prompt.md")


def make_folders(directory: str) -> None:
    """
    Make the folders, private to the user. Raises `ExitgateError` (73).

    The first loop tells git to leave the state directory alone: agents commit everything, remove what
    is not tracked, and put back what is.
    """
    from exitgate.hosts.loop.codes import cannot_keep

    own = [os.path.join(directory, name) for name in (TRANSCRIPTS, OWN)]
    for path in (directory, *own):
        try:
            if safe_files.make_folder(path) and path == own[0]:
                leave_out_folder(directory)
        except OSError as error:
            raise cannot_keep(path, error) from error
