"""What a call of a tool does to files and to-do lists, known by the shape of its input."""

from __future__ import annotations

from exitgate.core.envelopes.members import as_object, object_at, text_at
from exitgate.core.model.json_object import array_of, one_or_more, texts_of
from exitgate.core.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from exitgate.core.envelopes.members import Event


PLACES = ("file_path", "filePath", "path", "absolute_path", "target_file")
#: What an input that writes a file has beside the file's name.
_WRITTEN = (
    "content", "contents", "file_text", "edits", "diff", "patch", "new_source", "insert_text",
    "old_string", "new_string", "oldString", "newString", "old_str", "new_str", "oldText", "newText",
    "old_text", "new_text",
)  # fmt: skip
_PATCHES = ("input", "patch", "patchText", "patch_text")
COMMANDS = ("command", "cmd", "script")
#: Members that say in which folder a command runs, and that it goes on behind the call.
_FOLDERS = ("workdir", "cwd", "working_dir", "working_directory", "workingDirectory", "dir_path", "directory")
_GOES_ON = ("run_in_background", "is_background", "isBackground", "background")
#: Programs that write no file, whatever their arguments are; git's commands that leave the files as they are.
_READERS = frozenset((
    "cat", "head", "tail", "ls", "pwd", "cd", "echo", "printf", "grep", "rg", "wc", "cut", "which", "stat",
    "du", "true", "test", "date", "jq",
))  # fmt: skip
_GIT_READS = frozenset(
    ("status", "diff", "log", "show", "add", "commit", "push", "blame", "rev-parse", "ls-files")
)
#: What sends output nowhere or to the other stream; any other sign of these makes a file, or runs more.
_HARMLESS = ("2>&1", "2>/dev/null", ">/dev/null", "> /dev/null", "2> /dev/null")
_SIGNS = ("<", ">", "$(", "`", "(", "{")
#: Members in which a patch can be.
_SOURCES = (*_PATCHES, *COMMANDS)


def patch_of(input: object) -> tuple[Change, ...]:
    """Return what the patch in a call's input changes: the input itself, a member, or words of a command."""
    if isinstance(input, str):
        return changes_in(input)
    called = as_object(input)
    texts = (text for name in _SOURCES if name in called for text in one_or_more(called[name]))
    return next((found for text in texts if (found := changes_in(text))), ())


def written_by(input: object) -> tuple[str, ...]:
    """Return the paths that a call with this input writes, by its shape."""
    changes = patch_of(input)
    if changes:
        return tuple(dict.fromkeys(change.moved or change.path for change in changes))
    called = as_object(input)
    place = text_at(called, *PLACES, "notebook_path")
    return (place,) if place and any(name in called for name in _WRITTEN) else ()


def commands_of(input: Event) -> str | None:
    """Return the command of a call; of a list of words what the shell is given, else the words."""
    for name in COMMANDS:
        member = input.get(name)
        if isinstance(member, str):
            return member
        words = texts_of(member)
        if words and len(words) == len(array_of(member)):
            shell = len(words) >= 3 and words[1][:1] == "-" and words[1][-1:] == "c"
            return words[2] if shell else " ".join(words)
    return text_at(object_at(input, "action"), *COMMANDS)


def goes_on(input: Event) -> bool:
    """Return whether a call starts its command and does not wait for its end."""
    return any(input.get(name) is True for name in _GOES_ON)


def folder_of(input: Event) -> str | None:
    """Return the folder in which a call runs its command, None where it does not say."""
    return text_at(input, *_FOLDERS)


