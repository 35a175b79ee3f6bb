"""Verdicts, classes of exit and the exit codes of the process."""

from __future__ import annotations

CONTINUE = "CONTINUE"
EXIT = "EXIT"

#: The one class that is success.
COMPLETE = "complete"

#: Exit code of each class, as `docs/reference/exit-codes.md` lists them. Only `complete` is success.
CLASS_CODES = {
    "blocked": 2,
    "complete": 10,
    "review": 11,
    "stuck": 12,
    "halted": 13,
    "exhausted": 14,
    "undetermined": 15,
    "idle": 16,
    "wait": 17,
    "failed": 18,
    "interrupted": 130,
}

CLASSES = tuple(CLASS_CODES)

OK = 0
USAGE = 64
BAD_POLICY = 65
NOTHING_TO_DECIDE = 66
FINDINGS = 69
INTERNAL = 70
CANNOT_WRITE = 73
CANNOT_READ = 74
LOCKED = 75


def code_of(error: Exception) -> int:
    """
    Return the exit code for a file that cannot be used.

    66 when it does not exist, 65 when what it holds is not text, else 74.
    """
    if not isinstance(error, OSError):
        return BAD_POLICY
    return NOTHING_TO_DECIDE if isinstance(error, FileNotFoundError | NotADirectoryError) else CANNOT_READ


STAGES = ("before_iteration", "after_iteration", "after_failure")
