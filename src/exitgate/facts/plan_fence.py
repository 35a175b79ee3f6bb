"""A plan that is in one fence as a whole, as agents write it when they quote the file they made."""

from __future__ import annotations

from exitgate.facts import structural
from exitgate.facts.checklist_lines import spans

#: Lines of words before the fence, and behind it, at most.
AROUND = 3
#: Lines of the longest plan that is looked at.
LONGEST = 20_000


def unfenced(text: str) -> str:
    """
    Return a text with blanks for the lines of the one fence that it is in; as it is otherwise.

    Before the fence and behind it are a few lines at most, none of them an item of a list. Fences within
    it are left as they are. All offsets stay what they are.
    """
    if not any(mark * 3 in text for mark in structural.FENCES):
        return text
    lines = list(spans(text))
    filled = [at for at, (start, end) in enumerate(lines) if text[start:end].strip()]
    marks = [at for at in filled if structural.fence_mark(text[slice(*lines[at])].strip())]
    if len(marks) < 2 or len(lines) > LONGEST:
        return text
    first, last = marks[0], marks[-1]
    outside = [at for at in filled if at < first or at > last]
    before = sum(at < first for at in outside)
    if max(before, len(outside) - before) > AROUND or any(_lists(text[slice(*lines[at])]) for at in outside):
        return text
    if not _spans_all([text[slice(*lines[at])].strip() for at in marks]):
        return text
    for at in (first, last):
        start, end = lines[at]
        text = text[:start] + " " * (end - start) + text[end:]
    return text


def _lists(line: str) -> bool:
    """Return whether a line is an item of a list, a row of a table, or has a bracket."""
    said = line.strip(structural.QUOTED_LINE)
    return bool(structural.list_mark(said)) or said[:1] == "|" or "[" in said or not said[:1].isascii()


def _spans_all(fences: list[str]) -> bool:
    """Return whether the first fence closes at the last one: others within it open and close."""
    outer = structural.fence_mark(fences[0])
    depth = 1
    for fence in fences[1:-1]:
        mark = structural.fence_mark(fence)
        if mark[0] != outer[0] or len(mark) < len(outer):
            continue
        depth += 1 if fence != mark else -1
        if depth < 1:
            return False
    closing = fences[-1]
    return depth == 1 and closing == outer[0] * len(closing) and len(closing) >= len(outer)
