"""Lines of a Claude Code session file: which are wanted at all, and their members in types."""

from __future__ import annotations

import json

from msgspec import DecodeError, Raw, Struct, ValidationError, field
from msgspec.json import Decoder
from msgspec.structs import fields

from exitgate.transcripts.place import LINE_LIMIT
from exitgate.transcripts.values import count_at, number_at, text_at, writable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from exitgate.transcripts.place import Place
    from exitgate.transcripts.values import Event

#: Kinds of lines with something in them; all others are bookkeeping of the program's.
USER, ASSISTANT, SYSTEM = "user", "assistant", "system"
_WANTED = tuple(f'{{"type":"{kind}"'.encode() for kind in (USER, ASSISTANT, SYSTEM))
#: How lines begin whose type stands first, and what stands near the beginning of progress notes.
_TYPED, _PROGRESS, _MESSAGE = b'{"type":', b'"type":"progress"', b'"message":'
#: How results of calls are written, and what stands beside one that a person broke off.
_GAVE = b'"role":"user","content":[{"t'
_RESULT = (b'ool_use_id":"', b'ype":"tool_result"')
_BREAK = b"[Request interrupted by user"
_MARK = b"\xef\xbb\xbf"
#: Bytes that are read at once.
_PIECE = 262_144
#: Bytes within which the type of a progress note stands.
_BEGINNING = 900
_NONE = Raw(b"null")


class Usage(Struct, gc=False):
    """Tokens of one call of the model."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    cache_read_input_tokens: int | None = None

    def total(self) -> int | None:
        """Return the sum of those that are told, None where none is."""
        known = [
            count
            for count in (
                self.input_tokens,
                self.output_tokens,
                self.cache_creation_input_tokens,
                self.cache_read_input_tokens,
            )
            if count is not None
        ]
        return sum(known) if known else None


class Block(Struct):
    """A block of a message; inputs and contents stay bytes until somebody wants them."""

    type: str = ""
    text: str = ""
    id: str | None = None
    name: str = ""
    input: Raw = _NONE
    tool_use_id: str | None = None
    content: Raw = _NONE
    is_error: bool | None = None


class Message(Struct):
    """What was said, by the agent or to it."""

    content: str | list[Block] = ""
    id: str | None = None
    model: str | None = None
    stop_reason: str | None = None
    usage: Usage | None = None


class Line(Struct, rename="camel"):
    """One line; the members are the format's."""

    type: str = ""
    subtype: str | None = None
    uuid: str | None = None
    parent_uuid: str | None = None
    session_id: str | None = None
    agent_id: str | None = None
    timestamp: str | None = None
    is_sidechain: bool = False
    is_meta: bool = False
    is_compact_summary: bool = False
    is_visible_in_transcript_only: bool = False
    is_api_error_message: bool = False
    prevented_continuation: bool = False
    stop_reason: str | None = None
    message: Message | None = None
    error: Raw = _NONE
    cost_usd: float | None = field(default=None, name="costUSD")
    tool_use_result: Raw = _NONE
    todos: Raw = _NONE


class NotReadError(ValueError):
    """A line that is no JSON object."""


_line = Decoder(Line).decode


def lines(place: Place) -> Iterator[tuple[int, bytes, int, int]]:
    """
    Yield number, a piece of the file, and where in it the line begins and ends: nothing is copied.

    A byte order mark is left out, as is what a line has beyond `LINE_LIMIT` bytes. Raises OSError.
    """
    number, held, over = 0, b"", False
    with place.open() as file:
        while piece := file.read(_PIECE):
            if number == 0 and not held and piece.startswith(_MARK):
                piece = piece[len(_MARK) :]
            buffer = held + piece if held else piece
            start, end = 0, buffer.find(b"\n", len(held))
            while end >= 0:
                number += 1
                if not over:
                    yield number, buffer, start, end
                over = False
                start = end + 1
                end = buffer.find(b"\n", start)
            held = buffer[start:] if start else buffer
            if len(held) > LINE_LIMIT:
                if not over:
                    yield number + 1, held, 0, LINE_LIMIT
                held, over = b"", True
        if held and not over:
            yield number + 1, held, 0, len(held)


