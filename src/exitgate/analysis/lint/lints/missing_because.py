"""Lint `missing-because`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from exitgate.analysis.lint.finding import POLICY, Doc, Finding
from exitgate.model.diagnostic import WARNING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.analysis.lint.subject import Subject

ID = "missing-because"
TITLE = "a rule that does not say why"
SEVERITY = WARNING
KINDS = (POLICY,)
COMPILED = False
DOC = Doc(
    finds="A rule without `because:`.",
    matters="Whoever reads the decision sees only its id, and has to find the policy to learn what "
    "was meant.",
    bad="""\
rules:
  - id: iterations_used_up
    when: run.iterations >= 50
    exit: exhausted
""",
    good="""\
rules:
  - id: iterations_used_up
    when: run.iterations >= 50
    exit: exhausted
    because: "{run.iterations} iterations are enough"
""",
)


def check(subject: Subject) -> Iterator[Finding]:
    """Yield each rule written here that is in force and has no reason."""
    for rule in subject.items("rules"):
        id = rule.get("id")
        if id is not None and "because" not in rule.fields and "disabled" not in rule.fields:
            help = 'add `because: "..."`; facts and parameters in braces show their values'
            yield Finding(f"rule `{id.text}` does not say why it decides", id.place, help)
