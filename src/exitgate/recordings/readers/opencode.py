"""
opencode: `opencode export`, its storage folder, and the events of `opencode run --format json`.

A turn is a user message and what follows; a file of events is one process and one iteration. Costs and
tokens are those of each call of the model, so the record of a turn names no session, whose costs would be
taken for running totals. A session with a parent is a sub-agent's.
"""

from __future__ import annotations

from msgspec import UNSET
from msgspec.structs import replace

from exitgate.core.envelopes.members import (
    as_object,
    has_object,
    list_at,
    object_at,
    objects_in,
    writable_text,
)
from exitgate.core.envelopes.plain import JSON, JSON_LINES
from exitgate.core.model import capabilities
from exitgate.core.system.lenient import amount, read_as, summed
from exitgate.recordings.formats.errors import kind_of_status
from exitgate.recordings.formats.json_files import Lines, id_of, name_of, read_json
from exitgate.recordings.formats.opencode import About, Error, Export, MessagePart, RunEvent
from exitgate.recordings.formats.timestamps import instant
from exitgate.recordings.formats.turns import Chat, Turn
from exitgate.recordings.model import AUTH, CRASH, PROCESS, TURN, Begin, End, Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from exitgate.core.envelopes.members import Event
    from exitgate.recordings.formats.turns import Chat
    from exitgate.recordings.location import Location
    from exitgate.recordings.model import Part, RecordedIteration
    from exitgate.recordings.probe import Probe

    #: What is said about a message, and its parts.
    Message = tuple[About, tuple[MessagePart, ...]]


# Messages and parts of opencode, which its exports, its storage and its events have in common.

USER, AGENT = "user", "assistant"
#: Names of errors that say more than that something went wrong.
ABORTED, AUTHORIZED, TOO_LONG = "MessageAbortedError", "ProviderAuthError", "MessageOutputLengthError"
_STOP, _LENGTH = "stop", "length"


class Messages:
    """
    Turns of a session, made of its messages in order.

    `last_error` is the name of the error the last message ended with, or the empty text,
    `ended_at` when the last turn that is over ended.
    """

    def __init__(self, chat: Chat) -> None:
        self.chat = chat
        self.turn: Turn | None = None
        self.last_error = ""
        self.ended_at: float | None = None

    def take(self, told: About, parts: Sequence[MessagePart]) -> Iterator[RecordedIteration]:
        """Add a message: its record, and its parts. Yields the turn that it ends."""
        at = instant(told.time.created)
        if told.role == USER:
            prompt = _prompt(parts)
            if prompt is not None or self.turn is None:
                yield from self.end()
                self.turn = Turn(prompt, at)
                self.last_error = ""
        elif told.role == AGENT and self.turn is not None:
            self.turn.seen(at)
            self.turn.seen(instant(told.time.completed))
            self.last_error = take_message(told, parts, self.turn)

    def end(self) -> Iterator[RecordedIteration]:
        """Yield the turn that is open."""
        if self.turn is not None:
            yield self.chat.concluded(self.turn)
            self.ended_at = self.turn.ended_at if self.turn.ended_at is not None else self.ended_at
            self.turn = None


def _prompt(parts: Sequence[MessagePart]) -> str | None:
    """Return what a person wrote; None for a message that the program wrote in the user's place."""
    texts = [part for part in parts if part.type == "text"]
    own = [part.text or "" for part in texts if not part.synthetic]
    if own:
        return "\n".join(own)
    made = bool(texts) or any(part.type == "compaction" for part in parts)
    return None if made else ""


def take_message(told: About, parts: Sequence[MessagePart], turn: Turn) -> str:
    """Add a message of the agent's, and return the name of its error or the empty text."""
    turn.step()
    turn.set("model", told.model)
    turn.add("cost", amount(told.cost))
    turn.add("tokens", told.tokens.used())
    finish(told.finish, turn)
    # A summary after a compaction repeats what was said before.
    for part in parts:
        if not (told.summary and part.type == "text"):
            take_part(part, turn, spent=told.cost is UNSET)
    error = read_as(Error, told.error)
    if told.error:
        take_error(error, turn)
    return error.name or ""


def finish(reason: str | None, turn: Turn) -> None:
    """Note why the model stopped."""
    turn.set("stop_reason", reason)
    if reason == _STOP:
        turn.record["is_error"] = False
    elif reason == _LENGTH:
        turn.record["truncated"] = True


