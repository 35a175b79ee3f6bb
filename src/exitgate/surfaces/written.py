"""A text written to a stream that may be closed, full or of another encoding."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO


def write_out(stream: TextIO, text: str) -> None:
    """
    Write a text and flush; what the stream's encoding cannot hold is written as escapes.

    Raises:
        OSError: Where the stream does not take it: `BrokenPipeError` for a reader that went away. Anything
            that Python still has for the stream goes nowhere then.
    """
    encoding = stream.encoding or "utf-8"
    try:
        stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
        stream.flush()
    except OSError:
        # Python flushes the stream once more when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        raise
