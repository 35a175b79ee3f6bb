"""
Cline: the session files of newer versions, `<id>.messages.json`, and the task folders of older ones.

A turn is a user message and what follows; a claim of being done is what the agent says last in its turn, and
one that was refused is followed by the next. Costs and tokens are those of each call of the model, so the
record of a turn names no session, whose costs would be taken for running totals.
"""

from __future__ import annotations

from exitgate.core.envelopes.members import number_at, object_at, objects_at, sum_at, text_at
from exitgate.core.envelopes.plain import JSON
from exitgate.core.model import capabilities
from exitgate.recordings.formats.json_files import name_of, read_json
from exitgate.recordings.formats.timestamps import instant
from exitgate.recordings.formats.turns import Chat, Turn
from exitgate.recordings.model import TURN, Begin, End
from exitgate.recordings.readers.cline.history import take_answer, take_results
from exitgate.recordings.readers.cline.task import claimed, is_clines, read_task, shown_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.core.envelopes.members import Event
    from exitgate.recordings.location import Location
    from exitgate.recordings.model import Part
    from exitgate.recordings.probe import Probe


ID = "cline"
TITLE = "Cline, sessions and task folders: a user message and what follows"
GIVES = frozenset(
    (
        capabilities.RESPONSE, capabilities.OUTPUT, capabilities.TOOL_RESULTS, capabilities.RESULT,
        capabilities.PLAN, capabilities.TASK, capabilities.FILES, capabilities.TIMES, capabilities.TOOL_CALLS,
        capabilities.FILES_CHANGED, capabilities.COST, capabilities.TOKENS,
    )
)  # fmt: skip
FOLDER = True
_USER, _AGENT = "user", "assistant"


def fits(look: Probe) -> bool:
    """Return whether it is a session, a task's folder or what was shown of one, and Cline's."""
    value = look.value
    if isinstance(value, dict):
        return _is_session(value)
    shown = shown_in(look)
    return shown is not None and is_clines(shown)


def claims(look: Probe) -> frozenset[str]:
    """Return the names of the task's files."""
    return claimed(look)


def _is_session(value: Event) -> bool:
    messages = value.get("messages")
    named = text_at(value, "sessionId") is not None and text_at(value, "updated_at") is not None
    return named and isinstance(messages, list) and all(_is_message(one) for one in messages)


def _is_message(one: object) -> bool:
    mine = isinstance(one, dict) and one.get("role") in (_USER, _AGENT) and "content" in one
    return mine and isinstance(one, dict) and isinstance(one.get("ts"), int | float)


def read(place: Location, wants: frozenset[str]) -> Iterator[Part]:
    """Yield the one run. Raises OSError when it cannot be read."""
    value, problems = (None, ()) if place.is_folder else read_json(place)
    if not isinstance(value, dict):
        yield from read_task(place, wants)
        return
    yield from problems
    chat = Chat(place.path, JSON, wants)
    messages = list(objects_at(value, "messages"))
    if problems and messages and messages[-1].get("role") == _USER:
        messages.pop()  # whether a person wrote it may follow the cut
    first = next((at for one in messages if (at := instant(one.get("ts"))) is not None), None)
    yield Begin(text_at(value, "sessionId") or name_of(place), TURN, place.path, first)
    turn: Turn | None = None
    for message in messages:
        at = instant(message.get("ts"))
        if message.get("role") == _USER and (prompt := _prompt(message)) is not None:
            if turn is not None:
                yield chat.concluded(turn)
            turn = Turn(prompt, at)
        elif turn is not None:
            turn.seen(at)
            _take(message, turn)
    if turn is not None:
        yield chat.concluded(turn)
    yield End(ended_at=instant(value.get("updated_at")))


def _prompt(message: Event) -> str | None:
    """Return what a person wrote; None for a message of results."""
    content = message.get("content")
    if isinstance(content, str):
        return content
    blocks = list(objects_at(message, "content"))
    if any(block.get("type") == "tool_result" for block in blocks):
        return None
    return "\n".join(text_at(block, "text") or "" for block in blocks if block.get("type") == "text")


def _take(message: Event, turn: Turn) -> None:
    if message.get("role") == _USER:
        take_results(message, turn)
        return
    take_answer(message, turn)
    metrics = object_at(message, "metrics")
    turn.add("cost", number_at(metrics, "cost"))
    # What came from the cache is among the input.
    turn.add("tokens", sum_at(metrics, "inputTokens", "outputTokens"))
    turn.set("model", text_at(object_at(message, "modelInfo"), "id"))
