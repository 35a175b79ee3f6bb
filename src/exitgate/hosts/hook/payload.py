"""What a host sends: one JSON object of bounded size, no matter what the bytes."""

from __future__ import annotations

import os

from exitgate.core.facts.text.words import encodable
from exitgate.core.model.decision import BAD_POLICY, CANNOT_READ
from exitgate.core.model.json_object import JsonObject, objects_of
from exitgate.core.system import safe_files
from exitgate.core.system.quick_json import loads
from exitgate.hosts.hook.protocol import PAYLOAD, Task, problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.model.json_object import Json


#: Bytes that are read; a message and its surroundings are far smaller.
SIZE_LIMIT = 32 * 1024 * 1024
#: How often the end of what came is tried for a whole object before the end of the stream.
_TRIES = 32
_PIECE = 1 << 16
_MARK = b"\xef\xbb\xbf"


def read_payload(descriptor: int = 0) -> Payload:
    """
    Return the object on a descriptor.

    Reading ends with the object: some hosts keep the stream open.

    Raises:
        ExitgateError: 74 where nothing can be read, 65 for what is not a JSON object, or too large.
    """
    raw = b""
    tries = 0
    while True:
        piece = _piece(descriptor)
        raw += piece
        if len(raw) > SIZE_LIMIT:
            raise _wrong(f"the payload is larger than {SIZE_LIMIT // 1024 // 1024} MB")
        if not piece:
            return parse_payload(raw)
        if len(piece) < _PIECE and tries < _TRIES and raw.rstrip().endswith(b"}"):
            tries += 1
            found = _object(raw)
            if found is not None:
                return found


def parse_payload(raw: bytes) -> Payload:
    """Return the object that `raw` is. Raises `ExitgateError` (65)."""
    found = _object(raw)
    if found is None:
        raise _wrong("the payload is empty" if not raw.strip() else "the payload is not a JSON object")
    return found


def _object(raw: bytes) -> Payload | None:
    if not raw.strip():
        return None
    try:
        found = loads(raw.removeprefix(_MARK).decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None  # the caller says so, or waits for more
    return Payload(found) if isinstance(found, dict) else None


def _piece(descriptor: int) -> bytes:
    try:
        if os.isatty(descriptor):
            help = "a host calls this; to try it: `exitgate hook HOST < payload.json`"
            raise problem(PAYLOAD, "no payload: standard input is a terminal", help, CANNOT_READ)
        return safe_files.reads(descriptor, _PIECE)
    except OSError as error:
        help = "the host gives the payload on standard input"
        raise problem(PAYLOAD, f"the payload cannot be read: {error.strerror}", help, CANNOT_READ) from error


def _wrong(message: str) -> Exception:
    return problem(PAYLOAD, message, f"`exitgate explain {PAYLOAD}` says what is wanted", BAD_POLICY)


# What a payload says, each field of the type that is wanted or not there.

#: Why a turn is not an iteration, where an agent that works for the agent ended.
BELOW = "an agent below the agent ended"
#: Tasks of a list that are looked at, and the largest number that counts something.
_TASKS, _MOST = 100, 10**9


class Payload(JsonObject):
    """A payload of a host: the fields may have other names in other versions."""

    __slots__ = ()

    def first(self, *names: str) -> str | None:
        """Return the first of the named fields that is a text, fit to be encoded; None without one."""
        found = next((text for name in names if (text := self.text(name)) is not None), None)
        return None if found is None else encodable(found)

    def word(self, *names: str) -> str:
        """Return as `first` does, without blanks around it; the empty text without one."""
        return (self.first(*names) or "").strip()

    def is_so(self, *names: str) -> bool | None:
        """Return the first of the named fields that is true or false, None without one."""
        return next((flag for name in names if (flag := self.flag(name)) is not None), None)

    def count(self, name: str) -> int:
        """Return a field that is a whole number of at least 0; else 0."""
        found = self.whole(name, 0)
        return found if 0 <= found < _MOST else 0

    def tasks(self, name: str) -> tuple[Task, ...]:
        """Return the tasks that a list of objects shows; none where the field is not a list."""
        entries = self.array(name)[:_TASKS]
        return tuple(_task(Payload(one)) if isinstance(one, dict) else Task(name, name) for one in entries)


def parts(content: Json) -> str | None:
    """Return the text of a message's content, a text or a list of parts; None where it holds no text."""
    if isinstance(content, str):
        return encodable(content)
    found = [encodable(text) for part in objects_of(content) if (text := part.text("text")) is not None]
    return "\n".join(found) if found else None


def not_the_end(event: str, *ends: str) -> str:
    """Return why `event` is none of `ends`, the empty text where it is one or is not named."""
    return "" if event in ("", *ends) else f"`{event[:80]}` is not the end of a turn"


def no_stop(_record: JsonObject) -> str | None:
    """Return that a line of a transcript shows no stop: `stop_time` of hosts whose lines never do."""
    return None


def folder(*places: str | None) -> str:
    """Return the first of `places` that is an absolute path of a folder, else the current one."""
    for place in places:
        if place and os.path.isabs(place) and "\0" not in place and os.path.isdir(place):
            return place
    return os.getcwd()


def _task(entry: Payload) -> Task:
    kind = entry.word("type", "kind")
    what = entry.word("description", "name", "prompt", "command", "schedule", "id")
    named = " ".join(part for part in (kind, what[:80]) if part) or "unnamed"
    told = "\n".join(entry.word(name) for name in ("command", "description", "name", "prompt"))
    return Task(entry.word("id") or told.strip() or named, named, told)