def take_part(part: MessagePart, turn: Turn, *, spent: bool, live: bool = False) -> None:
    """
    Add a part.

    Args:
        part: As it is kept.
        turn: Where to.
        spent: Whether its step's cost and tokens count, because nothing else tells them.
        live: Whether it comes while it is made, so that one of the same id is the same part.
    """
    if part.type == "text" and not part.synthetic and not part.ignored:
        turn.say(part.text or "", part.id)
    elif part.type == "tool":
        id = part.id if part.id is not None else part.call_id
        _tool(part, turn, id if live else None)
    elif part.type in ("step-finish", "step_finish") and spent:
        turn.add("cost", part.cost)
        turn.add("tokens", part.tokens.used())
        finish(part.reason, turn)
    elif part.type == "patch":
        turn.patched += part.files


def _tool(part: MessagePart, turn: Turn, id: str | None) -> None:
    state = part.state
    at = turn.call(part.tool or "", state.input, id)
    turn.seen(instant(state.time.start))
    turn.seen(instant(state.time.end))
    if state.status in ("completed", "error"):
        text = (state.output if state.output is not None else state.error) or ""
        exit_status = summed(state.metadata.exit)
        turn.answer(at, text, error=state.status == "error", exit_status=exit_status)


def take_error(error: Error, turn: Turn) -> None:
    """Add an error: the user's stop and an answer that got too long are none of the agent's."""
    name = error.name or ""
    if name in (ABORTED, TOO_LONG):
        turn.record["truncated"] = True
        turn.set("stop_reason", name)
        return
    kind = AUTH if name == AUTHORIZED else kind_of_status(summed(error.details.status_code))
    turn.fail(error.details.message or error.message or name, kind or CRASH)


# opencode's storage folder: `session/<project>/<id>.json`, `message/<session>/*.json`,
# `part/<message>/*.json`.

SESSIONS = "session/"
_ENDING = ".json"


class Stored:
    """A session of the storage: its record, and its messages one at a time."""

    def __init__(self, root: Location, file: Location, told: About) -> None:
        self.root = root
        self.file = file.path
        self.told = told
        self._id = told.id or name_of(file)

    def messages(self) -> Iterator[Message | Problem]:
        """Yield the messages with their parts in the order in which they were made."""
        told: list[tuple[float, str, About]] = []
        for file, message in _objects(self.root.at(f"message/{self._id}", is_folder=True)):
            if isinstance(message, Problem):
                yield message
                continue
            about = read_as(About, message)
            told.append((float(amount(about.time.created) or 0), about.id or name_of(file), about))
        for _, id, about in sorted(told, key=lambda one: one[:2]):
            parts: list[MessagePart] = []
            for _, part in _objects(self.root.at(f"part/{id}", is_folder=True)):
                if isinstance(part, Problem):
                    yield part
                else:
                    parts.append(read_as(MessagePart, part))
            yield about, tuple(parts)


def sessions(root: Location) -> Iterator[Stored | Problem]:
    """Yield the sessions of a storage folder. Raises OSError when it cannot be read."""
    projects = root.at(SESSIONS.rstrip("/"), is_folder=True)
    for project in projects.names():
        if not project.endswith("/"):
            continue
        for file, told in _objects(projects.at(project.rstrip("/"), is_folder=True)):
            yield told if isinstance(told, Problem) else Stored(root, file, read_as(About, told))


def _objects(folder: Location) -> Iterator[tuple[Location, Event | Problem]]:
    """Yield the objects in the files of a folder, in the order of their names; none where there is none."""
    try:
        names = folder.names()
    except OSError:
        return  # a session without messages, a message without parts
    for name in names:
        if not name.endswith(_ENDING):
            continue
        file = folder.at(name)
        try:
            value, problems = read_json(file)
        except OSError as error:
            yield file, Problem(file.path, error.strerror or str(error))
            continue
        found: list[Event | Problem] = [*problems, *objects_in([value])]
        yield from ((file, one) for one in found)


ID = "opencode"
TITLE = "opencode, exports, storage and events: a user message and what follows"
GIVES = capabilities.CHAT | capabilities.USAGE
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


