"""What a call of a tool does to files and to-do lists, known by the shape of its input."""

from __future__ import annotations

from exitgate.transcripts.plans_patch import changes_in, replacements_in
from exitgate.transcripts.todos import MARKS
from exitgate.transcripts.values import count_at, object_at, objects_at, text_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.transcripts.plans import Plans
    from exitgate.transcripts.plans_patch import Change
    from exitgate.transcripts.values import Event

PLACES = ("file_path", "filePath", "path", "absolute_path", "target_file")
_CONTENTS = ("content", "contents", "file_text")
#: What an input that writes a file has beside the file's name.
_WRITTEN = (
    "content", "contents", "file_text", "edits", "diff", "patch", "new_source", "insert_text",
    "old_string", "new_string", "oldString", "newString", "old_str", "new_str", "oldText", "newText",
    "old_text", "new_text",
)  # fmt: skip
_OLD = ("old_string", "oldString", "old_str", "oldText")
_NEW = ("new_string", "newString", "new_str", "newText")
_ALL = ("replace_all", "replaceAll")
_PATCHES = ("input", "patch", "patchText", "patch_text")
COMMANDS = ("command", "cmd", "script")
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


def written_by(input: object) -> tuple[str, ...]:
    """Return the paths that a call with this input writes, by its shape."""
    changes = patch_of(input)
    if changes:
        return tuple(dict.fromkeys(change.moved or change.path for change in changes))
    if not isinstance(input, dict):
        return ()
    place = text_at(input, *PLACES, "notebook_path")
    return (place,) if place and any(name in input for name in _WRITTEN) else ()


def _patches(input: Event, files: Plans) -> bool:
    changes = patch_of(input)
    for change in changes:
        files.patched(change)
    return bool(changes)


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
