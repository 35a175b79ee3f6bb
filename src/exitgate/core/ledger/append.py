"""The ledger opened for writing: one process at a time, every line whole or not there."""

from __future__ import annotations

import os

from exitgate.core.ledger.file import (
    FORMAT,
    LARGEST,
    WAIT,
    RefusingNewer,
    cannot_write,
    hash_of,
    let_go,
    overtaken,
    parse,
    path_in,
    raw_backwards,
    take,
    take_again,
    whole_size,
    why,
)
from exitgate.core.ledger.gitignore import leave_out_folder
from exitgate.core.ledger.head import UNKNOWN, Anchor, compare, keep
from exitgate.core.ledger.read import STEP, last_of, newest, tail_of_run
from exitgate.core.ledger.runs import counts_after, name_of
from exitgate.core.model.display import counted
from exitgate.core.model.json_object import JsonObject
from exitgate.core.system import portable, safe_files
from exitgate.core.system.quick_json import dumps_finite

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from exitgate.core.ledger.head import Mark
    from exitgate.core.ledger.window import Window


#: Bytes of the longest end of a line that a check that was ended leaves; more was put there by others.
_LONGEST_TORN = 64_000_000
#: Called before a line is written, with the path of the ledger, where the line begins, the line and its kind:
#: the resident process records nothing that its client does not wait for. What it raises keeps the line out.
allowed: Callable[[str, int, bytes, str], None] | None = None
#: So often others may come between at least, however long that takes.
_LOST = 10


