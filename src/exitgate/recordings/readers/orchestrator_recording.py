"""
ralph-orchestrator's session recordings: JSON lines of `ts`, `event`, `data`, or of bare `topic`, `payload`.

What the terminal was written is base64 text, one piece an iteration as the replay takes them, unless
`_meta.iteration` events say where each begins. A recording of bare events has an iteration for each that is
neither the start nor the end of the loop. Instants are counted from the start of the recording: they are
taken for nothing but the order.
"""

from __future__ import annotations

import binascii
import contextlib
import json
from base64 import b64decode
from collections.abc import Iterator
from typing import Any

from msgspec import UNSET, Struct, UnsetType

from exitgate.core.envelopes.members import writable_text
from exitgate.core.model import capabilities
from exitgate.core.system.lenient import read_as
from exitgate.recordings.formats.json_files import fitting_lines, uncoloured
from exitgate.recordings.location import Location
from exitgate.recordings.model import PROCESS, Begin, End, Part, Problem, Provenance, RecordedIteration
from exitgate.recordings.probe import Probe
from exitgate.recordings.readers.ralph_orchestrator.logs import class_of

ID = "orchestrator-recording"
TITLE = "session recordings of ralph-orchestrator"
GIVES = frozenset((capabilities.RESPONSE, capabilities.OUTPUT, capabilities.RESULT))

_WRITE, _ITERATION, _END = "ux.terminal.write", "_meta.iteration", "_meta.termination"
_FIRST_TOPIC, _LAST_TOPIC = "task.start", "loop.terminate"
_NO_TEXT = dict.fromkeys(("tool_results", "prompt"), "a recording has only the terminal's output")


class _Told(Struct, frozen=True):
    """What an event tells: what was written, or why the loop ended."""

    bytes: str | UnsetType | None = UNSET
    text: str | None = None
    reason: str | None = None

    @property
    def written(self) -> str:
        """What the terminal was written; text that is not base64 as it is."""
        written = self.bytes or self.text or ""
        if self.bytes is not UNSET:
            with contextlib.suppress(binascii.Error, ValueError):
                written = b64decode(written, validate=True).decode("utf-8", "replace")
        return writable_text("\n".join(uncoloured(line) for line in written.split("\n")))


class _Event(Struct, frozen=True):
    """A line: an event of the recording, or a bare one of the loop's."""

    event: str | None = None
    ts: Any = UNSET
    data: _Told | None = None
    topic: str | None = None
    payload: Any = None


def fits(look: Probe) -> bool:
    """Return whether the file is a recording."""
    if not look.events or not all(_is_recorded(event) for event in look.events[:3]):
        return False
    return "event" in look.events[0] or len(look.events) > 1 or look.whole


def _is_recorded(plain: dict[str, Any]) -> bool:
    event = read_as(_Event, plain)
    if event.event is not None:
        known = event.event.startswith(("ux.", "bus.", "_meta."))
        return known and event.data is not None and event.ts is not UNSET
    return plain.keys() == {"topic", "payload"} and event.topic is not None


def read(place: Location, wants: frozenset[str]) -> Iterator[Part]:  # noqa: ARG001
    """Yield the one run. Raises OSError when it cannot be read."""
    yield Begin(place.name, PROCESS, place.path)
    piece = _Piece(place.path)
    ended = End()
    for found in fitting_lines(place, _is_recorded, "this line is not an event of a recording"):
        if isinstance(found, Problem):
            yield found
            continue
        number, event = found[0], read_as(_Event, found[1])
        name, told = event.event, event.data or _Told()
        if name == _ITERATION or (name == _WRITE and not piece.marked and piece.texts):
            yield from piece.done()
        if name == _ITERATION:
            piece.mark(number)
        elif name == _WRITE:
            piece.take(number, told.written)
        elif name == _END:
            ended = End(class_of(told.reason or ""), told.reason or "")
        elif name is None and event.topic == _LAST_TOPIC:
            ended = End(None, event.topic)
        elif name is None and event.topic != _FIRST_TOPIC:
            payload = event.payload
            text = payload if isinstance(payload, str) else json.dumps(payload)
            piece.take(number, f'<event topic="{event.topic}">\n{text}\n</event>')
            yield from piece.done()
    yield from piece.done()
    yield ended


class _Piece:
    """The iteration under way."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.texts: list[str] = []
        self.marked = False
        self._open = False
        self._index = 0
        self._first = self._last = 0

    def mark(self, line: int) -> None:
        """Begin an iteration that an event of its own tells."""
        self.marked = self._open = True
        self._first = self._last = line

    def take(self, line: int, text: str) -> None:
        """Add what was written."""
        if not self._open:
            self._first, self._open = line, True
        self._last = line
        self.texts.append(text)

    def done(self) -> Iterator[RecordedIteration]:
        """Yield the iteration, if one is under way."""
        if not self._open:
            return
        texts, self.texts, self._open = self.texts, [], False
        self._index += 1
        said = "".join(texts) if texts else None
        yield RecordedIteration(
            self._index,
            Provenance(self.file, self._first, self._last),
            response=said,
            output=said,
            not_known=_NO_TEXT,
        )
