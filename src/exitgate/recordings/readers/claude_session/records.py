"""Lines of a Claude Code session file: which are wanted at all, and their members in types."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import BinaryIO

from msgspec import DecodeError, Raw, Struct, ValidationError, field
from msgspec.json import Decoder
from msgspec.structs import astuple

from exitgate.core.envelopes.members import writable
from exitgate.core.system.lenient import amount, read_as, summed
from exitgate.recordings.location import LINE_LIMIT, Location

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
_TYPE_WITHIN = 900
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

    @property
    def blocks(self) -> list[Block]:
        """The blocks of the content; none of a text."""
        return [] if isinstance(self.content, str) else self.content

    @property
    def text(self) -> str:
        """The text of the content; of blocks those that have one, a line end between them."""
        return "\n".join(b.text for b in self.blocks if b.text) if self.blocks else str(self.content or "")


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


def lines(place: Location) -> Iterator[tuple[int, bytes]]:
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
    at = raw.find(_TYPE, 0, _TYPE_WITHIN)
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
        line = read_as(Line, writable(value))
    except RecursionError as error:
        raise NotReadError("nested too deeply") from error
    if line.message is not None and line.message.usage is not None:
        line.message.usage = Usage(*map(summed, map(amount, astuple(line.message.usage))))
    return line


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


# Which prompts of a session were taken back: lines are a tree, and only the branch of the newest leaf
# counts.
#
# A person who goes back writes a new prompt behind an earlier line. Within a turn lines branch as well, one
# branch a call where several run at once, and all of them count; so it is prompts that are looked at. Each
# is expected behind a line of the turn before it. Only where it is not, its parent is looked for in the
# whole file. Only prompts are decoded for it.

_PIECE = 1_048_576
#: Lines before a prompt among which its parent is looked for first.
_RECENT = 64
#: Bytes at the end of a line in which its id mostly is.
_ENDING = 400
#: Bytes of a line within which its message begins.
_LINK_WITHIN = 2_000
#: How a prompt is written, and what follows where it is one.
_SAID = b'"role":"user","content":'
_TEXT = (b'"', b'[{"type":"text"', b'[{"type":"image"', b'[{"text"')
_UUID = b'"uuid":"'
_ROLE, _USER, _RESULT = b'"role"', b'"user"', "tool_result"
#: Bytes that show how a file is written.
_HEAD = 262_144


class Prompt(Struct):
    """A prompt: where its line begins, its own id, and that of the line behind which it is."""

    at: int
    uuid: str
    parent: str | None
    #: Whether the parent is among the lines since the prompt before.
    follows: bool = True


class _Link(Struct, rename="camel"):
    """As much of a line as is needed to place it."""

    type: str = ""
    uuid: str | None = None
    parent_uuid: str | None = None
    is_sidechain: bool = False
    is_meta: bool = False
    is_compact_summary: bool = False


_link = Decoder(_Link).decode


def taken_back(place: Location) -> frozenset[str]:
    """Return the ids of the prompts that are on no way from the newest prompt back. Raises OSError."""
    if not _is_plain(place):
        return _gone(*_by_line(place))
    prompts = list(_prompts(place))
    strays: dict[str, list[int]] = {}
    for at, prompt in enumerate(prompts):
        if not prompt.follows and prompt.parent is not None:
            strays.setdefault(prompt.parent, []).append(at)
    if not strays:
        return frozenset()
    starts = [prompt.at for prompt in prompts]
    parents: dict[int, int] = {}
    with place.open() as file:
        for uuid, offset in _offsets(file, strays):
            turn = bisect_right(starts, offset) - 1
            parents.update((at, turn) for at in strays[uuid] if turn < at - 1)
    return _gone([prompt.uuid for prompt in prompts], parents)


def _gone(prompts: Sequence[str], parents: Mapping[int, int]) -> frozenset[str]:
    """Return those that are passed over on the way back; `parents` says where strays are."""
    gone: set[str] = set()
    at = len(prompts) - 1
    while at >= 0:
        parent = parents.get(at, at - 1)
        gone.update(prompts[parent + 1 : at])
        at = parent
    return frozenset(gone)


def _is_plain(place: Location) -> bool:
    """Return whether prompts are written as the program writes them, by the beginning of the file."""
    for line in place.head(_HEAD).split(b"\n"):
        if _ROLE in line and _USER in line and _SAID not in line and _linked(line) is not None:
            return False
    return True


def _by_line(place: Location) -> tuple[list[str], dict[int, int]]:
    """Return the ids of the prompts and where those are that follow no line of the turn before."""
    turns: dict[int, int] = {}
    prompts: list[str] = []
    parents: dict[int, int] = {}
    for raw in place.lines():
        try:
            line = line_of(raw)
        except NotReadError:
            continue
        if line.uuid is None or hash(line.uuid) in turns:
            continue
        blocks = line.message.blocks if line.message is not None else ()
        told = not any(block.type == _RESULT for block in blocks)
        if line.type == USER and told and not (line.is_sidechain or line.is_meta or line.is_compact_summary):
            turn = None if line.parent_uuid is None else turns.get(hash(line.parent_uuid))
            if turn is not None and turn < len(prompts) - 1:
                parents[len(prompts)] = turn
            prompts.append(line.uuid)
        turns[hash(line.uuid)] = len(prompts) - 1
    return prompts, parents


def _prompts(place: Location) -> Iterator[Prompt]:
    """Yield the prompts in a file, in order."""
    offset = 0
    recent: deque[bytes] = deque(maxlen=_RECENT)  # lines since the last prompt
    seen: set[str] = set()
    for _, raw in lines(place):
        at = raw.find(_SAID, 0, _LINK_WITHIN)
        if at >= 0 and raw.startswith(_TEXT, at + len(_SAID)):
            link = _linked(raw)
            if link is not None and link.uuid and link.uuid not in seen:
                seen.add(link.uuid)
                follows = link.parent_uuid is None or _stands(recent, link.parent_uuid)
                yield Prompt(offset, link.uuid, link.parent_uuid, follows)
                recent.clear()
        recent.append(raw)
        offset += len(raw)


def _linked(line: bytes) -> _Link | Line | None:
    """Return a line that is a prompt on the main chain, None for others."""
    link: _Link | Line
    try:
        link = _link(line)
    except (DecodeError, RecursionError, UnicodeDecodeError):
        try:
            link = line_of(line)
        except NotReadError:
            return None
    passed = link.is_sidechain or link.is_meta or link.is_compact_summary
    return None if passed or link.type != USER else link


def _stands(recent: deque[bytes], uuid: str) -> bool:
    """Return whether the line of that id is among some; it mostly is the last of them."""
    wanted = _UUID + uuid.encode("utf-8", "replace") + b'"'
    if recent and recent[-1].find(wanted, -_ENDING) >= 0:
        return True
    return any(wanted in raw for raw in reversed(recent))


def _offsets(file: BinaryIO, uuids: Collection[str]) -> Iterator[tuple[str, int]]:
    """Yield the first place of each id in a file."""
    left = {_UUID + uuid.encode("utf-8", "replace") + b'"': uuid for uuid in uuids}
    held, offset = b"", 0
    while left:
        piece = file.read(_PIECE)
        if not piece:
            return
        held += piece
        at = held.find(_UUID)
        while at >= 0:
            end = held.find(b'"', at + len(_UUID))
            uuid = left.pop(held[at : end + 1], None) if end >= 0 else None
            if uuid is not None:
                yield uuid, offset + at
            at = held.find(_UUID, at + len(_UUID))
        cut = max(0, len(held) - 512)
        held, offset = held[cut:], offset + cut
