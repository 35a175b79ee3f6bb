"""
The plan as it was at each iteration, from the writes and edits that a transcript shows.

A text is known once a file was written or shown whole, and then kept up with every edit. What is not
known stays so: an edit of a file that was not shown, or one that does not match the text that was, leaves
the file unknown until it is whole again.
"""

from __future__ import annotations

from exitgate.core.envelopes.edits import COMMANDS, PLACES, commands_of, patch_of, patched, replacements_in
from exitgate.core.envelopes.members import as_object, count_at, objects_at, text_at
from exitgate.core.envelopes.todos import DONE, MARKS, WAITING, Todos

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from exitgate.core.envelopes.edits import Change
    from exitgate.core.envelopes.members import Event


#: Where a check looks for the plan first; other names are found as files with checklists.
#: The same as the first of `exitgate.core.state.discover.DEFAULT_PATHS`.
NAMES = (".ralph/@fix_plan.md", ".ralph/fix_plan.md", "fix_plan.md", "@fix_plan.md")
#: Ends of names of files that may be a plan when no file has one of those names.
_PLANS = (".md", ".markdown", ".mdx", ".txt")
#: Characters of a text that is kept, and of all of them.
_TEXT_LIMIT, _ALL_LIMIT = 400_000, 4_000_000
#: What says in a command that it may write the file that it names.
_WRITES = (
    ">", "tee ", "mv ", "cp ", "rm ", "sed -i", "perl -", "python", "git checkout", "git restore",
    "git stash",
)  # fmt: skip
_NO_WRITES = ("2>&1", "2>/dev/null", ">/dev/null", "2> /dev/null", "> /dev/null", "->", "=>")
#: Members of a call that reads a file, and with which of them it reads a part only.
_READS = frozenset((*PLACES, "command", "encoding", "explanation", "cwd", "workdir"))
_PARTS = frozenset(
    ("offset", "limit", "view_range", "start_line", "end_line", "line_range", "pages", "ranges")
)


