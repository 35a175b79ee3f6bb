"""
A log of conversations with Roo Code: JSON lines of messages, answers and calls, a run for each session.

A session that continues after another one's lines is a run of its own then, `s#2`, which is resumed.
"""

from __future__ import annotations

from exitgate.transcripts.instants import instant
from exitgate.transcripts.readers.chat_file import Ids, id_of
from exitgate.transcripts.readers.chat_turn import Chat, Turn
from exitgate.transcripts.readers.claude_stream_lines import Lines
from exitgate.transcripts.readers.cline_tags import taken_apart
from exitgate.transcripts.run import TURN, Begin, End
from exitgate.transcripts.unwrapped import JSON_LINES
from exitgate.transcripts.values import text_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.transcripts.look import Look
    from exitgate.transcripts.place import Place
    from exitgate.transcripts.run import Part
    from exitgate.transcripts.values import Event

_MEMBERS = {"user_message": "content", "ai_response": "content", "tool_call": "tool_name"}


def fits(look: Look) -> bool:
    """Return whether most of the first lines are such events."""
    events = look.events
    return bool(events) and sum(map(_is_event, events)) * 2 > len(events) and "session_id" in events[0]


def _is_event(event: Event) -> bool:
    member = _MEMBERS.get(text_at(event, "type") or "")
    named = text_at(event, "session_id") is not None and text_at(event, "timestamp") is not None
    return named and member is not None and text_at(event, member) is not None


def read(place: Place, wants: frozenset[str]) -> Iterator[Part]:
    """Yield the runs, one for each session. Raises OSError when it cannot be read."""
    lines = Lines(place)
    session: str | None = None
    chat = Chat(place.path, JSON_LINES, wants)
    turn: Turn | None = None
    last: float | None = None
    ids = Ids()
    for event in lines.events():
        yield from lines.problems()
        if not _is_event(event):
            continue
        at, id = instant(event.get("timestamp")), text_at(event, "session_id")
        if id != session:
            if turn is not None:
                yield chat.concluded(turn)
            if session is not None:
                yield End(ended_at=last)
            session, turn, chat = id, None, Chat(place.path, JSON_LINES, wants)
            named, again = ids.next(id_of(id, place))
            yield Begin(named, TURN, place.path, at, resumed=again or None)
        if event["type"] == "user_message":
            if turn is not None:
                yield chat.concluded(turn)
            turn = Turn(text_at(event, "content"), at, lines.number)
        elif turn is not None:
            turn.seen(at, lines.number)
            _take(event, turn)
        last = at if at is not None else last
    yield from lines.problems()
    if session is None:
        yield Begin(place.name, TURN, place.path)
    if turn is not None:
        yield chat.concluded(turn)
    yield End(ended_at=last)


def _take(event: Event, turn: Turn) -> None:
    if event["type"] == "tool_call":
        # What is logged as its result only says that it was logged.
        turn.call(text_at(event, "tool_name") or "", event.get("parameters"))
        return
    turn.step()
    words, _ = taken_apart(text_at(event, "content") or "")
    if words:
        turn.say(words)
