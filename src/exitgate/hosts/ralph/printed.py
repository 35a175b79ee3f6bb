"""The bash file as it is printed: its text with the program and the policy to ask put in."""

from __future__ import annotations

import os

from exitgate.children.python import bare, places

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "shim.bash")


def shim(policy: str | None) -> str:
    """
    Return the bash file.

    A variable EXITGATE names another program to start for a step. Without it the interpreter that
    prints is started itself, as it costs a tenth less than the script that pip writes; once that is
    gone, no matter what `exitgate` is on the PATH.

    Args:
        policy: Shipped name or path; None leaves it to the project's settings.
    """
    with open(FILE, encoding="utf-8") as file:
        text = file.read()
    program = " ".join(quoted(word) for word in bare("exitgate.cli.main", "main", _paths()))
    return text.replace("@POLICY@", quoted(policy or "")).replace("@PROGRAM@", program)


def quoted(text: str) -> str:
    """Return a text as one word of the shell."""
    return "'" + text.replace("'", "'\\''") + "'"


def _paths() -> list[str]:
    """Return where this program and what it needs are imported from, beside Python's own library."""
    own = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
    library = os.path.dirname(os.__file__)
    others = [path for path in places() if os.path.basename(path) in ("site-packages", "dist-packages")]
    return list(dict.fromkeys(path for path in (own, *others) if path != library))
