"""
Stories and tasks in JSON, in the shapes that loops write: a list of objects, each with a flag or a state.

The list is the whole file, or is under a key of the lexicon's `list` words, however deep: below the
name of a tag, of an epic or a phase. A task of subtasks only counts by these.
"""

from __future__ import annotations

from exitgate.core.facts.records import VALUE_LIMIT
from exitgate.core.model.json_object import object_of
from exitgate.core.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.core.facts.plans.states import PlanWords


#: Objects inside one another that are looked into.
DEPTH = 6


class Story(Value):
    """
    A story as an object of JSON.

    Args:
        done: Whether it is done; False too where it does not say.
        told: Whether it says so itself.
        title: Its first texts.
    """

    __slots__ = ("done", "title", "told")

    def __init__(self, done: bool, told: bool, title: str) -> None:
        self.done = done
        self.told = told
        self.title = title


def stories(value: object, words: PlanWords) -> tuple[Story, ...]:
    """Return the stories of a JSON value, in order; those that were given up are left out."""
    found: list[Story] = []
    for item in _items(value, words, DEPTH, isinstance(value, list)):
        story = _story(item, words)
        if story is not None:
            found.append(story)
        if len(found) >= VALUE_LIMIT:
            break
    return tuple(found) if any(story.told for story in found) else ()


def _items(value: object, words: PlanWords, depth: int, listed: bool) -> Iterator[dict[str, object]]:
    """Yield the objects that are stories; `listed` says that those of `value` are."""
    if depth == 0:
        return
    if isinstance(value, list):
        for item in value if listed else ():
            if isinstance(item, list):
                yield from _items(item, words, depth - 1, True)
            elif isinstance(item, dict):
                inner = list(_items(item, words, depth - 1, False))
                yield from inner or (item,)
    elif isinstance(value, dict):
        for key, inside in value.items():
            named = words.is_a("list", str(key))
            under = list(inside.values()) if named and isinstance(inside, dict) else inside
            if named or isinstance(inside, dict):
                yield from _items(under, words, depth - 1, named)


def _story(item: dict[str, object], words: PlanWords) -> Story | None:
    """Return the story that an object is, or None for one that was given up."""
    said: list[bool] = []
    for key, value in item.items():
        if isinstance(value, bool):
            said += [value] if words.is_a("flag", key) else []
        elif isinstance(value, str) and (words.is_a("column", key) or words.is_a("flag", key)):
            if words.is_a("dropped", value):
                return None
            said.append(words.is_a("finished", value))
    return Story(bool(said) and all(said), bool(said), title_of(item))


def title_of(item: object) -> str:
    """Return the first two texts of an object, of its first twenty members; the empty text without any."""
    texts = [v.strip() for v in list(object_of(item).values())[:20] if isinstance(v, str) and v.strip()]
    return " ".join(texts[:2])
