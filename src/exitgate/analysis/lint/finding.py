"""What a lint is and what it finds."""

from __future__ import annotations

from typing import Protocol

from msgspec import Struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.analysis.edits import Edit
    from exitgate.analysis.lint.subject import Subject
    from exitgate.analysis.lint.suppressions import Suppression
    from exitgate.core.model.diagnostic import Location


#: Kinds of files, as `Subject.kind` has them.
POLICY, LEXICON, SETTINGS = "policy", "lexicon", "settings"
EVERY = (POLICY, LEXICON, SETTINGS)


class Finding(Struct, frozen=True):
    """
    One place that a lint objects to.

    Args:
        message: What is wrong: lower case, no full stop, user text in backticks.
        place: Where, in the file that is linted.
        help: What to do about it, one line.
        edits: What `--fix` does, offsets in the file's text; none where a person must choose.
        related: Further places with a word on each.
    """

    message: str
    place: Location
    help: str
    edits: tuple[Edit, ...] = ()
    related: tuple[tuple[str, Location], ...] = ()


class Lint(Protocol):
    """What a module of a lint offers; its docstring is the page, as `exitgate.analysis.lint.doc` reads it."""

    #: As people write it: words with hyphens.
    ID: str
    #: One line for lists.
    TITLE: str
    #: ``error``, ``warning`` or ``note``.
    SEVERITY: str
    #: Kinds of files it looks at.
    KINDS: tuple[str, ...]
    #: It looks at the compiled policy, and is left out where there is none.
    COMPILED: bool

    def check(self, subject: Subject) -> Iterator[Finding]:
        """Yield what it objects to; pure."""


class Placed(Struct, frozen=True):
    """A finding with the lint that made it, and the suppression that covers it, if one does."""

    lint: str
    severity: str
    finding: Finding
    source: str
    suppression: Suppression | None
