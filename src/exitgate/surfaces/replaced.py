"""A file written over, whole or not at all."""

from __future__ import annotations

import os
import tempfile

from exitgate import system


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
    descriptor, new = tempfile.mkstemp(prefix=".exitgate-", dir=os.path.dirname(target))
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(new, mode)
        system.replace(new, target)
    except BaseException:
        os.unlink(new)
        raise
