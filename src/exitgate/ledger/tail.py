"""The newest lines of a run, found without reading those of others."""

from __future__ import annotations

from exitgate.ledger.file import begins_line, parse, raw_at, start_of_last
from exitgate.ledger.line import DECISION, RESET
from exitgate.ledger.links import BITS, shares, way
from exitgate.ledger.names import name_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from exitgate.ledger.links import Stop

    #: Offset of a line, its bytes, and what they hold; None for a damaged one.
    Found = tuple[int, bytes, dict[str, object] | None]


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


def tail(
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


def recent(descriptor: int, end: int, name: str, decisions: int) -> tuple[dict[str, object], ...]:
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
