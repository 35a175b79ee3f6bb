"""A name changed wherever it is used: in its policy, in those that extend it, in tests and settings."""

from __future__ import annotations

import os

from exitgate import system
from exitgate.facts.registry import BUILT_IN
from exitgate.language.keywords import RESERVED
from exitgate.model.diagnostic import ERROR
from exitgate.model.value import Value
from exitgate.policy.edits import Edit, apply
from exitgate.policy.parameters import RESERVED as SETTINGS_KEYS
from exitgate.surfaces.lsp.diagnose import diagnose
from exitgate.surfaces.lsp.occurrence import (
    CONDITION,
    ENTRY,
    FACT,
    LIST,
    PARAMETER,
    PROFILE,
    RULE,
    Occurrence,
)
from exitgate.surfaces.lsp.uses import declarations, declared, name_at, uses

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.surfaces.lsp.known import Known
    from exitgate.surfaces.lsp.page import Page

_SIGNS = {PARAMETER: "$", CONDITION: "@"}
#: Kinds whose names may have `-` between words.
_DASHED = frozenset((RULE, PROFILE))


class Refused(Exception):  # noqa: N818 - an answer, told to the person who asked
    """The name cannot be changed; the text says why."""


class Renamed(Value):
    """What a rename changes: file -> edits of its text."""

    __slots__ = ("edits",)

    def __init__(self, edits: Mapping[str, tuple[Edit, ...]]) -> None:
        self.edits = edits


def renamable(page: Page, cursor: int) -> tuple[int, int]:
    """
    Return where the name under the cursor is that can be changed from here.

    Raises:
        Refused: With the reason.
    """
    found, (_, name), _ = _target(page, cursor)
    return found.start, found.start + len(name)


def rename(page: Page, cursor: int, new: str) -> Renamed:
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
    for use in uses(kind, name, owner, page):
        edits.setdefault(use.path, []).append(Edit(use.at.start, use.at.end, new))
    renamed = Renamed({path: tuple(dict.fromkeys(found)) for path, found in edits.items()})
    _check_sound(page, renamed)
    return renamed


def _target(page: Page, cursor: int) -> tuple[Occurrence, tuple[str, str], str]:
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


def _foreign(kind: str, name: str, owner: str, known: Known, page: Page) -> str:
    """Return why a name of a policy that is extended stays as it is."""
    locked = known.rules[name][0].get("locked") if kind == RULE and name in known.rules else None
    word = "a locked rule" if locked is not None and locked.value is True else "declared"
    shown = system.relative(owner, page.folder) if page.desk.owns(owner) else owner
    advice = "; rename it there" if page.desk.owns(owner) else ", which is not part of the workspace"
    return f"`{name}` is {word} in `{shown}`{advice}"


def _check_new(kind: str, name: str, new: str, known: Known) -> None:
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


def _check_sound(page: Page, renamed: Renamed) -> None:
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
