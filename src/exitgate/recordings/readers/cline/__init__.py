"""
Cline: the session files of newer versions, `<id>.messages.json`, and the task folders of older ones.

A turn is a user message and what follows; a claim of being done is what the agent says last in its turn, and
one that was refused is followed by the next. Costs and tokens are those of each call of the model, so the
record of a turn names no session, whose costs would be taken for running totals.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from exitgate.core.envelopes.plain import JSON
from exitgate.core.model import capabilities
from exitgate.core.system.lenient import Amount, read_as, summed
from exitgate.recordings.formats.json_files import name_of, read_json
from exitgate.recordings.formats.timestamps import instant
from exitgate.recordings.formats.turns import Chat, Turn
from exitgate.recordings.location import Location
from exitgate.recordings.model import TURN, Begin, End, Part
from exitgate.recordings.probe import Probe
from exitgate.recordings.readers.cline.history import Message, take_answer, take_results
from exitgate.recordings.readers.cline.task import claimed, is_clines, read_task, shown_in

ID = "cline"
TITLE = "Cline, sessions and task folders: a user message and what follows"
GIVES = capabilities.CHAT | capabilities.USAGE
FOLDER = True
_USER, _AGENT = "user", "assistant"


class _Metrics(Struct, frozen=True, rename="camel"):
    """What an answer used; what came from the cache is among the input."""

    cost: Amount = None
    input_tokens: Amount = None
    output_tokens: Amount = None


class _Model(Struct, frozen=True):
    id: str | None = None


class _Message(Message, frozen=True, rename="camel"):
    """A message of a session."""

    metrics: _Metrics = _Metrics()
    model_info: _Model = _Model()


class _Session(Struct, frozen=True, rename={"session_id": "sessionId"}):
    """The file; `messages` is None where there is no list of them."""

    session_id: str | None = None
    updated_at: str | None = None
    messages: tuple[_Message, ...] | None = None


def fits(look: Probe) -> bool:
    """Return whether it is a session, a task's folder or what was shown of one, and Cline's."""
    if isinstance(look.value, dict):
        return _is_session(look.value)
    shown = shown_in(look)
    return shown is not None and is_clines(shown)


def claims(look: Probe) -> frozenset[str]:
    """Return the names of the task's files."""
    return claimed(look)


def _is_session(value: dict[str, object]) -> bool:
    session, listed = read_as(_Session, value), value.get("messages")
    mine = [one for one in session.messages or () if one.role in (_USER, _AGENT) and one.is_timed]
    whole = isinstance(listed, list) and len(mine) == len(listed) and all("content" in one for one in listed)
    return whole and session.session_id is not None and session.updated_at is not None


def read(place: Location, wants: frozenset[str]) -> Iterator[Part]:
    """Yield the one run. Raises OSError when it cannot be read."""
    value, problems = (None, ()) if place.is_folder else read_json(place)
    if not isinstance(value, dict):
        yield from read_task(place, wants)
        return
    yield from problems
    chat = Chat(place.path, JSON, wants)
    session = read_as(_Session, value)
    messages = list(session.messages or ())
    if problems and messages and messages[-1].role == _USER:
        messages.pop()  # whether a person wrote it may follow the cut
    first = next((at for one in messages if (at := instant(one.ts)) is not None), None)
    yield Begin(session.session_id or name_of(place), TURN, place.path, first)
    for message in messages:
        at = instant(message.ts)
        if message.role == _USER and (prompt := _prompt(message)) is not None:
            yield from chat.begin(Turn(prompt, at))
        elif chat.turn is not None:
            chat.turn.seen(at)
            _take(message, chat.turn)
    yield from chat.end()
    yield End(ended_at=instant(session.updated_at))


def _prompt(message: Message) -> str | None:
    """Return what a person wrote; None for a message of results."""
    if isinstance(message.content, str):
        return message.content
    if any(block.type == "tool_result" for block in message.blocks):
        return None
    return "\n".join(block.text or "" for block in message.blocks if block.type == "text")


def _take(message: _Message, turn: Turn) -> None:
    if message.role == _USER:
        take_results(message, turn)
        return
    take_answer(message, turn)
    turn.add("cost", message.metrics.cost)
    turn.add("tokens", summed(message.metrics.input_tokens, message.metrics.output_tokens))
    turn.set("model", message.model_info.id)
