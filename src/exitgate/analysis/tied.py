"""
Facts that other facts of the same group follow from.

A group ``X`` with ``X.done`` and ``X.total`` is tied as far as the record bears it out: where
``X.percent`` is ``100 * done / total`` and ``X.open`` is ``total - done``. ``X.blocking_open`` is
``total - done`` less the items that may stay open, as many as there are; ``X.complete`` says that
none is left of the others. Those move with the counts and are not changed on their own.
"""

from __future__ import annotations

from exitgate.model.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    Record = Mapping[str, object]

_EXACT = 1e-9
_PARTS = ("percent", "open", "blocking_open", "complete")


def follows(record: Record, name: str) -> bool:
    """Return True for a fact that follows from counts and is not to be changed on its own."""
    group, _, part = name.rpartition(".")
    return bool(group) and part in following(record, group)


def settle(record: Record, name: str, value: object) -> dict[str, object] | None:
    """
    Return what changes when `name` takes `value`, the facts that follow included.

    None when the counts would not fit each other (more done than there are).
    """
    group, _, part = name.rpartition(".")
    if part not in ("done", "total") or not following(record, group):
        return {name: value}
    return settled_counts(record, group, **{part: value})


def settled_counts(
    record: Record, group: str, done: object = None, total: object = None
) -> dict[str, object] | None:
    """Return what a tied group becomes with other counts; None when they do not fit each other."""
    parts = following(record, group)
    given = {"done": done, "total": total}
    changed = {f"{group}.{part}": value for part, value in given.items() if value is not None}
    counts = _counts({**record, **changed}, group)
    if counts is None or counts[0] > counts[1]:
        return None
    spare = _spare(record, group)
    return {**changed, **{f"{group}.{one}": _share(one, *counts, group, spare) for one in parts}}


def done_around(record: Record, name: str, value: object) -> tuple[int, ...]:
    """Return the numbers of done items around which the following fact `name` passes `value`."""
    group, _, part = name.rpartition(".")
    counts = _counts(record, group)
    if counts is None:
        return ()
    total = counts[1]
    if part == "complete":
        near = total - _spare(record, group)
    elif isinstance(value, bool) or not isinstance(value, int | float):
        return ()
    elif part == "percent":
        near = int(value * total / 100)
    else:
        near = total - int(value) - (_spare(record, group) if part == "blocking_open" else 0)
    return tuple(count for count in (near - 1, near, near + 1) if 0 <= count <= total)


def counted(record: Record, group: str) -> bool:
    """Return whether the record says how many items a group has, and how many of them are done."""
    return _counts(record, group) is not None


def following(record: Record, group: str) -> tuple[str, ...]:
    """Return the parts of the group that the record shows to follow from done and total."""
    counts = _counts(record, group)
    if counts is None:
        return ()
    spare = _spare(record, group)
    return tuple(
        part for part in _PARTS if _fits(record.get(f"{group}.{part}"), _share(part, *counts, group, spare))
    )


def _spare(record: Record, group: str) -> int:
    """Return how many open items do not keep the group from being complete."""
    counts, blocking = _counts(record, group), record.get(f"{group}.blocking_open")
    if counts is None or isinstance(blocking, bool) or not isinstance(blocking, int):
        return 0
    return max(0, counts[1] - counts[0] - blocking) if blocking >= 0 else 0


def _counts(record: Record, group: str) -> tuple[int, int] | None:
    done, total = record.get(f"{group}.done"), record.get(f"{group}.total")
    if not isinstance(done, int) or not isinstance(total, int) or min(done, total) < 0:
        return None
    return done, total


def _share(part: str, done: int, total: int, group: str, spare: int = 0) -> object:
    if part == "open":
        return total - done
    left = max(0, total - done - spare)
    if part == "blocking_open":
        return left
    if not total:
        return Unknown("no items", f"{group}.{part}")
    return 100 * done / total if part == "percent" else left == 0


def _fits(found: object, share: object) -> bool:
    if isinstance(found, Unknown) or isinstance(share, Unknown):
        return isinstance(found, Unknown) and isinstance(share, Unknown)
    if isinstance(found, bool) or isinstance(share, bool):
        return found is share
    numbers = isinstance(found, int | float) and isinstance(share, int | float)
    return numbers and abs(found - share) < _EXACT  # type: ignore[operator]
