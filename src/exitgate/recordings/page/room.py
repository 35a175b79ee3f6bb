"""How much of each text has room, so that short ones are whole and long ones share what is left."""

from __future__ import annotations

from collections.abc import Sequence


def shortened(text: str, room: int) -> str:
    """Return at most `room` characters of a text, an ellipsis at the cut."""
    return text if len(text) <= room else text[: room - 1] + "…"


def cap(sizes: Sequence[int], total: int, least: int) -> int:
    """
    Return the most that each size may have, so that ``sum(min(size, cap))`` is at most `total`.

    At least `least`, no matter what the total. The usual water filling: smallest first, the rest shared.
    """
    left, waiting = total, len(sizes)
    for size in sorted(sizes):
        share = left // waiting
        if size > share:
            return max(share, least)
        left -= size
        waiting -= 1
    return max(sizes, default=least)


def roughly_capped(sizes: Sequence[int], total: int, least: int) -> int:
    """Return what `cap` does of sizes that are only about right: all of `total` for each where all fit."""
    return total if sum(sizes) <= total else cap(sizes, total, least)


def shown_columns(count: int, anchors: Sequence[int], most: int) -> tuple[int, ...]:
    """
    Return which of the iterations 1 to `count` are shown.

    All of them, up to `most`; else the first and last quarter of `most`, and what is left around `anchors`.
    """
    if count <= most:
        return tuple(range(1, count + 1))
    quarter = most // 4
    shown = {*range(1, quarter + 1), *range(count - quarter + 1, count + 1)}
    reach = 0
    while len(shown) < most and reach <= most:
        for anchor in anchors or (count // 2,):
            for number in (anchor - reach, anchor + reach):
                if 1 <= number <= count and len(shown) < most:
                    shown.add(number)
        reach += 1
    return tuple(sorted(shown))


def left_out(shown: Sequence[int], count: int) -> str:
    """Return which iterations are not shown, ``61-200, 241-400``; the empty text where all are."""
    gaps, before = [], 0
    for number in (*shown, count + 1):
        if number > before + 1:
            first, last = before + 1, number - 1
            gaps.append(str(first) if first == last else f"{first}-{last}")
        before = number
    return ", ".join(gaps)
