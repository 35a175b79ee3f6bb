"""Writing a long result to stdout piece by piece, so that it never is in memory as a whole."""

from __future__ import annotations

import os
import sys

from exitgate.model.diagnostic import Diagnostic, ExitgateError
from exitgate.model.verdict import CANNOT_WRITE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def stream(pieces: Iterable[str]) -> None:
    """
    Write each piece to stdout; stop silently when the reader has gone away.

    Raises:
        ExitgateError: 73 when stdout cannot take it; anything that `pieces` raises.
    """
    out = sys.stdout
    if out is None:
        return
    encoding = out.encoding or "utf-8"
    try:
        for piece in pieces:
            out.write(piece.encode(encoding, "backslashreplace").decode(encoding))
        out.flush()
    except OSError as error:
        # Python flushes the stream once more when it ends; let that go nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), out.fileno())
        if not isinstance(error, BrokenPipeError):
            message = f"cannot write the result: {error.strerror}"
            problem = Diagnostic("EP805", message, help="make room, or write it elsewhere")
            raise ExitgateError([problem], CANNOT_WRITE) from error
