"""The ledger read without the lock: nothing is made, moved or fixed."""

from __future__ import annotations

import os

from exitgate.core.ledger.file import (
    RefusingNewer,
    begins_line,
    cannot_read,
    open_reading,
    parse,
    path_in,
    raw_at,
    raw_backwards,
    start_of_last,
    start_of_run,
    whole_size,
)
from exitgate.core.ledger.line import DECISION, RESET
from exitgate.core.ledger.runs import name_of
from exitgate.core.model.json_object import whole_of
from exitgate.core.model.value import Value
from exitgate.core.system.quick_json import dumps_finite

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.core.model.json_object import JsonObject

    #: Offset of a line, its bytes, and what they hold; None for a damaged one.
    Found = tuple[int, bytes, JsonObject | None]

#: Bytes that a search walks before it asks the index of names, which is written anew each time that a ledger
#: has grown by so much.
STEP = 1 << 18
_CHUNK = 1 << 18
#: Bytes of the longest line; a file without line ends is not a ledger.
_LONGEST = 256_000_000


class Damage(Value):
    """A line that cannot be used: its 1-based number, its offset, and what is wrong with it."""

    __slots__ = ("number", "offset", "reason")

    def __init__(self, number: int, offset: int, reason: str) -> None:
        self.number = number
        self.offset = offset
        self.reason = reason


def raw_lines(directory: str) -> Iterator[tuple[int, bytes, bool]]:
    """
    Yield offset, bytes and wholeness of each line, oldest first; an unfinished last one is not whole.

    Memory is that of the longest line. Raises ExitgateError 74 when the ledger cannot be read.
    """
    descriptor = open_reading(directory)
    if descriptor is None:
        return
    try:
        offset = 0
        rest: list[bytes] = []
        while piece := os.read(descriptor, _CHUNK):
            first, *others = piece.split(b"\n")
            rest.append(first)
            if len(rest) * _CHUNK > _LONGEST:
                raise cannot_read(path_in(directory), f"a line has no end within {_LONGEST} bytes")
            for part in others:
                raw = b"".join(rest)
                yield offset, raw, True
                offset += len(raw) + 1
                rest = [part]
        if unfinished := b"".join(rest):
            yield offset, unfinished, False
    finally:
        os.close(descriptor)


def lines(directory: str, damages: list[Damage] | None = None) -> Iterator[JsonObject]:
    """
    Yield every good line of the ledger in `directory`, oldest first; none when there is no ledger.

    Damaged lines are skipped and, if `damages` is given, added to it. Raises ExitgateError 74
    when the ledger cannot be read or holds a line of a newer version.
    """
    for number, (offset, raw, whole) in enumerate(raw_lines(directory), 1):
        with RefusingNewer(path_in(directory)):
            line = parse(raw) if whole else None
        if line is not None:
            yield line
        elif damages is not None:
            damages.append(Damage(number, offset, "it is damaged" if whole else "it is unfinished"))


def tail(directory: str, run: str | None, limit: int) -> tuple[JsonObject, ...]:
    """Return what `exitgate.core.ledger.append.Ledger.tail` would, without the lock."""
    descriptor = open_reading(directory)
    if descriptor is None:
        return ()
    try:
        with RefusingNewer(path_in(directory)):
            return tail_of_run(directory, descriptor, whole_size(descriptor), run, limit)
    finally:
        os.close(descriptor)


def last(directory: str, name: str) -> JsonObject | None:
    """Return the newest line of any run called `name`, or None, without the lock."""
    descriptor = open_reading(directory)
    if descriptor is None:
        return None
    try:
        with RefusingNewer(path_in(directory)):
            found = last_of(directory, descriptor, whole_size(descriptor), name)
        return None if found is None else found[1]
    finally:
        os.close(descriptor)


def recent(directory: str, name: str, decisions: int) -> tuple[JsonObject, ...]:
    """Return the newest lines of all runs called `name`, see `exitgate.core.ledger.read.recent_of_run`."""
    descriptor = open_reading(directory)
    if descriptor is None:
        return ()
    try:
        with RefusingNewer(path_in(directory)):
            return recent_of_run(directory, descriptor, whole_size(descriptor), name, decisions)
    finally:
        os.close(descriptor)


def newest_offset(directory: str) -> int | None:
    """Return where the newest whole line begins, None when there is none."""
    descriptor = open_reading(directory)
    if descriptor is None:
        return None
    try:
        end = whole_size(descriptor)
        return start_of_last(descriptor, end) if end else None
    finally:
        os.close(descriptor)


# The newest lines of a run, found without reading those of others.


def backwards(descriptor: int, end: int) -> Iterator[Found]:
    """Yield the lines before offset `end`, newest first, damaged ones too."""
    for offset, raw in raw_backwards(descriptor, end):
        yield offset, raw, parse(raw)


def newest(descriptor: int, end: int, broken: list[str] | None = None) -> Found | None:
    """Return the newest line that is not damaged, or None; `broken` gets a message if it is not the last."""
    for found in backwards(descriptor, end):
        if found[2] is not None:
            if broken is not None and found[0] + len(found[1]) + 1 < end:
                broken.append(_passed_over(found[0] + len(found[1]) + 1))
            return found
    if broken is not None and end > 0:
        broken.append("none of its lines can be read; the earlier decisions are not known")
    return None


