"""The nearest right name for a misspelt one."""

from __future__ import annotations

from itertools import islice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


#: Longer names are cut before they are compared, so that a hostile one costs little.
LENGTH_LIMIT = 80
#: What makes the opposite of a word that it begins.
_OPPOSITE = ("dis", "im", "in", "ir", "never", "no", "non", "not", "un")


def nearest(name: str, candidates: Iterable[str]) -> str | None:
    """
    Return the candidate that `name` most likely stands for, or None when none is near.

    Case does not count. Near means: at most one edit in three characters (at least one edit), or
    the name is a whole dotted part of the candidate's end (`done` for `tasks.done`) when no
    candidate is near by edits. Of equally near ones the first wins.
    The opposite of a name, as `unchanged` of `changed`, does not stand for it.
    """
    wanted = name[:LENGTH_LIMIT].lower()
    if not wanted:
        return None
    limit = max(1, len(wanted) // 3)
    best, best_distance = None, limit + 1
    tail = None
    letters = [(letter, wanted.count(letter)) for letter in set(wanted)]
    for candidate in candidates:
        lowered = candidate[:LENGTH_LIMIT].lower()
        longer = len(lowered) - len(wanted)
        missing = sum([max(0, count - lowered.count(letter)) for letter, count in letters])
        # each edit brings one letter at most, and takes one at most
        if abs(longer) < best_distance and max(missing, missing + longer) < best_distance:
            distance = edits(wanted, lowered, best_distance)
            if distance < best_distance and distance < len(wanted) and not _opposite(wanted, lowered):
                best, best_distance = candidate, distance
        if tail is None and lowered.endswith("." + wanted):
            tail = candidate
    return best if best is not None else tail


def _opposite(one: str, other: str) -> bool:
    """Return whether two names differ in a prefix such as `un` of one of their parts alone."""
    longer, shorter = (one, other) if len(one) > len(other) else (other, one)
    at = 0
    while at < len(shorter) and longer[at] == shorter[at]:
        at += 1
    while True:
        added = longer[at : at + len(longer) - len(shorter)]
        if longer[:at] + longer[at + len(added) :] == shorter and added.strip("_-") in _OPPOSITE:
            return at == 0 or longer[at - 1] in "._-"
        if at == 0 or longer[at - 1] in "._-":
            return False
        at -= 1  # `in` put before `into`: letters before the prefix may be alike


def edits(one: str, other: str, stop: int) -> int:
    """
    Return how many single edits lead from `one` to `other`, or `stop` when at least so many.

    An edit inserts, removes or replaces a character or swaps two neighbours (restricted
    Damerau-Levenshtein distance).
    """
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        older, before = before, row
        row = [i]
        for j, b in enumerate(other, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                cost = min(cost, older[j - 2] + 1)
            row.append(cost)
        if min(row) >= stop:
            return stop
    return min(row[-1], stop)


# Help lines that name the right name.

#: So many names are listed when none is near.
LISTED = 12

#: So many names are compared: a policy with thousands of wrong names must not take minutes.
COMPARED = 300


def nearest_name(name: str, names: Iterable[str]) -> str | None:
    """Return the one of `names` that `name` was probably meant to be, ``-`` and ``_`` alike, or None."""
    plain = {other.replace("-", "_"): other for other in islice(names, COMPARED)}
    found = nearest(name.replace("-", "_"), plain)
    return plain[found] if found is not None else None


def suggestion(name: str, names: Iterable[str], noun: str) -> str:
    """
    Return ``did you mean `x`?``, or the names there are when they are few, or how to find them.

    Args:
        name: The wrong name.
        names: The right ones.
        noun: What they are, in the plural: ``parameters``.
    """
    names = list(names)
    found = nearest_name(name, names)
    if found is not None:
        return f"did you mean `{found}`?"
    if not names:
        return f"there are no {noun}"
    listed = ", ".join(f"`{other}`" for other in names[:LISTED])
    return f"{noun}: {listed}{', ...' if len(names) > LISTED else ''}"
