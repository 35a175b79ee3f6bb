"""
Gemini CLI's session files, `chats/session-*.json`: one object with all messages, or a line for each.

A turn is a message of the user's and what follows. `info` and `warning` rows are notices of the
program's own text. Tokens are those of each call of the model, summed up.
"""

from __future__ import annotations

from exitgate.core.envelopes.members import object_at, objects_at, text_at, texts_in
from exitgate.core.envelopes.plain import JSON, JSON_LINES
from exitgate.core.model import capabilities
from exitgate.recordings.formats.gemini import exit_status_in, response_text
from exitgate.recordings.formats.json_files import Lines, id_of, read_json
from exitgate.recordings.formats.timestamps import instant
from exitgate.recordings.formats.turns import Chat, Turn, total_of
from exitgate.recordings.model import TURN, Begin, End, Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.core.envelopes.members import Event
    from exitgate.recordings.location import Location
    from exitgate.recordings.model import Part
    from exitgate.recordings.probe import Probe


ID = "gemini-session"
TITLE = "Gemini CLI, session files: a user message and what follows"
GIVES = frozenset(
    (
        capabilities.RESPONSE, capabilities.OUTPUT, capabilities.TOOL_RESULTS, capabilities.RESULT,
        capabilities.PLAN, capabilities.TASK, capabilities.FILES, capabilities.TIMES, capabilities.TOOL_CALLS,
        capabilities.FILES_CHANGED, capabilities.TOKENS,
    )
)  # fmt: skip
_USER, _AGENT, _ERROR = "user", "gemini", "error"
_TYPES = (_USER, _AGENT, _ERROR, "info", "warning")
_SUBAGENT = "subagent"


def fits(look: Probe) -> bool:
    """Return whether it is a session: its head names session and project, its messages are of these types."""
    value = look.value
    if isinstance(value, dict) and _is_head(value) and isinstance(value.get("messages"), list):
        return all(_is_message(one) for one in value["messages"])
    events = look.events
    return len(events) > 1 and _is_head(events[0]) and any(_is_message(one) for one in events[1:])


def _is_head(value: Event) -> bool:
    named = text_at(value, "sessionId") is not None and text_at(value, "projectHash") is not None
    return named and text_at(value, "startTime") is not None


def _is_message(value: object) -> bool:
    return isinstance(value, dict) and value.get("type") in _TYPES and text_at(value, "timestamp") is not None


def read(place: Location, wants: frozenset[str]) -> Iterator[Part]:
    """Yield the one run. Raises OSError when it cannot be read."""
    value, problems = read_json(place)
    if isinstance(value, dict) and isinstance(value.get("messages"), list):
        yield from problems
        rows = [(row, 0) for row in objects_at(value, "messages")]
        yield from _run(value, iter(rows), Chat(place.path, JSON, wants), place)
        return
    lines = Lines(place)
    numbered = ((event, lines.number) for event in lines.events())
    head, first = next(numbered, ({}, 0))
    yield from _run(head, numbered if first else iter(()), Chat(place.path, JSON_LINES, wants), place)
    yield from lines.problems()
    if not first:
        yield Problem(place.path, "it has no session")


def _run(head: Event, rows: Iterator[tuple[Event, int]], chat: Chat, place: Location) -> Iterator[Part]:
    session = text_at(head, "sessionId")
    yield Begin(id_of(session, place), TURN, place.path, instant(head.get("startTime")))
    turn: Turn | None = None
    for row, line in rows:
        at = instant(row.get("timestamp"))
        if row.get("type") == _USER:
            if turn is not None:
                yield chat.concluded(turn)
            turn = Turn(_text(row), at, line)
            turn.set("session", session)
        elif turn is not None and row.get("type") in _TYPES:
            turn.seen(at, line)
            _take(row, turn)
    if turn is not None:
        yield chat.concluded(turn)
    yield End(ended_at=instant(head.get("lastUpdated")))


def _take(row: Event, turn: Turn) -> None:
    if row.get("type") == _ERROR:
        turn.fail(_text(row))
    if row.get("type") != _AGENT:
        return
    turn.step()
    turn.say(_text(row), text_at(row, "id"))
    turn.set("model", text_at(row, "model"))
    turn.add("tokens", total_of(object_at(row, "tokens"), "total", "input", "output", "thoughts", "tool"))
    for one in objects_at(row, "toolCalls"):
        at = turn.call(text_at(one, "name") or "", one.get("args"), text_at(one, "id"))
        status = text_at(one, "status")
        if status is None and one.get("result") is None:
            continue
        text = response_text(one.get("result"))
        turn.answer(at, text, error=status != "success", exit_status=exit_status_in(text))
        turn.seen(instant(one.get("timestamp")))


def _text(row: Event) -> str:
    return texts_in(row.get("content"))
