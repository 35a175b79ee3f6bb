"""
The processes of one agent: its process group, and on Linux everything else in its session.

An agent is started in a session of its own. Processes that leave the session on purpose (daemons) are
not looked for.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

from exitgate.core.system.child import LateError, found, run

_PROC = "/proc"
#: Places in what follows the name in /proc/PID/stat: state, session, start in ticks since the machine's.
_STATE, _GROUP, _SESSION, _START = 0, 2, 3, 19
_GONE = ("Z", "X")


def members(leader: int) -> tuple[int, ...]:
    """Return the living processes of the session or group that process `leader` began."""
    wanted = str(leader)
    if os.path.isdir(f"{_PROC}/self"):
        return tuple(
            pid
            for pid, fields in _processes()
            if wanted in (fields[_SESSION], fields[_GROUP]) and fields[_STATE] not in _GONE
        )
    try:
        os.killpg(leader, 0)
    except (ProcessLookupError, PermissionError):
        return ()
    return (leader,)


def send(leader: int, number: int) -> None:
    """Send a signal to all of them; a process that has ended meanwhile is not trouble."""
    _to(os.killpg, leader, number)
    for pid in members(leader):
        if pid != leader and _group_of(pid) != leader:
            _to(os.kill, pid, number)
    if number not in (signal.SIGKILL, signal.SIGSTOP):  # a stopped process would not notice
        _to(os.killpg, leader, signal.SIGCONT)


def identity(pid: int) -> str | None:
    """
    Return what distinguishes this process from a later one of the same number, None when it does not exist.

    On Linux its start since the machine's and the machine's own; elsewhere what `ps` says of its start.
    """
    try:
        with open(f"{_PROC}/{pid}/stat", "rb") as file:
            fields = _fields(file.read())
    except OSError:
        return None if os.path.isdir(f"{_PROC}/self") else _from_ps(pid)
    return f"{_boot()} {fields[_START]}"


def is_left(leader: int, known: str) -> bool:
    """
    Return whether anything is left of the session that process `leader` began.

    `known` is what `identity` said of it. A leader that has ended may have left others; its number is not
    given to anybody else as long as they are there.
    """
    now = identity(leader)
    if now is not None:
        return now == known
    return known.partition(" ")[0] == _boot() and bool(members(leader))


def _boot() -> str:
    """Return what tells this start of the machine from any other, the empty text where nothing does."""
    try:
        with open(f"{_PROC}/sys/kernel/random/boot_id", encoding="ascii") as file:
            return file.read().strip()
    except OSError:
        return ""


def _processes() -> Iterator[tuple[int, list[str]]]:
    for name in os.listdir(_PROC):
        if name.isdigit():
            try:
                with open(f"{_PROC}/{name}/stat", "rb") as file:
                    yield int(name), _fields(file.read())
            except OSError:  # it ended meanwhile
                continue


def _fields(stat: bytes) -> list[str]:
    """Return what follows the name, which may hold anything, blanks and brackets too."""
    return stat.rpartition(b")")[2].decode("ascii", "replace").split()


def _group_of(pid: int) -> int:
    try:
        return os.getpgid(pid)
    except ProcessLookupError:
        return -1


def _to(send: object, target: int, number: int) -> None:
    assert callable(send)
    try:
        send(target, number)
    except (ProcessLookupError, PermissionError):
        return  # gone, or a zombie that cannot be reached


def _from_ps(pid: int) -> str | None:
    ps = found("ps")
    if ps is None:
        return None
    try:
        return run([ps, "-o", "lstart=", "-p", str(pid)], seconds=10).out.strip() or None
    except (OSError, LateError):
        return None
