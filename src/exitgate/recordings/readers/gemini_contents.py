"""
Contents of the Gemini API kept as they were sent: an array, or a checkpoint with such an array in it.

A turn is a content of the user's with words of a person in it, and what follows. Contents with results
of tools are none, nor are those that the program itself writes: the session's context and the summary
after a compaction. Nothing tells times, costs or tokens.
"""

from __future__ import annotations

from exitgate.core.envelopes.members import object_at, text_at
from exitgate.core.envelopes.plain import JSON
from exitgate.core.model import capabilities
from exitgate.recordings.formats.gemini import exit_status_in, is_failed, own_text, parts_of, response_text
from exitgate.recordings.formats.json_files import name_of, read_json
from exitgate.recordings.formats.turns import Chat, Turn
from exitgate.recordings.model import TURN, Begin, End, Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.core.envelopes.members import Event
    from exitgate.recordings.location import Location
    from exitgate.recordings.model import Part
    from exitgate.recordings.probe import Probe


ID = "gemini-contents"
TITLE = "Gemini API contents and checkpoints: a user message and what follows"
GIVES = frozenset(
    (
        capabilities.RESPONSE, capabilities.OUTPUT, capabilities.TOOL_RESULTS, capabilities.RESULT,
        capabilities.PLAN, capabilities.TASK, capabilities.FILES, capabilities.TOOL_CALLS,
        capabilities.FILES_CHANGED,
    )
)  # fmt: skip
_USER, _MODEL = "user", "model"
_ROLES = (_USER, _MODEL)
#: Members of a checkpoint that hold the contents, the first first.
_MEMBERS = ("clientHistory", "history", "contents")
#: How texts begin that the program writes in the user's place.
_WRAPPED = ("<session_context>", "<state_snapshot>")


def fits(look: Probe) -> bool:
    """Return whether it is an array of contents, or an object that has one."""
    return bool(_contents(look.value))


def _contents(value: object) -> list[Event]:
    """Return the contents in a value, nothing where an item of them is not a content."""
    if isinstance(value, dict):
        found = (_contents(value.get(name)) for name in _MEMBERS if isinstance(value.get(name), list))
        return next((one for one in found if one), [])
    if not isinstance(value, list):
        return []
    return value if all(_is_content(one) for one in value) else []


def _is_content(one: object) -> bool:
    return isinstance(one, dict) and one.get("role") in _ROLES and isinstance(one.get("parts"), list)


def read(place: Location, wants: frozenset[str]) -> Iterator[Part]:
    """Yield the one run. Raises OSError when it cannot be read."""
    value, problems = read_json(place)
    yield from problems
    contents = _contents(value)
    if not contents and not problems:
        yield Problem(place.path, "it has no contents")
    yield Begin(name_of(place), TURN, place.path)
    chat = Chat(place.path, JSON, wants)
    turn: Turn | None = None
    for content in contents:
        if content["role"] == _USER and _is_prompt(content):
            if turn is not None and not turn.steps:
                turn.prompt = f"{turn.prompt}\n{own_text(content)}"
                continue
            if turn is not None:
                yield chat.concluded(turn)
            turn = Turn(own_text(content))
        elif turn is not None:
            _take(content, turn)
    if turn is not None:
        yield chat.concluded(turn)
    yield End()


def _is_prompt(content: Event) -> bool:
    text = own_text(content)
    answers = any("functionResponse" in part for part in parts_of(content))
    return bool(text.strip()) and not answers and not text.lstrip().startswith(_WRAPPED)


def _take(content: Event, turn: Turn) -> None:
    if content["role"] == _MODEL:
        turn.step()
        if text := own_text(content):
            turn.say(text)
    for part in parts_of(content):
        called, answered = object_at(part, "functionCall"), object_at(part, "functionResponse")
        if called:
            turn.call(text_at(called, "name") or "", called.get("args"), text_at(called, "id"))
        if answered:
            text = response_text(answered.get("response"))
            at = turn.find(text_at(answered, "id"), text_at(answered, "name"))
            turn.answer(at, text, error=is_failed(answered), exit_status=exit_status_in(text))
