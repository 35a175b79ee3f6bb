"""The plan as it was in each iteration: its tasks, done or open, and what changed in them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from exitgate.core.facts.plans.items import DONE, Item, markdown_items
from exitgate.core.facts.plans.tasks import tasks
from exitgate.core.facts.text.secrets import Mask
from exitgate.core.policy.compiled import CompiledPolicy
from exitgate.recordings.model import RecordedIteration
from exitgate.recordings.page.cells import counted
from exitgate.recordings.page.room import roughly_capped, shortened
from exitgate.recordings.page.view import Plan, Task

#: Characters of a task, and of a plan that lists none.
TASK, TEXT = 160, 1200
#: Tasks of a plan that are listed, and that are shown without unfolding.
MOST, SHORT = 120, 6
#: Bytes that a task takes beside its text, and the least for one plan.
AROUND, LEAST = 90, 400
#: What changed in a task.
NEW, GONE = "new", "gone"


class Read(NamedTuple):
    """A task as it was read; `nth` distinguishes tasks with the same words."""

    words: str
    nth: int
    state: str


class _Changed(NamedTuple):
    read: Read
    change: str


def plans(
    recorded: Mapping[int, RecordedIteration],
    columns: Sequence[int],
    policies: Sequence[CompiledPolicy],
    room: int,
    mask: Mask,
) -> Mapping[int, Plan]:
    """
    Return the plan of each iteration of `columns` that has one on record.

    Args:
        recorded: All iterations of the run, by number.
        columns: Those that are shown.
        policies: The first of them that reads a checklist from the plan says what its marks mean.
        room: Bytes that all plans together may take.
        mask: Hides secrets.
    """
    reading = _Reading(policies, mask)
    texts = {number: text for number, one in recorded.items() if (text := one.plan) is not None}
    first: dict[str, int] = {}
    same = {number: first.setdefault(texts[number], number) for number in columns if number in texts}
    sizes = [_size(reading.of(text)) for text in first]
    most = roughly_capped(sizes, room, LEAST)
    found = {}
    for number, shown_at in same.items():
        text, before = texts[number], texts.get(number - 1)
        read = reading.of(text)
        told = _compared(read, None if before is None else reading.of(before))
        changed = "" if before is None else _changes(told, before == text)
        repeats = shown_at if shown_at != number else 0
        words = "" if read or repeats else mask.cover(text).strip()
        found[number] = _plan(told, changed, words, repeats, most)
    return found


class _Reading:
    """Reads plans as a policy does, each text once."""

    def __init__(self, policies: Sequence[CompiledPolicy], mask: Mask) -> None:
        self._mask = mask
        entries = (entry for policy in policies for entry in policy.extractions)
        own = (one for one in entries if one.extractor == "checklist" and one.source == "plan")
        self._entry = next(own, None)
        self._found: dict[str, tuple[Read, ...]] = {}

    def of(self, text: str) -> tuple[Read, ...]:
        """Return the tasks of a plan, in order."""
        if text not in self._found:
            self._found[text] = tuple(self._read(text))
        return self._found[text]

    def _read(self, text: str) -> Sequence[Read]:
        if self._entry is None:
            items = markdown_items(text, {}, (), ())[0]
        else:
            items = tasks(text, self._entry.options).items
        seen: Counter[str] = Counter()
        found = []
        shown = self._mask.cover(text)  # a secret may be longer than its line; all else stays where it is
        for item in items:
            words = _words(shown, item)
            seen[words] += 1
            found.append(Read(words, seen[words], item.state))
        return found


def _words(text: str, item: Item) -> str:
    """Return what a task says, without its box."""
    line = text[item.start : item.end].strip()
    return line.partition("]")[2].strip() if item.mark and line.startswith("[") else line


def _compared(now: Sequence[Read], before: Sequence[Read] | None) -> tuple[_Changed, ...]:
    """Return the tasks of a plan and what changed in each, then those that are gone."""
    if before is None:
        return tuple(_Changed(one, "") for one in now)
    was = {(one.words, one.nth): one.state for one in before}
    found = []
    for one in now:
        state = was.pop((one.words, one.nth), None)
        change = NEW if state is None else "" if state == one.state else f"was {_state(state)}"
        found.append(_Changed(one, change))
    gone = (one for one in before if (one.words, one.nth) in was)
    return (*found, *(_Changed(one, GONE) for one in gone))


def _plan(told: Sequence[_Changed], changed: str, words: str, same_as: int, room: int) -> Plan:
    there = [one.read for one in told if one.change != GONE]
    done = sum(one.state == DONE for one in there)
    summary = f"{done} of {counted(len(there), 'task')} done" if there else "no tasks in it"
    listed, left = _listed([one for one in told if one.change] if same_as else told, room)
    text = shortened(words, min(TEXT, max(room, LEAST)))
    long = len(listed) > SHORT or len(text) > TEXT // 3
    return Plan(summary, changed, listed, left, text, same_as, long)


def _changes(told: Sequence[_Changed], same: bool) -> str:
    """Return in words what changed since the iteration before; `same` says that its text did not."""
    if same:
        return "unchanged"
    kinds = Counter(
        one.change if one.change in (NEW, GONE) else f"now {_state(one.read.state)}"
        for one in told
        if one.change
    )
    return ", ".join(f"{count} {kind}" for kind, count in kinds.items()) or "other words, the same tasks"


def _listed(told: Sequence[_Changed], room: int) -> tuple[tuple[Task, ...], int]:
    """Return what changed first, then what is open, as much as there is room for, in the plan's order."""
    order = sorted(range(len(told)), key=lambda at: (not told[at].change, told[at].read.state == DONE, at))
    taken: dict[int, Task] = {}
    for at in order[:MOST]:
        read, change = told[at]
        words = shortened(read.words, TASK)
        room -= AROUND + len(words.encode("utf-8", "replace"))
        if room < 0 and taken:
            break
        taken[at] = Task(_state(read.state), read.state == DONE, words, change)
    return tuple(taken[at] for at in sorted(taken)), len(told) - len(taken)


def _size(read: Sequence[Read]) -> int:
    return sum(AROUND + min(len(one.words), TASK) for one in read[:MOST]) or TEXT


def _state(state: str) -> str:
    return state.replace("_", " ")
