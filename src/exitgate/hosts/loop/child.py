"""One run of the agent's command: started, followed, ended, with all that belongs to it."""

from __future__ import annotations

import os
import selectors
import signal
import time

from msgspec import Struct

from exitgate.core.system import process_group
from exitgate.core.system.child import NOTHING, PIPE, has_ended
from exitgate.core.system.child import start as started
from exitgate.hosts.loop.silence import Silence
from exitgate.hosts.loop.tee import BoundedOutput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from types import TracebackType
    from typing import IO

    from exitgate.core.system.child import Child
    from exitgate.hosts.loop.signals import Signals
    from exitgate.hosts.loop.silence import Hung
    from exitgate.hosts.loop.tee import Tee


#: Exit statuses: of an agent whose time was up, that was interrupted, that does not exist, that cannot run.
TIMED_OUT, INTERRUPTED, NOT_THERE, NOT_RUN = 124, 130, 127, 126
#: Added to the number of the signal by which a process ended, as shells do.
BY_SIGNAL = 128

#: Bytes of one reading, and of the last ones once the agent has ended: as much as a pipe can hold.
_PIECE, _LAST = 1 << 16, 1 << 20
#: Seconds between looks at processes that outlive the agent, and for which killed ones are waited for.
_LOOK, _KILLED = 0.02, 5.0

#: Signals that Python turns into errors, and that a program is started with.
_ERRORS = (signal.SIGPIPE, signal.SIGXFSZ)


class Ended(Struct, frozen=True):
    """
    How the agent's command ended.

    Args:
        out: What it wrote to its standard output.
        err: What it wrote to its standard error.
        status: Its exit status: 124 when its time was up, 130 when it was interrupted, 128 and the number
            of a signal that ended it; 0 when it was ended because its turn was over and it did not exit.
        timed_out: Whether its time was up, or it was silent for too long.
        interrupted: Whether somebody asked for the end of the loop meanwhile.
        left: How many processes outlived it and were ended.
        hung: Why it was ended although its time was not up; the empty text where it was not.
    """

    out: BoundedOutput
    err: BoundedOutput
    status: int
    timed_out: bool
    interrupted: bool
    left: int
    hung: str = ""


class Limits(Struct, frozen=True):
    """
    Seconds that an agent has.

    Args:
        timeout: For an iteration; None for any.
        grace: To end when it is asked to.
        idle: That it may print nothing; None for any.
        linger: To exit once it has said that its turn is over, as long as it prints nothing more.
    """

    timeout: float | None = None
    grace: float = 10.0
    idle: float | None = None
    linger: float = 30.0


def start(
    words: Sequence[str],
    environment: Mapping[str, str],
    *,
    reads: bool,
    first: Callable[[], None] | None = None,
) -> Child:
    """
    Start the agent in a session of its own; `reads` says whether it gets anything on standard input.

    `first` is called in the agent's own process before the agent begins, while that process still has every
    open file of ours, locks too. Raises OSError or ValueError where it cannot be started,
    PreparationError where `first` raised anything.
    """
    return started(
        words,
        environment,
        stdin=PIPE if reads else NOTHING,
        stdout=PIPE,
        stderr=PIPE,
        first=None if first is None else lambda: _prepared(first),
    )


def _prepared(first: Callable[[], None]) -> None:
    """Call `first` with `_ERRORS` ignored, so that errors are raised; for the agent they are as usual."""
    for one in _ERRORS:
        signal.signal(one, signal.SIG_IGN)
    first()
    for one in _ERRORS:
        signal.signal(one, signal.SIG_DFL)


def not_started(word: str, error: OSError | ValueError) -> Ended:
    """Return how a command ended that could not be started, as a shell would have it: 127 or 126."""
    said = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    err = BoundedOutput()
    err.add(f"{word}: {said}\n".encode("utf-8", "surrogateescape"))
    return Ended(
        BoundedOutput(), err, NOT_THERE if isinstance(error, FileNotFoundError) else NOT_RUN, False, False, 0
    )


