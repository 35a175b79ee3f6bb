"""Lints of the text that an editor shows: those that take no longer than a moment."""

from __future__ import annotations

import os
from functools import lru_cache

from exitgate.surfaces.lsp.roles import LEXICON, POLICY, SETTINGS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.analysis.lint.finding import Lint, Placed
    from exitgate.surfaces.lsp.page import Page

#: Lints that ask for all inputs of a policy: seconds each. `exitgate lint` has them.
DEEP = frozenset((
    "condition-always-true", "contradictory-condition", "exit-on-unknown", "redundant-part",
    "rule-beyond-readers", "shadowed-rule", "unbounded-loop", "vacuous-invariant",
))  # fmt: skip
_KINDS = frozenset((POLICY, LEXICON, SETTINGS))


def lints(page: Page, today: str) -> tuple[Placed, ...]:
    """
    Return what the lints find in a page, suppressed findings left out; nothing where it has errors.

    Args:
        page: The text.
        today: The day, ``2027-03-01``, for exceptions that have ended.
    """
    if page.kind not in _KINDS or not os.path.isdir(page.folder):
        return ()

    def ask() -> tuple[Placed, ...]:
        from exitgate.analysis.lint.reading import open_subject
        from exitgate.analysis.lint.run import lint
        from exitgate.gate.discover import DEFAULT_POLICY

        opened = open_subject(page.path, DEFAULT_POLICY, today)
        if opened.subject is None or opened.problems:
            return ()
        return tuple(one for one in lint(opened.subject, _quick()) if one.suppression is None)

    return page.desk.reading(ask)


@lru_cache(maxsize=1)
def _quick() -> tuple[Lint, ...]:
    from exitgate.analysis.lint.run import chosen

    return chosen(ignore=DEEP)
