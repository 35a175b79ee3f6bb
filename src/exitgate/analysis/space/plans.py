"""Which facts of a plan determine each other, by the options of its checklist."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    Values = Mapping[str, object]

#: Counts that determine each other where every item is done or open; what follows where open ones block.
COUNTS = frozenset(("total", "done", "open"))
OF_BLOCKING = frozenset(("blocking_open", "complete"))
_DROPPED, _DEFERRED = "cancelled", "deferred"


def free_parts(options: Mapping[str, object]) -> frozenset[str]:
    """
    Return the facts of a checklist that do not follow from others, by its options.

    Items of optional sections, and deferred ones, are open and keep no plan from being complete; cancelled
    ones are neither done nor open; a mark of its own for the total counts other lines than items.
    """
    marks = options.get("marks")
    states = set(marks.values()) if isinstance(marks, dict) else set()
    free: frozenset[str] = frozenset()
    if options.get("optional_sections") or _DEFERRED in states:
        free |= OF_BLOCKING
    if _DROPPED in states:
        free |= OF_BLOCKING | COUNTS
    if options.get("total_mark") is not None:
        free |= OF_BLOCKING | COUNTS | {"percent"}
    return free


def variations(whole: Values, own: Mapping[str, Iterable[object]], free: frozenset[str]) -> Iterator[Values]:
    """Yield a plan as it is, and with fewer items that are open, or that keep it open, where that can be."""
    yield whole
    open_ = whole.get("open")
    if not isinstance(open_, int) or not open_ or not whole.get("total"):
        return
    fewer = sorted({0, 1, *_counts(own, "blocking_open"), *_counts(own, "open")})
    if "complete" in free:
        for number in (number for number in fewer if 0 <= number < open_):
            yield {**whole, "blocking_open": number, "complete": number == 0}
    if "open" in free:
        for number in (number for number in fewer if 0 <= number < open_):
            yield {**whole, "open": number, "blocking_open": number, "complete": number == 0}


def contradicts(own: Values, free: frozenset[str]) -> bool:
    """Return whether no plan has these facts, beside what follows from counts alone."""
    total, done, open_, blocking = (own.get(name) for name in ("total", "done", "open", "blocking_open"))
    if isinstance(blocking, int) and isinstance(open_, int) and blocking > open_:
        return True
    counts = (total, done, open_)
    if all(isinstance(count, int) for count in counts) and "percent" not in free and done + open_ > total:  # type: ignore[operator]
        return True
    complete, percent = own.get("complete"), own.get("percent")
    if not isinstance(complete, bool):
        return False
    if isinstance(blocking, int) and (blocking == 0) != complete:
        return True
    return not complete and "percent" not in free and (open_ == 0 or percent == 100)


def _counts(own: Mapping[str, Iterable[object]], part: str) -> set[int]:
    return {n for n in own.get(part, ()) if isinstance(n, int) and not isinstance(n, bool)}
