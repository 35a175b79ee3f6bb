"""
opencode: `opencode export`, its storage folder, and the events of `opencode run --format json`.

A turn is a user message and what follows; a file of events is one process and one iteration. Costs and
tokens are those of each call of the model, so the record of a turn names no session, whose costs would be
taken for running totals. A session with a parent is a sub-agent's.
"""

from __future__ import annotations

from exitgate.transcripts import gives
from exitgate.transcripts.instants import instant
from exitgate.transcripts.readers.chat_file import id_of, read_json
from exitgate.transcripts.readers.chat_turn import Chat, Turn
from exitgate.transcripts.readers.claude_stream_lines import Lines
from exitgate.transcripts.readers.opencode_messages import ABORTED, USER, Messages, take_error, take_part
from exitgate.transcripts.readers.opencode_storage import SESSIONS, sessions
from exitgate.transcripts.run import PROCESS, TURN, Begin, End, Problem
from exitgate.transcripts.unwrapped import JSON, JSON_LINES
from exitgate.transcripts.values import object_at, objects_at, text_at, writable_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from exitgate.transcripts.look import Look
    from exitgate.transcripts.place import Place
    from exitgate.transcripts.readers.opencode_storage import Message
    from exitgate.transcripts.run import Part
    from exitgate.transcripts.values import Event

ID = "opencode"
TITLE = "opencode, exports, storage and events: a user message and what follows"
GIVES = frozenset(
    (
        gives.RESPONSE, gives.OUTPUT, gives.TOOL_RESULTS, gives.RESULT, gives.PLAN, gives.TASK,
        gives.FILES, gives.TIMES, gives.TOOL_CALLS, gives.FILES_CHANGED, gives.COST, gives.TOKENS,
    )
)  # fmt: skip
FOLDER = True
_FOLDERS = frozenset((SESSIONS, "message/", "part/"))
#: Types of events, as versions spell them.
_EVENTS = (
    "text",
    "tool_use",
    "tool",
    "step_start",
    "step_finish",
    "reasoning",
    "error",
    "message",
    "snapshot",
)


def fits(look: Look) -> bool:
    """Return whether it is an export, a storage folder, or a stream of events."""
    if look.place.is_folder:
        return _FOLDERS.issubset(look.names)
    value = look.value
    if isinstance(value, dict) and isinstance(value.get("messages"), list):
        messages = value["messages"]
        named = text_at(object_at(value, "info"), "id") is not None
        return named and all(_is_message(one) for one in messages)
    events = look.events
    return bool(events) and all(_is_event(event) for event in events)


def claims(look: Look) -> frozenset[str]:
    """Return the folders of a storage."""
    return _FOLDERS if look.place.is_folder else frozenset()


def _is_message(one: object) -> bool:
    return isinstance(one, dict) and bool(object_at(one, "info")) and isinstance(one.get("parts"), list)


def _is_event(event: Event) -> bool:
    named = event.get("type") in _EVENTS and text_at(event, "sessionID") is not None
    return named and any(isinstance(event.get(name), dict) for name in ("part", "error"))


def read(place: Place, wants: frozenset[str]) -> Iterator[Part]:
    """Yield the runs: one for each session. Raises OSError when it cannot be read."""
    if place.is_folder:
        for found in sessions(place):
            if isinstance(found, Problem):
                yield found
            else:
                yield from _session(found.told, found.messages(), Chat(found.file, JSON, wants))
        return
    value, problems = read_json(place)
    if isinstance(value, dict) and "messages" in value:
        yield from problems
        messages = [
            (object_at(one, "info"), tuple(objects_at(one, "parts"))) for one in objects_at(value, "messages")
        ]
        if problems and messages and messages[-1][0].get("role") == USER:
            messages.pop()  # whether a person wrote it may follow the cut
        yield from _session(object_at(value, "info"), messages, Chat(place.path, JSON, wants))
        return
    yield from _events(place, wants)


def _session(told: Event, messages: Iterable[Message | Problem], chat: Chat) -> Iterator[Part]:
    times = object_at(told, "time")
    parent, title = text_at(told, "parentID"), text_at(told, "title") or ""
    id = text_at(told, "id") or chat.file.rpartition("/")[2].partition(".")[0]
    yield Begin(id, TURN, chat.file, instant(times.get("created")), title, parent)
    turns = Messages(chat)
    for message in messages:
        if isinstance(message, Problem):
            yield message
        else:
            yield from turns.take(*message)
    yield from turns.end()
    how = "interrupted" if turns.last_error == ABORTED else "failed" if turns.last_error else None
    told_ends = [at for at in (instant(times.get("updated")), turns.ended_at) if at is not None]
    yield End(how, turns.last_error, max(told_ends, default=None))


def _events(place: Place, wants: frozenset[str]) -> Iterator[Part]:
    lines = Lines(place)
    process: _Process | None = None
    for event in lines.events():
        session = text_at(event, "sessionID")
        if process is None or (session is not None and session != process.session):
            if process is not None:
                yield from process.end()
            process = _Process(place, event, lines.number, wants)
            yield process.begin()
        process.take(event, lines.number)
        yield from lines.problems()
    yield from lines.problems()
    if process is None:
        yield Problem(place.path, "it has no events")
        process = _Process(place, {}, 0, wants)
        yield process.begin()
    yield from process.end()


class _Process:
    """One `opencode run`."""

    def __init__(self, place: Place, event: Event, line: int, wants: frozenset[str]) -> None:
        self.place = place
        self.session = text_at(event, "sessionID")
        self.chat = Chat(place.path, JSON_LINES, wants)
        self.turn = Turn(None, instant(event.get("timestamp")), line)
        self.failed = ""
        self.empty = not event

    def begin(self) -> Begin:
        at = self.turn.started_at
        return Begin(id_of(self.session, self.place), PROCESS, self.place.path, at)

    def take(self, event: Event, line: int) -> None:
        part, kind = object_at(event, "part"), event.get("type")
        self.turn.seen(instant(event.get("timestamp")), line)
        if kind == "error":
            error = object_at(event, "error")
            self.failed = text_at(error, "name") or "error"
            take_error(error, self.turn)
        elif kind == "step_start" or part.get("type") == "step-start":
            self.turn.step()
            self.failed = ""
        elif part:
            if part.get("type") is None:
                part = {**part, "type": "tool" if kind == "tool_use" else kind}
            take_part(part, self.turn, spent=True, live=True)

    def end(self) -> Iterator[Part]:
        if not self.empty:
            yield self.chat.concluded(self.turn)
        how = "interrupted" if self.failed == ABORTED else "failed" if self.failed else None
        yield End(how, writable_text(self.failed), self.turn.ended_at)
