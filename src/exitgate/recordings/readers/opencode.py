"""
opencode: `opencode export`, its storage folder, and the events of `opencode run --format json`.

A turn is a user message and what follows; a file of events is one process and one iteration. Costs and
tokens are those of each call of the model, so the record of a turn names no session, whose costs would be
taken for running totals. A session with a parent is a sub-agent's.
"""

from __future__ import annotations

from exitgate.core.envelopes.members import count_at, number_at, object_at, objects_at, text_at, writable_text
from exitgate.core.envelopes.plain import JSON, JSON_LINES
from exitgate.core.model import capabilities
from exitgate.recordings.formats.errors import kind_of_status
from exitgate.recordings.formats.json_files import Lines, id_of, name_of, read_json
from exitgate.recordings.formats.timestamps import instant
from exitgate.recordings.formats.turns import Chat, Turn, total_of
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
    Message = tuple[Event, tuple[Event, ...]]


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

    def take(self, told: Event, parts: Sequence[Event]) -> Iterator[RecordedIteration]:
        """Add a message: its record, and its parts. Yields the turn that it ends."""
        times = object_at(told, "time")
        at = instant(times.get("created"))
        if told.get("role") == USER:
            prompt = _prompt(parts)
            if prompt is not None or self.turn is None:
                yield from self.end()
                self.turn = Turn(prompt, at)
                self.last_error = ""
        elif told.get("role") == AGENT and self.turn is not None:
            self.turn.seen(at)
            self.turn.seen(instant(times.get("completed")))
            self.last_error = take_message(told, parts, self.turn)

    def end(self) -> Iterator[RecordedIteration]:
        """Yield the turn that is open."""
        if self.turn is not None:
            yield self.chat.concluded(self.turn)
            self.ended_at = self.turn.ended_at if self.turn.ended_at is not None else self.ended_at
            self.turn = None


def _prompt(parts: Sequence[Event]) -> str | None:
    """Return what a person wrote; None for a message that the program wrote in the user's place."""
    texts = [part for part in parts if part.get("type") == "text"]
    own = [text_at(part, "text") or "" for part in texts if part.get("synthetic") is not True]
    if own:
        return "\n".join(own)
    made = bool(texts) or any(part.get("type") == "compaction" for part in parts)
    return None if made else ""


def take_message(told: Event, parts: Sequence[Event], turn: Turn) -> str:
    """Add a message of the agent's, and return the name of its error or the empty text."""
    turn.step()
    turn.set("model", text_at(told, "modelID"))
    turn.add("cost", number_at(told, "cost"))
    turn.add("tokens", tokens_of(object_at(told, "tokens")))
    finish(text_at(told, "finish"), turn)
    # A summary after a compaction repeats what was said before.
    summary = told.get("summary") is True
    for part in parts:
        if not (summary and part.get("type") == "text"):
            take_part(part, turn, spent="cost" not in told)
    error = object_at(told, "error")
    if error:
        take_error(error, turn)
    return text_at(error, "name") or ""


def finish(reason: str | None, turn: Turn) -> None:
    """Note why the model stopped."""
    turn.set("stop_reason", reason)
    if reason == _STOP:
        turn.record["is_error"] = False
    elif reason == _LENGTH:
        turn.record["truncated"] = True


def tokens_of(tokens: Event) -> int | None:
    """Return how many tokens a call of the model used, those from the cache among them."""
    cache = object_at(tokens, "cache")
    flat = {**tokens, "read": cache.get("read"), "write": cache.get("write")}
    return total_of(flat, "total", "input", "output", "reasoning", "read", "write")


def take_part(part: Event, turn: Turn, *, spent: bool, live: bool = False) -> None:
    """
    Add a part.

    Args:
        part: As it is kept.
        turn: Where to.
        spent: Whether its step's cost and tokens count, because nothing else tells them.
        live: Whether it comes while it is made, so that one of the same id is the same part.
    """
    kind = part.get("type")
    if kind == "text" and part.get("synthetic") is not True and part.get("ignored") is not True:
        turn.say(text_at(part, "text") or "", text_at(part, "id"))
    elif kind == "tool":
        _tool(part, turn, text_at(part, "id", "callID") if live else None)
    elif kind in ("step-finish", "step_finish") and spent:
        turn.add("cost", number_at(part, "cost"))
        turn.add("tokens", tokens_of(object_at(part, "tokens")))
        finish(text_at(part, "reason"), turn)
    elif kind == "patch":
        files = part.get("files")
        turn.patched += [one for one in files if isinstance(one, str)] if isinstance(files, list) else []


