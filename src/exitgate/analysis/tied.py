"""
Facts that other facts of the same group follow from.

A group ``X`` with ``X.done`` and ``X.total`` is tied as far as the record bears it out: where
``X.percent`` is ``100 * done / total``, ``X.open`` and ``X.blocking_open`` are ``total - done``, and
``X.complete`` says that all are done. Those move with the counts and are not changed on their own.
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
    return bool(group) and part in _following(record, group)


def settle(record: Record, name: str, value: object) -> dict[str, object] | None:
    """
    Return what changes when `name` takes `value`, the facts that follow included.

    None when the counts would not fit each other (more done than there are).
    """
    group, _, part = name.rpartition(".")
    parts = _following(record, group) if part in ("done", "total") else ()
    if not parts:
        return {name: value}
    after = {**record, name: value}
    counts = _counts(after, group)
    if counts is None or counts[0] > counts[1]:
        return None
    return {name: value, **{f"{group}.{one}": _share(one, *counts, group) for one in parts}}


def done_around(record: Record, name: str, value: object) -> tuple[int, ...]:
    """Return the numbers of done items around which the following fact `name` passes `value`."""
    group, _, part = name.rpartition(".")
    counts = _counts(record, group)
    if counts is None:
        return ()
    total = counts[1]
    if part == "complete":
        near = total
    elif isinstance(value, bool) or not isinstance(value, int | float):
        return ()
    elif part == "percent":
        near = int(value * total / 100)
    else:
        near = total - int(value)
    return tuple(count for count in (near - 1, near, near + 1) if 0 <= count <= total)


def _following(record: Record, group: str) -> tuple[str, ...]:
    """Return the parts of the group that the record shows to follow from done and total."""
    counts = _counts(record, group)
    if counts is None:
        return ()
    return tuple(
        part for part in _PARTS if _fits(record.get(f"{group}.{part}"), _share(part, *counts, group))
    )


def _counts(record: Record, group: str) -> tuple[int, int] | None:
    done, total = record.get(f"{group}.done"), record.get(f"{group}.total")
    if not isinstance(done, int) or not isinstance(total, int) or min(done, total) < 0:
        return None
    return done, total


def _share(part: str, done: int, total: int, group: str) -> object:
    if part in ("open", "blocking_open"):
        return total - done
    if not total:
        return Unknown("no items", f"{group}.{part}")
    return 100 * done / total if part == "percent" else done == total


def _fits(found: object, share: object) -> bool:
    if isinstance(found, Unknown) or isinstance(share, Unknown):
        return isinstance(found, Unknown) and isinstance(share, Unknown)
    if isinstance(found, bool) or isinstance(share, bool):
        return found is share
    numbers = isinstance(found, int | float) and isinstance(share, int | float)
    return numbers and abs(found - share) < _EXACT  # type: ignore[operator]
