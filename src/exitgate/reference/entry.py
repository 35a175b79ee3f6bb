"""An id that has a page."""

from __future__ import annotations

from exitgate.model.value import Value

#: Kinds of ids, in the order in which a word that is several is explained.
KINDS = (
    "diagnostic", "lint", "fact", "option", "extractor", "function", "form", "policy", "class", "verdict",
    "stage", "mode", "type", "exit code", "lexicon", "command", "reader",
)  # fmt: skip


class Entry(Value):
    """
    One id.

    Args:
        id: As it is written: ``EP401``, ``checklist.percent``, ``or else``.
        kind: One of `KINDS`.
        page: Path of the page in `docs/reference`.
        heading: The heading in that page under which it is, or the empty text for the whole page.
        title: What it is, one line.
    """

    __slots__ = ("heading", "id", "kind", "page", "title")

    def __init__(self, id: str, kind: str, page: str, heading: str, title: str) -> None:
        self.id = id
        self.kind = kind
        self.page = page
        self.heading = heading
        self.title = title

    @property
    def link(self) -> str:
        """The page with the anchor of the heading, as GitHub makes it."""
        return f"{self.page}#{anchor(self.heading)}" if self.heading else self.page


class Page(Value):
    """A page: its path in `docs/reference`, its Markdown, and the ids that are on it."""

    __slots__ = ("entries", "path", "text")

    def __init__(self, path: str, text: str, entries: tuple[Entry, ...] = ()) -> None:
        self.path = path
        self.text = text
        self.entries = entries


def anchor(heading: str) -> str:
    """Return the anchor of a heading: lower case, blanks as hyphens, no other signs."""
    kept = "".join(c for c in heading.lower() if c.isalnum() or c in "-_ ")
    return kept.replace(" ", "-")
