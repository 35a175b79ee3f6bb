"""
What is remembered of a session between its stops: `<state_dir>/hooks/<session>.json`.

The ledger alone decides. This says how often in a row the agent was held back, and which stop was the
last, so that the same stop reported twice is decided on once. The record has a fixed size and is written in
place: that needs no room on a full disk, and is whole or as it was.
"""

from __future__ import annotations

import os

from exitgate.core.ledger.gitignore import leave_out_folder
from exitgate.core.model.decision import CANNOT_WRITE, LOCKED
from exitgate.core.model.json_object import JsonObject, object_or_none
from exitgate.core.model.value import Value
from exitgate.core.state.incidents import CALL_ENDING
from exitgate.core.system import portable, safe_files
from exitgate.core.system.quick_json import dumps_finite, loads
from exitgate.hosts.hook.protocol import MEMORY, problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType

    from exitgate.core.model.diagnostic import ExitgateError


SIZE = 8192
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
        goal: What the first prompt names as the goal, or the empty text.
        whole: What tells the message then, as `hosts.gathered` writes it, where the host gathers them.
    """

    __slots__ = (
        "blocked", "born", "goal", "held", "key", "marked", "prompt", "row", "serial", "tasks", "time",
        "undecided", "whole",
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
        goal: str = "",
    ) -> None:
        self.born = born
        self.goal = goal
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


def load_memory(path: str) -> Memory | None:
    """Return what is remembered at `path`; None where nothing is, or what is there cannot be used."""
    try:
        raw = safe_files.beginning(path, SIZE)
    except OSError:
        return None
    if not raw:
        return None
    try:
        found = loads(raw.decode("ascii"))
    except (ValueError, RecursionError):
        return None
    return _fitting(found) if isinstance(found, dict) and found.pop("format", 0) == FORMAT else None


def save_memory(path: str, memory: Memory) -> None:
    """
    Write what is remembered over what was.

    Raises:
        ExitgateError: 73 where it cannot be written; an agent whose blocks cannot be counted is not held.
    """
    plain = {"format": FORMAT, **{name: getattr(memory, name) for name in Memory.__slots__}}
    raw = dumps_finite(plain).encode("ascii").ljust(SIZE - 1) + b"\n"
    try:
        file = safe_files.writing(path)
        try:
            if portable.pwrite(file, raw, 0) != len(raw):
                raise cannot_save(path, "no space left")
        finally:
            os.close(file)
    except OSError as error:
        raise cannot_save(path, error.strerror or type(error).__name__) from error


def remove_old(folder: str, now: float) -> None:
    """Remove what is remembered of sessions whose last stop was long before `now`."""
    with os.scandir(folder) as entries:
        for entry in entries:
            try:
                if entry.name.endswith(ENDING) and entry.stat(follow_symlinks=False).st_mtime < now - KEPT:
                    os.unlink(entry.path)
            except OSError:
                continue  # another call removed it, or it is not a file: it takes room and no more


def cannot_save(path: str, why: str) -> ExitgateError:
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


# Calls under way: `<state_dir>/hooks/<session>.call`, locked by the process that answers and removed by it.
#
# The lock keeps two calls of one session apart. A file that no process holds was left by a call that was
# ended before it could answer, by the host's time limit for one: the next call of any session finds it.

#: Seconds to wait for another call of the same session.
WAIT = 5.0
_SIZE = 4096

#: What a call says of itself: host, session, serial; and when it was last heard of, seconds since the epoch.
Left = JsonObject


class PendingCall:
    """
    One call under way, as a context.

    Args:
        folder: Of the files; made where it does not exist, private to the user.
        name: Of the session, fit for a file name.
        told: What the file says: the host's id and the session's.
        wait: Seconds to wait for another call of the session, which may ask the world.

    `left` is what an earlier call of this session left when it was ended, or None; `killed` is that of
    every such call of any session.

    Raises:
        ExitgateError: 75 where another call of the session does not end in time, 73 where the file
            cannot be made.
    """

    def __init__(self, folder: str, name: str, told: dict[str, str], wait: float = WAIT) -> None:
        self._folder = folder
        self._wait = wait
        self._path = os.path.join(folder, f"{name}{CALL_ENDING}")
        self._told = told
        self._file = -1
        self.left: Left | None = None
        self.killed: tuple[Left, ...] = ()

    def __enter__(self) -> PendingCall:
        try:
            self._file = self._taken()
            self.left = _content(self._file)
            self.say(0)
        except OSError as error:
            self._close()
            raise cannot_save(self._path, error.strerror or type(error).__name__) from error
        except BaseException:
            self._close()
            raise
        self.killed = (*([self.left] if self.left is not None else []), *self._swept())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None or not issubclass(kind, SystemExit):  # this process was asked to end
                os.unlink(self._path)
        except OSError:
            return  # left there it reports a call that was ended: too much is reported, nothing is lost
        finally:
            self._close()

    def say(self, serial: int) -> None:
        """Note which stop is decided on. Raises `OSError` where that cannot be written."""
        raw = dumps_finite({**self._told, "serial": serial}).encode("ascii")[:_SIZE]
        os.ftruncate(self._file, 0)
        if portable.pwrite(self._file, raw, 0) != len(raw):
            raise cannot_save(self._path, "no space left")

    def _taken(self) -> int:
        """Return the descriptor of the session's file, locked."""
        import time

        _make(self._folder)
        until = time.monotonic() + self._wait
        while True:
            file = safe_files.writing(self._path, read=True)
            try:
                portable.lock_until(file, until)
                if _is_at(file, self._path):
                    return file
            except BlockingIOError:
                os.close(file)
                message = f"another call for this session has been under way for {self._wait:.0f} s"
                raise problem(MEMORY, message, "the next stop is decided on again", LOCKED) from None
            except OSError:
                os.close(file)
                raise
            os.close(file)

    def _swept(self) -> list[Left]:
        """Remove what ended calls of other sessions left, and return it."""
        found = []
        for name in safe_files.names(self._folder):
            path = os.path.join(self._folder, name)
            if not name.endswith(CALL_ENDING) or path == self._path:
                continue
            try:
                file = safe_files.writing(path, read=True, make=False)
            except OSError:
                continue  # it was removed meanwhile, or is not a file of ours
            try:
                portable.lock(file)
                if _is_at(file, path):
                    content = _content(file)
                    os.unlink(path)
                    found += [] if content is None else [content]
            except OSError:
                continue  # the call is still under way
            finally:
                os.close(file)
        return found

    def _close(self) -> None:
        if self._file >= 0:
            os.close(self._file)
        self._file = -1


def _make(folder: str) -> None:
    """Make the folder; a link in its place could have files written elsewhere."""
    for path in (os.path.dirname(folder), folder):
        try:
            if safe_files.make_folder(path) and path != folder:
                leave_out_folder(path)
        except OSError as error:
            raise cannot_save(path, error.strerror or type(error).__name__) from error


def _is_at(file: int, path: str) -> bool:
    """Return whether `path` still names the open file: its owner may have removed it meanwhile."""
    mine = os.fstat(file)
    try:
        there = os.lstat(path)
    except FileNotFoundError:
        return False
    return (mine.st_ino, mine.st_dev) == (there.st_ino, there.st_dev)


def _content(file: int) -> Left | None:
    raw = portable.pread(file, _SIZE, 0)
    if not raw:
        return None
    try:
        found = object_or_none(loads(raw.decode("ascii")))
    except (ValueError, RecursionError):
        return None
    # When it was last heard of: the incident is of then, not of when it is found.
    return None if found is None else JsonObject({**found, "ended": os.fstat(file).st_mtime})