class Ledger:
    """
    The ledger of a state directory, locked as long as the context lasts.

    ``with Ledger(directory) as ledger:`` makes the folder (0700) and the file (0600) if need be,
    waits for the lock, and sets a torn last line aside; `notes` then says so.

    Args:
        directory: The state directory.
        wait: Seconds that the lock is waited for.
        window: Lines that this process keeps from check to check, or None; `back` uses them.

    Raises:
        ExitgateError: 75 when the lock does not come free, 73 when something cannot be written, 74
            when a newer version wrote the ledger.
    """

    def __init__(self, directory: str, wait: float = WAIT, window: Window | None = None) -> None:
        self.directory = directory
        self._window = window
        self.notes: tuple[str, ...] = ()
        self._wait = wait
        self._lock = -1
        self._file = -1
        self._end = self._begun = 0
        self._indexed = False
        self.anchor = Anchor(UNKNOWN)
        self._newest: Mark | None = None
        self._lost = 0
        self._until = 0.0

    def __enter__(self) -> Ledger:
        self._lock = take(self.directory, self._wait)
        try:
            self._begin()
        except BaseException:
            self.close()
            raise
        return self

    def _begin(self) -> None:
        """Open the file and find its end."""
        self._file = _open(self.directory)
        self._end = self._begun = self._set_torn_aside()
        broken: list[str] = []
        with RefusingNewer(path_in(self.directory)):
            newest(self._file, self._end, broken)
        self.anchor = compare(self.directory, self._file, self._end)
        self._report([*broken, *self.anchor.remarks()])

    def release(self) -> None:
        """
        Let others have the ledger for a while: for work that takes long.

        Until `retake` it may be read, as it was; nothing may be appended.
        """
        let_go(self._lock)

    def retake(self) -> bool:
        """
        Lock the ledger again; return whether nothing came between. If not, it is read as it is now.

        Raises:
            ExitgateError: As entering the context.
        """
        take_again(self._lock, self.directory, self._wait)
        if self._is_as_before():
            return True
        os.close(self._file)
        self._file = -1
        self._begin()
        return False

    @property
    def is_own(self) -> bool:
        """Whether this user's exitgate wrote the ledger."""
        return self.anchor.known

    def look_again(self) -> None:
        """
        Note that work on the ledger as it was is lost, since something came between.

        Raises:
            ExitgateError: 75 when that happened again and again for longer than the lock is waited for.
        """
        import time

        self._lost += 1
        if self._lost == 1:
            self._until = time.monotonic() + self._wait
        elif self._lost >= _LOST and time.monotonic() > self._until:
            raise overtaken(self.directory, self._lost)

    def _is_as_before(self) -> bool:
        """Return whether the file is the one that is open, with no byte more or less."""
        try:
            there = os.stat(path_in(self.directory), follow_symlinks=False)
        except OSError:
            return False
        mine = os.fstat(self._file)
        return (there.st_ino, there.st_dev, there.st_size) == (mine.st_ino, mine.st_dev, self._end)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Keep the head of what was appended, and where names are; close the file and let the lock go."""
        if self._newest is not None and self._file >= 0:
            keep(self.directory, self._file, self._newest, self.anchor.kept)
            if self._begun // STEP < self._end // STEP:
                from exitgate.core.ledger.names import keep_names

                keep_names(self.directory, self._file, self._newest)
            self._newest = None
        for descriptor in (self._file, self._lock):
            if descriptor >= 0:
                os.close(descriptor)
        self._file = self._lock = -1

    def tail(self, run: str | None, limit: int) -> tuple[JsonObject, ...]:
        """Return the newest `limit` lines of run id `run` (of all runs for None), newest last.

        Fewer come back when a damaged line is in the way; `notes` then says so.
        """
        broken: list[str] = []
        with RefusingNewer(path_in(self.directory)):
            found = tail_of_run(self.directory, self._file, self._end, run, limit, broken)
        self._report(broken)
        return found

    def back(self, run: str, limit: int) -> tuple[JsonObject, ...]:
        """Return what `tail_of_run` does; lines of the window have no evidence and no trace."""
        if self._window is None:
            return self.tail(run, limit)

        def read(run: str, limit: int) -> tuple[tuple[JsonObject, ...], bool]:
            broken: list[str] = []
            found = tail_of_run(self.directory, self._file, self._end, run, limit, broken)
            self._report(broken)
            return found, not broken

        with RefusingNewer(path_in(self.directory)):
            return self._window.tail(self._file, run, limit, read)

    def last(self, name: str) -> JsonObject | None:
        """
        Return the newest line of any run called `name`, or None.

        A damaged line on the way to it may have been a newer one; `notes` then says so.
        """
        broken: list[str] = []
        with RefusingNewer(path_in(self.directory)):
            found = self._last_of(name, broken)
        self._report(broken)
        return None if found is None else found[1]

    def _last_of(self, name: str, broken: list[str] | None = None) -> tuple[int, JsonObject] | None:
        """Do as `last_of`; where all was walked for want of an index, make one for the next time."""
        found = last_of(self.directory, self._file, self._end, name, broken)
        if not self._indexed and (0 if found is None else found[0]) < self._end - 2 * STEP:
            from exitgate.core.ledger.names import keep_names, known

            self._indexed = True
            if known(self.directory, self._file, self._end) is None:
                _, raw = next(raw_backwards(self._file, self._end))
                keep_names(self.directory, self._file, (self._end, hash_of(raw), max(1, self.newest())))
        return found

    def newest(self) -> int:
        """Return the number of the newest line that is not damaged, 0 without any."""
        found = newest(self._file, self._end)
        return 0 if found is None or found[2] is None else int(str(found[2]["sequence"]))

    def _report(self, broken: list[str]) -> None:
        """Keep what must be reported of damaged lines, each once."""
        said = (f"`{path_in(self.directory)}`: {text}" for text in broken)
        self.notes = (*self.notes, *(text for text in said if text not in self.notes))

    def append(self, line: JsonObject) -> JsonObject:
        """
        Write one line and return it as written: with format, sequence, counts, hash of the line
        before, offset of its run's previous line.

        When this returns, the line is on the disk.

        Args:
            line: At least `run`, `kind` and `time`; see `exitgate.core.ledger.line`.

        Raises:
            ExitgateError: 73 when it cannot be written whole; then nothing of it stays.
        """
        with RefusingNewer(path_in(self.directory)):
            complete = self._complete(line)
        raw = dumps_finite(complete).encode("ascii")
        if allowed is not None:
            allowed(os.path.abspath(path_in(self.directory)), self._end, raw, str(line.get("kind")))
        if self._window is not None:
            self._window.before_append(self._file)
        self._write(raw + b"\n")
        self._end += len(raw) + 1
        if self._window is not None and (as_read := parse(raw)) is not None:
            self._window.appended(self._file, as_read)
        self._newest = (self._end, hash_of(raw), int(str(complete["sequence"])))
        return complete

    def _complete(self, line: JsonObject) -> JsonObject:
        """Return the line with the fields that tie it to those before."""
        run = str(line["run"])
        name = name_of(run)
        previous = next(raw_backwards(self._file, self._end), None)
        own = self._last_of(name)
        same = own is not None and own[1]["run"] == run
        complete = JsonObject(format=FORMAT, sequence=self.newest() + 1)
        complete.update(line)
        complete.update(
            counts=counts_after(None if own is None else own[1], line),
            prev="" if previous is None else hash_of(previous[1]),
            run_prev=own[0] if own is not None and same else None,
            name_prev=own[0] if own is not None and not same else None,
        )
        return complete

    def _write(self, raw: bytes) -> None:
        """Write `raw` at the end with one call and bring it to the disk, or take it back."""
        path = path_in(self.directory)
        try:
            written = os.write(self._file, raw)
            if written == len(raw):
                os.fsync(self._file)
                return
            error: OSError | str = "no space left"
        except OSError as trouble:
            error = trouble
        try:
            os.ftruncate(self._file, self._end)
        except OSError as trouble:
            error = f"{why(error)}, and the partial line stays until the next check: {why(trouble)}"
        raise cannot_write(path, error)

    def _set_torn_aside(self) -> int:
        """Move what is behind the last line end into a file of its own; return the size that stays."""
        size = os.fstat(self._file).st_size
        end = whole_size(self._file)
        if end == size:
            return end
        path = path_in(self.directory)
        if size - end > _LONGEST_TORN:
            lost = counted(size - end, "byte is", "bytes are")
            raise cannot_write(path, f"its last {lost} not a line of a ledger")
        try:
            torn = portable.pread(self._file, size - end, end)
            kept = _keep(self.directory, torn)
            os.ftruncate(self._file, end)
            os.fsync(self._file)
        except OSError as error:
            raise cannot_write(path, error) from error
        bytes_are = counted(len(torn), "byte is", "bytes are")
        self.notes = (f"the last line of `{path}` was torn; its {bytes_are} kept in `{kept}`",)
        return end


def _open(directory: str) -> int:
    """Return the ledger's file open for appending, made if need be."""
    path = path_in(directory)
    try:
        try:
            return safe_files.writing(path, make=False, append=True, read=True, limit=LARGEST)
        except FileNotFoundError:
            descriptor = safe_files.writing(path, append=True, read=True)
            safe_files.sync_folder(directory)
            leave_out_folder(directory)
            return descriptor
    except OSError as error:
        raise cannot_write(path, error) from error


def _keep(directory: str, torn: bytes) -> str:
    """Write `torn` to the first free ``ledger.torn-N`` and return its path."""
    number = 1
    while True:
        path = os.path.join(directory, f"ledger.torn-{number}")
        try:
            descriptor = safe_files.writing(path, new=True)
        except FileExistsError:
            number += 1
            continue
        try:
            safe_files.write_all(descriptor, torn)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        safe_files.sync_folder(directory)
        return path
