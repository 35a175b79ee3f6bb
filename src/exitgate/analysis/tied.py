"""
Facts that other facts of the same group follow from.

A group ``X`` with ``X.done`` and ``X.total`` is tied when the record bears it out:
``X.percent == 100 * done / total`` and ``X.open == total - done``. Then ``percent`` and ``open``
move with the counts and are not changed on their own.
"""

from __future__ import annotations

from exitgate.model.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    Record = Mapping[str, object]

_EXACT = 1e-9


def tied_groups(record: Record) -> tuple[str, ...]:
    """Return the groups of `record` whose ``percent`` or ``open`` follow from ``done`` and ``total``."""
    groups = (name[: -len(".done")] for name in record if name.endswith(".done"))
    return tuple(group for group in groups if _following(record, group))


def follows(record: Record, name: str) -> bool:
    """Return True for a fact that follows from counts and is not to be changed on its own."""
    group, _, last = name.rpartition(".")
    return bool(group) and last in _following(record, group)


def settle(record: Record, name: str, value: object) -> dict[str, object] | None:
    """
    Return what changes when `name` takes `value`, the facts that follow included.

    None when the counts would not fit each other (more done than there are).
    """
    changes = {name: value}
    group, _, last = name.rpartition(".")
    names = _following(record, group) if last in ("done", "total") else ()
    if not names:
        return changes
    after = {**record, **changes}
    done, total = after[f"{group}.done"], after[f"{group}.total"]
    if not isinstance(done, int) or not isinstance(total, int) or not 0 <= done <= total:
        return None
    if "percent" in names:
        unknown = Unknown("no items", f"{group}.percent")
        changes[f"{group}.percent"] = 100 * done / total if total else unknown
    if "open" in names:
        changes[f"{group}.open"] = total - done
    return changes


def done_at(record: Record, group: str, percent: float) -> tuple[int, ...]:
    """Return the numbers of done items around the share `percent` (0 to 100) of the group's total."""
    total = record.get(f"{group}.total")
    if not isinstance(total, int) or total < 1:
        return ()
    near = int(percent * total / 100)
    return tuple(n for n in (near - 1, near, near + 1) if 0 <= n <= total)


def _following(record: Record, group: str) -> tuple[str, ...]:
    done, total = record.get(f"{group}.done"), record.get(f"{group}.total")
    if not isinstance(done, int) or not isinstance(total, int):
        return ()
    percent, rest = record.get(f"{group}.percent"), record.get(f"{group}.open")
    names = []
    if total == 0:
        share_follows = isinstance(percent, Unknown)
    else:
        share_follows = isinstance(percent, int | float) and abs(percent - 100 * done / total) < _EXACT
    if share_follows:
        names.append("percent")
    if isinstance(rest, int) and rest == total - done:
        names.append("open")
    return tuple(names)
