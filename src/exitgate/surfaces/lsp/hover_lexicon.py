"""What a lexicon and its entries look for."""

from __future__ import annotations

import os

from exitgate.model.counted import counted
from exitgate.policy import shipped
from exitgate.policy.document import read_document
from exitgate.policy.findings import Findings
from exitgate.policy.library import is_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.policy.part import Part
    from exitgate.surfaces.lsp.page import Page
    from exitgate.surfaces.lsp.twig import Path

#: Entries and examples that are shown, at most.
_ENTRIES, _EXAMPLES = 12, 3
_LONGEST = 100
_LOOKS = ("phrase", "words", "pattern")


def lexicon_page(page: Page, name: str) -> str:
    """Return title and first entries of a lexicon that a page names; empty where there is none."""
    path = os.path.join(page.folder, name) if is_path(name) else None
    if path is None and name in shipped.lexicons():
        path = shipped.lexicon_path(name)
    text = page.desk.text(path) if path is not None else None
    document = read_document(text, name, Findings()) if text is not None else None
    if document is None:
        return ""
    title = document.root.get("title")
    entries = document.root.get("entries")
    items = entries.items if entries is not None else ()
    uses = document.root.get("uses")
    used = ", ".join(f"`{item.text}`" for item in uses.items) if uses is not None else ""
    lines = [
        f"**{name}**, a lexicon of {counted(len(items), 'entry', 'entries')}"
        + (f"; uses {used}" if used else "")
    ]
    lines += [title.text] if title is not None else []
    rows = [
        f"- `{item.fields['id'].text}`: {looked_for(item)}" for item in items[:_ENTRIES] if item.get("id")
    ]
    rows += [f"- and {len(items) - _ENTRIES} more"] if len(items) > _ENTRIES else []
    return "\n\n".join([*lines, "\n".join(rows)]).rstrip()


def looked_for(entry: Part) -> str:
    """Return what an entry of a lexicon matches, on one line."""
    for key in _LOOKS:
        part = entry.get(key)
        if part is not None:
            words = [item.text for item in part.items] or [part.text]
            text = ", ".join(f"`{word}`" for word in words)
            return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"
    return ""


def entry_page(page: Page, path: Path) -> str:
    """Return what the entry at a path of a lexicon matches and does not."""
    document = read_document(page.text, page.path, Findings())
    if document is None:
        return ""
    try:
        entry = document.root.at(path)
    except KeyError:
        return ""
    id_ = entry.get("id")
    lines = [f"**{id_.text if id_ is not None else ''}** looks for {looked_for(entry)}"]
    weight, guards = entry.get("weight"), entry.get("guards") or document.root.get("apply")
    if weight is not None:
        lines.append(f"Weight {weight.text}.")
    if guards is not None:
        lines.append("Guards: " + (", ".join(f"`{item.text}`" for item in guards.items) or "none") + ".")
    for key, words in (("examples", "Counts"), ("counterexamples", "Does not count")):
        part = entry.get(key)
        shown = (
            [item.text.strip().splitlines() for item in part.items[:_EXAMPLES]] if part is not None else []
        )
        lines += [f"{words}: `{first[0]}`" for first in shown if first]
    return "\n\n".join(lines)
