"""Lint `unused-fact`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from exitgate.analysis.lint.finding import POLICY, Doc, Finding
from exitgate.model.diagnostic import WARNING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.analysis.lint.subject import Subject

ID = "unused-fact"
TITLE = "an entry under `facts:` none of whose facts is used"
SEVERITY = WARNING
KINDS = (POLICY,)
COMPILED = True
DOC = Doc(
    finds="An entry under `facts:` of which no condition, message, computed fact, option or view "
    "names a fact.",
    matters="It is read in every iteration, and a reader of the policy believes that it decides something.",
    bad="""\
facts:
  tasks: {extract: checklist, from: plan}
  errors: {extract: error_lines, from: response, lexicon: errors}
""",
    good="""\
facts:
  tasks: {extract: checklist, from: plan}
""",
)


def check(subject: Subject) -> Iterator[Finding]:
    """Yield each entry declared here of which no fact is used."""
    used = subject.uses.facts
    for name, part in subject.section("facts").items():
        if not any(fact == name or fact.startswith(f"{name}.") for fact in used):
            message = f"nothing uses a fact of `{name}`"
            yield Finding(message, part.label, "use one in a condition or a message, or remove the entry")
