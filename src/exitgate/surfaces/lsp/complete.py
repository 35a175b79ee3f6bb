"""Completion: what may be written where the cursor is."""

from __future__ import annotations

from exitgate.surfaces.lsp.complete_condition import complete_condition, word_around
from exitgate.surfaces.lsp.complete_keys import key_items
from exitgate.surfaces.lsp.complete_values import value_items
from exitgate.surfaces.lsp.item import Completed
from exitgate.surfaces.lsp.names import slot_items
from exitgate.surfaces.lsp.roles import CONDITION, MESSAGE, POLICY, text_role
from exitgate.surfaces.lsp.spot import KEY, Spot, inner, spot_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.surfaces.lsp.page import Page

#: Characters that make an editor ask: signs of names, of YAML, of messages.
TRIGGERS = (".", "$", "@", ":", " ", "{", "[", "-")
_EMPTY = Completed((), 0, 0)


def complete(page: Page, cursor: int) -> Completed:
    """Return what may be written at `cursor`, an offset in the page's text."""
    if not page.kind:
        return _EMPTY
    spot = spot_at(page.text, cursor)
    if spot is None:
        return _EMPTY
    if spot.role == KEY:
        return Completed(key_items(page, spot, cursor), spot.start, spot.end)
    role = text_role(spot.path) if page.kind == POLICY else ""
    if role == CONDITION:
        found = _in_condition(page, spot, cursor)
        if not spot.alone or page.text[spot.start : cursor].strip():
            return found
        keys = key_items(page, spot, cursor)
        return Completed((*found.items, *keys), found.start, found.end)
    if role == MESSAGE:
        return _in_message(page, spot, cursor)
    items = value_items(page, spot, cursor)
    if spot.alone:
        items += key_items(page, spot, cursor)
    return Completed(items, spot.start, spot.end)


def _in_condition(page: Page, spot: Spot, cursor: int) -> Completed:
    text, start = inner(page.text, spot.start, spot.end, spot.style)
    if cursor < start:
        return _EMPTY
    found = complete_condition(text, cursor - start, page.known(cursor))
    return Completed(found.items, found.start + start, found.end + start)


def _in_message(page: Page, spot: Spot, cursor: int) -> Completed:
    """Return names for the braces of a message."""
    text, start = inner(page.text, spot.start, spot.end, spot.style)
    at = cursor - start
    brace = text.rfind("{", 0, max(at, 0))
    if brace < 0 or "}" in text[brace:at] or "\n" in text[brace:at]:
        return _EMPTY
    first, last = word_around(text, at)
    known = page.known(cursor)
    return Completed(slot_items(known) if known is not None else (), first + start, last + start)
