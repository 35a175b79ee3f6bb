"""
Starts the process that tells of decisions, and leaves it to itself.

It outlives the check, holds nothing that the check's caller could wait for, and cannot be led astray by
the folder it was started in: it stands in ``/`` and imports nothing from there.
"""

from __future__ import annotations

import os
import sys

#: The shell puts it into the background and ends, so that nobody has to wait for it or bury it.
_DETACH = 'cd / && "$@" &'
#: Descriptors that are looked at where the system does not list those in use.
_USUAL = 256
_CODE = "from exitgate.surfaces.telemetry.send import main; main()"


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
    words = ["/bin/sh", "-c", _DETACH, "sh", *program(directory, spooled, prometheus)]
    quiet = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
        (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
        # A pipe or a lock of the caller's that it holds open would keep the caller waiting.
        *((os.POSIX_SPAWN_CLOSE, number) for number in _inherited()),
    ]
    try:
        child = os.posix_spawn(words[0], words, _environment(), file_actions=quiet, setsid=True)
    except NotImplementedError:
        child = os.posix_spawn(words[0], words, _environment(), file_actions=quiet)
    try:
        _, status = os.waitpid(child, 0)
    except ChildProcessError:
        return  # the caller lets the system bury its children
    if status:
        raise OSError(f"the shell ended with {os.waitstatus_to_exitcode(status)}")


def program(directory: str, spooled: bool, prometheus: str | None) -> list[str]:
    """Return the words of the process, see `start`."""
    return [sys.executable, "-P", "-c", _CODE, directory, "1" if spooled else "", prometheus or ""]


def _environment() -> dict[str, str]:
    """Return this process's variables, with places of modules that do not depend on the folder."""
    environment = dict(os.environ)
    places = environment.get("PYTHONPATH")
    if places:
        whole = (os.path.abspath(one) for one in places.split(os.pathsep) if one)
        environment["PYTHONPATH"] = os.pathsep.join(whole)
    return environment


def _inherited() -> list[int]:
    """Return the descriptors behind the three streams that a new process would get."""
    try:
        numbers = [int(name) for name in os.listdir("/dev/fd")]
    except FileNotFoundError:
        numbers = list(range(_USUAL))
    found = []
    for number in numbers:
        try:
            if number > 2 and os.get_inheritable(number):
                found.append(number)
        except OSError:
            continue  # not open, or the listing's own
    return found
