"""What is said when exitgate itself is at fault."""

from __future__ import annotations

import os
import traceback

from exitgate import __version__
from exitgate.report.safe import safe


def crash_note(error: Exception) -> str:
    """
    Return a short note for stderr: what went wrong and where in exitgate, not the user's text.

    With ``EXITGATE_DEBUG=1`` in the environment the whole traceback stands before it.
    """
    where = ""
    for frame in traceback.extract_tb(error.__traceback__):
        where = f"{os.path.basename(frame.filename)}:{frame.lineno} in {frame.name}"
    note = [
        f"error[EP999]: internal error, not a decision: {type(error).__name__}: {safe(str(error))[:200]}",
        f"  --> {where} (exitgate {__version__})",
        "  help: this is a fault of exitgate; EXITGATE_DEBUG=1 shows where it happened",
    ]
    full = "".join(traceback.format_exception(error)) if os.environ.get("EXITGATE_DEBUG") == "1" else ""
    return full + "\n".join(note) + "\n"
