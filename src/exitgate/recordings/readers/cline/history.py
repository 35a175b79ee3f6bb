"""The messages to and from the model that Cline and Roo keep: `api_conversation_history.json`."""

from __future__ import annotations

import json

from exitgate.core.envelopes.members import objects_at, text_at, texts_in
from exitgate.recordings.formats.timestamps import instant
from exitgate.recordings.formats.turns import Turn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from exitgate.core.envelopes.members import Event


_USER, _AGENT = "user", "assistant"
#: Tags around what a person wrote.
_PERSON = ("task", "user_message", "feedback", "answer")
_ENVIRONMENT, _RESULT = "<environment_details>", "] Result:"
_DENIED = "denied"


def is_history(value: object) -> bool:
    """Return whether a value is such messages: with instants, or with a task as these programs wrap it."""
    if not isinstance(value, list) or not value or not all(_is_message(one) for one in value):
        return False
    timed = any(isinstance(one.get("ts"), int | float) for one in value)
    return timed or any(f"<{_PERSON[0]}>" in text for text in _texts(value[0]))


def _is_message(one: object) -> bool:
    if not isinstance(one, dict) or one.get("role") not in (_USER, _AGENT) or "type" in one:
        return False
    return isinstance(one.get("content"), str | list)


def _texts(message: Event) -> Iterator[str]:
    """Yield the texts of a message, block by block."""
    content = message.get("content")
    if isinstance(content, str):
        yield content
    for block in objects_at(message, "content"):
        if block.get("type") == "text" and (text := text_at(block, "text")) is not None:
            yield text


def turns_of(messages: Sequence[Event]) -> tuple[Turn, ...]:
    """Return the turns: each begins with a message that has words of a person in it."""
    turns: list[Turn] = []
    for message in messages:
        at = instant(message.get("ts"))
        prompt = _prompt(message) if message.get("role") == _USER else None
        if turns and message.get("role") == _USER:
            take_results(message, turns[-1])
        if prompt is not None or not turns:
            turns.append(Turn(prompt, at))
        turns[-1].seen(at)
        if message.get("role") == _AGENT and message.get("isSummary") is not True:
            take_answer(message, turns[-1])
    return tuple(turns)


def steps_of(messages: Sequence[Event]) -> tuple[tuple[float, Turn], ...]:
    """Return each answer of the model, with its instant, its calls and what they gave back."""
    found: list[tuple[float, Turn]] = []
    for message in messages:
        at = instant(message.get("ts"))
        if message.get("role") == _AGENT and message.get("isSummary") is not True and at is not None:
            found.append((at, Turn(None, at)))
            take_answer(message, found[-1][1])
        elif message.get("role") == _USER and found:
            take_results(message, found[-1][1])
    return tuple(found)


def _prompt(message: Event) -> str | None:
    """Return what a person wrote in a message of results, context and more; None if there is none."""
    for text in _texts(message):
        body = text.partition(_ENVIRONMENT)[0]
        for name in _PERSON:
            if f"<{name}>" in body and (inner := members_of(body[body.find(f"<{name}>") :]).get(name)):
                return inner.strip()
    return None


def take_answer(message: Event, turn: Turn) -> None:
    """Add an answer of the model: its words, and its calls as tags or as blocks."""
    turn.step()
    for text in _texts(message):
        words, calls = taken_apart(text)
        if words:
            turn.say(words)
        for name, members in calls:
            turn.call(name, members)
    for block in objects_at(message, "content"):
        if block.get("type") == "tool_use":
            turn.call(text_at(block, "name") or "", block.get("input"), text_at(block, "id"))


def take_results(message: Event, turn: Turn) -> None:
    """Add what calls gave back: blocks of results, or the text behind a heading."""
    told: list[str] | None = None
    for block in objects_at(message, "content"):
        if block.get("type") == "tool_result":
            _result(block, turn)
            continue
        text = text_at(block, "text") or ""
        if text.startswith("[") and _RESULT in text.partition("\n")[0]:
            told = [text.partition(_RESULT)[2].strip()]
        elif told is not None and not text.startswith(_ENVIRONMENT):
            told.append(text)
    if told is not None:
        turn.answer(turn.find(None), "\n".join(part for part in told if part))