def is_wanted(buffer: bytes, start: int) -> bool:
    """Return whether the line that begins at `start` may have something in it, by its first bytes alone."""
    if buffer.startswith(_TYPED, start):
        return buffer.startswith(_WANTED, start)
    at = buffer.find(_PROGRESS, start, start + _BEGINNING)
    return at < 0 or buffer.find(_MESSAGE, start, at) >= 0


def is_result(buffer: bytes, start: int, end: int) -> bool:
    """Return whether the line holds nothing but what a call gave back, by its first bytes."""
    at = buffer.find(_GAVE, start, min(end, start + _BEGINNING))
    return at >= 0 and buffer.startswith(_RESULT, at + len(_GAVE)) and buffer.find(_BREAK, at, end) < 0


def line_of(raw: bytes | memoryview) -> Line:
    """
    Return a line with the members that are what they should be, the others as if they were not there.

    Raises:
        NotReadError: When it is no JSON object.
    """
    try:
        return _line(raw)
    except (ValidationError, DecodeError, RecursionError, UnicodeDecodeError):
        return _lenient(bytes(raw))


def _lenient(raw: bytes) -> Line:
    try:
        value = json.loads(raw.decode("utf-8", "replace"), strict=False)
    except (ValueError, RecursionError) as error:
        raise NotReadError("not JSON") from error
    if not isinstance(value, dict):
        raise NotReadError("not an object")
    try:
        return _typed(writable(value))
    except RecursionError as error:
        raise NotReadError("nested too deeply") from error


#: Members of a line of each type, ours -> the format's.
_FLAGS = tuple(one for one in fields(Line) if one.type is bool)
_TEXTS = tuple(one for one in fields(Line) if one.type == (str | None))
_RAWS = tuple(one for one in fields(Line) if one.type is Raw)


def _typed(value: object) -> Line:
    assert isinstance(value, dict)
    members: dict[str, Any] = {one.name: value.get(one.encode_name) is True for one in _FLAGS}
    members |= {one.name: text_at(value, one.encode_name) for one in _TEXTS}
    members |= {one.name: _raw(value.get(one.encode_name)) for one in _RAWS}
    told = value.get("message")
    members["message"] = _message(told) if isinstance(told, dict) else None
    members["cost_usd"] = number_at(value, "costUSD")
    return Line(type=text_at(value, "type") or "", **members)


def _message(value: Event) -> Message:
    content = value.get("content")
    blocks: str | list[Block] = content if isinstance(content, str) else ""
    if isinstance(content, list):
        blocks = [_block(block) for block in content if isinstance(block, dict)]
    told = value.get("usage")
    usage = None
    if isinstance(told, dict):
        usage = Usage(**{name: count_at(told, name) for name in Usage.__struct_fields__})
    return Message(
        blocks, text_at(value, "id"), text_at(value, "model"), text_at(value, "stop_reason"), usage
    )


def _block(block: Event) -> Block:
    error = block.get("is_error")
    return Block(
        text_at(block, "type") or "",
        text_at(block, "text") or "",
        text_at(block, "id"),
        text_at(block, "name") or "",
        _raw(block.get("input")),
        text_at(block, "tool_use_id"),
        _raw(block.get("content")),
        error if isinstance(error, bool) else None,
    )


def _raw(value: object) -> Raw:
    return _NONE if value is None else Raw(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))


def plain(raw: Raw) -> object:
    """Return what stands in the bytes of a member; None for what is too strange."""
    try:
        return _any(raw)
    except (DecodeError, RecursionError, UnicodeDecodeError):
        try:
            return writable(json.loads(bytes(raw).decode("utf-8", "replace"), strict=False))
        except (ValueError, RecursionError):
            return None


_any = Decoder().decode
