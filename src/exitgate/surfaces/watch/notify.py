"""A command that gets an EXIT: started without a shell, bounded in time, and what became of it."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import IO

from msgspec import Struct

from exitgate.core.ledger.runs import name_of
from exitgate.core.model.decision import USAGE
from exitgate.core.model.diagnostic import Diagnostic, ExitgateError
from exitgate.core.state.incidents import note
from exitgate.core.system.child import start
from exitgate.report.terminal import safe
from exitgate.surfaces.watch.render import plain_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType

    from exitgate.core.ledger.typed import LedgerLine
    from exitgate.core.system.child import Child
    from exitgate.surfaces.watch.sinks import Sinks

#: Seconds a command may take, characters of a text in its environment, bytes of its last words that are read.
SECONDS, TEXT, SAID = 30.0, 4000, 2000
#: Seconds between two questions whether one has ended.
_STEP = 0.05
#: Characters of them that are reported.
LAST = 200


def command_of(text: str) -> tuple[str, ...]:
    """
    Return the words of the command, split as a shell splits them, without one to expand anything.

    Raises:
        ExitgateError: 64 (EP582) for quotes without an end, for no word, and for a program that does not
            exist.
    """
    help = "write a program and its arguments; use a script for shell syntax"
    try:
        words = shlex.split(text)
    except ValueError as error:
        problem = Diagnostic(
            "EP582", f"`--notify {text}` cannot be split into words: {str(error).lower()}", help=help
        )
        raise ExitgateError([problem], USAGE) from error
    if not words or shutil.which(words[0]) is None:
        what = f"there is no program `{words[0]}`" if words else "`--notify` does not name a program"
        raise ExitgateError([Diagnostic("EP582", what, help=help)], USAGE)
    return tuple(words)


def environment_of(line: LedgerLine, environment: Mapping[str, str]) -> dict[str, str]:
    """
    Return `environment` with what was decided under names that begin with ``EXITGATE_``.

    Texts are safe for a terminal, on one line and at most `TEXT` characters; the whole is on standard input.
    """
    decision = line.decided
    told = {
        "VERDICT": decision.verdict,
        "CLASS": line.exit_class or "",
        "OUTCOME": decision.outcome,
        "RULE": decision.rule or "",
        "MESSAGE": decision.message,
        "FIRM": "false" if decision.firm is False else "true",
        "RUN": name_of(line.run),
        "RUN_ID": line.run,
        "ITERATION": str(line.number),
        "AT": line.at or "",
        "POLICY": line.decided_by.name or "",
    }
    return {**environment, **{f"EXITGATE_{key}": safe(text)[:TEXT] for key, text in told.items()}}


class Notices:
    """
    Commands that get EXITs, one for each EXIT, under way together with the view.

    Args:
        words: The command, or none at all.
        directory: The state directory, where a failure is kept as an incident.
        seconds: How long one may take.
        clock: Returns the time in seconds.
    """

    def __init__(
        self,
        words: Sequence[str],
        directory: str,
        seconds: float = SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._words = tuple(words)
        self._directory = directory
        self._seconds = seconds
        self._clock = clock
        self._under_way: list[_Notice] = []
        self._told: set[tuple[object, object]] = set()

    def tell(self, line: LedgerLine) -> tuple[str, ...]:
        """Start the command for a decision that is an EXIT, once; return what went wrong, in sentences."""
        key = (line.sequence, line.time)
        if not self._words or line.exit_class is None or key in self._told:
            return ()
        self._told.add(key)
        said = None
        try:
            said = tempfile.TemporaryFile()  # noqa: SIM115  it is read when the command has ended
            process = _started(self._words, line, said)
        except (OSError, ValueError) as error:
            if said is not None:
                said.close()
            return (self._failed(line, f"cannot be started: {error}"),)
        self._under_way.append(_Notice(process, line, said, self._clock() + self._seconds))
        return ()

    def done(self) -> tuple[str, ...]:
        """Return what went wrong with those that have ended; end those that took too long."""
        troubles: list[str] = []
        for one in tuple(self._under_way):
            with _undisturbed():
                code = one.process.poll()
            late = code is None and self._clock() >= one.until
            if code is None and not late:
                continue
            self._under_way.remove(one)
            if late:
                _end(one.process)
                troubles.append(self._failed(one.line, f"took longer than {self._seconds:g} s and was ended"))
            elif code != 0:
                troubles.append(self._failed(one.line, f"failed with {code}{_last_words(one.said)}"))
            one.said.close()
        return tuple(troubles)

    @property
    def under_way(self) -> bool:
        """Whether there is one that has not ended, as far as was looked."""
        return bool(self._under_way)

    def wait(self, seconds: float = float("inf")) -> tuple[str, ...]:
        """
        Wait until all have ended, each as long as it may take; return what went wrong.

        Args:
            seconds: For how long to wait; what is under way then is left under way.
        """
        troubles: tuple[str, ...] = ()
        end = self._clock() + seconds
        while self._under_way and self._clock() < end:
            left = min(end, *(one.until for one in self._under_way)) - self._clock()
            time.sleep(max(0.0, min(left, _STEP)))
            troubles = (*troubles, *self.done())
        return troubles

    def end(self) -> tuple[str, ...]:
        """End all that are under way, with what they started; return a sentence for each."""
        ended = tuple(self._under_way)
        self._under_way.clear()
        for one in ended:
            _end(one.process)
            one.said.close()
        return tuple(
            self._failed(one.line, "was ended because the wait for it was interrupted") for one in ended
        )

    def _failed(self, line: LedgerLine, what: str) -> str:
        iteration = f"{line.run} iteration {line.number}"
        text = f"the command notified of the EXIT of {iteration} {what}"
        kept = note(self._directory, "notify", safe(text), program=self._words[0], run=line.run)
        return text if kept else f"{text}; that could not be kept for `exitgate doctor` either"


class Notifier:
    """
    A command and services, notified of the same EXITs.

    Args:
        command: The command.
        sinks: The services.
    """

    def __init__(self, command: Notices, sinks: Sinks) -> None:
        self._each: tuple[Notices | Sinks, ...] = (command, sinks)

    def tell(self, line: LedgerLine) -> tuple[str, ...]:
        """Begin to tell of a decision that is an EXIT, once; return what went wrong."""
        return tuple(text for one in self._each for text in one.tell(line))

    def done(self) -> tuple[str, ...]:
        """Return what went wrong with those that are over."""
        return tuple(text for one in self._each for text in one.done())

    @property
    def under_way(self) -> bool:
        """Whether something is under way, as far as was looked."""
        return any(one.under_way for one in self._each)

    def wait(self, seconds: float = float("inf")) -> tuple[str, ...]:
        """Wait until all are over, each for so long at most; return what went wrong."""
        return tuple(text for one in self._each for text in one.wait(seconds))

    def end(self) -> tuple[str, ...]:
        """End what is under way; return a sentence for each."""
        return tuple(text for one in self._each for text in one.end())


class _Notice(Struct, eq=False):
    process: Child
    line: LedgerLine
    said: IO[bytes]
    until: float


def _started(words: Sequence[str], line: LedgerLine, said: IO[bytes]) -> Child:
    """Start the command in a session of its own; its input is a file, so nothing waits for it to read."""
    with tempfile.TemporaryFile() as told:
        told.write(plain_line(line).encode("utf-8", "surrogateescape"))
        told.seek(0)
        environment = environment_of(line, os.environ)
        return start(words, environment, stdin=told, stdout=said, stderr=said)


def _end(process: Child) -> None:
    """End a command with all it started."""
    with _undisturbed():
        with suppress(ProcessLookupError):  # it may have ended by itself just now
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@contextmanager
def _undisturbed() -> Iterator[None]:
    """
    Let signals that end the watcher wait.

    One that raises while a process is asked how it is can leave the lock of that process taken, and then the
    next question waits for ever.
    """
    came: list[int] = []

    def hold(number: int, _: FrameType | None) -> None:
        came.append(number)

    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    ours = [number for number, handler in before.items() if callable(handler)]
    for number in ours:
        signal.signal(number, hold)
    try:
        yield
    finally:
        for number in ours:
            signal.signal(number, before[number])
        if came:
            os.kill(os.getpid(), came[0])


def _last_words(said: IO[bytes]) -> str:
    """Return the last line a command wrote, behind a colon, or the empty text."""
    size = said.seek(0, os.SEEK_END)
    said.seek(max(0, size - SAID))
    lines = said.read(SAID).decode("utf-8", "replace").strip().splitlines()
    return f": {lines[-1][:LAST]}" if lines else ""
