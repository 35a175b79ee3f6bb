"""Begin and end of the process that one command is (`docs/decisions/0302-start-of-a-check.md`)."""

from __future__ import annotations

import atexit
import gc
import os
import sys

#: New objects before Python looks for circles among them; a check makes fewer, and then ends.
_OBJECTS = 100_000


def begin() -> None:
    """
    Look for circles of unused objects seldom: loading modules makes thousands of objects that stay.

    Streams that the caller closed are occupied first: else the lock or the ledger would be opened instead
    of one, be read as standard input, or take what a library writes to standard error.
    """
    gc.set_threshold(_OBJECTS, 10, 10)
    for stream in (0, 1, 2):
        try:
            os.fstat(stream)
        except OSError:
            os.open(os.devnull, os.O_WRONLY)  # the lowest that is free; reading from it fails


def leave(code: int) -> int:
    """
    End the process with `code` at once, or return it where somebody waits for a regular end.

    Everything is written and flushed, nothing is left to run; taking every module apart again costs
    a check as much as reading its policy. Exit functions, a tracer, a profiler, other threads,
    ``python -i`` and Python's development mode get the regular end.
    """
    waiting = (
        atexit._ncallbacks()
        or "threading" in sys.modules
        or sys.gettrace() is not None
        or sys.getprofile() is not None
        or sys.flags.inspect
        or sys.flags.dev_mode
    )
    if waiting:
        return code
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
    except (OSError, ValueError):
        return code
    os._exit(code)
