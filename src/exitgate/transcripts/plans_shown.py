"""The whole text of a file, where the result of a call shows it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

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
