"""
The little that a hook reads of a session's transcript: its beginning for the first prompt, its end for
what the agent said where the payload does not say. A transcript lags behind; nothing else is taken from it.
"""

from __future__ import annotations

import os

from exitgate.core.model.json_object import object_of
from exitgate.core.system import portable, safe_files
from exitgate.core.system.quick_json import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from exitgate.core.model.json_object import JsonObject

    #: A line -> whether it is the user's, and its text; None for lines that are neither's.
    Said = Callable[[JsonObject], tuple[bool, str] | None]
    #: A line -> the host's time of the stop whose hooks it says were started; None for other lines.
    StopTold = Callable[[JsonObject], str | None]


#: Bytes at the beginning in which the first prompt is looked for, and at the end for the last.
HEAD = 256 * 1024
#: Bytes at the end in which the last message is looked for.
TAIL = 1024 * 1024
#: Seconds to wait for a message, or for the line on this very stop, and between two readings.
WAIT, WAIT_FOR_STOP = 0.3, 1.0
_PAUSE = 0.02


def first_prompt(path: str | None, said: Said, late: bool = False) -> str | None:
    """
    Return what the user asked first, None where that cannot be read.

    `late` says that the host is known to write its transcript late: then it is waited for.
    """
    import time

    found = _first(path, said)
    began = time.monotonic()
    while late and path and found is None and time.monotonic() - began < WAIT_FOR_STOP:
        time.sleep(_PAUSE)
        found = _first(path, said)
    return found


def _first(path: str | None, said: Said) -> str | None:
    found = (said(record) for record in _records(_read(path, 0, HEAD)))
    return next((one[1] for one in found if one is not None and one[0]), None)


def last_prompt(path: str | None, said: Said, marker: str) -> str | None:
    """Return what the user said last, None where that is not near the end, or does not hold `marker`."""
    raw = _read(path, -HEAD, HEAD)
    if marker.encode() not in raw:
        return None
    found = [one[1] for record in _records(raw) if (one := said(record)) is not None and one[0]]
    return found[-1] if found else None


def last_message(
    path: str | None, said: Said, stop_time: StopTold | None = None, stamp: str = ""
) -> tuple[str | None, bool]:
    """
    Return what the agent said last since the user last spoke, and whether that is sure; None where it
    cannot be read.

    A host may still be writing its last lines: a transcript is read again for a moment. It is sure where
    the transcript shows the stop itself, behind the message.

    Args:
        path: Of the transcript.
        said: Reads a line.
        stop_told: Reads a line that shows a stop.
        stamp: The host's time of this stop, the empty text where it has none.
    """
    import time

    stop = stop_time if stamp else None
    message, sure = _last(path, said, stop, stamp)
    if not path or not (stop or os.path.exists(path)):
        return message, sure
    began = time.monotonic()
    while not sure and (stop is not None or message is None):
        waited = time.monotonic() - began
        if waited > (WAIT if stop is None else WAIT_FOR_STOP):
            break
        time.sleep(_PAUSE)
        message, sure = _last(path, said, stop, stamp)
    return message, sure


def _last(path: str | None, said: Said, stop: StopTold | None, stamp: str) -> tuple[str | None, bool]:
    message = None
    for record in _records(_read(path, -TAIL, TAIL)):
        told = None if stop is None else stop(record)
        if told is not None:
            if told == stamp:
                return message, True
            message = None  # what was said before an earlier stop is not said at this one
        one = said(record)
        if one is not None:
            message = None if one[0] else one[1]
    return message, False


def _records(raw: bytes) -> Iterator[JsonObject]:
    """Yield the lines that are objects."""
    for line in raw.split(b"\n"):
        if not line.lstrip().startswith(b"{"):
            continue
        try:
            record = object_of(loads(line.decode("utf-8", "replace")))
        except (ValueError, RecursionError):
            continue
        if record:
            yield record


def _read(path: str | None, start: int, size: int) -> bytes:
    """Return bytes of a regular file from `start`, counted from the end where negative; none without one."""
    if not path or "\0" in path:
        return b""
    try:
        file = safe_files.reading(os.path.expanduser(path), links=True)
    except OSError:
        return b""  # no transcript is nothing to tell: the caller says what is missing for it
    try:
        size_now = os.fstat(file).st_size
        begin = max(0, size_now + start) if start < 0 else start
        raw = portable.pread(file, size, begin)
        # A line cut off at either end is none.
        raw = raw[raw.find(b"\n") + 1 :] if begin else raw
        return raw if begin + size >= size_now else raw[: raw.rfind(b"\n") + 1]
    except OSError:
        return b""
    finally:
        os.close(file)
