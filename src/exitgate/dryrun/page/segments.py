"""A text cut into stretches: what is evidence, what is not, and what is left out for length."""

from __future__ import annotations

from itertools import pairwise

from exitgate.dryrun.page.view import Segment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    #: Start, end, number of the piece of evidence, whether it counts.
    Span = tuple[int, int, int, bool]

#: Characters around a piece of evidence that are shown where the text is not shown whole.
AROUND = 120
#: A gap shorter than this is not worth its note.
SHORTEST_GAP = 60


def segments(text: str, spans: Sequence[Span], room: int) -> tuple[Segment, ...]:
    """
    Return `text` in stretches, in order; together they hold at most about `room` characters.

    Args:
        text: The whole text.
        spans: Evidence within it, in any order, overlapping or not.
        room: Characters that may be shown. The end is kept first, then evidence, then the beginning.

    What is left out is a stretch of kind ``gap`` that says how much it is.
    """
    kept = _kept(len(text), spans, room)
    found: list[Segment] = []
    before = 0
    for start, end in kept:
        if start > before:
            found.append(_gap(text, before, start))
        found += _marked(text, start, end, spans)
        before = end
    if before < len(text):
        found.append(_gap(text, before, len(text)))
    return tuple(found)


def _kept(length: int, spans: Sequence[Span], room: int) -> list[tuple[int, int]]:
    """Return the ranges to show, in order and apart."""
    if length <= room:
        return [(0, length)] if length else []
    tail = room * 2 // 5
    ranges, left = [(length - tail, length)], room - tail - room // 4
    for start, end, _, _ in sorted(spans, key=lambda span: (not span[3], span[0])):
        around = (max(0, start - AROUND), min(length, min(end, start + room) + AROUND))
        if around[1] - around[0] > left:
            break
        left -= around[1] - around[0]
        ranges.append(around)
    ranges.append((0, room // 4 + max(0, left)))
    return _joined(ranges)


def _joined(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    joined: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if joined and start - joined[-1][1] < SHORTEST_GAP:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((start, end))
    return joined


def _marked(text: str, start: int, end: int, spans: Sequence[Span]) -> list[Segment]:
    """Return ``text[start:end]``, evidence set apart; one that counts outdoes one that does not."""
    inside = [(max(a, start), min(b, end), number, counts) for a, b, number, counts in spans]
    inside = [span for span in inside if span[0] < span[1]]
    cuts = sorted({start, end, *(a for a, *_ in inside), *(b for _, b, *_ in inside)})
    found = []
    for left, right in pairwise(cuts):
        over = [span for span in inside if span[0] <= left and right <= span[1]]
        kind = "text" if not over else "counted" if any(span[3] for span in over) else "refused"
        refs = tuple(sorted({span[2] for span in over if span[1] == right}))
        found.append(Segment(kind, text[left:right], refs))
    return found


def _gap(text: str, start: int, end: int) -> Segment:
    lines = text.count("\n", start, end)
    counted = f"{end - start:,} characters"
    return Segment("gap", f"{counted} in {lines:,} lines left out" if lines > 1 else f"{counted} left out")
