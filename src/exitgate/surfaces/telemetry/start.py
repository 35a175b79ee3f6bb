"""
Starts the process that shows decisions, and leaves it to itself.

It outlives the check, holds nothing that the check's caller could wait for, and cannot be led astray by
the folder it was started in: it is in ``/`` and imports nothing from there.
"""

from __future__ import annotations

from exitgate.children.python import command, environment
from exitgate.children.start import leave


def start(directory: str, spooled: bool, prometheus: str | None) -> None:
    """
    Start a process for what was just decided.

    Args:
        directory: The state directory, absolute.
        spooled: Whether it sends what is in the spool.
        prometheus: The textfile to write, or None.

    Raises:
        OSError: It could not be started.
    """
    leave(program(directory, spooled, prometheus), environment())


def program(directory: str, spooled: bool, prometheus: str | None) -> list[str]:
    """Return the words of the process, see `start`. Raises OSError when no interpreter is known."""
    words = (directory, "1" if spooled else "", prometheus or "")
    return command("exitgate.surfaces.telemetry.send", "main", *words)
