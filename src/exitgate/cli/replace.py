"""Putting a new text in the place of a file, whole or not at all."""

from __future__ import annotations

import os
import tempfile

from exitgate.model.diagnostic import Diagnostic, ExitgateError
from exitgate.model.verdict import CANNOT_WRITE


def replace_text(path: str, text: str) -> None:
    """
    Write `text` to a new file beside `path` and move it there, with the mode of the old one.

    A link keeps pointing: the file behind it is replaced. Raises `ExitgateError` (73).
    """
    target = os.path.realpath(path)
    try:
        mode = os.stat(target).st_mode
        descriptor, new = tempfile.mkstemp(prefix=".exitgate-", dir=os.path.dirname(target))
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            os.chmod(new, mode & 0o7777)
            os.replace(new, target)
        except BaseException:
            os.unlink(new)
            raise
    except OSError as error:
        problem = Diagnostic(
            "EP805", f"cannot write `{path}`: {error.strerror}", help="check its folder's rights"
        )
        raise ExitgateError([problem], CANNOT_WRITE) from error
