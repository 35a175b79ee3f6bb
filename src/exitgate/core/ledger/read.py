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
    start_of_last,
    whole_size,
)
from exitgate.core.ledger.line import DECISION, RESET
from exitgate.core.ledger.runs import name_of
from exitgate.core.model.value import Value
from exitgate.core.system.digest import blake2b

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    #: Offset of a line, its bytes, and what they hold; None for a damaged one.
    Found = tuple[int, bytes, dict[str, object] | None]
    from collections.abc import Callable, Iterable

    #: Offset of a line on the way to a name, the line, and how many bits the two share.
    Stop = tuple[int, Mapping[str, object], int]

    #: Offset of a line, a link in it, bits wanted, how many of them the line shares -> the line
    #: the link leads to, with its offset; None where there is none.
    Jump = Callable[[int, object, int, int], tuple[int, Mapping[str, object]] | None]


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


def lines(directory: str, damages: list[Damage] | None = None) -> Iterator[dict[str, object]]:
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


def tail(directory: str, run: str | None, limit: int) -> tuple[dict[str, object], ...]:
    """Return what `exitgate.core.ledger.append.Ledger.tail` would, without the lock."""
    descriptor = open_reading(directory)
    if descriptor is None:
        return ()
    try:
        with RefusingNewer(path_in(directory)):
            return tail_of_run(descriptor, whole_size(descriptor), run, limit)
    finally:
        os.close(descriptor)


def last(directory: str, name: str) -> dict[str, object] | None:
    """Return the newest line of any run called `name`, or None, without the lock."""
    descriptor = open_reading(directory)
    if descriptor is None:
        return None
    try:
        with RefusingNewer(path_in(directory)):
            found = last_of(descriptor, whole_size(descriptor), name)
        return None if found is None else found[1]
    finally:
        os.close(descriptor)


def recent(directory: str, name: str, decisions: int) -> tuple[dict[str, object], ...]:
    """Return the newest lines of all runs called `name`, see `exitgate.core.ledger.read.recent_of_run`."""
    descriptor = open_reading(directory)
    if descriptor is None:
        return ()
    try:
        with RefusingNewer(path_in(directory)):
            return recent_of_run(descriptor, whole_size(descriptor), name, decisions)
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
    while end > 0:
        start = start_of_last(descriptor, end)
        raw = raw_at(descriptor, start)
        assert raw is not None
        yield start, raw, parse(raw)
        end = start


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


def line_at(descriptor: int, offset: object, end: int) -> dict[str, object] | None:
    """Return the line at `offset`, or None when no good line begins there before `end`."""
    if not isinstance(offset, int) or isinstance(offset, bool) or not 0 <= offset < end:
        return None
    if not begins_line(descriptor, offset):
        return None
    raw = raw_at(descriptor, offset)
    return None if raw is None else parse(raw)


def way_to(descriptor: int, end: int, name: str, broken: list[str] | None = None) -> Iterator[Stop]:
    """
    Yield the stops from the newest line to the newest one of any run called `name`.

    A link that leads to a damaged line costs a walk back, line by line, to the one that it hid;
    that is shown in `broken`.
    """
    top = newest(descriptor, end)
    first = None if top is None or top[2] is None else (top[0], top[2])
    return way(first, name, lambda *asked: _linked(descriptor, broken, *asked))


def _linked(
    descriptor: int, broken: list[str] | None, before: int, link: object, wanted: int, depth: int
) -> tuple[int, dict[str, object]] | None:
    """Return the newest line before offset `before` that shares more than `depth` bits with `wanted`."""
    found = line_at(descriptor, link, before)
    if found is not None and isinstance(link, int) and shares(found, wanted) > depth:
        return link, found
    if broken is not None:
        broken.append(_passed_over(link))
    for offset, _, line in backwards(descriptor, before):
        if line is not None and shares(line, wanted) > depth:
            return offset, line
    return None


def last_of(
    descriptor: int, end: int, name: str, broken: list[str] | None = None
) -> tuple[int, dict[str, object]] | None:
    """Return offset and content of the newest line of any run called `name`, or None."""
    return end_of_way(descriptor, tuple(way_to(descriptor, end, name, broken)), name)


