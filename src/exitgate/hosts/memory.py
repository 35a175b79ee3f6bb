"""
What is remembered of a session between its stops: `<state_dir>/hooks/<session>.json`.

The ledger alone decides. This says how often in a row the agent was held back, and which stop was the
last, so that the same stop reported twice is decided on once. The record has a fixed size and is written in
place: that needs no room on a full disk, and is whole or as it was.
"""

from __future__ import annotations

import os

from exitgate import opening, system
from exitgate.hosts.codes import MEMORY, problem
from exitgate.model.quick_json import dumps_finite, loads
from exitgate.model.value import Value
from exitgate.model.verdict import CANNOT_WRITE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.model.diagnostic import ExitgateError

SIZE = 1024
FORMAT = 1
ENDING = ".json"
#: Seconds after its last stop for which a session is remembered; its run has long expired then.
KEPT = 30 * 24 * 3600.0


class Memory(Value):
    """
    What is remembered.

    Args:
        born: When the session was first seen, as text; part of the ids of its turns.
        serial: Number of the last stop, from 1; 0 before the first.
        key: Digest of what told the last stop.
        time: When it was answered, seconds since the epoch.
        row: How often in a row the agent had been held back before it.
        held: The same, counted regardless of what the host says of new prompts.
        blocked: Whether it was held back then.
        prompt: Digest of the host's id of the prompt then, or the empty text.
        marked: Whether the session's prompt made it a loop.
        tasks: What ran in the background at the last stop, as `hosts.waiting` writes it.
        undecided: Digest of what told the last stop that was not decided on, or the empty text.
        whole: What tells the message then, as `hosts.gathered` writes it, where the host gathers them.
    """

    __slots__ = (
        "blocked", "born", "held", "key", "marked", "prompt", "row", "serial", "tasks", "time", "undecided",
        "whole",
    )  # fmt: skip

    def __init__(
        self,
        born: str,
        serial: int = 0,
        key: str = "",
        time: float = 0.0,
        row: int = 0,
        held: int = 0,
        blocked: bool = False,
        prompt: str = "",
        marked: bool = False,
        tasks: str = "",
        undecided: str = "",
        whole: str = "",
    ) -> None:
        self.born = born
        self.serial = serial
        self.key = key
        self.time = time
        self.row = row
        self.held = held
        self.blocked = blocked
        self.prompt = prompt
        self.marked = marked
        self.tasks = tasks
        self.undecided = undecided
        self.whole = whole


def recall(path: str) -> Memory | None:
    """Return what is remembered at `path`; None where nothing is, or what is there cannot be used."""
    try:
        raw = opening.beginning(path, SIZE)
    except OSError:
        return None
    if not raw:
        return None
    try:
        found = loads(raw.decode("ascii"))
    except (ValueError, RecursionError):
        return None
    return _fitting(found) if isinstance(found, dict) and found.pop("format", 0) == FORMAT else None


def keep(path: str, memory: Memory) -> None:
    """
    Write what is remembered over what was.

    Raises:
        ExitgateError: 73 where it cannot be written; an agent whose blocks cannot be counted is not held.
    """
    plain = {"format": FORMAT, **{name: getattr(memory, name) for name in Memory.__slots__}}
    raw = dumps_finite(plain).encode("ascii").ljust(SIZE - 1) + b"\n"
    try:
        file = opening.writing(path)
        try:
            if system.pwrite(file, raw, 0) != len(raw):
                raise unkept(path, "no space left")
        finally:
            os.close(file)
    except OSError as error:
        raise unkept(path, error.strerror or type(error).__name__) from error


def forget_old(folder: str, now: float) -> None:
    """Remove what is remembered of sessions whose last stop was long before `now`."""
    with os.scandir(folder) as entries:
        for entry in entries:
            try:
                if entry.name.endswith(ENDING) and entry.stat(follow_symlinks=False).st_mtime < now - KEPT:
                    os.unlink(entry.path)
            except OSError:
                continue  # another call removed it, or it is not a file: it takes room and no more


def unkept(path: str, why: str) -> ExitgateError:
    """Return the error (73) for what cannot be remembered at `path`."""
    here = os.path.join(os.getcwd(), "")
    message = f"cannot write `{path.removeprefix(here)}`: {why}"
    return problem(MEMORY, message, "free some space, or remove the obstacle", CANNOT_WRITE)


def _fitting(found: dict[str, object]) -> Memory | None:
    """Return the memory in an object with exactly its fields, each of its type; else None."""
    standard = Memory("")
    if set(found) != set(Memory.__slots__):
        return None
    for name, value in found.items():
        wanted = type(getattr(standard, name))
        if type(value) is not wanted and not (wanted is float and type(value) is int):
            return None
    return Memory(**found)  # type: ignore[arg-type]
