"""What is known of the streams a command writes to."""

from __future__ import annotations

import os
import sys

from exitgate.cli.command import Answer
from exitgate.cli.parsing.usage import failure
from exitgate.core.model.decision import CANNOT_WRITE, FINDINGS, USAGE
from exitgate.core.model.value import Value
from exitgate.report.terminal import Style, choose_color

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import TextIO


PIPED_WIDTH = 80
NARROWEST = 40
WIDEST = 120


class Terminal(Value):
    """The styles for `out` and `err`."""

    __slots__ = ("err", "out")

    def __init__(self, out: Style, err: Style) -> None:
        self.out = out
        self.err = err


def detect_terminal(wish: str = "auto") -> Terminal:
    """Return what stdout and stderr are now. `wish` is as `--color` says."""
    return Terminal(_style(sys.stdout, wish), _style(sys.stderr, wish))


def _style(stream: TextIO | None, wish: str) -> Style:
    """Return the style for a stream; None is one that was closed before the program began."""
    is_terminal = stream is not None and stream.isatty()
    width = _width(stream) if stream is not None and is_terminal else PIPED_WIDTH
    return Style(choose_color(wish, os.environ, is_terminal), width, whole=not is_terminal)


def _width(stream: TextIO) -> int:
    """Return the columns of the terminal, ``COLUMNS`` first, within what reads well."""
    try:
        wish = int(os.environ.get("COLUMNS", "0")) or os.get_terminal_size(stream.fileno()).columns
    except (OSError, ValueError):
        wish = PIPED_WIDTH
    return max(NARROWEST, min(wish or PIPED_WIDTH, WIDEST))


# Writing the answer of a command to its streams.


def write(answer: Answer) -> int:
    """
    Write an answer to stderr and stdout and return its code.

    A reader that went away, or a stream that was closed from the start, is not trouble; a stream that
    cannot take the result (a full disk) is: 73, unless the answer was trouble already; findings that
    were not delivered are not an answer.
    """
    code = answer.code
    for stream, text in ((sys.stderr, answer.err), (sys.stdout, answer.out)):
        if not text or stream is None:
            continue
        try:
            stream.write(_encodable(text, stream.encoding))
            stream.flush()
        except OSError as error:
            # Python flushes the streams once more when it ends; let that go nowhere.
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
            if not isinstance(error, BrokenPipeError) and (code < USAGE or code == FINDINGS):
                code = CANNOT_WRITE
                write(Answer(err=f"error[EP805]: cannot write the result: {error.strerror}\n"))
    return code


def _encodable(text: str, encoding: str | None) -> str:
    """Return `text` with what the stream's encoding cannot hold written as escapes."""
    encoding = encoding or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)


# Writing a long result to stdout piece by piece, so that it never is in memory as a whole.


def stream(pieces: Iterable[str]) -> None:
    """
    Write each piece to stdout; stop silently when the reader has gone away.

    Raises:
        ExitgateError: 73 when stdout cannot take it; anything that `pieces` raises.
    """
    out = sys.stdout
    if out is None:
        return
    encoding = out.encoding or "utf-8"
    try:
        for piece in pieces:
            out.write(piece.encode(encoding, "backslashreplace").decode(encoding))
        out.flush()
    except OSError as error:
        # Python flushes the stream once more when it ends; let that go nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), out.fileno())
        if not isinstance(error, BrokenPipeError):
            message = f"cannot write the result: {error.strerror}"
            raise failure("EP805", message, "make room, or write it elsewhere", CANNOT_WRITE) from error
