"""
The process that waits for a loop's steps, so that Python and what it has loaded stay between iterations.

It is started by the loop's shell and ends when that ends. A folder of the shell's holds two named pipes,
`ask` and `told`, and `pid` once the process listens. A request is a row of fields, each ended by NUL and
known by its first letter: `i` the id, `d` the folder to be in, `p` the policy, `w` a word of the step, `v`
NAME=VALUE, `u` the name of a variable that is not set, and `e` the end. The answer is one line: the id, a
blank, and the exit code of the step, or `AGAIN` where a process of its own has to do the step and to say what
is wrong.
"""

from __future__ import annotations

import fcntl
import os
import select

from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.model.value import Value
from exitgate.hosts.shim.dispatch import perform

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


ASK, TOLD, PID = "ask", "told", "pid"
#: How the folder's name begins.
FOLDER = "exitgate-shim-"
#: Answer of a step that was not done here.
AGAIN = 127
#: Bytes of the longest request; more is garbage.
LIMIT = 1 << 20
#: Seconds between two looks at whether the shell and the folder are still there.
PAUSE = 5.0
#: Variables that come with each request, and only so.
OWN = "EXITGATE_"


class StepRequest(Value):
    """One request: its id, the folder to be in, the policy or empty, the words, variables set and not set."""

    __slots__ = ("folder", "id", "policy", "unset", "variables", "words")

    def __init__(
        self,
        id: str,
        folder: str,
        policy: str,
        words: tuple[str, ...],
        variables: Mapping[str, str],
        unset: tuple[str, ...] = (),
    ) -> None:
        self.id = id
        self.folder = folder
        self.policy = policy
        self.words = words
        self.variables = variables
        self.unset = unset


def read_request(raw: bytes) -> StepRequest | None:
    """Return the request in the fields before its end, None where there is no sound one."""
    fields = [os.fsdecode(field) for field in raw.split(b"\0")]
    parts = {letter: [one[1:] for one in fields if one[:1] == letter] for letter in "idpwvu"}
    if any(len(parts[letter]) != 1 for letter in "idp") or not parts["w"]:
        return None
    pairs = (one.partition("=") for one in parts["v"])
    variables = {name: value for name, sign, value in pairs if name and sign}
    (id,), (folder,), (policy,) = parts["i"], parts["d"], parts["p"]
    return StepRequest(id, folder, policy, tuple(parts["w"]), variables, tuple(parts["u"]))


def answer_request(asked: StepRequest, environment: Mapping[str, str]) -> int:
    """Do the step of a request and return its exit code, `AGAIN` where anything is wrong."""
    try:
        os.chdir(asked.folder)
        kept = {name: value for name, value in environment.items() if name not in asked.unset}
        os.environ.clear()
        os.environ.update({**kept, **asked.variables})
        out, code = perform(asked.words[0], asked.words[1:], asked.policy or None)
    except (ExitgateError, OSError, ValueError):
        return AGAIN  # the step is done once more in a process of its own, which says what is wrong
    return AGAIN if out else code


def serve(folder: str, shell: int) -> None:
    """
    Answer requests until the shell has ended; then remove the folder.

    Args:
        folder: With the two pipes, as absolute path.
        shell: Process id of the loop's shell.

    Raises:
        OSError: Where the pipes are missing.
    """
    ask = os.open(os.path.join(folder, ASK), os.O_RDWR | os.O_CLOEXEC)
    told = os.open(os.path.join(folder, TOLD), os.O_RDWR | os.O_CLOEXEC)
    environment = {name: value for name, value in os.environ.items() if not name.startswith(OWN)}
    clear(os.path.dirname(folder))
    if os.getpgrp() != os.getpid():
        os.setsid()  # what is typed at the loop's terminal is for the loop
    try:
        _listen(folder, shell, ask, told, environment)
    finally:
        for name in (PID, ASK, TOLD):
            _remove(os.path.join(folder, name))
        os.rmdir(folder)


def clear(parent: str) -> None:
    """Remove the folders in `parent` of processes of this user that were killed: no other process would."""
    for name in os.listdir(parent) if os.path.isdir(parent) else ():
        folder = os.path.join(parent, name)
        if not name.startswith(FOLDER) or os.path.islink(folder):
            continue
        try:
            if os.stat(folder).st_uid == os.getuid() and _is_left(folder):
                for part in (PID, ASK, TOLD):
                    _remove(os.path.join(folder, part))
                os.rmdir(folder)
        except OSError:
            continue  # it is another's, has just begun, or holds what is not ours


def _is_left(folder: str) -> bool:
    """Return whether no process holds the lock on the folder's `pid`. Raises `OSError` without one."""
    file = os.open(os.path.join(folder, PID), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(file)
    return True


def _listen(folder: str, shell: int, ask: int, told: int, environment: Mapping[str, str]) -> None:
    with open(os.path.join(folder, PID), "x", encoding="ascii") as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # as long as this process lives
        file.write(f"{os.getpid()}\n")
        file.flush()
        _serve(folder, shell, ask, told, environment)


def _serve(folder: str, shell: int, ask: int, told: int, environment: Mapping[str, str]) -> None:
    poll = select.poll()
    poll.register(ask, select.POLLIN)
    watched = _watched(shell)
    if watched is not None:
        poll.register(watched, select.POLLIN)
    kept = b""
    while _is_there(shell) and os.path.exists(os.path.join(folder, ASK)):
        ready = [descriptor for descriptor, _ in poll.poll(PAUSE * 1000)]
        if watched in ready:
            return
        if ask not in ready:
            continue
        kept += os.read(ask, 1 << 16)
        *whole, kept = kept.split(b"\0e\0")
        kept = kept if len(kept) < LIMIT else b""
        for raw in whole:
            asked = read_request(raw)
            if asked is not None:
                os.write(
                    told, f"{asked.id} {answer_request(asked, environment)}\n".encode("utf-8", "replace")
                )


def _watched(shell: int) -> int | None:
    """Return a descriptor that is ready when the shell ends, None on systems without one."""
    if not hasattr(os, "pidfd_open"):
        return None
    try:
        return os.pidfd_open(shell)
    except OSError:
        return None  # an older kernel; the looks in between find it out


def _is_there(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:
        return
