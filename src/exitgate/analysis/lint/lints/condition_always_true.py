"""Lint `condition-always-true`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from exitgate.analysis.ask import NOT_TRUE
from exitgate.analysis.lint.finding import POLICY, Doc, Finding
from exitgate.analysis.lint.walked import never
from exitgate.language.measure import facts_of
from exitgate.model.diagnostic import ERROR

if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.analysis.lint.subject import Subject

ID = "condition-always-true"
TITLE = "a rule whose condition is true of every input"
SEVERITY = ERROR
KINDS = (POLICY,)
COMPILED = True
DOC = Doc(
    finds="A rule whose condition names facts and is true whatever they are, unknown included.",
    matters="It decides every time, and nothing behind it is ever asked; or it warns every time.",
    bad="""\
rules:
  - id: under_way
    when: tasks.present is known or tasks.present is unknown
    continue: true
    because: Work is under way
""",
    good="""\
rules:
  - id: under_way
    when: tasks.open > 0
    continue: true
    because: Work is under way
""",
)


def check(subject: Subject) -> Iterator[Finding]:
    """Yield each rule written here whose condition cannot be anything but true."""
    for part, rule in subject.rules:
        if not facts_of(rule.when, subject.policy.conditions):
            continue
        if never(subject.policy, rule.when, NOT_TRUE):
            yield Finding(
                f"the condition of `{rule.id}` is true of every input",
                part.fields["when"].place,
                "say what distinguishes the inputs it is for; a default belongs under `otherwise:`",
            )
