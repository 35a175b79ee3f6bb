"""The messages to and from the model that Cline and Roo keep: `api_conversation_history.json`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct

from exitgate.core.envelopes.members import as_object, objects_in, texts_in
from exitgate.core.system.lenient import read_as
from exitgate.recordings.formats.timestamps import instant
from exitgate.recordings.formats.turns import Turn

_USER, _AGENT = "user", "assistant"
#: Tags around what a person wrote.
_PERSON = ("task", "user_message", "feedback", "answer")
_ENVIRONMENT, _RESULT = "<environment_details>", "] Result:"
_DENIED = "denied"


class Block(Struct, frozen=True):
    """A block of a message: a text, a call, or what one gave back."""

    type: str | None = None
    text: str | None = None
    name: str | None = None
    input: Any = None
    id: str | None = None
    tool_use_id: str | None = None
    content: Any = None
    is_error: bool | None = None


class _Blocks(Struct, frozen=True):
    content: tuple[Block, ...] = ()


class Message(Struct, frozen=True, rename={"is_summary": "isSummary"}):
    """A message; its content is a text, or a list of blocks."""

    role: str | None = None
    ts: Any = None
    content: Any = None
    is_summary: bool = False

    @property
    def blocks(self) -> tuple[Block, ...]:
        """Its blocks; none of a text."""
        return read_as(_Blocks, {"content": self.content}).content

    @property
    def texts(self) -> Iterator[str]:
        """Its texts, block by block."""
        if isinstance(self.content, str):
            yield self.content
        yield from (one.text for one in self.blocks if one.type == "text" and one.text is not None)

    @property
    def is_timed(self) -> bool:
        """Whether it has an instant as these programs write it."""
        return isinstance(self.ts, int | float)


class _Messages(Struct, frozen=True):
    messages: tuple[Message, ...] = ()


def messages_in(value: object) -> tuple[Message, ...]:
    """Return the messages in a list."""
    return read_as(_Messages, {"messages": value}).messages


def is_history(value: object) -> bool:
    """Return whether a value is such messages: with instants, or with a task as these programs wrap it."""
    if not isinstance(value, list) or not value or not all(map(_is_message, value)):
        return False
    messages = messages_in(value)
    return any(one.is_timed for one in messages) or any(f"<{_PERSON[0]}>" in t for t in messages[0].texts)


def _is_message(one: object) -> bool:
    message = read_as(Message, one)
    mine = message.role in (_USER, _AGENT) and isinstance(message.content, str | list)
    return mine and "type" not in as_object(one)


def turns_of(messages: Sequence[Message]) -> tuple[Turn, ...]:
    """Return the turns: each begins with a message that has words of a person in it."""
    turns: list[Turn] = []
    for message in messages:
        at = instant(message.ts)
        prompt = _prompt(message) if message.role == _USER else None
        if turns and message.role == _USER:
            take_results(message, turns[-1])
        if prompt is not None or not turns:
            turns.append(Turn(prompt, at))
        turns[-1].seen(at)
        if message.role == _AGENT and not message.is_summary:
            take_answer(message, turns[-1])
    return tuple(turns)


def steps_of(messages: Sequence[Message]) -> tuple[tuple[float, Turn], ...]:
    """Return each answer of the model, with its instant, its calls and what they gave back."""
    found: list[tuple[float, Turn]] = []
    for message in messages:
        at = instant(message.ts)
        if message.role == _AGENT and not message.is_summary and at is not None:
            found.append((at, Turn(None, at)))
            take_answer(message, found[-1][1])
        elif message.role == _USER and found:
            take_results(message, found[-1][1])
    return tuple(found)


def _prompt(message: Message) -> str | None:
    """Return what a person wrote in a message of results, context and more; None if there is none."""
    for text in message.texts:
        body = text.partition(_ENVIRONMENT)[0]
        for name in _PERSON:
            if f"<{name}>" in body and (inner := members_of(body[body.find(f"<{name}>") :]).get(name)):
                return inner.strip()
    return None


def take_answer(message: Message, turn: Turn) -> None:
    """Add an answer of the model: its words, and its calls as tags or as blocks."""
    turn.step()
    for text in message.texts:
        words, calls = taken_apart(text)
        if words:
            turn.say(words)
        for name, members in calls:
            turn.call(name, members)
    for block in message.blocks:
        if block.type == "tool_use":
            turn.call(block.name or "", block.input, block.id)


def take_results(message: Message, turn: Turn) -> None:
    """Add what calls gave back: blocks of results, or the text behind a heading."""
    told: list[str] | None = None
    for block in message.blocks:
        if block.type == "tool_result":
            _result(block, turn)
            continue
        text = block.text or ""
        if text.startswith("[") and _RESULT in text.partition("\n")[0]:
            told = [text.partition(_RESULT)[2].strip()]
        elif told is not None and not text.startswith(_ENVIRONMENT):
            told.append(text)
    if told is not None:
        turn.answer(turn.find(None), "\n".join(part for part in told if part))


def _result(block: Block, turn: Turn) -> None:
    at, text, failed = turn.find(block.tool_use_id), result_text(block.content), block.is_error
    if at is not None and is_denied(text):
        turn.deny(at)
        failed = True
    turn.answer(at, text, error=failed)


def is_denied(text: str) -> bool:
    """Return whether a result is the object by which a refused call is reported."""
    if not text.startswith("{") or _DENIED not in text[:200]:
        return False
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return read_as(_Status, value).status == _DENIED


class _Status(Struct, frozen=True):
    status: str | None = None


class _Query(Struct, frozen=True):
    """What one of several queries gave back."""

    result: str | None = None
    error: str | None = None


def result_text(content: object) -> str:
    """Return the text of a result: itself, text blocks, or results of several queries."""
    text = texts_in(content)
    if text or not isinstance(content, list):
        return text
    several = [read_as(_Query, one) for one in objects_in(content)]
    told = (one.error if one.result is None else one.result for one in several)
    return "\n".join(text for text in told if text)


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
