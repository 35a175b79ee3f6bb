"""
One request, served by a copy of the resident process that ends with it.

The copy becomes what the client's own process would be: its streams, folder, variables, umask and limits.
It starts no program, reads standard input through the client, and records only what the client allows.
"""

from __future__ import annotations

import contextlib
import io
import os
import select
import signal
import sys
import time
from socket import MSG_DONTWAIT, MSG_PEEK, socket

from exitgate.core.ledger import append
from exitgate.core.system import child, safe_files
from exitgate.core.system.digest import hex_digest
from exitgate.surfaces.resident import place, protocol
from exitgate.surfaces.resident.alike import differences
from exitgate.surfaces.resident.protocol import BrokenError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


#: Seconds in which a client says what it wants.
REQUEST_TIME = 5.0
#: What has a program of its own send or write telemetry, after the decision was recorded.
_TELEMETRY = ("EXITGATE_OTEL", "EXITGATE_PROMETHEUS")
_STREAMS = (0, 1, 2)


class GoneError(BaseException):
    """The client is gone: nothing may be recorded any more."""


def serve(
    end: socket,
    run: Callable[[list[str]], int],
    number: int,
    told: Callable[[], str],
    stop: Callable[[], None],
) -> None:
    """
    Serve what a client asks; never raises.

    Args:
        end: The connection.
        run: Runs a command line and returns its exit code.
        number: The resident process.
        told: What is said of the resident process.
        stop: Has it end.
    """
    end.settimeout(REQUEST_TIME)
    try:
        kind, body, _ = protocol.receive(end)
        if kind == protocol.STATUS:
            protocol.send(end, protocol.DONE, told().encode())
        elif kind == protocol.STOP:
            stop()
            protocol.send(end, protocol.DONE, told().encode())
        elif kind == protocol.DECIDE:
            _decide(end, body, run, number)
        else:
            protocol.send(end, protocol.REFUSED, b"it does not know the request")
    except BrokenError:
        return  # no one waits for an answer


def _decide(end: socket, body: bytes, run: Callable[[list[str]], int], number: int) -> None:
    asked = Asked(body)
    why = differences(asked, protocol.peer(end)[1])
    telemetry = next((name for name in _TELEMETRY if name in asked.environment), None)
    if not why and telemetry is not None:
        why = f"{telemetry} is set, and it starts no programs"
    if why:
        protocol.send(end, protocol.REFUSED, os.fsencode(why))
        return
    protocol.send(end, protocol.READY)
    kind, _, files = protocol.receive(end)
    if kind != protocol.FILES or len(files) != len(_STREAMS) + 1:
        raise BrokenError("it gave other files")
    client = _Client(end)
    _become(asked, files, client)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    client.watch()
    place.note = f"decided by the resident process {number}"
    child.starter = client
    safe_files.reads = client.read
    append.allowed = client.allow
    try:
        code = run(list(asked.words))
    except child.CannotStartError as error:
        if client.recorded:
            raise  # it may not happen: what starts programs does so before anything is recorded
        protocol.send(end, protocol.REFUSED, os.fsencode(f"`{error}` has to be started"))
        return
    except GoneError:
        return
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    protocol.send(end, protocol.DONE, b"%d" % code)


class Asked:
    """
    What a client asks, as `protocol.request` wrote it.

    Raises:
        BrokenError: It is malformed.
    """

    def __init__(self, body: bytes) -> None:
        found: dict[bytes, list[bytes]] = {letter.encode(): [] for letter in "vugopew"}
        for field in body.split(b"\0"):
            if field[:1] not in found:
                raise BrokenError("its request has no meaning")
            found[field[:1]].append(field[1:])
        try:
            self.umask = int(found[b"u"][0], 8)
            codings = found[b"o"][0].decode("ascii").split(",")
            self.codings = [(codings[at], codings[at + 1]) for at in (0, 2, 4)]
            self.groups = found[b"g"][0].decode("ascii")
            self.identity = os.fsdecode(found[b"v"][0])
        except (IndexError, ValueError) as error:
            raise BrokenError("its request has no meaning") from error
        self.places = [os.fsdecode(one) for one in found[b"p"]]
        self.words = [os.fsdecode(one) for one in found[b"w"]]
        self.environment: Mapping[str, str] = {
            os.fsdecode(name): os.fsdecode(value)
            for name, _, value in (one.partition(b"=") for one in found[b"e"])
        }


def _become(asked: Asked, files: Sequence[int], client: _Client) -> None:
    """Take the streams, the folder, the variables and the umask of the client."""
    for stream, file in zip(_STREAMS, files[:-1], strict=True):
        os.dup2(file, stream)
        os.close(file)
    os.fchdir(files[-1])
    os.close(files[-1])
    os.umask(asked.umask)
    os.environ.clear()
    os.environ.update(asked.environment)
    time.tzset()
    (given, given_errors), (out, out_errors), (err, err_errors) = asked.codings
    sys.stdin = io.TextIOWrapper(io.BufferedReader(_Input()), given, given_errors)
    sys.stdout = _writer(_Output(1, client), out, out_errors, line_buffering=os.isatty(1))
    sys.stderr = _writer(_Output(2, client), err, err_errors, line_buffering=True)


