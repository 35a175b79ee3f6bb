"""Where a name is declared and where it is used, across the files of a policy."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from exitgate.analysis.edits import Edit, apply
from exitgate.core.facts.registry import BUILT_IN, own_files
from exitgate.core.language.literals import RESERVED
from exitgate.core.model.diagnostic import ERROR
from exitgate.core.policy import shipped
from exitgate.core.policy.library import is_path
from exitgate.core.policy.locked.reference import is_remote
from exitgate.core.policy.sections.parameters import RESERVED as SETTINGS_KEYS
from exitgate.core.system import portable
from exitgate.surfaces.lsp.diagnostics import diagnose
from exitgate.surfaces.lsp.document import Document
from exitgate.surfaces.lsp.occurrences import (
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
    occurrences,
)
from exitgate.surfaces.lsp.policy_index import PolicyIndex, reference
from exitgate.surfaces.lsp.schema import POLICY as A_POLICY

#: What a policy declares.
DECLARED = frozenset((PARAMETER, ENTRY, CONDITION, RULE, LIST, PROFILE))
_CHAIN_LIMIT = 8


class Reference(Struct, frozen=True):
    """A name in a file: `path` of the file, and the occurrence in its text."""

    path: str
    at: Occurrence


def names_in(page: Document) -> tuple[Occurrence, ...]:
    """Return every name of a page; a fact of a policy's own is there as its entry, too."""
    return tuple(occurrences(page.kind, page.text, page.root)) if page.kind else ()


def name_at(page: Document, cursor: int) -> Occurrence | None:
    """Return the name that the cursor touches, None for none. A sign before it belongs to it."""
    for found in names_in(page):
        signed = found.kind in (PARAMETER, CONDITION) and page.text[found.start - 1 : found.start] in (
            "$",
            "@",
        )
        if found.start - signed <= cursor <= found.end:
            return found
    return None


def declared(found: Occurrence, known: PolicyIndex | None) -> tuple[str, str]:
    """Return kind and name of what a name stands for: of a fact, the entry it belongs to."""
    if found.kind == FACT and known is not None:
        return ENTRY, known.entry_of(found.name) or found.name
    return (ENTRY if found.kind == SOURCE else found.kind), found.name


def definitions(page: Document, cursor: int) -> tuple[Reference, ...]:
    """Return where the name at the cursor is declared: nearest first, then those it overrides."""
    found = name_at(page, cursor)
    if found is None:
        return ()
    if found.kind in (POLICY, LEXICON):
        path = _file(page, found)
        return (Reference(path, Occurrence(found.kind, found.name, 0, 0)),) if path is not None else ()
    known = page.known(cursor)
    kind, name = declared(found, known)
    return tuple(declarations(kind, name, known, page)) if known is not None else ()


def declarations(kind: str, name: str, known: PolicyIndex, page: Document) -> Iterator[Reference]:
    """Yield the places of a policy and of those it extends that declare a name."""
    for path in known.chain:
        other = page.beside(path)
        for found in names_in(other) if other is not None else ():
            if found.declares and (found.kind, found.name) == (kind, name):
                yield Reference(path, found)


def _file(page: Document, found: Occurrence) -> str | None:
    """Return the file of a policy or lexicon that a page names."""
    if found.kind == POLICY and is_remote(found.name):
        known = page.known()
        path = known.chain[1] if known is not None and len(known.chain) > 1 else None
    elif found.kind == POLICY:
        path = reference(found.name, page.folder)
    elif is_path(found.name):
        path = os.path.normpath(os.path.join(page.folder, found.name))
    else:
        path = shipped.lexicon_path(found.name) if found.name in shipped.lexicons() else None
    return path if path is not None and os.path.isfile(path) else None


def references(kind: str, name: str, owner: str, page: Document) -> Iterator[Reference]:
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


def _within(
    path: str, found: Occurrence, kind: str, name: str, known: PolicyIndex | None
) -> Iterator[Reference]:
    """Yield the part of an occurrence that is the name itself: of a fact, its entry."""
    if found.kind == SOURCE and not _is_own_source(name, known):
        return
    del kind
    yield Reference(path, replace(found, end=found.start + len(name)))


def _is_own_source(name: str, known: PolicyIndex | None) -> bool:
    """Return whether an entry's name is that of its source, too: it names files of the project."""
    extraction = known.extractions.get(name) if known is not None else None
    return extraction is not None and bool(own_files(extraction.extractor)) and extraction.source == name


def chain_of(page: Document) -> tuple[str, ...]:
    """Return the files of the policy that a page is about, and of those it extends; nothing is compiled."""
    path = page.policy_path()
    found: list[str] = []
    while path is not None and path not in found and len(found) < _CHAIN_LIMIT:
        found.append(path)
        other = page.beside(path)
        extends = other.word(("extends",)) if other is not None and other.kind == A_POLICY else ""
        path = reference(extends, os.path.dirname(path)) if extends else None
    return tuple(found)


# A name changed wherever it is used: in its policy, in those that extend it, in tests and settings.

_SIGNS = {PARAMETER: "$", CONDITION: "@"}
#: Kinds whose names may have `-` between words.
_DASHED = frozenset((RULE, PROFILE))