def _tool(part: Event, turn: Turn, id: str | None) -> None:
    state = object_at(part, "state")
    at = turn.call(text_at(part, "tool") or "", state.get("input"), id)
    times = object_at(state, "time")
    turn.seen(instant(times.get("start")))
    turn.seen(instant(times.get("end")))
    status = state.get("status")
    if status in ("completed", "error"):
        text = text_at(state, "output", "error") or ""
        exit_status = count_at(object_at(state, "metadata"), "exit")
        turn.answer(at, text, error=status == "error", exit_status=exit_status)


def take_error(error: Event, turn: Turn) -> None:
    """Add an error: the user's stop and an answer that got too long are none of the agent's."""
    name, more = text_at(error, "name") or "", object_at(error, "data")
    if name in (ABORTED, TOO_LONG):
        turn.record["truncated"] = True
        turn.set("stop_reason", name)
        return
    kind = AUTH if name == AUTHORIZED else kind_of_status(count_at(more, "statusCode"))
    turn.fail(text_at(more, "message") or text_at(error, "message") or name, kind or CRASH)


# opencode's storage folder: `session/<project>/<id>.json`, `message/<session>/*.json`,
# `part/<message>/*.json`.

SESSIONS = "session/"
_ENDING = ".json"


class Stored:
    """A session of the storage: its record, and its messages one at a time."""

    def __init__(self, root: Location, file: Location, told: Event) -> None:
        self.root = root
        self.file = file.path
        self.told = told
        self._id = text_at(told, "id") or name_of(file)

    def messages(self) -> Iterator[Message | Problem]:
        """Yield the messages with their parts in the order in which they were made."""
        told: list[tuple[float, str, Event]] = []
        for file, message in _objects(self.root.at(f"message/{self._id}", is_folder=True)):
            if isinstance(message, Problem):
                yield message
                continue
            made = number_at(object_at(message, "time"), "created")
            told.append((float(made or 0), text_at(message, "id") or name_of(file), message))
        for _, id, message in sorted(told, key=lambda one: one[:2]):
            parts: list[Event] = []
            for _, part in _objects(self.root.at(f"part/{id}", is_folder=True)):
                if isinstance(part, Problem):
                    yield part
                else:
                    parts.append(part)
            yield message, tuple(parts)


def sessions(root: Location) -> Iterator[Stored | Problem]:
    """Yield the sessions of a storage folder. Raises OSError when it cannot be read."""
    projects = root.at(SESSIONS.rstrip("/"), is_folder=True)
    for project in projects.names():
        if not project.endswith("/"):
            continue
        for file, told in _objects(projects.at(project.rstrip("/"), is_folder=True)):
            yield told if isinstance(told, Problem) else Stored(root, file, told)


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
        for problem in problems:
            yield file, problem
        if isinstance(value, dict):
            yield file, value


ID = "opencode"
TITLE = "opencode, exports, storage and events: a user message and what follows"
GIVES = frozenset(
    (
        capabilities.RESPONSE, capabilities.OUTPUT, capabilities.TOOL_RESULTS, capabilities.RESULT,
        capabilities.PLAN, capabilities.TASK, capabilities.FILES, capabilities.TIMES, capabilities.TOOL_CALLS,
        capabilities.FILES_CHANGED, capabilities.COST, capabilities.TOKENS,
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


def fits(look: Probe) -> bool:
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


def claims(look: Probe) -> frozenset[str]:
    """Return the folders of a storage."""
    return _FOLDERS if look.place.is_folder else frozenset()


def _is_message(one: object) -> bool:
    return isinstance(one, dict) and bool(object_at(one, "info")) and isinstance(one.get("parts"), list)


def _is_event(event: Event) -> bool:
    named = event.get("type") in _EVENTS and text_at(event, "sessionID") is not None
    return named and any(isinstance(event.get(name), dict) for name in ("part", "error"))


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


def _events(place: Location, wants: frozenset[str]) -> Iterator[Part]:
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

    def __init__(self, place: Location, event: Event, line: int, wants: frozenset[str]) -> None:
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