class Plans:
    """
    The texts of files and the to-do list of one run.

    Args:
        files: Path -> text known before the first iteration.
    """

    def __init__(self, files: Mapping[str, str] | None = None) -> None:
        self._texts: dict[str, str] = {}
        self._size = 0
        self._keys: dict[str, list[str]] = {}
        self._named: dict[str, None] = {}
        self._listed: dict[str, bool] = {}
        self.todo_list = Todos()
        for path, text in (files or {}).items():
            self.shown(path, text)

    def called(
        self,
        name: str,  # noqa: ARG002 - names differ from agent to agent, shapes do not
        input: object,
        result: str | None = None,
        is_error: bool | None = None,
    ) -> None:
        """
        Take the next call of a tool.

        Args:
            name: Of the tool; what it does is known from the shape of its input.
            input: An object, JSON text of one, or the text of a patch.
            result: What it gave back, without an envelope; None when not reported.
            is_error: Whether it failed: then it changed nothing.
        """
        if is_error is True:
            return
        if isinstance(input, str):
            for change in patch_of(input):
                self.patched(change)
            input = _object(input)
        called = as_object(input)
        if not called or _take(called, result, self):
            return
        command = commands_of(called) if any(place in called for place in COMMANDS) else None
        path = text_at(called, *PLACES)
        if path is not None:
            self._read(path, called, result)
        elif command is not None:
            self._ran(command, result)

    def wrote(self, path: str, text: str) -> None:
        """Take that a file was written whole."""
        key = self._key(path)
        self._keep(key, text)
        self._list(key, is_checklist(text))

    def shown(self, path: str, text: str) -> None:
        """Take that the whole text of a file was shown."""
        self._keep(self._key(path), text)

    def edited(self, path: str, old: str, new: str, all: bool = False) -> None:
        """Take that `old` was replaced by `new`: once, or everywhere; without an `old` the file is made."""
        if not old:
            self.wrote(path, new)
            return
        key = self._key(path)
        text = self._texts.get(key)
        if text is None or old not in text:
            self._lose(key, is_checklist(old) or is_checklist(new))
            return
        self.wrote(path, text.replace(old, new) if all else text.replace(old, new, 1))

    def inserted(self, path: str, line: int, text: str) -> None:
        """Take that `text` was put behind the first `line` lines of a file."""
        key = self._key(path)
        had = self._texts.get(key)
        if had is None:
            self._lose(key, is_checklist(text))
            return
        lines = had.split("\n")
        self.wrote(path, "\n".join((*lines[:line], text.removesuffix("\n"), *lines[line:])))

    def patched(self, change: Change) -> None:
        """Take what a patch did to a file."""
        key = self._key(change.path)
        if change.text is not None:
            self.wrote(change.path, change.text)
            return
        had = self._texts.get(key)
        if change.hunks is None or change.moved is not None:
            self._forget(key)
        if change.hunks is None:
            return
        path = change.moved or change.path
        now = None if had is None else patched(had, change.hunks)
        if now is None:
            lines = (line for hunk in change.hunks for line in (*hunk.old, *hunk.new))
            self._lose(self._key(path), is_checklist("\n".join(lines)))
        else:
            self.wrote(path, now)

    def lost(self, path: str) -> None:
        """Take that a file changed in a way that the transcript does not show."""
        self._lose(self._key(path), False)

    def todos(self, items: Sequence[tuple[str, bool]]) -> None:
        """Take the whole to-do list: texts, and whether each is done."""
        self.todo_list.whole([(text, DONE if done else WAITING) for text, done in items])

    def plan(self) -> str | None:
        """
        Return the plan as it is now, None when it is not known.

        A file of one of the names that a check looks for, where one was seen; else the to-do list; else
        the file with a checklist that was written last.
        """
        for name in NAMES:
            for key in reversed(self._named):
                if key == name or key.endswith("/" + name):
                    return self._texts.get(key)
        if self.todo_list.items is not None:
            return checklist(self.todo_list.shown())
        last = next((key for key in reversed(self._listed) if self._listed[key]), None)
        return None if last is None else self._texts.get(last)

    def files(self) -> dict[str, str]:
        """Return path -> text of the files whose text is known now."""
        return dict(self._texts)

    def _read(self, path: str, input: Event, result: str | None) -> None:
        """Take what a call that only names a file gave back."""
        if not _READS.issuperset(name for name in input if name not in _PARTS):
            return
        key = self._key(path)
        self._name(key)
        if result is None or any(input.get(name) not in (None, 0, 1) for name in _PARTS):
            return
        text, numbered = whole_text(result)
        if text and (
            numbered or is_checklist(text) or (path.endswith(".json") and _object(text) is not None)
        ):
            self._keep(key, _ended(text, self._texts.get(key)))

    def _ran(self, command: str, result: str | None) -> None:
        """Take what a command shows or writes."""
        shown = printed(command)
        if shown is not None:
            path, most = shown
            self._name(self._key(path))
            if result is not None and shown_by_shell(result, most):
                self._read(path, {}, result)
            return
        self._may_write(command)

    def _may_write(self, command: str) -> None:
        """Lose the texts of files that a command names and may have written."""
        if not self._texts and not self._named:
            return
        for harmless in _NO_WRITES:
            command = command.replace(harmless, "") if harmless in command else command
        if any(mark in command for mark in _WRITES):
            for key in [key for key in self._texts if key.rpartition("/")[2] in command]:
                self._lose(key, False)

    def _key(self, path: str) -> str:
        """Return the name a file is kept under; an absolute path that ends in a relative one is the same."""
        key = path.replace("\\", "/").removeprefix("./")
        same = self._keys.setdefault(key.rpartition("/")[2], [])
        if key in same:
            return key
        for known in same:
            ends = known.endswith("/" + key) or key.endswith("/" + known)
            if ends and (known[:1] == "/") != (key[:1] == "/"):
                return known
        same.append(key)
        return key

    def _name(self, key: str) -> None:
        if key.rpartition("/")[2] in ("fix_plan.md", "@fix_plan.md"):
            self._named.pop(key, None)
            self._named[key] = None

    def _list(self, key: str, listed: bool) -> None:
        if key.endswith(_PLANS) or "." not in key.rpartition("/")[2]:
            self._listed.pop(key, None)
            self._listed[key] = listed

    def _keep(self, key: str, text: str) -> None:
        self._name(key)
        self._size -= len(self._texts.pop(key, ""))
        if len(text) > _TEXT_LIMIT:
            return
        self._texts[key] = text
        self._size += len(text)
        while self._size > _ALL_LIMIT:
            oldest = next((other for other in self._texts if other not in self._named), key)
            self._size -= len(self._texts.pop(oldest))

    def _lose(self, key: str, listed: bool) -> None:
        """Leave a file unknown; it stays the plan when it was, or when what changed in it is a list."""
        self._name(key)
        self._size -= len(self._texts.pop(key, ""))
        if listed or self._listed.get(key):
            self._list(key, True)

    def _forget(self, key: str) -> None:
        self._size -= len(self._texts.pop(key, ""))
        self._named.pop(key, None)
        self._listed.pop(key, None)


def _ended(text: str, known: str | None) -> str:
    """Return the known text where what was shown differs by its last line end only, which tools leave out."""
    return known if known is not None and known.rstrip("\n") == text.rstrip("\n") else text


def _object(text: str) -> dict[str, object] | None:
    """Return the object that a JSON text is, None where it is not one."""
    import json

    if not text.lstrip().startswith("{"):
        return None
    try:
        value = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


# The whole text of a file, where the result of a call shows it.

