"""What changed between two plans: task items paired by their words, then by likeness."""

from __future__ import annotations

from exitgate.facts import words
from exitgate.facts.checklist_items import DONE
from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from exitgate.facts.checklist_items import Item

#: Left-over items of a plan that are compared with those of the other; pairing costs the product of both.
PAIRED = 64
#: So many characters of an item are compared.
LONGEST = 300


class Task(Value):
    """An item as it is compared: its state, its words, and its place."""

    __slots__ = ("item", "state", "words")

    def __init__(self, item: Item, words: str) -> None:
        self.item = item
        self.state = item.state
        self.words = words

    @property
    def done(self) -> bool:
        """Whether it is ticked."""
        return self.state == DONE


class Difference(Value):
    """
    What changed from one plan to the next.

    Args:
        pairs: Items that are in both, before and after, in the order of the later plan.
        added: Items of the later plan alone.
        removed: Items of the earlier plan alone.
        reworded: How many pairs have other words.
        whole: False where so many items were left over that they were not compared with one another.
    """

    __slots__ = ("added", "pairs", "removed", "reworded", "whole")

    def __init__(
        self,
        pairs: Sequence[tuple[Task, Task]],
        added: Sequence[Task],
        removed: Sequence[Task],
        whole: bool,
    ) -> None:
        self.pairs = tuple(pairs)
        self.added = tuple(added)
        self.removed = tuple(removed)
        self.reworded = tuple(new for old, new in pairs if old.words != new.words)
        self.whole = whole

    @property
    def ticked(self) -> tuple[Task, ...]:
        """Items that were ticked."""
        return tuple(new for old, new in self.pairs if new.done and not old.done)

    @property
    def unticked(self) -> tuple[Task, ...]:
        """Items that were unticked."""
        return tuple(new for old, new in self.pairs if old.done and not new.done)

    @property
    def reordered(self) -> bool:
        """Whether items that are in both are in another order."""
        places = [old.item.start for old, _ in self.pairs]
        return places != sorted(places)

    @property
    def meaningful(self) -> bool:
        """Whether any item was added, removed or reworded, or is in another state."""
        moved = any(old.state != new.state for old, new in self.pairs)
        return moved or bool(self.added or self.removed or self.reworded)


def tasks(text: str, items: Sequence[Item]) -> tuple[Task, ...]:
    """Return the items of `text` as they are compared: words folded, marks and blanks left out."""
    found = []
    for item in items:
        written = text[item.start : item.end]
        behind = written.find("]") + 1
        found.append(Task(item, spoken(written[behind:]) or written[behind:].strip()))
    return tuple(found)


def spoken(text: str) -> str:
    """Return the words of `text`, folded, with one blank between."""
    folded = words.fold(text)
    return " ".join(folded[a:b] for a, b in words.tokens(folded, 0, len(folded)))


def compare(before: Sequence[Task], after: Sequence[Task], likeness: float) -> Difference:
    """
    Return what changed.

    Items with the same words are the same item, in order where several have them. Of the rest, those
    that are most alike are, down to `likeness` percent (rapidfuzz `fuzz.ratio` or `token_set_ratio`).
    """
    waiting: dict[str, list[Task]] = {}
    for old in reversed(before):
        waiting.setdefault(old.words, []).append(old)
    paired: dict[int, Task] = {}
    for place, new in enumerate(after):
        same = waiting.get(new.words)
        if same:
            paired[place] = same.pop()
    taken = {old.item.start for old in paired.values()}
    left = [old for old in before if old.item.start not in taken]
    fresh = [place for place in range(len(after)) if place not in paired]
    whole = len(left) <= PAIRED and len(fresh) <= PAIRED
    if left and fresh and whole:
        for place, old in _alike(left, [(place, after[place]) for place in fresh], likeness):
            paired[place] = old
            left.remove(old)
    return Difference(
        [(paired[place], new) for place, new in enumerate(after) if place in paired],
        [new for place, new in enumerate(after) if place not in paired],
        left,
        whole,
    )


def _score(one: str, other: str) -> float:
    """Return how alike two items are in percent: an item that was only made longer or shorter is 100."""
    from rapidfuzz import fuzz

    return max(fuzz.ratio(one, other), fuzz.token_set_ratio(one, other))


def _alike(
    left: Sequence[Task], fresh: Sequence[tuple[int, Task]], likeness: float
) -> list[tuple[int, Task]]:
    """Return pairs of a place and an earlier item, the most alike first; those that are first win ties."""
    scores = sorted(
        (-score, nth, place)
        for nth, old in enumerate(left)
        for place, new in fresh
        if (score := _score(old.words[:LONGEST], new.words[:LONGEST])) >= likeness
    )
    found: list[tuple[int, Task]] = []
    used: set[int] = set()
    places: set[int] = set()
    for _, nth, place in scores:
        if nth not in used and place not in places:
            used.add(nth)
            places.add(place)
            found.append((place, left[nth]))
    return found