def _writer(raw: _Output, encoding: str, errors: str, *, line_buffering: bool) -> io.TextIOWrapper:
    return io.TextIOWrapper(
        io.BufferedWriter(raw), encoding, errors, newline="\n", line_buffering=line_buffering
    )


class _Output(io.FileIO):
    """A stream of the client; that learns first that something is printed."""

    def __init__(self, stream: int, client: _Client) -> None:
        super().__init__(stream, "w", closefd=False)
        self._client = client

    def write(self, raw: object) -> int:
        self._client.prints()
        return super().write(raw)  # type: ignore[arg-type]


class _Input(io.RawIOBase):
    """Standard input, which the client reads."""

    def readable(self) -> bool:
        return True

    def fileno(self) -> int:
        return 0

    def isatty(self) -> bool:
        return os.isatty(0)

    def readinto(self, room: memoryview) -> int:  # type: ignore[override]
        piece = safe_files.reads(0, len(room))
        room[: len(piece)] = piece
        return len(piece)


class _Client(child.Starter):
    """What only the client may do: it is asked for it."""

    def __init__(self, end: socket) -> None:
        self._end = end
        self._interrupted = False
        #: Whether a line may be in the ledger, and something was printed.
        self.recorded = self._printed = False
        end.settimeout(None)

    def watch(self) -> None:
        """End at once when the client closes; be interrupted when it says that it will answer no more."""
        import fcntl

        signal.signal(signal.SIGIO, self._look)
        fcntl.fcntl(self._end, fcntl.F_SETOWN, os.getpid())
        flags = fcntl.fcntl(self._end, fcntl.F_GETFL)
        fcntl.fcntl(self._end, fcntl.F_SETFL, flags | os.O_ASYNC)
        self._look(0, None)

    def _look(self, _signal: int, _frame: object) -> None:
        try:
            gone = not self._end.recv(1, MSG_PEEK | MSG_DONTWAIT)
        except BlockingIOError:
            return
        except OSError:
            gone = True
        if gone and not self._interrupted:
            self._interrupted = True
            raise GoneError if self._is_closed() else KeyboardInterrupt

    def _is_closed(self) -> bool:
        """Return whether the client ended or decides itself; an interrupted one still waits for an answer."""
        look = select.poll()
        look.register(self._end, 0)  # that both directions are closed is always told
        return bool(look.poll(0))

    def _ask(self, kind: bytes, body: bytes, files: Sequence[int] = ()) -> tuple[bytes, bytes]:
        try:
            protocol.send(self._end, kind, body, files)
            letter, answer, _ = protocol.receive(self._end)
        except BrokenError as error:
            raise GoneError from error
        return letter, answer

    def read(self, descriptor: int, size: int) -> bytes:
        """Return a piece of a file, of the client's standard input for 0."""
        if descriptor != 0:
            return os.read(descriptor, size)
        return self._ask(protocol.READ, b"%d" % size)[1]

    def allow(self, path: str, at: int, raw: bytes, kind: str) -> None:
        """Ask whether a line may go into the ledger. Raises GoneError."""
        fields = os.fsencode(path), b"%d" % at, b"%d" % len(raw), hex_digest(raw).encode(), kind.encode()
        if self._ask(protocol.RECORD, b"\0".join(fields))[0] != protocol.YES:
            raise GoneError
        self.recorded = True

    def prints(self) -> None:
        """Say once that something is printed; a client that is gone need not know."""
        if not self._printed:
            self._printed = True
            with contextlib.suppress(BrokenError):
                protocol.send(self._end, protocol.PRINTS)

    def begins(self, words: Sequence[str]) -> None:
        """Refuse."""
        raise child.CannotStartError(os.path.basename(words[0]) if words else "a program")

    def spawn(
        self, words: Sequence[str], environment: Mapping[str, str], reads: int | None, out: int, err: int
    ) -> int:
        """Have the client start it, with the environment that it has for git."""
        del environment
        files = (out, err) if reads is None else (out, err, reads)
        letter, answer = self._ask(protocol.RUN, b"\0".join(map(os.fsencode, words)), files)
        if letter == protocol.STARTED:
            return int(answer)
        if answer:
            raise OSError(int(answer), os.strerror(int(answer)))
        self.begins(words)
        return -1

    def wait(self, pid: int, deadline: float) -> int:
        """Return how it ended."""
        del pid  # the client waits for one program at a time
        self._end.settimeout(max(0.001, deadline - time.monotonic()))
        try:
            letter, answer, _ = protocol.receive(self._end)
        except BrokenError as error:
            if isinstance(error.__cause__, TimeoutError):
                raise child.LateError from error
            raise GoneError from error
        finally:
            self._end.settimeout(None)
        if letter != protocol.ENDED:
            raise GoneError
        return int(answer)

    def end(self, pid: int) -> None:
        """End what the client waits for, which says so."""
        try:
            os.killpg(pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            return
        try:
            protocol.receive(self._end)
        except BrokenError as error:
            raise GoneError from error
