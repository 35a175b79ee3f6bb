"""Lint `exception-without-end`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from exitgate.analysis.lint.exceptions import ENFORCE, exceptions
from exitgate.analysis.lint.finding import SETTINGS, Doc, Finding
from exitgate.model.diagnostic import NOTE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.analysis.lint.subject import Subject

ID = "exception-without-end"
TITLE = "an exception for ever"
SEVERITY = NOTE
KINDS = (SETTINGS,)
COMPILED = False
DOC = Doc(
    finds="A rule that settings weaken or take out without `until:`.",
    matters="Exceptions without a day are found again by accident. The day changes no decision; it "
    "makes `check` warn and `lint` fail once it has passed.",
    bad="""\
exit_decision:
  policy: bb3
  rules:
    low_confidence: {mode: warn, why: the new model hedges more}
""",
    good="""\
exit_decision:
  policy: bb3
  rules:
    low_confidence: {mode: warn, why: the new model hedges more, until: 2027-09-01}
""",
    today="2027-06-01",
)


def check(subject: Subject) -> Iterator[Finding]:
    """Yield each exception without a last day."""
    for exception in exceptions(subject):
        if exception.mode != ENFORCE and "until" not in exception.part.fields:
            message = f"the exception of rule `{exception.rule}` has no last day"
            yield Finding(message, exception.said.label, "add `until: YYYY-MM-DD`")
