"""
Which prompts of a session were taken back: lines are a tree, and only the branch of the newest leaf counts.

A person who goes back writes a new prompt behind an earlier line. Within a turn lines branch as well, one
branch a call where several run at once, and all of them count; so it is prompts that are looked at. Each
is expected behind a line of the turn before it. Only where it is not, its parent is looked for in the
whole file. Only prompts are decoded for it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque

from msgspec import DecodeError, Struct
from msgspec.json import Decoder

from exitgate.transcripts.readers.claude_session_lines import USER, Line, NotReadError, line_of, lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from typing import BinaryIO

    from exitgate.transcripts.place import Place

_PIECE = 1_048_576
#: Lines before a prompt among which its parent is looked for first.
_RECENT = 64
#: Bytes at the end of a line in which its id mostly is.
_ENDING = 400
#: Bytes of a line within which its message begins.
_BEGINNING = 2_000
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


def taken_back(place: Place) -> frozenset[str]:
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


def _is_plain(place: Place) -> bool:
    """Return whether prompts are written as the program writes them, by the beginning of the file."""
    for line in place.head(_HEAD).split(b"\n"):
        if _ROLE in line and _USER in line and _SAID not in line and _linked(line) is not None:
            return False
    return True


def _by_line(place: Place) -> tuple[list[str], dict[int, int]]:
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
        content = line.message.content if line.message is not None else ""
        told = isinstance(content, str) or not any(block.type == _RESULT for block in content)
        if line.type == USER and told and not (line.is_sidechain or line.is_meta or line.is_compact_summary):
            turn = None if line.parent_uuid is None else turns.get(hash(line.parent_uuid))
            if turn is not None and turn < len(prompts) - 1:
                parents[len(prompts)] = turn
            prompts.append(line.uuid)
        turns[hash(line.uuid)] = len(prompts) - 1
    return prompts, parents


def _prompts(place: Place) -> Iterator[Prompt]:
    """Yield the prompts in a file, in order."""
    offset = 0
    recent: deque[bytes] = deque(maxlen=_RECENT)  # lines since the last prompt
    seen: set[str] = set()
    for _, raw in lines(place):
        at = raw.find(_SAID, 0, _BEGINNING)
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
