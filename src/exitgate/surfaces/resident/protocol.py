"""
What a client and the resident process tell each other, over a Unix socket.

A message is four bytes with the length of the rest, a letter that says what it is, and fields that NUL
parts: no word of a command line and no variable holds one. The first message of a client is its request. Once
that is taken, it gives four open files: the three streams and the working folder.
Then the resident process asks the client for what only that one may do, and in the end says how it went.
`docs/decisions/1227-resident-process.md` has the order of the messages and what each end makes of the other's
death.
"""

from __future__ import annotations

import errno
import os
import sys
from _socket import CMSG_SPACE, SCM_RIGHTS, SOL_SOCKET

from exitgate import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _socket import socket
    from collections.abc import Sequence


#: From the client: decide, tell about yourself, end yourself.
DECIDE, STATUS, STOP = b"d", b"s", b"x"
#: The resident process takes the request; the client gives its open files, only then: one that was stopped
#: would hold them open, and who reads what the client prints would wait for the end of it.
READY, FILES = b"a", b"f"
#: From the resident process: read standard input, run git, may this be written, something is printed now (the
#: only one without an answer), done, not here.
READ, RUN, RECORD, PRINTS, DONE, REFUSED = b"i", b"g", b"r", b"w", b"e", b"n"
#: Answers of the client: what was read; the number of git's process and then how it ended; yes, or no.
TEXT, STARTED, ENDED, YES, NO = b"t", b"p", b"c", b"y", b"o"
#: Bytes of the longest message: an environment and a command line, or a piece of standard input.
LONGEST = 1 << 22
#: Bytes of standard input that travel at once.
PIECE = 1 << 16
#: Numbers of the errors that say that the other end is closed.
_DEAD = (errno.EPIPE, errno.ECONNRESET)
_HEAD = 4
_FILES = 4
_NUMBER = 4


class BrokenError(Exception):
    """
    Nothing more is to be had from the other end; the text says why.

    `dead` says that it holds its end open no more: nothing of what it does is still to come.
    """

    def __init__(self, why: str, *, dead: bool = False) -> None:
        super().__init__(why)
        self.dead = dead


def identity() -> str:
    """Return what has to be the same at both ends: the code, its Python, and how that treats names."""
    flags, prefix = sys.flags, f"{sys.prefix} {sys.base_prefix}"
    folder = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    return (
        f"{__version__} {sys.hexversion:x} {flags.optimize}{int(flags.dev_mode)}{flags.utf8_mode} "
        f"{sys.getfilesystemencoding()}/{sys.getfilesystemencodeerrors()} {prefix} {folder}"
    )


def request(words: Sequence[str]) -> bytes:
    """
    Return the fields of a request to decide, made of this process.

    They are, with a letter each: `v` identity, `p` a place of modules, `u` umask, `g` groups, `o` encodings
    of the streams, `e` a variable, `w` a word of the command line.

    Raises:
        BrokenError: A stream is closed.
    """
    umask = os.umask(0o077)
    os.umask(umask)
    streams = sys.stdin, sys.stdout, sys.stderr
    if None in streams:
        raise BrokenError("a stream is closed")
    codings = ",".join(f"{stream.encoding},{stream.errors}" for stream in streams)
    fields = [
        b"v" + os.fsencode(identity()),
        b"u%o" % umask,
        b"g" + ",".join(map(str, sorted(os.getgroups()))).encode(),
        b"o" + codings.encode(),
        *(b"p" + os.fsencode(place) for place in sys.path),
        *(b"e" + name + b"=" + value for name, value in os.environb.items()),
        *(b"w" + os.fsencode(word) for word in words),
    ]
    return b"\0".join(fields)


def send(end: socket, kind: bytes, body: bytes = b"", files: Sequence[int] = ()) -> None:
    """
    Send a message, with open files.

    Raises:
        BrokenError: It is too long, or the other end is gone.
    """
    if len(body) >= LONGEST:
        raise BrokenError(f"it has more than {LONGEST >> 20} MB")
    raw = (len(body) + 1).to_bytes(_HEAD, "big") + kind + body
    try:
        if files:
            rights = b"".join(one.to_bytes(_NUMBER, sys.byteorder) for one in files)
            raw = raw[end.sendmsg([raw], [(SOL_SOCKET, SCM_RIGHTS, rights)]) :]
        if raw:
            end.sendall(raw)
    except OSError as error:
        raise BrokenError(f"it ended: {_why(error)}", dead=error.errno in _DEAD) from error


def receive(end: socket) -> tuple[bytes, bytes, list[int]]:
    """
    Return the letter of a message, what follows it, and the files that came with it.

    Raises:
        BrokenError: The other end is gone, nothing came in time, or what came has no meaning.
    """
    try:
        head, carried, _, _ = end.recvmsg(_HEAD, CMSG_SPACE(_FILES * _NUMBER))
        files = _numbers(carried)
        while 0 < len(head) < _HEAD:
            more = end.recv(_HEAD - len(head))
            head = head + more if more else b""
        size = int.from_bytes(head, "big")
        if not 0 < size <= LONGEST:
            for one in files:
                os.close(one)
            raise BrokenError("it ended" if not head else "its message has no meaning", dead=not head)
        pieces, left = [], size
        while left and (piece := end.recv(min(left, PIECE))):
            pieces.append(piece)
            left -= len(piece)
    except TimeoutError as error:
        raise BrokenError("it did not answer in time") from error
    except OSError as error:
        raise BrokenError(f"it ended: {_why(error)}", dead=error.errno in _DEAD) from error
    if left:
        raise BrokenError("it ended in the middle of a message", dead=True)
    raw = b"".join(pieces)
    return raw[:1], raw[1:], files


def _why(error: OSError) -> str:
    return (error.strerror or str(error)).lower()


def _numbers(carried: Sequence[tuple[int, int, bytes]]) -> list[int]:
    found = []
    for level, kind, raw in carried:
        if level == SOL_SOCKET and kind == SCM_RIGHTS:
            whole = len(raw) - len(raw) % _NUMBER
            found += [
                int.from_bytes(raw[at : at + _NUMBER], sys.byteorder) for at in range(0, whole, _NUMBER)
            ]
    return found


# Who the other end is.

_CREDENTIALS = 12
#: As macOS has it: level of local sockets, the option, and the bytes of its answer.
_LOCAL, _PEER, _PEER_SIZE = 0, 1, 76


def peer(end: socket) -> tuple[int, int]:
    """
    Return user and number of the process at the other end; 0 for the number where the system has none.

    Raises:
        BrokenError: The system does not tell.
    """
    try:
        if sys.platform.startswith("linux"):
            from _socket import SO_PEERCRED

            raw = end.getsockopt(SOL_SOCKET, SO_PEERCRED, _CREDENTIALS)
            return int.from_bytes(raw[4:8], sys.byteorder), int.from_bytes(raw[:4], sys.byteorder)
        if sys.platform == "darwin":
            raw = end.getsockopt(_LOCAL, _PEER, _PEER_SIZE)
            return int.from_bytes(raw[4:8], sys.byteorder), 0
    except OSError as error:
        raise BrokenError(f"its user is not known: {_why(error)}") from error
    raise BrokenError("its user is not known on this system")
