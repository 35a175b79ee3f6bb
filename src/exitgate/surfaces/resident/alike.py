"""
Whether a client's own process would decide as this one does: the same code, and no other powers.

A process in a sandbox must not read or write through one outside of it what it could not itself. So on Linux
what confines the client is compared with what confines this process; who differs decides alone.
"""

from __future__ import annotations

import errno
import os
import sys

from exitgate.surfaces.resident import protocol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.surfaces.resident.served import Asked


#: Lines of /proc/PID/status that say what a process may do.
_POWERS = (
    "Uid",
    "Gid",
    "Groups",
    "NoNewPrivs",
    "Seccomp",
    "Seccomp_filters",
    "CapInh",
    "CapPrm",
    "CapEff",
    "CapBnd",
    "CapAmb",
)
#: Where a process sees files, processes and users of its own.
_VIEWS = ("root", "ns/mnt", "ns/pid", "ns/user", "ns/ipc", "ns/net", "ns/uts", "ns/time")
#: Limits that a check can meet.
_LIMITS = ("RLIMIT_NOFILE", "RLIMIT_FSIZE", "RLIMIT_AS", "RLIMIT_DATA", "RLIMIT_STACK")


def differences(asked: Asked, number: int) -> str:
    """
    Return why the client has to decide itself, the empty text where it need not.

    Args:
        asked: What it asks.
        number: Its process, 0 where the system does not tell.
    """
    if asked.identity != protocol.identity():
        return "it is another version, another Python or another copy of exitgate"
    if asked.groups != ",".join(map(str, sorted(os.getgroups()))):
        return "it is in other groups"
    own = {*sys.path, os.path.join(sys.prefix, "bin")}  # there is the program itself
    other = next((one for one in asked.places if one and one not in own), None)
    if other is not None:
        return f"it does not look for modules in `{other}`"
    script = os.path.dirname(os.path.realpath(sys.argv[0]))
    further = next((one for one in _first_places() if one not in (*asked.places, script)), None)
    if further is not None:
        return f"it looks for modules in `{further}`, too"
    return _confined(number) if sys.platform.startswith("linux") else ""


def _first_places() -> list[str]:
    """Return where modules come from instead of Python's own: PYTHONPATH, the script's folder."""
    library = os.path.dirname(os.__file__)
    return sys.path[: sys.path.index(library)] if library in sys.path else sys.path


def _confined(number: int) -> str:
    try:
        mine, theirs = _powers("self"), _powers(str(number))
        for name in _VIEWS:
            if _view("self", name) != _view(str(number), name):
                return f"the process that asks has another view of the machine ({name})"
        if _label("self") != _label(str(number)):
            return "the process that asks is confined otherwise (security label)"
    except OSError as error:
        return f"what confines the process that asks is not known: {(error.strerror or str(error)).lower()}"
    other = next((name for name in _POWERS if mine.get(name) != theirs.get(name)), None)
    if other is not None:
        return f"the process that asks is confined otherwise ({other})"
    return _limited(number)


def _powers(process: str) -> dict[str, str]:
    with open(f"/proc/{process}/status", encoding="utf-8", errors="replace") as file:
        lines = [line.partition(":") for line in file]
    return {name: value.strip() for name, _, value in lines}


def _label(process: str) -> bytes:
    """Return the label that AppArmor, SELinux or Smack gave a process, nothing without any of them."""
    try:
        with open(f"/proc/{process}/attr/current", "rb") as file:
            return file.read()
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.EINVAL):
            return b""
        raise


def _view(process: str, name: str) -> tuple[int, int] | None:
    try:
        found = os.stat(f"/proc/{process}/{name}")
    except FileNotFoundError:
        if os.path.isdir(f"/proc/{process}"):
            return None  # the kernel has no such thing
        raise
    return found.st_dev, found.st_ino


def _limited(number: int) -> str:
    """Take the limits of the client; return why that cannot be."""
    import resource

    for name in _LIMITS:
        which = getattr(resource, name)
        try:
            theirs = resource.prlimit(number, which)
            if theirs != resource.getrlimit(which):
                resource.setrlimit(which, theirs)
        except (OSError, ValueError):
            return f"the process that asks has another limit ({name})"
    return ""
