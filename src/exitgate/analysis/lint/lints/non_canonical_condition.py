"""Lint `non-canonical-condition`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from exitgate.analysis.lint.finding import POLICY, Doc, Finding
from exitgate.model.diagnostic import NOTE
from exitgate.policy.format import canonical_edit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.analysis.lint.subject import Subject

ID = "non-canonical-condition"
TITLE = "a condition that `fmt` would write otherwise"
SEVERITY = NOTE
KINDS = (POLICY,)
COMPILED = False
DOC = Doc(
    finds="A condition or formula whose text is not the one `exitgate fmt` writes: spaces, redundant "
    "parentheses, other spellings of an operator.",
    matters="In one form, a change of a condition is all that a review shows.",
    bad="""\
rules:
  - id: iterations_used_up
    when: (run.iterations   >= 50)
    exit: exhausted
    because: "{run.iterations} iterations are enough"
""",
    good="""\
rules:
  - id: iterations_used_up
    when: run.iterations >= 50
    exit: exhausted
    because: "{run.iterations} iterations are enough"
""",
    fix="writes the canonical form, as `exitgate fmt` does",
)


def check(subject: Subject) -> Iterator[Finding]:
    """Yield each condition whose canonical text differs."""
    for leaf, node in subject.parsed:
        assert leaf.written is not None
        edit = canonical_edit(leaf.written, node)
        if edit is not None:
            yield Finding(
                "this condition is not in canonical form",
                leaf.place,
                "run `exitgate fmt` or `lint --fix`",
                (edit,),
            )
