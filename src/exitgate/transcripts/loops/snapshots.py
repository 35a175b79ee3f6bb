"""
The list of tasks that a loop prints before it starts the agent: no part of what the agent said.

It is at the head of every iteration, the same items in the same order; no box is ticked in the first,
and none loses its tick later. An agent that shows its list has ticked something by then.
"""

from __future__ import annotations

from itertools import pairwise

from exitgate.transcripts.loops.marks import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from exitgate.transcripts.loops.body import Body

    Snapshot = tuple[str, tuple[str, ...], tuple[bool, ...], str]

_BOX = r"^\s*(?:[-*+]|\d+[.)]) \[(?P<mark>[ xX])\] (?P<item>.*)$"


def without_snapshots(bodies: Sequence[Body]) -> None:
    """Take the list off the texts of the iterations of a launch, where a loop printed one before each."""
    found = [_snapshot(body.text or "") for body in bodies]
    told = [one for one in found if one is not None]
    if len(told) < 2 or len(told) < len(found) or any(told[0][2]):
        return
    for before, after in pairwise(told):
        if before[:2] != after[:2] or any(a and not b for a, b in zip(before[2], after[2], strict=True)):
            return
    for body, (_, _, _, rest) in zip(bodies, told, strict=True):
        body.text = rest if rest.strip() else None
        body.others = True


def _snapshot(text: str) -> Snapshot | None:
    """Return title, items, ticks of the list at the head of a text, and the text behind a blank line."""
    lines = text.split("\n")
    at = 0 if pattern(_BOX).match(lines[0]) else 1
    title = lines[0] if at else ""
    items: list[str] = []
    ticks: list[bool] = []
    for line in lines[at:]:
        box = pattern(_BOX).match(line)
        if box is None:
            break
        items.append(box.group("item").strip())
        ticks.append(box.group("mark") != " ")
    end = at + len(items)
    if not items or (end < len(lines) and lines[end].strip()):
        return None
    return title, tuple(items), tuple(ticks), "\n".join(lines[end:]).strip("\n")
