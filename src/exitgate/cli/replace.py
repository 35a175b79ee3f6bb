"""Writing files: a new text instead of an old one, whole or not at all; a file not there yet."""

from __future__ import annotations

import os

from exitgate.model.diagnostic import Diagnostic, ExitgateError
from exitgate.model.verdict import CANNOT_WRITE
from exitgate.surfaces.replaced import write_over

RIGHTS = "check its folder's rights"


def replace_text(path: str, text: str) -> None:
    """
    Write `text` to a new file beside `path` and move it there, with the mode of the old one.

    A link keeps pointing: the file behind it is replaced. Raises `ExitgateError` (73).
    """
    target = os.path.realpath(path)
    try:
        mode = os.stat(target).st_mode
        write_over(target, text, mode & 0o7777)
    except OSError as error:
        raise _not_written(path, error, RIGHTS) from error


def write_new(path: str, text: str, help: str = RIGHTS) -> None:
    """Write a file that does not exist yet, with its folders. Raises `ExitgateError` (73) with `help`."""
    try:
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        with open(path, "x", encoding="utf-8", newline="") as file:
            file.write(text)
    except OSError as error:
        raise _not_written(path, error, help) from error


def _not_written(path: str, error: OSError, help: str) -> ExitgateError:
    problem = Diagnostic("EP805", f"cannot write `{path}`: {error.strerror}", help=help)
    return ExitgateError([problem], CANNOT_WRITE)
