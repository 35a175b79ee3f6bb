"""What a call of a tool does to files and to-do lists, told by the shape of its input."""

from __future__ import annotations

from exitgate.transcripts.plans_patch import changes_in, replacements_in
from exitgate.transcripts.values import count_at, object_at, objects_at, text_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.transcripts.plans import Plans
    from exitgate.transcripts.plans_patch import Change
    from exitgate.transcripts.values import Event

PLACES = ("file_path", "filePath", "path", "absolute_path", "target_file")
_CONTENTS = ("content", "contents", "file_text")
_OLD = ("old_string", "oldString", "old_str", "oldText")
_NEW = ("new_string", "newString", "new_str", "newText")
_ALL = ("replace_all", "replaceAll")
_PATCHES = ("input", "patch", "patchText", "patch_text")
COMMANDS = ("command", "cmd", "script")
#: Lists of items, and what an item has.
_LISTS = ("todos", "plan", "items", "todoList", "todo_list")
_ITEM = ("content", "step", "text", "description", "title")
_STATES = ("status", "state")
_DONE = frozenset(("completed", "complete", "done"))
_GONE = frozenset(("cancelled", "canceled", "deleted"))
#: Checklists that a tool takes as one text.
_LISTED = ("todos", "task_progress")
#: What makes a content no whole file: where it is put.
_INSERTED = ("insert_line", "line")
_APPENDED = ("append", "start_line", "position")


def take(input: Event, result: str | None, files: Plans) -> bool:
    """Tell `files` what the call does; return whether it was one that changes something."""
    _todos(input, files)
    path = text_at(input, *PLACES)
    if path is None:
        return _patches(input, files) or _tasks(input, result, files)
    content = text_at(input, *_CONTENTS)
    at = count_at(input, *_INSERTED)
    if at is not None and (put := content if content is not None else text_at(input, *_NEW)) is not None:
        # `insert_line` counts the lines before it, `line` is the number that the first new line gets.
        files.inserted(path, at if "insert_line" in input else max(at - 1, 0), put)
    elif content is not None:
        if any(input.get(name) for name in _APPENDED):
            files.lost(path)
        else:
            files.wrote(path, content)
    elif isinstance(input.get("edits"), list):
        for edit in objects_at(input, "edits"):
            _edit(path, edit, files)
    elif text_at(input, "diff") is not None:
        _blocks(path, text_at(input, "diff") or "", files)
    else:
        return _edit(path, input, files)
    return True


def _edit(path: str, edit: Event, files: Plans) -> bool:
    old, new = text_at(edit, *_OLD), text_at(edit, *_NEW)
    if old is None:
        return False
    several = (count_at(edit, "expected_replacements") or 1) > 1
    files.edited(path, old, new or "", any(edit.get(name) is True for name in _ALL) or several)
    return True


def _blocks(path: str, diff: str, files: Plans) -> None:
    blocks = replacements_in(diff)
    if blocks is None:
        files.lost(path)
        return
    for old, new in blocks:
        files.edited(path, old, new)


def patch_of(input: object) -> tuple[Change, ...]:
    """Return what the patch in a call's input changes: the input itself, a member, or words of a command."""
    if isinstance(input, str):
        return changes_in(input)
    texts: list[object] = []
    if isinstance(input, dict):
        for name in (*_PATCHES, *COMMANDS):
            member = input.get(name)
            texts += member if isinstance(member, list) else [member]
    return next((found for text in texts if isinstance(text, str) and (found := changes_in(text))), ())


def _patches(input: Event, files: Plans) -> bool:
    changes = patch_of(input)
    for change in changes:
        files.patched(change)
    return bool(changes)


def _todos(input: Event, files: Plans) -> None:
    for name in _LISTS:
        listed = input.get(name)
        if isinstance(listed, list) and (not listed or any(_item(one) is not None for one in listed)):
            files.todos([item for one in listed if (item := _item(one)) is not None])
            return
    listed_text = text_at(input, *_LISTED)
    if listed_text is not None and (items := _items_of(listed_text)):
        files.todos(items)


def _item(one: object) -> tuple[str, bool] | None:
    """Return text and doneness of an item of a to-do list; None for what is none, or was dropped."""
    if not isinstance(one, dict):
        return None
    text, state, flag = text_at(one, *_ITEM), text_at(one, *_STATES), one.get("completed", one.get("done"))
    if text is None or (state is None and not isinstance(flag, bool)):
        return None
    if state in _GONE:
        return None
    return text, flag is True or state in _DONE


def _items_of(text: str) -> list[tuple[str, bool]]:
    """Return the items of a checklist in a text: a box, with a list mark before it or not."""
    found = []
    for line in text.split("\n"):
        item = line.strip().removeprefix("- ").removeprefix("* ").lstrip()
        if item[:1] == "[" and item[2:3] == "]" and item[1:2] in (" ", "x", "X", "-"):
            found.append((item[3:].strip(), item[1:2] in ("x", "X")))
    return found


def _tasks(input: Event, result: str | None, files: Plans) -> bool:
    """Take the calls that make one task and change the state of one."""
    subject, id = text_at(input, "subject"), text_at(input, "taskId")
    if id is not None and (state := text_at(input, *_STATES)) is not None:
        files.task_is(id, None if state in _GONE else state in _DONE)
        return True
    if subject is not None and text_at(input, "description") is not None:
        files.task(subject, _number(result or ""))
        return True
    return False


def _number(result: str) -> str | None:
    """Return the number behind the first `#` of a text."""
    rest = result.partition("#")[2]
    digits = rest[: len(rest) - len(rest.lstrip("0123456789"))]
    return digits or None


def commands_of(input: Event) -> str | None:
    """Return the command of a call; of a list of words what the shell is given, else the words."""
    for name in COMMANDS:
        member = input.get(name)
        if isinstance(member, str):
            return member
        if isinstance(member, list) and member and all(isinstance(word, str) for word in member):
            shell = len(member) >= 3 and member[1][:1] == "-" and member[1][-1:] == "c"
            return str(member[2]) if shell else " ".join(member)
    return text_at(object_at(input, "action"), *COMMANDS)
