"""The changes that calls of tools make to plans and to-do lists, by the shape of their input."""

from __future__ import annotations

from exitgate.core.envelopes.edits import PLACES, patch_of, replacements_in
from exitgate.core.envelopes.members import count_at, objects_at, text_at
from exitgate.core.envelopes.todos import MARKS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.envelopes.members import Event
    from exitgate.recordings.formats.plans import Plans

_CONTENTS = ("content", "contents", "file_text")
_OLD = ("old_string", "oldString", "old_str", "oldText")
_NEW = ("new_string", "newString", "new_str", "newText")
_ALL = ("replace_all", "replaceAll")
#: What makes a content no whole file: where it is put.
_INSERTED = ("insert_line", "line")
_APPENDED = ("append", "start_line", "position")


def take(input: Event, result: str | None, files: Plans) -> bool:
    """Tell `files` what the call does; return whether it was one that changes something."""
    listed = not MARKS.isdisjoint(input) and files.todo_list.called(input, result)
    path = text_at(input, *PLACES)
    if path is None:
        return _patches(input, files) or listed
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


def _patches(input: Event, files: Plans) -> bool:
    changes = patch_of(input)
    for change in changes:
        files.patched(change)
    return bool(changes)
