"""A text written to a stream that may be closed, full or of another encoding."""

from __future__ import annotations

import os

from exitgate.core.system import portable

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


# A file written over, whole or not at all.


def write_over(target: str, text: str, mode: int) -> None:
    """
    Write `text` to a new file beside `target`, bring it to the disk, and move it there.

    Args:
        target: Path without links; it need not be there yet, its folder must.
        text: Written in UTF-8, line ends as they are.
        mode: Permission bits of the file.

    Raises:
        OSError: What was there stays then.
    """
    import tempfile

    descriptor, new = tempfile.mkstemp(prefix=".exitgate-", dir=os.path.dirname(target))
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(new, mode)
        portable.replace(new, target)
    except BaseException:
        os.unlink(new)
        raise