class Following:
    """
    A context in which the agent is followed to its end: it gets its prompt, what it writes is kept.

    When its time is up, it hangs, or somebody asks for the end, all its processes get SIGTERM, and SIGKILL
    after the grace; a second wish for the end kills at once. What it leaves running when it ends is ended
    likewise, and when the context ends, for any reason, nothing of it is left.
    """

    def __init__(self, child: Child, prompt: bytes, out: Tee, err: Tee, limits: Limits) -> None:
        self._child = child
        self._prompt = memoryview(prompt)
        self._limits = limits
        self._asked = 0
        self._selector = selectors.PollSelector()
        self._streams = [(child.stdout, BoundedOutput(), out), (child.stderr, BoundedOutput(), err)]
        self._until: float | None = None
        self._kill_at: float | None = None
        self._give_up_at: float | None = None
        self._over = self._timed_out = self._interrupted = False
        self._left = 0
        self._hung: Hung | None = None
        self._trouble: OSError | None = None

    def __enter__(self) -> Following:
        return self

    def to_the_end(self, signals: Signals) -> Ended:
        """Return how it ended. Raises OSError where `out` or `err` cannot take what it says."""
        self._signals = signals
        signals.follows(lambda number: process_group.send(self._child.pid, number))
        if self._limits.timeout is not None:
            self._until = self._now() + self._limits.timeout
        self._silence = Silence(self._limits.idle, self._limits.linger, self._now())
        self._register()
        try:
            while not self._gone():
                for key, _ in self._selector.select(self._pause()):
                    key.data()
                self._look()
            self._last_words()
        finally:
            signals.follows(None)  # its number may be another's from here on
        status = self._status()
        if self._trouble is not None:
            raise self._trouble
        (_, out, _), (_, err, _) = self._streams
        hung = "" if self._hung is None or self._interrupted else self._hung.why
        return Ended(out, err, status, self._timed_out, self._interrupted, self._left, hung)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._child.returncode is None:
            process_group.send(self._child.pid, signal.SIGKILL)
            self._child.wait()
        self._selector.close()
        for stream in (self._child.stdin, self._child.stdout, self._child.stderr):
            if stream is not None:
                stream.close()

    def _register(self) -> None:
        self._selector.register(self._signals.descriptor, selectors.EVENT_READ, self._signals.drain)
        for stream, kept, through in self._streams:
            assert stream is not None
            os.set_blocking(stream.fileno(), False)
            self._selector.register(stream, selectors.EVENT_READ, self._reader(stream, kept, through))
        if self._child.stdin is not None:
            os.set_blocking(self._child.stdin.fileno(), False)
            self._selector.register(self._child.stdin, selectors.EVENT_WRITE, self._write)

    def _reader(self, stream: IO[bytes], kept: BoundedOutput, through: Tee) -> Callable[[], None]:
        def read() -> None:
            piece = self._read(stream)
            if piece is None:
                return
            if not piece:
                self._selector.unregister(stream)
                return
            kept.add(piece)
            through.add(piece)
            self._silence.heard(self._now(), out=stream is self._child.stdout)
            if through.pending:
                self._silence.hold()
                # Nothing more is read until this was passed on: who reads slowly slows the agent down.
                self._selector.unregister(stream)
                self._selector.register(through.descriptor, selectors.EVENT_WRITE, push)

        def push() -> None:
            try:
                through.push()
            except OSError as error:
                self._trouble = error
                self._end()
            if not through.pending:
                self._selector.unregister(through.descriptor)
                self._selector.register(stream, selectors.EVENT_READ, read)
                self._silence.release(self._now())

        return read

    @staticmethod
    def _read(stream: IO[bytes]) -> bytes | None:
        """Return what is there: None for nothing yet, nothing for the end."""
        try:
            return os.read(stream.fileno(), _PIECE)
        except BlockingIOError:
            return None

    def _write(self) -> None:
        stdin = self._child.stdin
        assert stdin is not None
        try:
            self._prompt = self._prompt[os.write(stdin.fileno(), self._prompt[:_PIECE]) :]
        except BlockingIOError:
            return
        except BrokenPipeError:
            self._prompt = self._prompt[:0]  # it does not read its prompt, or not all of it
        if not self._prompt:
            self._selector.unregister(stdin)
            stdin.close()

    def _now(self) -> float:
        """Return seconds on a clock that is while we do."""
        return time.monotonic() - self._signals.stood

    def _pause(self) -> float | None:
        """Return for how long nothing but streams and signals can happen."""
        instants = [one for one in (self._until, self._kill_at) if one is not None]
        instants += [self._now() + _LOOK] if self._over else []
        instants += self._silence.instants() if self._is_left_alone() else []
        return max(0.0, min(instants) - self._now()) if instants else None

    def _look(self) -> None:
        """Do what the time, signals and the end of the agent ask for."""
        now = self._now()
        if self._signals.asked > self._asked:
            self._asked = self._signals.asked
            self._interrupted = self._interrupted or not self._over
            if self._asked > 1:
                self._kill()
            else:
                self._end()
        if self._until is not None and now >= self._until and not self._over:
            self._until, self._timed_out = None, True
            self._end()
        if self._is_left_alone() and (hung := self._silence.hung(now, self._streams[0][1])) is not None:
            self._hung, self._until, self._timed_out = hung, None, not hung.concluded
            self._end()
        if self._kill_at is not None and now >= self._kill_at:
            self._kill()

    def _is_left_alone(self) -> bool:
        """Return whether the agent is at work and was not asked to end."""
        return not self._over and self._kill_at is None and self._give_up_at is None

    def _end(self) -> None:
        if self._kill_at is None and self._give_up_at is None:
            self._kill_at = self._now() + self._limits.grace
            process_group.send(self._child.pid, signal.SIGTERM)

    def _kill(self) -> None:
        process_group.send(self._child.pid, signal.SIGKILL)
        self._kill_at = None
        if self._give_up_at is None:
            self._give_up_at = self._now() + _KILLED

    def _gone(self) -> bool:
        """Return whether the agent has ended and nothing of it is left."""
        if not self._over:
            if not has_ended(self._child):
                return False
            self._over, self._until = True, None
        others = tuple(pid for pid in process_group.members(self._child.pid) if pid != self._child.pid)
        if not others:
            return True
        if self._left == 0:
            self._left = len(others)
            self._end()
        return self._give_up_at is not None and self._now() >= self._give_up_at

    def _last_words(self) -> None:
        """Take what is still in the pipes; somebody who left the session may hold them open for ever."""
        for stream, kept, through in self._streams:
            assert stream is not None
            room = _LAST
            while room > 0 and (piece := self._read(stream)):
                kept.add(piece)
                through.add(piece)
                room -= len(piece)
            through.finish()
            self._push(through)

    def _push(self, through: Tee) -> None:
        """Pass on the rest: until somebody asks for the end once more, and no longer than the grace then."""
        asked = self._signals.asked
        until = time.monotonic() + self._limits.grace if asked else None
        with selectors.PollSelector() as waiting:
            waiting.register(self._signals.descriptor, selectors.EVENT_READ)
            if through.pending:
                waiting.register(through.descriptor, selectors.EVENT_WRITE)
            while through.pending:
                left = None if until is None else max(0.0, until - time.monotonic())
                ready = [key.fd for key, _ in waiting.select(left)]
                if self._signals.descriptor in ready:
                    self._signals.drain()
                if self._signals.asked > asked or left == 0:
                    through.stop()
                elif through.descriptor in ready:
                    try:
                        through.push()
                    except OSError as error:
                        self._trouble = error

    def _status(self) -> int:
        code = self._child.wait()
        if self._interrupted:
            return INTERRUPTED
        if self._timed_out:
            return TIMED_OUT
        if self._hung is not None:
            return 0
        return BY_SIGNAL - code if code < 0 else code