class Refused(Exception):  # noqa: N818 - an answer, told to the person who asked
    """The name cannot be changed; the text says why."""


class Renamed(Struct, frozen=True):
    """What a rename changes: file -> edits of its text."""

    edits: Mapping[str, tuple[Edit, ...]]


def renamable(page: Document, cursor: int) -> tuple[int, int]:
    """
    Return where the name under the cursor is that can be changed from here.

    Raises:
        Refused: With the reason.
    """
    found, (_, name), _ = _target(page, cursor)
    return found.start, found.start + len(name)


def rename(page: Document, cursor: int, new: str) -> Renamed:
    """
    Return the edits that give the name under the cursor another one.

    Raises:
        Refused: The name is not the workspace's own, `new` is not a name or is taken, or what was right
            before would not be so any more.
    """
    _, (kind, name), owner = _target(page, cursor)
    new = new.strip().lstrip(_SIGNS.get(kind, ""))
    known = page.known()
    assert known is not None
    _check_new(kind, name, new, known)
    edits: dict[str, list[Edit]] = {}
    for use in references(kind, name, owner, page):
        edits.setdefault(use.path, []).append(Edit(use.at.start, use.at.end, new))
    renamed = Renamed({path: tuple(dict.fromkeys(found)) for path, found in edits.items()})
    _check_sound(page, renamed)
    return renamed


def _target(page: Document, cursor: int) -> tuple[Occurrence, tuple[str, str], str]:
    """Return the occurrence under the cursor, kind and name of what it means, and the file that has it."""
    found = name_at(page, cursor)
    known = page.known(cursor)
    if found is None or known is None:
        raise Refused("there is no name of a fact, parameter, condition, rule or list here")
    kind, name = declared(found, known)
    if kind not in (ENTRY, PARAMETER, CONDITION, RULE, LIST, PROFILE):
        raise Refused(f"`{name}` is not a name that a policy declares")
    if kind == ENTRY and name in BUILT_IN and name not in known.section("facts"):
        raise Refused(f"the facts of `{name}` are always there and keep their names")
    places = tuple(declarations(kind, name, known, page))
    if not places:
        raise Refused(f"`{_SIGNS.get(kind, '')}{name}` is not declared")
    owner = places[-1].path
    if owner != page.policy_path():
        raise Refused(_foreign(kind, name, owner, known, page))
    if not page.desk.owns(owner):
        raise Refused(f"`{owner}` does not belong to the workspace")
    if found.kind == FACT and cursor > found.start + len(name):
        raise Refused(
            f"`{found.name}` is given by the extractor; put the cursor on `{name}` to rename the entry"
        )
    return found, (kind, name), owner


def _foreign(kind: str, name: str, owner: str, known: PolicyIndex, page: Document) -> str:
    """Return why a name of a policy that is extended stays as it is."""
    locked = known.rules[name][0].get("locked") if kind == RULE and name in known.rules else None
    word = "a locked rule" if locked is not None and locked.value is True else "declared"
    shown = portable.relative(owner, page.folder) if page.desk.owns(owner) else owner
    advice = "; rename it there" if page.desk.owns(owner) else ", which is not part of the workspace"
    return f"`{name}` is {word} in `{shown}`{advice}"


def _check_new(kind: str, name: str, new: str, known: PolicyIndex) -> None:
    parts = new.split(".") if kind == ENTRY else [new]
    plain = [part.replace("-", "_") if kind in _DASHED else part for part in parts]
    if not all(_is_name(part) for part in plain):
        raise Refused(
            f"`{new}` is not a valid name: write lower-case letters, digits and `_`, a letter first"
        )
    if kind == ENTRY and (new in RESERVED or new in BUILT_IN):
        raise Refused(f"an entry cannot be called `{new}`: it is a word of the language, or always there")
    if kind == PARAMETER and new in SETTINGS_KEYS:
        raise Refused(f"a parameter cannot be called `{new}`: it is a key of a project's settings")
    taken = {
        ENTRY: known.prefixes(), PARAMETER: tuple(known.parameters), CONDITION: tuple(known.conditions),
        RULE: tuple(known.rules), LIST: tuple(known.section("lists")),
        PROFILE: tuple(known.section("profiles")),
    }[kind]  # fmt: skip
    if new != name and new in taken:
        raise Refused(f"`{_SIGNS.get(kind, '')}{new}` already exists")


def _is_name(part: str) -> bool:
    return part.isascii() and part[:1].isalpha() and part.replace("_", "a").isalnum() and part == part.lower()


def _check_sound(page: Document, renamed: Renamed) -> None:
    """Raise `Refused` when a file that had no error before has one afterwards."""
    before = {path: found for path in renamed.edits if (found := page.beside(path)) is not None}
    desk = page.desk
    for path, other in before.items():
        desk = desk.showing(path, apply(other.text, renamed.edits[path]))
    for path, other in before.items():
        if any(d.severity == ERROR for d in diagnose(other.kind, path, other.text, page.desk, quick=True)):
            continue
        after = desk.text(path)
        assert after is not None
        for wrong in diagnose(other.kind, path, after, desk, quick=True):
            if wrong.severity == ERROR:
                raise Refused(f"`{os.path.basename(path)}` would then be wrong: {wrong.message}")