def _passed_over(offset: object) -> str:
    return f"the line at offset {offset} is damaged and skipped; its decision is not known"


def line_at(descriptor: int, offset: object, end: int) -> JsonObject | None:
    """Return the line at `offset`, or None when no good line begins there before `end`."""
    at = whole_of(offset)
    if at is None or not 0 <= at < end or not begins_line(descriptor, at):
        return None
    raw = raw_at(descriptor, at)
    return None if raw is None else parse(raw)


def last_of(
    directory: str, descriptor: int, end: int, name: str, broken: list[str] | None = None
) -> tuple[int, JsonObject] | None:
    """
    Return offset and content of the newest line of any run called `name`, or None.

    The last `STEP` bytes are walked, then the index of names says where to look; without one the walk
    continues (`exitgate.core.ledger.names`). Damaged lines on the way that may have been newer ones are
    shown in `broken`.
    """
    found, reached = _search(descriptor, end, end - STEP, name, broken)
    if found is not None or reached == 0:
        return found
    from exitgate.core.ledger.names import known

    index = known(directory, descriptor, end)
    if index is None:
        return _search(descriptor, reached, 0, name, broken, behind=True)[0]
    if reached > index.end:
        found, reached = _search(descriptor, reached, index.end, name, broken, behind=True)
    place = index.places.get(name)
    if found is not None or place is None:
        return found
    line = line_at(descriptor, place, end)
    if line is not None and name_of(str(line["run"])) == name:
        return place, line
    return _search(descriptor, reached, 0, name, broken, behind=True)[0]


def _search(
    descriptor: int, end: int, stop: int, name: str, broken: list[str] | None, *, behind: bool = False
) -> tuple[tuple[int, JsonObject] | None, int]:
    """
    Return the newest line of a name before `end`, if one begins at `stop` or later, and how far it looked.

    A damaged line is shown in `broken` once a good one is before or, as `behind` says, behind it.
    """
    start = dumps_finite(name)[1:-1].encode("ascii")
    hole, offset = None, end
    for offset, raw in raw_backwards(descriptor, end):
        if _may_be(raw, start):
            line = parse(raw)
            if line is None:
                hole = offset
                continue
            if name_of(str(line["run"])) == name:
                _report(hole, broken)
                return (offset, line), offset
        _report(hole, broken)
        hole, behind = None, True
        if offset <= stop:
            break
    _report(hole if behind else None, broken)
    return None, offset


def _report(hole: int | None, broken: list[str] | None) -> None:
    if hole is not None and broken is not None:
        broken.append(_passed_over(hole))


def _may_be(raw: bytes, start: bytes) -> bool:
    """Return whether the run in a line may begin with `start`; True for a line in another layout."""
    at = start_of_run(raw)
    return at < 0 or raw.startswith(start, at)


def tail_of_run(
    directory: str, descriptor: int, end: int, run: str | None, limit: int, broken: list[str] | None = None
) -> tuple[JsonObject, ...]:
    """
    Return the newest `limit` lines of `run` (of all runs for None), newest last.

    Cost: the lines returned, those of later runs of the same name, and what `last_of` walks. A
    damaged line ends the walk, since what lies before it cannot be trusted to be this run's; that
    is shown in `broken`.
    """
    if limit <= 0:
        return ()
    if run is None:
        lines = (line for _, _, line in backwards(descriptor, end) if line is not None)
        return tuple(reversed([line for _, line in zip(range(limit), lines, strict=False)]))
    found: list[JsonObject] = []
    last = last_of(directory, descriptor, end, name_of(run))
    current = last[1] if last is not None else None
    while current is not None and len(found) < limit:
        if current["run"] == run:
            found.append(current)
        elif found:
            break
        place = place_before(current)
        earlier = earlier_at(descriptor, current, place, end)
        if place is not None and earlier is None and broken is not None:
            broken.append(f"the line at offset {place} is damaged; the earlier lines of {run} are not read")
        current = earlier
    return tuple(reversed(found))


def place_before(line: JsonObject) -> object:
    """Return the offset of the line before in the line's run, or in the run before it of the same name."""
    return line.get("run_prev") if line.get("run_prev") is not None else line.get("name_prev")


def earlier_at(descriptor: int, line: JsonObject, place: object, end: int) -> JsonObject | None:
    """Return the line at `place` when it is an earlier one of a run of the same name."""
    before = line_at(descriptor, place, end)
    if before is None or name_of(str(before["run"])) != name_of(str(line["run"])):
        return None
    return before if int(str(before["sequence"])) < int(str(line["sequence"])) else None


def recent_of_run(
    directory: str, descriptor: int, end: int, name: str, decisions: int
) -> tuple[JsonObject, ...]:
    """
    Return the newest lines of all runs called `name`, oldest first, with at most so many decisions.

    They begin behind the last reset; the reset itself comes back only when nothing follows it. For
    showing, never for deciding: a decision reads one run.
    """
    found: list[JsonObject] = []
    last = last_of(directory, descriptor, end, name)
    current = last[1] if last is not None else None
    while current is not None:
        if current.get("kind") == RESET and found:
            break
        decisions -= current.get("kind") == DECISION
        if decisions < 0:
            break
        found.append(current)
        if current.get("kind") == RESET:
            break
        place = place_before(current)
        current = earlier_at(descriptor, current, place, end)
    return tuple(reversed(found))
