"""Taking an entry out of a JSON text, with the comma and the white space that came with it."""

from __future__ import annotations

from exitgate.hosts.install.json_text import SPACE, Node, comment_end, skip
from exitgate.policy.edits import Edit


def removed(text: str, container: Node, index: int) -> tuple[Edit, ...]:
    """Return the edits that take entry `index` out of an object or an array; comments of others stay."""
    start, end = container.parts[index]
    before = container.parts[index - 1][1] if index else container.start
    opening = skip(text, before) if index else before
    head = _behind_comments(text, opening + 1, start)
    if index + 1 < len(container.parts):
        comma = skip(text, end)
        if "\n" in text[head:start]:
            return (_cut(text, head, start, comma + 1),)
        rest = text[comma + 1 :]
        return (Edit(start, comma + 1 + len(rest) - len(rest.lstrip(" \t")), ""),)
    if index == 0:
        rest = text[end : container.end - 1]
        if head == opening + 1 and not rest.strip(SPACE):
            return (Edit(head, container.end - 1, ""),)
        return (_cut(text, head, start, end),)
    if head == opening + 1:
        return (Edit(opening, end, ""),)
    return (Edit(opening, opening + 1, ""), _cut(text, head, start, end))


def _cut(text: str, head: int, start: int, end: int) -> Edit:
    """Return the edit that cuts from `head` on; from `start` where the line would run into a comment."""
    line = text.rfind("\n", 0, head) + 1
    follows = text[end:].lstrip(" \t")[:1]
    if "//" in text[line:head] and follows not in ("\r", "\n", ""):
        return Edit(start, end, "")
    return Edit(head, end, "")


def _behind_comments(text: str, at: int, start: int) -> int:
    """Return the offset behind the last comment between `at` and `start`, `at` where there is none."""
    end = at
    while at < start:
        if text[at] == "/":
            at = end = comment_end(text, at)
        else:
            at += 1
    return end
