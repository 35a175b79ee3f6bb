"""Boxes of a plan in other dress: of HTML, round, wide, in marks of code; titles that are struck."""

from __future__ import annotations

from exitgate.facts import structural
from exitgate.facts.checklist_items import DONE, OPEN


def html_boxes(line: str) -> list[str]:
    """Return the states of the boxes of HTML of a line that begins with one, other tags aside."""
    low = line.lower()
    at = low.find(structural.INPUT)
    states: list[str] = []
    if at < 0 or not _only_tags(line[:at]):
        return states
    while at >= 0:
        close = low.find(">", at)
        inside = low[at : close if close >= 0 else len(low)]
        if structural.INPUT_BOX in inside:
            states.append(
                DONE if structural.INPUT_TICKED in inside.replace(structural.INPUT_BOX, "") else OPEN
            )
        at = low.find(structural.INPUT, close) if close >= 0 else -1
    return states


def _only_tags(before: str) -> bool:
    """Return whether nothing but tags, marks of lists and numbers is in a text."""
    outside = "".join(part.rpartition(">")[2] for part in before.split("<")) if "<" in before else before
    return not outside.strip(structural.BOX_LEAD)


def odd_box(said: str, leads: bool) -> str:
    """Return the state of a box in other dress at the start of an item (`leads`), or at a line's end."""
    closing = structural.ROUND_BOXES.get(said[:1])
    if closing:
        inside, closed, rest = said[1:].partition(closing)
        if closed and rest[:1].isspace() and any(map(str.isalnum, rest)):
            ticked = inside.strip().lower()
            if inside and not ticked:
                return OPEN
            if ticked in structural.TICKS[:1] or (ticked and ticked in structural.MET):
                return DONE
    if "]" not in said and structural.WIDE_CLOSE not in said:
        return ""
    plain = said.translate(structural.BOX_DRESS).strip()
    for state, boxes in ((OPEN, ("[ ]",)), (DONE, structural.TICKED_BOXES)):
        if (leads and plain != said and plain.startswith(boxes)) or (
            plain.endswith(boxes) and len(plain) > len("[ ]")
        ):
            return state
    return ""


def struck(said: str) -> bool:
    """Return whether an item is struck as a whole."""
    bare = said.strip(" *_.")
    ends = bare.startswith(structural.STRIKE) and bare.endswith(structural.STRIKE)
    return ends and len(bare) > 2 * len(structural.STRIKE)
