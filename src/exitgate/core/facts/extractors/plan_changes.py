"""`plan_changes`: what changed in a plan since the iteration before, and whether that means anything."""

from __future__ import annotations

from exitgate.core.facts.extractors.similarity import KEPT, is_cut
from exitgate.core.facts.plans.items import DONE, STATES, markdown_items
from exitgate.core.facts.plans.tasks import marks_of
from exitgate.core.facts.text import words as words_module
from exitgate.core.model.fact import EXCERPT_LIMIT, Evidence, Fact, FactSpec
from exitgate.core.model.value import BOOL, COUNT, Unknown, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from exitgate.core.facts.plans.items import Item
    from exitgate.core.model.fact import Iteration
    from exitgate.core.model.json_object import JsonObject


NAME = "plan_changes"
SOURCE = "plan"
#: Pieces of evidence that one fact carries at most.
EVIDENCE_LIMIT = 50
LIKENESS = 70

OPTIONS: dict[str, object] = {
    "task_sections": {
        "type": "array",
        "items": {"type": "string", "minLength": 1},
        "default": [],
        "description": "Headings whose items count, as for `checklist`; empty for all.",
    },
    "marks": {
        "type": "object",
        "propertyNames": {"minLength": 1, "maxLength": 2},
        "additionalProperties": {"enum": list(STATES)},
        "default": {},
        "description": "State of other marks in the box, as those of `checklist`.",
    },
    "likeness": {
        "type": "number",
        "minimum": 1,
        "maximum": 100,
        "default": LIKENESS,
        "description": "Similarity in percent from which two different items count as one that was reworded.",
    },
}

_WHEN = "there is no readable plan, or no plan of the previous iteration"
_SPECS = (
    FactSpec("changed", BOOL, "The plan differs from before in any character.", _WHEN),
    FactSpec("added", COUNT, "Items that were added.", _WHEN, low=0),
    FactSpec("removed", COUNT, "Items that were removed.", _WHEN, low=0),
    FactSpec("ticked", COUNT, "Items that were ticked.", _WHEN, low=0),
    FactSpec("unticked", COUNT, "Items that were unticked.", _WHEN, low=0),
    FactSpec("reworded", COUNT, "Items that were reworded.", _WHEN, low=0),
    FactSpec("reordered", BOOL, "The order of items changed.", _WHEN),
    FactSpec("cosmetic", BOOL, "Only white space, case, punctuation or the style of marks changed.", _WHEN),
    FactSpec("meaningful", BOOL, "An item was added, removed or reworded, or is in another state.", _WHEN),
)


def specs(_options: JsonObject) -> tuple[FactSpec, ...]:
    """Return the facts behind the prefix."""
    return _SPECS


def earlier(source: str, _options: JsonObject) -> Mapping[str, int]:
    """Return how many earlier texts of which source are compared with."""
    return {source: 1}


def extract(prefix: str, source: str, options: JsonObject, iteration: Iteration) -> tuple[Fact, ...]:
    """Return what changed in `source` since the iteration before; all unknown without both texts."""
    given = iteration.source(source)
    if given.text is None:
        return _unknown(prefix, given.reason)
    before = iteration.earlier.get(source, ())[-1:]
    if not before:
        return _unknown(prefix, f"there is no earlier {source}")
    if before[0] is None:
        return _unknown(prefix, f"the {source} of the previous iteration is not known")
    if is_cut(before[0]) or len(given.text) > KEPT:
        return _unknown(prefix, f"a {source} of more than {KEPT} characters is not compared")
    likeness = options.number("likeness", LIKENESS)
    difference = compare(_tasks(before[0], options), _tasks(given.text, options), likeness)
    return _facts(prefix, source, before[0], given.text, difference)


def _tasks(text: str, options: JsonObject) -> tuple[Task, ...]:
    counted, _ = markdown_items(text, marks_of(options), (), options.texts("task_sections"))
    return tasks(text, counted)


def _facts(prefix: str, source: str, before: str, after: str, difference: Difference) -> tuple[Fact, ...]:
    note = "" if difference.whole else f"more than {PAIRED} items differ: none is treated as reworded"

    def count(name: str, tasks: Sequence[Task]) -> Fact:
        return Fact(f"{prefix}.{name}", len(tasks), _evidence(source, after, tasks, name), note=note)

    changed = before != after
    meaningful = difference.meaningful
    cosmetic = changed and not (meaningful or difference.reordered)
    if cosmetic:
        cosmetic = spoken(before) == spoken(after)
    gone = ", ".join(f"`{task.words[:40]}`" for task in difference.removed[:3])
    return (
        Fact(f"{prefix}.changed", changed),
        count("added", difference.added),
        Fact(f"{prefix}.removed", len(difference.removed), note="; ".join(filter(None, (gone, note)))),
        count("ticked", difference.ticked),
        count("unticked", difference.unticked),
        count("reworded", difference.reworded),
        Fact(f"{prefix}.reordered", difference.reordered),
        Fact(f"{prefix}.cosmetic", cosmetic),
        Fact(f"{prefix}.meaningful", meaningful, note=note),
    )


def _evidence(source: str, text: str, tasks: Sequence[Task], note: str) -> tuple[Evidence, ...]:
    return tuple(
        Evidence(
            source,
            at.line,
            at.column,
            at.start,
            at.end,
            text[at.start : min(at.end, at.start + EXCERPT_LIMIT)],
            note,
        )
        for at in (task.item for task in tasks[:EVIDENCE_LIMIT])
    )


def _unknown(prefix: str, reason: str) -> tuple[Fact, ...]:
    return tuple(Fact(f"{prefix}.{s.name}", Unknown(reason, f"{prefix}.{s.name}")) for s in _SPECS)


# What changed between two plans: task items paired by their words, then by likeness.

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
    folded = words_module.fold(text)
    return " ".join(folded[a:b] for a, b in words_module.tokens(folded, 0, len(folded)))


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
