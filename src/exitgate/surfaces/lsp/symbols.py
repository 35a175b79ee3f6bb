"""The outline of a file: what it declares, in its order."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from exitgate.surfaces.lsp.occurrences import key_of, value_of
from exitgate.surfaces.lsp.schema import LEXICON, POLICY, SETTINGS, TESTS
from exitgate.surfaces.lsp.tree import Entry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.surfaces.lsp.document import Document

#: Kinds of a symbol, by the section it is in; the edge translates them for the protocol.
SECTION, PARAMETER, FACT, CONDITION, RULE, OTHER = (
    "section", "parameter", "fact", "condition", "rule", "other",
)  # fmt: skip
_KINDS = {"parameters": PARAMETER, "facts": FACT, "given": FACT, "conditions": CONDITION, "rules": RULE}
#: Sections with symbols below them -> the key that names an item.
_BELOW = {
    POLICY: {
        "parameters": "", "facts": "", "given": "", "conditions": "", "lists": "", "profiles": "",
        "rules": "id", "invariants": "id",
    },
    TESTS: {"tests": "name"},
    LEXICON: {"entries": "id", "guards": ""},
    SETTINGS: {"exit_decision": ""},
}  # fmt: skip


class Symbol(Struct, frozen=True):
    """
    One line of an outline.

    Args:
        name: What it is called.
        kind: One of the kinds above.
        detail: Short: the class of a rule, the extractor of an entry.
        start, end: Offsets of all of it.
        name_start, name_end: Offsets of its name.
        below: Symbols inside of it.
    """

    name: str
    kind: str
    detail: str
    start: int
    end: int
    name_start: int
    name_end: int
    below: tuple[Symbol, ...] = ()


def symbols(page: Document) -> tuple[Symbol, ...]:
    """Return the outline of a page; empty for a file that is not one of ours."""
    sections = _BELOW.get(page.kind)
    if sections is None:
        return ()
    found = []
    for entry in page.root.entries:
        key = key_of(page.text, entry)
        if key is None or key[0] not in sections:
            continue
        below = tuple(_below(page, key[0], sections[key[0]], entry))
        end = max(entry.value.end, entry.key_end)
        found.append(Symbol(key[0], SECTION, "", entry.start, end, entry.key_start, entry.key_end, below))
    return tuple(found)


def _below(page: Document, section: str, naming: str, outer: Entry) -> Iterable[Symbol]:
    kind = _KINDS.get(section, OTHER)
    for entry in outer.value.entries:
        name = key_of(page.text, entry)
        if naming:
            value = entry.value.get(naming)
            name = value_of(page.text, value) if value is not None else None
        if name is None or not name[0]:
            continue
        end = max(entry.value.end, name[1] + len(name[0]))
        yield Symbol(name[0], kind, _detail(page, entry), entry.start, end, name[1], name[1] + len(name[0]))


def _detail(page: Document, entry: Entry) -> str:
    """Return what a symbol is, from the key of it that says so."""
    for key in ("exit", "warn", "continue", "extract", "type"):
        value = entry.value.get(key)
        word = value_of(page.text, value) if value is not None else None
        if word is not None:
            return word[0] if key in ("exit", "extract", "type") else key
    return ""
