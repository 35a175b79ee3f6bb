"""
Roo Code, and older versions of Cline: the folder of a task, a single file of it, or a log of conversations.

A turn is the task or a later message of the user's, and what follows. A claim of being done is what the
agent says last in its turn; one that was refused is followed by the next. Summaries that take the place of
earlier messages do not count as words. Costs and tokens are those of each call of the model, so the record of
a turn names no session, whose costs would be taken for running totals.
"""

from __future__ import annotations

from exitgate.core.envelopes.members import text_at
from exitgate.core.envelopes.plain import JSON_LINES
from exitgate.core.model import capabilities
from exitgate.recordings.formats.json_files import Ids, Lines, id_of
from exitgate.recordings.formats.timestamps import instant
from exitgate.recordings.formats.turns import Chat, Turn
from exitgate.recordings.model import TURN, Begin, End
from exitgate.recordings.probe import probe_of
from exitgate.recordings.readers.cline.history import is_history, taken_apart
from exitgate.recordings.readers.cline.task import claimed, is_task, read_task, shown_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.core.envelopes.members import Event
    from exitgate.recordings.location import Location
    from exitgate.recordings.model import Part
    from exitgate.recordings.probe import Probe


ID = "roo"
TITLE = "Roo Code, task folders and logs: a user message and what follows"
GIVES = frozenset(
    (
        capabilities.RESPONSE, capabilities.OUTPUT, capabilities.TOOL_RESULTS, capabilities.RESULT,
        capabilities.PLAN, capabilities.TASK, capabilities.FILES, capabilities.TIMES, capabilities.TOOL_CALLS,
        capabilities.FILES_CHANGED, capabilities.COST, capabilities.TOKENS, capabilities.DENIALS,
    )
)  # fmt: skip
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

_MEMBERS = {"user_message": "content", "ai_response": "content", "tool_call": "tool_name"}


def fits_log(look: Probe) -> bool:
    """Return whether most of the first lines are such events."""
    events = look.events
    return bool(events) and sum(map(_is_event, events)) * 2 > len(events) and "session_id" in events[0]


def _is_event(event: Event) -> bool:
    member = _MEMBERS.get(text_at(event, "type") or "")
    named = text_at(event, "session_id") is not None and text_at(event, "timestamp") is not None
    return named and member is not None and text_at(event, member) is not None


def read_log(place: Location, wants: frozenset[str]) -> Iterator[Part]:
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