def _result(block: Event, turn: Turn) -> None:
    at = turn.find(text_at(block, "tool_use_id"))
    content = block.get("content")
    text = result_text(content)
    failed = block.get("is_error")
    if at is not None and is_denied(text):
        turn.deny(at)
        failed = True
    turn.answer(at, text, error=failed if isinstance(failed, bool) else None)


def is_denied(text: str) -> bool:
    """Return whether a result is the object by which a refused call is reported."""
    if not text.startswith("{") or _DENIED not in text[:200]:
        return False
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and value.get("status") == _DENIED


def result_text(content: object) -> str:
    """Return the text of a result: itself, text blocks, or results of several queries."""
    text = texts_in(content)
    if text or not isinstance(content, list):
        return text
    several = (text_at(one, "result", "error") for one in content if isinstance(one, dict))
    return "\n".join(one for one in several if one)


# Calls of tools that a model writes as tags into its text, as Cline and Roo have it do.

_THOUGHTS = "thinking"
#: The call that says the task is done, and the member with what it says.
CLAIM, CLAIMED = "attempt_completion", "result"
#: The call that asks the user, and the member with the question.
ASK, ASKED = "ask_followup_question", "question"
#: Members that may have tags of their own in them, the same ones too.
_TEXTS = ("content", "diff", CLAIMED)
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz_")


def taken_apart(text: str) -> tuple[str, tuple[tuple[str, dict[str, str]], ...]]:
    """
    Return what a message says in words, and its calls as name and members, in order.

    A call is a tag with `_` in its name at the beginning of a line that is closed again; one that is cut
    off was not made and is left out. What a call claims or asks is among the words.
    """
    words: list[str] = []
    calls: list[tuple[str, dict[str, str]]] = []
    at = 0
    for begin, name, body, end in _tags(text):
        words.append(text[at:begin])
        at = end
        if name == _THOUGHTS:
            continue
        members = members_of(body)
        if name in (CLAIM, ASK):
            words.append(members.get(CLAIMED if name == CLAIM else ASKED, ""))
        else:
            calls.append((name, members))
    words.append(text[at:])
    return "\n\n".join(part.strip() for part in words if part.strip()), tuple(calls)


def _tags(text: str) -> Iterator[tuple[int, str, str, int]]:
    """Yield where each call begins, its name, what is in it, and its end."""
    unclosed: set[str] = set()
    at = 0
    while (begin := text.find("<", at)) >= 0:
        at = begin + 1
        close = text.find(">", begin, begin + 64)
        name = text[begin + 1 : close] if close >= 0 else ""
        if (begin and text[begin - 1] != "\n") or name in unclosed or not _is_name(name):
            continue
        end = text.find(f"</{name}>", close)
        if end < 0:
            unclosed.add(name)
            if name != _THOUGHTS:
                yield begin, _THOUGHTS, "", len(text)  # cut off: neither words nor a call
                return
            continue
        at = end + len(name) + 3
        yield begin, name, text[close + 1 : end], at


def _is_name(name: str) -> bool:
    tool = "_" in name.strip("_") and _LETTERS.issuperset(name)
    return tool or name == _THOUGHTS


def members_of(body: str) -> dict[str, str]:
    """Return the members of a call: tag -> what is in it, without the line ends around it."""
    found: dict[str, str] = {}
    at = 0
    while (begin := body.find("<", at)) >= 0:
        close = body.find(">", begin, begin + 64)
        name = body[begin + 1 : close] if close >= 0 else ""
        if not name or not _LETTERS.issuperset(name):
            at = begin + 1
            continue
        find = body.rfind if name in _TEXTS else body.find
        end = find(f"</{name}>", close)
        if end < 0:
            return found
        found.setdefault(name, body[close + 1 : end].removeprefix("\n").removesuffix("\n"))
        at = end + len(name) + 3
    return found
