"""Help lines that name the right name."""

from __future__ import annotations

from itertools import islice

from exitgate.model.spelling import nearest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

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
