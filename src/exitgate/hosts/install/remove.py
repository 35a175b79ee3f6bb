"""Taking an entry out of a JSON text, with the comma and the white space that came with it."""

from __future__ import annotations

from exitgate.hosts.install.json_text import SPACE, Node, skip
from exitgate.policy.edits import Edit


def removed(text: str, container: Node, index: int) -> tuple[Edit, ...]:
    """Return the edits that take entry `index` out of an object or an array; comments of others stay."""
    start, end = container.parts[index]
    head = start - len(text[:start]) + len(text[:start].rstrip(SPACE))
    if index + 1 < len(container.parts):
        comma = text.index(",", skip(text, end)) + 1
        if "\n" in text[head:start]:
            return (Edit(head, comma, ""),)
        return (Edit(start, comma + len(text[comma:]) - len(text[comma:].lstrip(" \t")), ""),)
    if index == 0:
        return (_only(text, container, head, end),)
    before = container.parts[index - 1][1]
    comma = skip(text, before)
    if comma + 1 == head:
        return (Edit(comma, end, ""),)
    return (Edit(comma, comma + 1, ""), Edit(head, end, ""))


def _only(text: str, container: Node, head: int, end: int) -> Edit:
    """Return the edit that empties a container; without a comment its brackets meet."""
    rest = text[end : container.end - 1]
    if head == container.start + 1 and not rest.strip(SPACE):
        return Edit(head, container.end - 1, "")
    return Edit(head, end, "")
