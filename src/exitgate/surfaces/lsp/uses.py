"""Where a name is declared and where it is used, across the files of a policy."""

from __future__ import annotations

import os

from exitgate.model.value import Value
from exitgate.policy import shipped
from exitgate.policy.library import is_path
from exitgate.surfaces.lsp.known import reference
from exitgate.surfaces.lsp.occurrence import (
    CONDITION,
    ENTRY,
    FACT,
    LEXICON,
    LIST,
    PARAMETER,
    POLICY,
    PROFILE,
    RULE,
    SOURCE,
    Occurrence,
)  # fmt: skip
from exitgate.surfaces.lsp.occurrences import occurrences
from exitgate.surfaces.lsp.page import Page
from exitgate.surfaces.lsp.roles import POLICY as A_POLICY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.surfaces.lsp.known import Known

#: What a policy declares.
DECLARED = frozenset((PARAMETER, ENTRY, CONDITION, RULE, LIST, PROFILE))
_CHAIN_LIMIT = 8


class Use(Value):
    """A name in a file: `path` of the file, and the occurrence in its text."""

    __slots__ = ("at", "path")

    def __init__(self, path: str, at: Occurrence) -> None:
        self.path = path
        self.at = at


def names_in(page: Page) -> tuple[Occurrence, ...]:
    """Return every name of a page; a fact of a policy's own is there as its entry, too."""
    return tuple(occurrences(page.kind, page.text, page.root)) if page.kind else ()


def name_at(page: Page, cursor: int) -> Occurrence | None:
    """Return the name that the cursor touches, None for none. A sign before it belongs to it."""
    for found in names_in(page):
        signed = found.kind in (PARAMETER, CONDITION) and page.text[found.start - 1 : found.start] in (
            "$",
            "@",
        )
        if found.start - signed <= cursor <= found.end:
            return found
    return None


def declared(found: Occurrence, known: Known | None) -> tuple[str, str]:
    """Return kind and name of what a name stands for: of a fact, the entry it belongs to."""
    if found.kind == FACT and known is not None:
        return ENTRY, known.entry_of(found.name) or found.name
    return (ENTRY if found.kind == SOURCE else found.kind), found.name


def definitions(page: Page, cursor: int) -> tuple[Use, ...]:
    """Return where the name at the cursor is declared: nearest first, then those it overrides."""
    found = name_at(page, cursor)
    if found is None:
        return ()
    if found.kind in (POLICY, LEXICON):
        path = _file(page, found)
        return (Use(path, Occurrence(found.kind, found.name, 0, 0)),) if path is not None else ()
    known = page.known(cursor)
    kind, name = declared(found, known)
    return tuple(declarations(kind, name, known, page)) if known is not None else ()


def declarations(kind: str, name: str, known: Known, page: Page) -> Iterator[Use]:
    """Yield the places of a policy and of those it extends that declare a name."""
    for path in known.chain:
        other = page.beside(path)
        for found in names_in(other) if other is not None else ():
            if found.declares and (found.kind, found.name) == (kind, name):
                yield Use(path, found)


def _file(page: Page, found: Occurrence) -> str | None:
    """Return the file of a policy or lexicon that a page names."""
    if found.kind == POLICY:
        path = reference(found.name, page.folder)
    elif is_path(found.name):
        path = os.path.normpath(os.path.join(page.folder, found.name))
    else:
        path = shipped.lexicon_path(found.name) if found.name in shipped.lexicons() else None
    return path if path is not None and os.path.isfile(path) else None


def uses(kind: str, name: str, owner: str, page: Page) -> Iterator[Use]:
    """
    Yield every use of a name that the policy at `owner` declares, in that file and the workspace's others.

    Looked through are the policies that extend it, the tests and the settings that are about one of them.
    """
    for path in dict.fromkeys((owner, page.path, *page.desk.files(page.path))):
        text = page.desk.text(path)
        if text is None or name not in text:
            continue
        other = page.beside(path)
        if other is None or owner not in chain_of(other):
            continue
        known = other.known()
        for found in names_in(other):
            if declared(found, known) == (kind, name):
                yield from _within(path, found, kind, name, known)


def _within(path: str, found: Occurrence, kind: str, name: str, known: Known | None) -> Iterator[Use]:
    """Yield the part of an occurrence that is the name itself: of a fact, its entry."""
    if found.kind == SOURCE and not _is_own_source(name, known):
        return
    del kind
    yield Use(path, found.but(end=found.start + len(name)))


def _is_own_source(name: str, known: Known | None) -> bool:
    """Return whether an entry's name is that of its source, too: it names files of the project."""
    from exitgate.facts.registry import own_files

    extraction = known.extractions.get(name) if known is not None else None
    return extraction is not None and bool(own_files(extraction.extractor)) and extraction.source == name


def chain_of(page: Page) -> tuple[str, ...]:
    """Return the files of the policy that a page is about, and of those it extends; nothing is compiled."""
    path = page.policy_path()
    found: list[str] = []
    while path is not None and path not in found and len(found) < _CHAIN_LIMIT:
        found.append(path)
        other = page.beside(path)
        extends = other.word(("extends",)) if other is not None and other.kind == A_POLICY else ""
        path = reference(extends, os.path.dirname(path)) if extends else None
    return tuple(found)
