"""Lines of a Claude Code session file: which are wanted at all, and their members in types."""

from __future__ import annotations

import json
from functools import partial

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
_KINDS = tuple(f'{kind}"'.encode() for kind in (USER, ASSISTANT, SYSTEM))
#: What becomes of a line: read, passed over, passed over but for its instant.
WANTED, NOTHING, GIVEN = 0, 1, 2
_TYPE, _PROGRESS, _MESSAGE = b'"type":"', b'progress"', b'"message":'
#: How lines with results of calls go on behind their type.
_GAVE = tuple(
    b'user","message":{"role":"user","content":[{' + mark
    for mark in (b'"tool_use_id":"', b'"type":"tool_result"')
)
_MARK = b"\xef\xbb\xbf"
#: Bytes within which the type of a progress note is.
_BEGINNING = 900
#: What a member is that does not exist.
NONE = Raw(b"null")


class Usage(Struct, gc=False):
    """Tokens of one call of the model."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    cache_read_input_tokens: int | None = None

    def total(self) -> int | None:
        """Return the sum of those that are reported, None where none is."""
        given, made = self.input_tokens, self.output_tokens
        written, read = self.cache_creation_input_tokens, self.cache_read_input_tokens
        if given is None and made is None and written is None and read is None:
            return None
        return (given or 0) + (made or 0) + (written or 0) + (read or 0)


class Block(Struct, gc=False):
    """A block of a message; inputs and contents stay bytes until somebody wants them."""

    type: str = ""
    text: str = ""
    id: str | None = None
    name: str = ""
    input: Raw = NONE
    tool_use_id: str | None = None
    content: Raw = NONE
    is_error: bool | None = None


class Message(Struct, gc=False):
    """What was said, by the agent or to it."""

    content: str | list[Block] = ""
    id: str | None = None
    model: str | None = None
    stop_reason: str | None = None
    usage: Usage | None = None


class Line(Struct, rename="camel", gc=False):
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
    error: Raw = NONE
    cost_usd: float | None = field(default=None, name="costUSD")
    tool_use_result: Raw = NONE
    todos: Raw = NONE


class NotReadError(ValueError):
    """A line that is not JSON object."""


_line = Decoder(Line).decode


def lines(place: Place) -> Iterator[tuple[int, bytes]]:
    """
    Yield number and bytes of each line with its end.

    A byte order mark is left out, as is what a line has beyond `LINE_LIMIT` bytes. Raises OSError.
    """
    size = place.size()
    with place.open() as file:
        yield 1, file.readline(LINE_LIMIT).removeprefix(_MARK)
        following = iter(partial(file.readline, LINE_LIMIT), b"")
        if size is not None and size <= LINE_LIMIT:
            yield from enumerate(following, 2)
            return
        number, cut = 1, False
        for raw in following:
            if not cut:
                number += 1
                yield number, raw
            cut = len(raw) == LINE_LIMIT and raw[-1:] != b"\n"


def is_passed(raw: bytes, *, results: bool) -> int:
    """
    Return by its first bytes what becomes of a line.

    `NOTHING` where nothing can be in it, `GIVEN` where it holds nothing but what calls gave back, unless
    somebody wants `results`; else `WANTED`.
    """
    at = raw.find(_TYPE, 0, _BEGINNING)
    if at == 1:  # it is first
        return WANTED if raw.startswith(_KINDS, at + len(_TYPE)) else NOTHING
    if at < 0:
        return WANTED
    if raw.startswith(_PROGRESS, at + len(_TYPE)):
        return WANTED if raw.find(_MESSAGE, 0, at) >= 0 else NOTHING
    return GIVEN if not results and raw.startswith(_GAVE, at + len(_TYPE)) else WANTED


def line_of(raw: bytes) -> Line:
    """
    Return a line with the members that are what they should be, the others as if they were missing.

    Raises:
        NotReadError: When it is not a JSON object.
    """
    try:
        return _line(raw)
    except (ValidationError, DecodeError, RecursionError, UnicodeDecodeError):
        return _lenient(raw)


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
    return NONE if value is None else Raw(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))


def plain(raw: Raw) -> object:
    """Return what is in the bytes of a member; None for what is too strange."""
    try:
        return _any(raw)
    except (DecodeError, RecursionError, UnicodeDecodeError):
        try:
            return writable(json.loads(bytes(raw).decode("utf-8", "replace"), strict=False))
        except (ValueError, RecursionError):
            return None


_any = Decoder().decode
