"""
Roo Code, and older versions of Cline: the folder of a task, a single file of it, or a log of conversations.

A turn is the task or a later message of the user's, and what follows. A claim of being done is what the
agent says last in its turn; one that was refused is followed by the next. Summaries that take the place of
earlier messages do not count as words. Costs and tokens are those of each call of the model, so the record of
a turn names no session, whose costs would be taken for running totals.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from exitgate.core.envelopes.plain import JSON_LINES
from exitgate.core.model import capabilities
from exitgate.core.system.lenient import read_as
from exitgate.recordings.formats.json_files import Ids, Lines, id_of
from exitgate.recordings.formats.timestamps import instant
from exitgate.recordings.formats.turns import Chat, Turn
from exitgate.recordings.location import Location
from exitgate.recordings.model import TURN, Begin, End, Part
from exitgate.recordings.probe import Probe, probe_of
from exitgate.recordings.readers.cline.history import is_history, taken_apart
from exitgate.recordings.readers.cline.task import claimed, is_task, read_task, shown_in

ID = "roo"
TITLE = "Roo Code, task folders and logs: a user message and what follows"
GIVES = capabilities.CHAT | capabilities.USAGE | {capabilities.DENIALS}
FOLDER = True


def fits(look: Probe) -> bool:
    """Return whether it is a task's folder, a file of one, or such a log."""
    if look.place.is_folder:
        return is_task(look)
    return shown_in(look) is not None or is_history(look.value) or fits_log(look)


def claims(look: Probe) -> frozenset[str]:
    """Return the names of the task's files."""
    return claimed(look)


def read(place: Location, wants: frozenset[str]) -> Iterator[Part]:
    """Yield the runs. Raises OSError when it cannot be read."""
    if not place.is_folder and fits_log(probe_of(place)):
        yield from read_log(place, wants)
    else:
        yield from read_task(place, wants)


# A log of conversations with Roo Code: JSON lines of messages, answers and calls, a run for each session.
#
# A session that continues after another one's lines is a run of its own then, `s#2`, which is resumed.


class _Event(Struct, frozen=True):
    """A line: what a person or the model said, or a call of a tool."""

    type: str | None = None
    session_id: str | None = None
    timestamp: str | None = None
    content: str | None = None
    tool_name: str | None = None
    parameters: Any = None

    @property
    def is_whole(self) -> bool:
        said = self.content if self.type in ("user_message", "ai_response") else None
        told = self.tool_name if self.type == "tool_call" else said
        return told is not None and self.session_id is not None and self.timestamp is not None


def fits_log(look: Probe) -> bool:
    """Return whether most of the first lines are such events."""
    whole = [read_as(_Event, event).is_whole for event in look.events]
    return sum(whole) * 2 > len(whole) and "session_id" in look.events[0]


def read_log(place: Location, wants: frozenset[str]) -> Iterator[Part]:
    """Yield the runs, one for each session. Raises OSError when it cannot be read."""
    lines = Lines(place)
    session: str | None = None
    chat = Chat(place.path, JSON_LINES, wants)
    last: float | None = None
    ids = Ids()
    for plain in lines.events():
        yield from lines.problems()
        event = read_as(_Event, plain)
        if not event.is_whole:
            continue
        at = instant(event.timestamp)
        if event.session_id != session:
            yield from chat.end()
            if session is not None:
                yield End(ended_at=last)
            session, chat = event.session_id, Chat(place.path, JSON_LINES, wants)
            named, again = ids.next(id_of(session, place))
            yield Begin(named, TURN, place.path, at, resumed=again or None)
        if event.type == "user_message":
            yield from chat.begin(Turn(event.content, at, lines.number))
        elif chat.turn is not None:
            chat.turn.seen(at, lines.number)
            _take(event, chat.turn)
        last = at if at is not None else last
    yield from lines.problems()
    if session is None:
        yield Begin(place.name, TURN, place.path)
    yield from chat.end()
    yield End(ended_at=last)


def _take(event: _Event, turn: Turn) -> None:
    if event.type == "tool_call":
        # What is logged as its result only says that it was logged.
        turn.call(event.tool_name or "", event.parameters)
        return
    turn.step()
    words, _ = taken_apart(event.content or "")
    if words:
        turn.say(words)
