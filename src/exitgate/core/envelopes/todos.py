"""The agent's own to-do list, as the calls of one iteration leave it."""

from __future__ import annotations

from exitgate.core.envelopes.members import as_object, flag_at, list_at, text_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from exitgate.core.envelopes.members import Event


#: Lists of items, and what an item has.
_LISTS = ("todos", "plan", "items", "todoList", "todo_list")
_ITEM = ("content", "step", "text", "description", "title")
_STATES = ("status", "state")
_DONE = frozenset(("completed", "complete", "done"))
_GONE = frozenset(("cancelled", "canceled", "deleted"))
_STARTED = frozenset(("in_progress", "in-progress", "inprogress", "active", "started"))
#: What Cursor puts before its states.
_PREFIX = "todo_status_"
#: Checklists that a tool takes as one text.
_LISTED = ("todos", "task_progress")
#: Of an item: it waits, it is under way, it is done, it was dropped.
WAITING, STARTED, DONE, GONE = "waiting", "started", "done", "gone"
#: Members of an input of which every call that changes a list has one.
MARKS = frozenset((*_LISTS, *_LISTED, "subject", "taskId"))
#: Open items whose text is kept, and characters of it.
_SHOWN, _LENGTH = 10, 200


class Todos:
    """A to-do list: id -> text and state, in order; `items` is None until one is seen."""

    def __init__(self) -> None:
        self.items: dict[str, tuple[str, str]] | None = None

    def whole(self, items: Sequence[tuple[str, str]]) -> None:
        """Take the whole list: texts and states."""
        self.items = {str(at): item for at, item in enumerate(items, 1)}

    def add(self, text: str, id: str | None) -> None:
        """Take that one item was added, with its id or the next number."""
        have = self.items or {}
        self.items = {**have, id or str(len(have) + 1): (text, WAITING)}

    def state(self, id: str, state: str) -> None:
        """Take the state of one item. One that was not added is ignored."""
        if self.items is not None and id in self.items:
            self.items[id] = (self.items[id][0], state)

    def shown(self) -> list[tuple[str, bool]]:
        """Return texts, and whether each is done, without what was dropped."""
        return [(text, state == DONE) for text, state in (self.items or {}).values() if state != GONE]

    def called(self, input: Event, result: str | None) -> bool:
        """Take a call; return whether it changed single items."""
        listed = _listed(input)
        if listed is not None:
            if input.get("merge") is True and self.items is not None:
                self._merge(listed)
            else:
                self.items = dict(listed)
        subject, id = text_at(input, "subject"), text_at(input, "taskId")
        if id is not None and (written := text_at(input, *_STATES)) is not None:
            self.state(id, _state(written))
            return True
        if subject is not None and text_at(input, "description") is not None:
            self.add(subject, _number(result or ""))
            return True
        return False

    def _merge(self, listed: Mapping[str, tuple[str, str]]) -> None:
        assert self.items is not None
        for id, (text, state) in listed.items():
            had = self.items.get(id)
            self.items[id] = (text or (had[0] if had else ""), state)


def record_of(calls: Sequence[Mapping[str, object]], lost: str = "") -> dict[str, object]:
    """
    Return the record of single calls, with what they leave open of the agent's to-do list.

    Under `lost`, why others may be missing, where they may.

    Under `todos`, where a list was seen: `open`, the number of items that are not done, `waiting`, of those
    that were not begun, and `items`, texts of the first of them.
    """
    todos = Todos()
    for call in calls:
        if call.get("error") is not True:
            todos.called(as_object(call.get("input")), text_at(call, "result"))
    record: dict[str, object] = {"calls": calls, **({"lost": lost} if lost else {})}
    if todos.items is None:
        return record
    undone = [(text, state) for text, state in todos.items.values() if state in (WAITING, STARTED)]
    waiting = sum(state == WAITING for _, state in undone)
    shown = [text[:_LENGTH] for text, _ in undone[:_SHOWN]]
    return {**record, "todos": {"open": len(undone), "waiting": waiting, "items": shown}}


def _listed(input: Event) -> dict[str, tuple[str, str]] | None:
    """Return the items of a list in an input by their ids, else their numbers; None where there is none."""
    for name in _LISTS:
        listed = list_at(input, name)
        if listed is not None and (not listed or any(_item(one) is not None for one in listed)):
            return _by_id(listed)
    listed_text = text_at(input, *_LISTED)
    items = _boxes(listed_text) if listed_text is not None else []
    return {str(at): item for at, item in enumerate(items, 1)} if items else None


def _by_id(listed: Sequence[object]) -> dict[str, tuple[str, str]]:
    found: dict[str, tuple[str, str]] = {}
    flags_only = True
    for at, one in enumerate(listed, 1):
        item = _item(one)
        if item is not None:
            id = text_at(as_object(one), "id") or str(at)
            found[id if id not in found else f"{id} {at}"] = item
            flags_only = flags_only and text_at(as_object(one), *_STATES) is None
    if flags_only:
        _begin_first(found)
    return found


def _begin_first(items: dict[str, tuple[str, str]]) -> None:
    """Where items are done or not, and nothing else is said: the first that is not may be under way."""
    first = next((id for id, (_, state) in items.items() if state == WAITING), None)
    if first is not None:
        items[first] = (items[first][0], STARTED)


def _item(one: object) -> tuple[str, str] | None:
    """Return text and state of an item of a to-do list; None for what is none."""
    item = as_object(one)
    flag = flag_at(item, "completed" if "completed" in item else "done")
    text, state = text_at(item, *_ITEM), text_at(item, *_STATES)
    if state is None and flag is None:
        return None
    if text is None and (state is None or text_at(item, "id") is None):
        return None
    return text or "", DONE if flag else _state(state or "")


def _state(written: str) -> str:
    word = written.lower().removeprefix(_PREFIX)
    for state, words in ((DONE, _DONE), (GONE, _GONE), (STARTED, _STARTED)):
        if word in words:
            return state
    return WAITING


def _boxes(text: str) -> Iterable[tuple[str, str]]:
    """Return the items of a checklist in a text: a box, with a list mark before it or not."""
    found = []
    for line in text.split("\n"):
        item = line.strip().removeprefix("- ").removeprefix("* ").lstrip()
        if item[:1] == "[" and item[2:3] == "]" and item[1:2] in (" ", "x", "X", "-"):
            state = DONE if item[1:2] in ("x", "X") else STARTED if item[1:2] == "-" else WAITING
            found.append((item[3:].strip(), state))
    if found and not any(state == STARTED for _, state in found):
        marked = {str(at): item for at, item in enumerate(found)}
        _begin_first(marked)
        found = list(marked.values())
    return found


def _number(result: str) -> str | None:
    """Return the number behind the first `#` of a text."""
    rest = result.partition("#")[2]
    digits = rest[: len(rest) - len(rest.lstrip("0123456789"))]
    return digits or None
