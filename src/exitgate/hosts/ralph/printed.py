"""The bash file as it is printed: its text with the program and the policy to ask put in."""

from __future__ import annotations

import os

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "shim.bash")


def shim(policy: str | None, program: str) -> str:
    """
    Return the bash file.

    Args:
        policy: Shipped name or path; None leaves it to the project's settings.
        program: What is started for a step; a variable EXITGATE wins over it.
    """
    with open(FILE, encoding="utf-8") as file:
        text = file.read()
    return text.replace("@POLICY@", quoted(policy or "")).replace("@PROGRAM@", quoted(program))


def quoted(text: str) -> str:
    """Return a text as one word of the shell."""
    return "'" + text.replace("'", "'\\''") + "'"