def only_reads(command: str) -> bool:
    """Return whether a shell's line is known to leave all files as they are; of most it is not known."""
    import shlex

    for piece in _HARMLESS:
        command = command.replace(piece, " ")
    if any(sign in command for sign in _SIGNS):
        return False
    lexer = shlex.shlex(command.replace("\n", " ; "), posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        words = list(lexer)
    except ValueError:  # a quote without an end
        return False
    first = True
    for at, word in enumerate(words):
        if word and not set(word) - set(";&|"):
            first = True
        elif first:
            first = False
            known = word in _READERS or (
                word == "git" and words[at + 1 : at + 2] and words[at + 1] in _GIT_READS
            )
            if not known:
                return False
    return True


# Changes of files written as text: `*** Begin Patch` texts, and blocks of search and replacement.

_BEGIN, _END = "*** Begin Patch", "*** End Patch"
_ADD, _UPDATE, _DELETE = "*** Add File: ", "*** Update File: ", "*** Delete File: "
_MOVE, _LAST, _AT = "*** Move to: ", "*** End of File", "@@"
#: How blocks of search and replacement begin, are parted, and end.
_SEARCH = ("<<<<<<< SEARCH", "------- SEARCH")
_PARTED = "======="
_REPLACED = (">>>>>>> REPLACE", "+++++++ REPLACE")


class Hunk(Value):
    """Lines instead of others: `old` -> `new`, behind the line `after` where one is named."""

    __slots__ = ("after", "new", "old")

    def __init__(self, after: str, old: tuple[str, ...], new: tuple[str, ...]) -> None:
        self.after = after
        self.old = old
        self.new = new


class Change(Value):
    """
    What a patch does to one file.

    Args:
        path: Of the file.
        text: Its whole text where the patch adds it, None where it updates or deletes it.
        hunks: Of an update; None for a file that is deleted or added.
        moved: The path that it has then, or None.
    """

    __slots__ = ("hunks", "moved", "path", "text")

    def __init__(
        self,
        path: str,
        text: str | None = None,
        hunks: tuple[Hunk, ...] | None = None,
        moved: str | None = None,
    ) -> None:
        self.path = path
        self.text = text
        self.hunks = hunks
        self.moved = moved


def changes_in(text: str) -> tuple[Change, ...]:
    """Return what the patch in `text` changes, in order; nothing where there is no patch."""
    begun = text.find(_BEGIN)
    if begun < 0:
        return ()
    found: list[tuple[str, list[str]]] = []
    for line in text[begun:].split("\n")[1:]:
        if line.rstrip() == _END:
            break
        if line.startswith((_ADD, _UPDATE, _DELETE)):
            found.append((line, []))
        elif found:
            found[-1][1].append(line)
    return tuple(_change(head, lines) for head, lines in found)


def _change(head: str, lines: Sequence[str]) -> Change:
    for mark in (_ADD, _DELETE):
        if head.startswith(mark):
            path = head[len(mark) :].strip()
            added = "".join(line[1:] + "\n" for line in lines if line.startswith("+"))
            return Change(path, added if mark == _ADD else None)
    moved = next((line[len(_MOVE) :].strip() for line in lines if line.startswith(_MOVE)), None)
    return Change(head[len(_UPDATE) :].strip(), None, tuple(_hunks(lines)), moved)


def _hunks(lines: Sequence[str]) -> Iterator[Hunk]:
    after, old, new = "", list[str](), list[str]()
    for line in lines:
        if line.startswith(_AT):
            if old or new:
                yield Hunk(after, tuple(old), tuple(new))
                old, new = [], []
            after = line[len(_AT) :].removeprefix(" ")
        elif line.startswith((_MOVE, _LAST)):
            continue
        elif line.startswith("-"):
            old.append(line[1:])
        elif line.startswith("+"):
            new.append(line[1:])
        else:
            kept = line.removeprefix(" ")
            old.append(kept)
            new.append(kept)
    if old or new:
        yield Hunk(after, tuple(old), tuple(new))


def patched(text: str, hunks: Sequence[Hunk]) -> str | None:
    """Return the text with the hunks applied one after the other; None where one has no place in it."""
    lines = text.split("\n")
    at = 0
    for hunk in hunks:
        if hunk.after:
            found = _place(lines, (hunk.after,), at)
            at = at if found is None else found + 1
        old, new = hunk.old, hunk.new
        place = _place(lines, old, at) if old else _end(lines)
        if place is None and old and old[-1] == "":
            # A patch often ends in an empty line that is not one of the file's.
            old, new = old[:-1], new[:-1] if new and new[-1] == "" else new
            place = _place(lines, old, at) if old else _end(lines)
        if place is None:
            return None
        lines[place : place + len(old)] = new
        at = place + len(new)
    return "\n".join(lines)


def _end(lines: Sequence[str]) -> int:
    """Return where lines are added behind all others: before the empty one after the last line end."""
    return len(lines) - 1 if lines and not lines[-1] else len(lines)


_EXACTLY: tuple[Callable[[str], str], ...] = (str, str.rstrip, str.strip)


def _place(lines: Sequence[str], wanted: Sequence[str], start: int) -> int | None:
    """Return where the lines are at or behind `start`, blanks around them forgiven only where needed."""
    for same in _EXACTLY:
        sought = [same(line) for line in wanted]
        had = [same(line) for line in lines]
        for at in range(start, len(had) - len(sought) + 1):
            if had[at] == sought[0] and had[at : at + len(sought)] == sought:
                return at
    return None


def replacements_in(text: str) -> tuple[tuple[str, str], ...] | None:
    """Return (search, replacement) of each block in `text`; None where there is none or one has no end."""
    found: list[tuple[str, str]] = []
    old: list[str] | None = None
    new: list[str] | None = None
    for line in text.split("\n"):
        mark = line.strip()
        if mark.startswith(_SEARCH):
            old, new = [], None
        elif old is not None and new is None and mark == _PARTED:
            new = []
        elif old is not None and new is not None and mark.startswith(_REPLACED):
            found.append(("".join(one + "\n" for one in old), "".join(one + "\n" for one in new)))
            old = new = None
        elif new is not None:
            new.append(line)
        elif old is not None:
            old.append(line)
    return tuple(found) if found and old is None else None