#: What is between a line's number and the line in what tools of reading give back.
_SEPARATORS = ("→", "\t", "| ", " | ", ": ", "|")
#: Lines before the numbered ones, and behind them, that tools add.
_OPENED, _CLOSED = ("<file>", "<content>"), ("</file>", "</content>")
_NOTE, _NOTE_END = "<system-reminder>", "</system-reminder>"
_WHOLE = "(End of file"
#: Lines and characters from which on tools of reading and shells may have cut what they show.
_LINES_READ = 2000
_LINES_OF_SHELL, _CHARACTERS_OF_SHELL = 250, 10_000


def whole_text(result: str) -> tuple[str, bool]:
    """
    Return the text that a tool of reading shows, and whether its lines were numbered.

    Numbers count only where they are those of all lines from 1 on. The empty text with True stands for
    a file that is not shown whole.
    """
    lines = _without_notes(result).split("\n")
    first = next((at for at in range(min(len(lines), 8)) if _separator(lines[at], 1)), None)
    if first is None:
        return _without_notes(result), False
    separator = _separator(lines[first], 1) or ""
    texts: list[str] = []
    for line in lines[first:]:
        begun = _numbered(line, len(texts) + 1, separator)
        if begun is None:
            break
        texts.append(begun)
    rest = [line.strip() for line in lines[first + len(texts) :] if line.strip()]
    ended = all(line in _CLOSED or line.startswith(_WHOLE) for line in rest)
    if not ended or len(texts) >= _LINES_READ:
        return "", True
    return "\n".join(texts), True


def _without_notes(result: str) -> str:
    """Return the result without the notes that the agent's program puts behind it."""
    at = result.find(_NOTE)
    return result[:at].rstrip("\n") if at >= 0 and result.rstrip().endswith(_NOTE_END) else result


def _separator(line: str, number: int) -> str | None:
    return next((mark for mark in _SEPARATORS if _numbered(line, number, mark) is not None), None)


def _numbered(line: str, number: int, separator: str) -> str | None:
    """Return what follows the number of a line; None where the line has not this one."""
    digits, found, rest = line.partition(separator)
    digits = digits.strip().removeprefix("L")
    if not found:
        # Editors cut the blank at the end of an empty line's separator.
        digits, found, rest = line.partition(separator.rstrip(" ")) if separator.strip() else (line, "", "")
        digits = digits.strip().removeprefix("L")
        if not found or rest:
            return None
    return rest if digits.isascii() and digits.isdigit() and int(digits[:9]) == number else None


def printed(command: str) -> tuple[str, int | None] | None:
    """
    Return the path of the one file that a command prints and nothing else, and how many lines at most.

    None for every other command.
    """
    words = command.replace("'", "").replace('"', "").split()
    if not words or any(mark in command for mark in "|;&<>$`*?\n"):
        return None
    if words[0] == "cat" and len(words) == 2:
        return words[1], None
    if words[:2] in (["cat", "-n"], ["nl", "-ba"]) and len(words) == 3:
        return words[2], None
    if words[:2] == ["sed", "-n"] and len(words) == 4:
        first, _, last = words[2].partition(",")
        count = last.removesuffix("p")
        if first == "1" and last.endswith("p") and count.isascii() and count.isdigit():
            return words[3], int(count[:9])
    return None


def shown_by_shell(result: str, most: int | None) -> bool:
    """Return whether what a shell printed is surely the whole file, of which `most` lines were asked."""
    count = result.count("\n") + 1
    return count < _LINES_OF_SHELL and len(result) < _CHARACTERS_OF_SHELL and (most is None or count < most)


def is_checklist(text: str) -> bool:
    """Return whether a line of the text is an item with a box."""
    if "[" not in text:
        return False
    return any(_is_item(line.lstrip()) for line in text.split("\n") if "[" in line)


def _is_item(line: str) -> bool:
    mark, blank, rest = line.partition(" ")
    if not blank or not (mark in ("-", "*", "+") or (mark[-1:] in (".", ")") and mark[:-1].isdigit())):
        return False
    rest = rest.lstrip()
    return rest[:1] == "[" and rest[2:3] == "]" and rest[1:2] in (" ", "x", "X")


def box(text: str, *, done: bool) -> str:
    """Return an item of a checklist, on one line, for any text."""
    return f"- [{'x' if done else ' '}] {' '.join(text.split())}"


def checklist(items: Sequence[tuple[str, bool]]) -> str:
    """Return a to-do list as a checklist."""
    return "".join(box(text, done=done) + "\n" for text, done in items)


# The changes that calls of tools make to plans and to-do lists, by the shape of their input.

_CONTENTS = ("content", "contents", "file_text")
_OLD = ("old_string", "oldString", "old_str", "oldText")
_NEW = ("new_string", "newString", "new_str", "newText")
_ALL = ("replace_all", "replaceAll")
#: What makes a content no whole file: where it is put.
_INSERTED = ("insert_line", "line")
_APPENDED = ("append", "start_line", "position")


def _take(input: Event, result: str | None, files: Plans) -> bool:
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
