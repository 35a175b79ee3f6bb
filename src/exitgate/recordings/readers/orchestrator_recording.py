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

from exitgate.core.envelopes.members import object_at, text_at, writable_text
from exitgate.core.model import capabilities
from exitgate.recordings.formats.json_files import object_of, uncoloured
from exitgate.recordings.model import PROCESS, Begin, End, Problem, Provenance, RecordedIteration
from exitgate.recordings.readers.ralph_orchestrator.logs import class_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.core.envelopes.members import Event
    from exitgate.recordings.location import Location
    from exitgate.recordings.model import Part
    from exitgate.recordings.probe import Probe


ID = "orchestrator-recording"
TITLE = "session recordings of ralph-orchestrator"
GIVES = frozenset((capabilities.RESPONSE, capabilities.OUTPUT, capabilities.RESULT))

_WRITE, _PUBLISH = "ux.terminal.write", "bus.publish"
_ITERATION, _START, _END = "_meta.iteration", "_meta.loop_start", "_meta.termination"
_FIRST_TOPIC, _LAST_TOPIC = "task.start", "loop.terminate"
_NO_TEXT = dict.fromkeys(("tool_results", "prompt"), "a recording has only the terminal's output")


def fits(look: Probe) -> bool:
    """Return whether the file is a recording."""
    if not look.events or not all(_is_recorded(event) for event in look.events[:3]):
        return False
    return "event" in look.events[0] or len(look.events) > 1 or look.whole


def _is_recorded(event: Event) -> bool:
    name = event.get("event")
    if isinstance(name, str):
        known = name in (_WRITE, _PUBLISH) or name.startswith(("ux.", "bus.", "_meta."))
        return known and isinstance(event.get("data"), dict) and "ts" in event
    return set(event) == {"topic", "payload"} and isinstance(event["topic"], str)


def read(place: Location, wants: frozenset[str]) -> Iterator[Part]:  # noqa: ARG001
    """Yield the one run. Raises OSError when it cannot be read."""
    yield Begin(place.name, PROCESS, place.path)
    piece = _Piece(place.path)
    ended = End()
    for number, raw in enumerate(place.lines(), 1):
        if not raw.strip():
            continue
        event = object_of(raw)
        if event is None or not _is_recorded(event):
            yield Problem(place.path, "this line is not an event of a recording", number)
            continue
        name = text_at(event, "event")
        data = object_at(event, "data")
        if name == _ITERATION or (name == _WRITE and not piece.marked and piece.texts):
            yield from piece.done()
        if name == _ITERATION:
            piece.mark(number)
        elif name == _WRITE:
            piece.take(number, _written(data))
        elif name == _END:
            reason = text_at(data, "reason") or ""
            ended = End(class_of(reason), reason)
        elif name is None:
            topic = text_at(event, "topic") or ""
            if topic == _LAST_TOPIC:
                ended = End(None, topic)
            elif topic != _FIRST_TOPIC:
                payload = event.get("payload")
                text = payload if isinstance(payload, str) else json.dumps(payload)
                piece.take(number, f'<event topic="{topic}">\n{text}\n</event>')
                yield from piece.done()
    yield from piece.done()
    yield ended


def _written(data: Event) -> str:
    """Return what the terminal was written; text that is not base64 as it is."""
    written = text_at(data, "bytes", "text") or ""
    if "bytes" in data:
        with contextlib.suppress(binascii.Error, ValueError):
            written = b64decode(written, validate=True).decode("utf-8", "replace")
    return writable_text("\n".join(uncoloured(line) for line in written.split("\n")))


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
