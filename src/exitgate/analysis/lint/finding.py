"""What a lint is and what it finds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from exitgate.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.analysis.lint.subject import Subject
    from exitgate.model.place import Place
    from exitgate.policy.edits import Edit
    from exitgate.policy.suppressions import Suppression

#: Kinds of files, as `Subject.kind` has them.
POLICY, LEXICON, SETTINGS = "policy", "lexicon", "settings"
EVERY = (POLICY, LEXICON, SETTINGS)


class Finding(Value):
    """
    One place that a lint objects to.

    Args:
        message: What is wrong: lower case, no full stop, user text in backticks.
        place: Where, in the file that is linted.
        help: What to do about it, one line.
        edits: What `--fix` does, offsets in the file's text; none where a person must choose.
        related: Further places with a word on each.
    """

    __slots__ = ("edits", "help", "message", "place", "related")

    def __init__(
        self,
        message: str,
        place: Place,
        help: str,
        edits: tuple[Edit, ...] = (),
        related: tuple[tuple[str, Place], ...] = (),
    ) -> None:
        self.message = message
        self.place = place
        self.help = help
        self.edits = edits
        self.related = related


class Doc(Value):
    """
    The page of a lint.

    Args:
        finds: What it looks for; one sentence or two.
        matters: Why that is worth fixing.
        bad, good: Parts of a file that has the fault, and of the fixed one; whole files are made of
            them by `exitgate.analysis.lint.example`, and tests run both.
        fix: What `--fix` does; empty where it does nothing.
        today: For the examples: the day on which they are linted, ``2027-03-01``.
        earlier: For the examples: a part of the file as it was before.
        beside: For the examples: further files in the folder, name -> text.
        whole: The examples are as they are, nothing is put around them.
    """

    __slots__ = ("bad", "beside", "earlier", "finds", "fix", "good", "matters", "today", "whole")

    def __init__(
        self,
        finds: str,
        matters: str,
        bad: str,
        good: str,
        fix: str = "",
        today: str = "",
        earlier: str = "",
        beside: tuple[tuple[str, str], ...] = (),
        whole: bool = False,
    ) -> None:
        self.finds = finds
        self.matters = matters
        self.bad = bad
        self.good = good
        self.fix = fix
        self.today = today
        self.earlier = earlier
        self.beside = beside
        self.whole = whole


class Lint(Protocol):
    """What a module of a lint offers."""

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
    DOC: Doc

    def check(self, subject: Subject) -> Iterator[Finding]:
        """Yield what it objects to; pure."""


class Placed(Value):
    """A finding with the lint that made it, and the suppression that covers it, if one does."""

    __slots__ = ("finding", "lint", "severity", "source", "suppression")

    def __init__(
        self, lint: str, severity: str, finding: Finding, source: str, suppression: Suppression | None
    ) -> None:
        self.lint = lint
        self.severity = severity
        self.finding = finding
        self.source = source
        self.suppression = suppression
