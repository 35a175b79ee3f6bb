"""Which of the places holds the plan of a run."""

from __future__ import annotations

import os

from exitgate.gate.observe.files import first_existing, read_source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from exitgate.facts.checklist_tasks import Tasks
    from exitgate.policy.compiled import CompiledPolicy

#: Bytes of the largest file that is looked at before it counts as the plan.
LOOK_LIMIT = 2_000_000
#: Base names, in small letters, of files that are more often prose: they need boxes.
PROSE = ("prd.md",)


def plan_place(
    root: str, places: Sequence[str], others: Collection[str], policy: CompiledPolicy, kept: str
) -> tuple[str | None, tuple[str, ...]]:
    """
    Return the path of the plan, or None, and the places where it was looked for.

    A run stays with the plan that it was read from: while that file is there no other one counts. When it
    is gone, another one takes its place only if it has open tasks; otherwise the plan is lost.

    Args:
        root: Folder of the project; empty for the current one.
        places: Where to look, the first first.
        others: Those of them whose files count only if they list tasks.
        policy: Whose options say how the plan is read.
        kept: The place at which it was read before in this run; empty where it was not.
    """
    stays = kept in places
    if stays and os.path.lexists(os.path.join(root, kept)):
        return os.path.join(root, kept), tuple(places)
    for place in places:
        path = first_existing(root, (place,))
        if path is None:
            continue
        found = _tasks(path, root, policy) if stays or place in others else None
        if found is None:
            if place in others or stays:
                continue
            return path, tuple(places)
        boxes = any(item.mark for item in (*found.items, *found.outside))
        if place in others and not (boxes or (found.total and os.path.basename(place).lower() not in PROSE)):
            continue
        if not stays or any(item.blocking for item in found.items):
            return path, tuple(places)
    return None, (kept,) if stays else tuple(places)


def place_of(path: str | None, root: str, places: Sequence[str]) -> str:
    """Return the one of `places` below the root that `path` is; empty for any other path."""
    root = "" if root == "." else root
    return next((place for place in places if path == os.path.join(root, place)), "")


def _tasks(path: str, root: str, policy: CompiledPolicy) -> Tasks | None:
    """Return the tasks of a file as the policy reads its plan; None for one that cannot be read."""
    from exitgate.facts.checklist_tasks import tasks

    text = read_source("plan", path, limit=LOOK_LIMIT, root=root or os.curdir).text
    if text is None:
        return None
    reads = (
        one.options for one in policy.extractions if one.source == "plan" and one.extractor == "checklist"
    )
    return tasks(text, next(reads, {}))
