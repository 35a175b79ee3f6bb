"""Items of lists without boxes, whose states the other items of the list make likely."""

from __future__ import annotations

from exitgate.facts.checklist_items import DONE
from exitgate.facts.plan_states import MAYBE, NOT, SHARE, SURE, TRUTH
from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from exitgate.facts.checklist_items import Item


class Candidate(Value):
    """
    An item of a list that has no box.

    Args:
        item: The item, taken as open.
        of_list: Which list it is in.
        state: Its state, or the empty text.
        sure: How sure that is.
        measured: Whether the section is headed by a word for progress.
    """

    __slots__ = ("item", "measured", "of_list", "state", "sure")

    def __init__(self, item: Item, of_list: int, state: str, sure: int, measured: bool) -> None:
        self.item = item
        self.of_list = of_list
        self.state = state
        self.sure = sure
        self.measured = measured


def likely(candidates: Sequence[Candidate], boxes: bool) -> list[Item]:
    """
    Return the open tasks whose states are likely, of a plan with `boxes` or without.

    A doubtful state counts beside another one, a share in a section of progress or beside finished items. In
    a plan without boxes an item without a state is open beside finished ones.
    """
    stated: dict[int, list[Candidate]] = {}
    for one in candidates:
        if one.state and one.sure > TRUTH:
            stated.setdefault(one.of_list, []).append(one)
    return [one.item for one in candidates if _open(one, stated.get(one.of_list, []), boxes)]


def _open(one: Candidate, beside: Sequence[Candidate], boxes: bool) -> bool:
    """Return whether an item is open, by itself and by the items with states of its list."""
    if one.sure == SURE or one.state == DONE:
        return False
    if one.sure in (TRUTH, SHARE) and one.measured:
        return True
    finished = any(other.state == DONE for other in beside)
    if one.sure in (NOT, SHARE):
        return finished and not boxes
    worded = sum(other.sure > SHARE for other in beside)
    return one.sure > TRUTH and (worded > 1 or (one.sure >= MAYBE and not boxes))
