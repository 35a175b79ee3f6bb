"""
Contents of the Gemini API kept as they were sent: an array, or a checkpoint with such an array in it.

A turn is a content of the user's with words of a person in it, and what follows. Contents with results
of tools are none, nor are those that the program itself writes: the session's context and the summary
after a compaction. Nothing tells times, costs or tokens.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import UNSET, Struct

from exitgate.core.envelopes.members import as_object
from exitgate.core.envelopes.plain import JSON
from exitgate.core.model import capabilities
from exitgate.core.system.lenient import read_as
from exitgate.recordings.formats.gemini import Content, FunctionCall, FunctionResponse, exit_status_in
from exitgate.recordings.formats.json_files import name_of, read_json
from exitgate.recordings.formats.turns import Chat, Turn
from exitgate.recordings.location import Location
from exitgate.recordings.model import TURN, Begin, End, Part, Problem
from exitgate.recordings.probe import Probe

ID = "gemini-contents"
TITLE = "Gemini API contents and checkpoints: a user message and what follows"
GIVES = capabilities.TRANSCRIPT | {capabilities.TASK}
_USER, _MODEL = "user", "model"
_ROLES = (_USER, _MODEL)
#: Members of a checkpoint that hold the contents, the first first.
_MEMBERS = ("clientHistory", "history", "contents")
#: How texts begin that the program writes in the user's place.
_WRAPPED = ("<session_context>", "<state_snapshot>")


def fits(look: Probe) -> bool:
    """Return whether it is an array of contents, or an object that has one."""
    return bool(_contents(look.value))


class _Contents(Struct, frozen=True):
    contents: tuple[Content, ...] = ()


def _contents(value: object) -> tuple[Content, ...]:
    """Return the contents in a value, nothing where an item of them is not a content."""
    if not isinstance(value, list):
        lists = (one for name in _MEMBERS if isinstance(one := as_object(value).get(name), list))
        return next((found for one in lists if (found := _contents(one))), ())
    found = read_as(_Contents, {"contents": value}).contents
    return found if len(found) == len(value) and all(map(_is_content, found)) else ()


def _is_content(one: Content) -> bool:
    return one.role in _ROLES and one.parts is not None


def read(place: Location, wants: frozenset[str]) -> Iterator[Part]:
    """Yield the one run. Raises OSError when it cannot be read."""
    value, problems = read_json(place)
    yield from problems
    contents = _contents(value)
    if not contents and not problems:
        yield Problem(place.path, "it has no contents")
    yield Begin(name_of(place), TURN, place.path)
    chat = Chat(place.path, JSON, wants)
    for content in contents:
        turn = chat.turn
        if content.role == _USER and _is_prompt(content):
            if turn is not None and not turn.steps:
                turn.prompt = f"{turn.prompt}\n{content.own_text}"
            else:
                yield from chat.begin(Turn(content.own_text))
        elif turn is not None:
            _take(content, turn)
    yield from chat.end()
    yield End()


def _is_prompt(content: Content) -> bool:
    text = content.own_text
    answers = any(part.function_response is not UNSET for part in content.parts or ())
    return bool(text.strip()) and not answers and not text.lstrip().startswith(_WRAPPED)


def _take(content: Content, turn: Turn) -> None:
    if content.role == _MODEL:
        turn.step()
        if text := content.own_text:
            turn.say(text)
    for part in content.parts or ():
        if part.function_call:
            called = read_as(FunctionCall, part.function_call)
            turn.call(called.name or "", called.args, called.id)
        if part.function_response:
            answered = read_as(FunctionResponse, part.function_response)
            text = answered.text
            at = turn.find(answered.id, answered.name)
            turn.answer(at, text, error=answered.is_failed, exit_status=exit_status_in(text))