def end_of_way(descriptor: int, stops: tuple[Stop, ...], name: str) -> tuple[int, dict[str, object]] | None:
    """Return the newest line of any run called `name`, given the way to it, or None where there is none."""
    if not stops or stops[-1][2] < BITS:
        return None
    offset, line, _ = stops[-1]
    if name_of(str(line["run"])) == name:
        return offset, dict(line)
    # Two names that share all bits: one in 2^64, so a walk is good enough.
    for at, _, earlier in backwards(descriptor, offset):
        if earlier is not None and name_of(str(earlier["run"])) == name:
            return at, earlier
    return None


def tail_of_run(
    descriptor: int, end: int, run: str | None, limit: int, broken: list[str] | None = None
) -> tuple[dict[str, object], ...]:
    """
    Return the newest `limit` lines of `run` (of all runs for None), newest last.

    Cost: the lines returned, and those of later runs of the same name; never the file's size. A
    damaged line ends the walk, since what lies before it cannot be trusted to be this run's; that
    is shown in `broken`.
    """
    if limit <= 0:
        return ()
    if run is None:
        lines = (line for _, _, line in backwards(descriptor, end) if line is not None)
        return tuple(reversed([line for _, line in zip(range(limit), lines, strict=False)]))
    found: list[dict[str, object]] = []
    last = last_of(descriptor, end, name_of(run))
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


def place_before(line: Mapping[str, object]) -> object:
    """Return the offset of the line before in the line's run, or in the run before it of the same name."""
    return line.get("run_prev") if line.get("run_prev") is not None else line.get("name_prev")


def earlier_at(
    descriptor: int, line: Mapping[str, object], place: object, end: int
) -> dict[str, object] | None:
    """Return the line at `place` when it is an earlier one of a run of the same name."""
    before = line_at(descriptor, place, end)
    if before is None or name_of(str(before["run"])) != name_of(str(line["run"])):
        return None
    return before if int(str(before["sequence"])) < int(str(line["sequence"])) else None


def recent_of_run(descriptor: int, end: int, name: str, decisions: int) -> tuple[dict[str, object], ...]:
    """
    Return the newest lines of all runs called `name`, oldest first, with at most so many decisions.

    They begin behind the last reset; the reset itself comes back only when nothing follows it. For
    showing, never for deciding: a decision reads one run.
    """
    found: list[dict[str, object]] = []
    last = last_of(descriptor, end, name)
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


# Where the newest line of each name is: carried in every line, so that no search is needed.
#
# A name stands for 64 bits, its hash. Link `i` of a line is the offset of the newest line whose bits agree
# with the line's own in the first `i` and differ in the next. From any line the newest one of another name
# is a few jumps away, each to a line that shares more bits with it: about log2 of the number of names.
# Nothing is ever rewritten, and no name is ever forgotten.

BITS = 64


def bits_of(name: str) -> int:
    """Return the bits that stand for a name, as a number."""
    raw = blake2b(name.encode("utf-8", "surrogatepass"), digest_size=BITS // 8).digest()
    return int.from_bytes(raw, "big")


def shared(first: int, second: int) -> int:
    """Return how many leading bits two names share: 0 to `BITS`."""
    return BITS - (first ^ second).bit_length()


def links_in(line: Mapping[str, object]) -> list[object]:
    """Return the links a line carries; what it holds there is not trusted."""
    links = line.get("links")
    return links if isinstance(links, list) else []


def link_at(line: Mapping[str, object], depth: int) -> object:
    """Return link `depth` of a line, None beyond its last."""
    links = links_in(line)
    return links[depth] if depth < len(links) else None


def way(top: tuple[int, Mapping[str, object]] | None, name: str, jump: Jump) -> Iterator[Stop]:
    """
    Yield the stops from `top`, the newest line and its offset, to the newest one called `name`.

    The last stop shares all bits with the name where it has a line; else the way ends before.
    """
    wanted = bits_of(name)
    stop = top
    while stop is not None:
        offset, line = stop
        depth = shares(line, wanted)
        yield offset, line, depth
        link = link_at(line, depth)
        if depth == BITS or link is None:
            return
        stop = jump(offset, link, wanted, depth)


def shares(line: Mapping[str, object], wanted: int) -> int:
    """Return how many of the `wanted` bits the name of a line's run shares."""
    return shared(bits_of(name_of(str(line["run"]))), wanted)


def links_after(stops: Iterable[Stop]) -> list[object]:
    """
    Return the links of the line that follows.

    Args:
        stops: The `way` from the newest line to the newest one of the new line's name.
    """
    links: list[object] = []
    for offset, line, depth in stops:
        known = links_in(line)[len(links) : depth]
        links += known
        if depth < BITS:
            links += [None] * (depth - len(links))
            links.append(offset)
    return links
