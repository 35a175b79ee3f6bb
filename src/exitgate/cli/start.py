"""
Where the program `exitgate` starts: a command that decides goes to the resident process, if one listens.

Nothing else of the program is loaded before that is known. Where no one listens it costs a look at one path.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


#: How the command lines begin that decide.
_DECIDE = (["check"], ["hook"], ["shim", "ralph-step"])


def main() -> int:
    """Run the process's own command line and return the exit code. Never raises."""
    words = sys.argv[1:]
    if words[:1] in _DECIDE or words[:2] in _DECIDE:
        from exitgate.surfaces.resident.place import folder_with_socket

        folder = folder_with_socket(os.environ)
        if folder:
            code = _asked(folder, words)
            if code is not None:
                return code
    from exitgate.cli.main import main as run

    return run()


def _asked(folder: str, words: Sequence[str]) -> int | None:
    """Return the exit code of a command that the resident process ran, None where it did not."""
    from exitgate.surfaces.resident.client import LostError, ask, end_with

    try:
        code = ask(folder, words)
    except (LostError, KeyboardInterrupt) as error:
        return _lost(error, list(words))
    if code is not None:
        end_with(code)
    return code


def _lost(error: BaseException, words: list[str]) -> int:
    """Answer where the answer of the resident process is not to be had, and nothing may be decided anew."""
    from exitgate.cli import main as program
    from exitgate.cli.command import Answer
    from exitgate.cli.parsing.usage import failure
    from exitgate.cli.terminal import write
    from exitgate.core.model.decision import INTERNAL

    program.begin()
    if isinstance(error, Exception):
        if words[0] == "hook" and getattr(error, "printed", False):
            # Two replies are not JSON: the host makes of the first what it can, or lets the agent stop.
            return program.leave(write(Answer(err=f"exitgate: [EP809] {error}\n")))
        help = "`exitgate history` has the decision, and `exitgate explain` its reasons"
        error = failure("EP809", f"the resident process did not answer: {error}", help, INTERNAL)
    return program.leave(write(program.answer_to_trouble(error, words)))