def fits(look: Probe) -> bool:
    """Return whether it is an export, a storage folder, or a stream of events."""
    if look.place.is_folder:
        return _FOLDERS.issubset(look.names)
    messages = list_at(as_object(look.value), "messages")
    if messages is not None:
        named = read_as(Export, look.value).about.id is not None
        return named and all(map(_is_message, messages))
    events = look.events
    return bool(events) and all(_is_event(event) for event in events)


def claims(look: Probe) -> frozenset[str]:
    """Return the folders of a storage."""
    return _FOLDERS if look.place.is_folder else frozenset()


def _is_message(one: object) -> bool:
    message = as_object(one)
    return list_at(message, "parts") is not None and bool(object_at(message, "info"))


def _is_event(event: Event) -> bool:
    told = read_as(RunEvent, event)
    return told.type in _EVENTS and told.session is not None and has_object(event, "part", "error")


def read(place: Location, wants: frozenset[str]) -> Iterator[Part]:
    """Yield the runs: one for each session. Raises OSError when it cannot be read."""
    if place.is_folder:
        for found in sessions(place):
            if isinstance(found, Problem):
                yield found
            else:
                yield from _session(found.told, found.messages(), Chat(found.file, JSON, wants))
        return
    value, problems = read_json(place)
    if "messages" in as_object(value):
        yield from problems
        whole = read_as(Export, value)
        messages = [(one.about, one.parts) for one in whole.messages]
        if problems and messages and messages[-1][0].role == USER:
            messages.pop()  # whether a person wrote it may follow the cut
        yield from _session(whole.about, messages, Chat(place.path, JSON, wants))
        return
    yield from _events(place, wants)


def _session(told: About, messages: Iterable[Message | Problem], chat: Chat) -> Iterator[Part]:
    id = told.id or chat.file.rpartition("/")[2].partition(".")[0]
    yield Begin(id, TURN, chat.file, instant(told.time.created), told.title or "", told.parent)
    turns = Messages(chat)
    for message in messages:
        if isinstance(message, Problem):
            yield message
        else:
            yield from turns.take(*message)
    yield from turns.end()
    how = "interrupted" if turns.last_error == ABORTED else "failed" if turns.last_error else None
    told_ends = [at for at in (instant(told.time.updated), turns.ended_at) if at is not None]
    yield End(how, turns.last_error, max(told_ends, default=None))


def _events(place: Location, wants: frozenset[str]) -> Iterator[Part]:
    lines = Lines(place)
    process: _Process | None = None
    for plain in lines.events():
        event = read_as(RunEvent, plain)
        if process is None or (event.session is not None and event.session != process.session):
            if process is not None:
                yield from process.end()
            process = _Process(place, event, lines.number, wants, empty=not plain)
            yield process.begin()
        process.take(event, lines.number)
        yield from lines.problems()
    yield from lines.problems()
    if process is None:
        yield Problem(place.path, "it has no events")
        process = _Process(place, RunEvent(), 0, wants, empty=True)
        yield process.begin()
    yield from process.end()


class _Process:
    """One `opencode run`."""

    def __init__(
        self, place: Location, event: RunEvent, line: int, wants: frozenset[str], *, empty: bool
    ) -> None:
        self.place = place
        self.session = event.session
        self.chat = Chat(place.path, JSON_LINES, wants)
        self.turn = Turn(None, instant(event.timestamp), line)
        self.failed = ""
        self.empty = empty

    def begin(self) -> Begin:
        at = self.turn.started_at
        return Begin(id_of(self.session, self.place), PROCESS, self.place.path, at)

    def take(self, event: RunEvent, line: int) -> None:
        part, kind = read_as(MessagePart, event.part), event.type
        self.turn.seen(instant(event.timestamp), line)
        if kind == "error":
            error = read_as(Error, event.error)
            self.failed = error.name or "error"
            take_error(error, self.turn)
        elif kind == "step_start" or part.type == "step-start":
            self.turn.step()
            self.failed = ""
        elif event.part:
            if event.part.get("type") is None:
                part = replace(part, type="tool" if kind == "tool_use" else kind)
            take_part(part, self.turn, spent=True, live=True)

    def end(self) -> Iterator[Part]:
        if not self.empty:
            yield self.chat.concluded(self.turn)
        how = "interrupted" if self.failed == ABORTED else "failed" if self.failed else None
        yield End(how, writable_text(self.failed), self.turn.ended_at)
