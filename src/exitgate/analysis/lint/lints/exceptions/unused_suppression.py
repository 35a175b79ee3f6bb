"""
Lint `unused-suppression`.

## What it finds

A comment `# lint: off ID: reason` where the lint ran and finds nothing.

## Why it matters

It would hide later findings. Usually the fault it excused has been fixed.

## Bad

```yaml
rules:
  # lint: off missing-because: the id says it all
  - id: iterations_used_up
    when: run.iterations >= 50
    exit: exhausted
    because: "{run.iterations} iterations are enough"
```

## Good

```yaml
rules:
  - id: iterations_used_up
    when: run.iterations >= 50
    exit: exhausted
    because: "{run.iterations} iterations are enough"
```

## What `--fix` does

removes a comment whose ids all find nothing
"""

from __future__ import annotations

from exitgate.analysis.edits import Edit, offset
from exitgate.analysis.lint.finding import EVERY, Finding
from exitgate.core.model.diagnostic import WARNING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.analysis.lint.subject import Subject
    from exitgate.analysis.lint.suppressions import Suppression


ID = "unused-suppression"
TITLE = "a lint is turned off needlessly"
SEVERITY = WARNING
KINDS = EVERY
COMPILED = False


def check(_: Subject) -> Iterator[Finding]:
    """Yield nothing: what is unused only the run of all lints can tell, see `check_used`."""
    yield from ()


def check_used(
    subject: Subject, used: frozenset[tuple[Suppression | None, str]], ran: frozenset[str]
) -> Iterator[Finding]:
    """
    Yield each id of a suppression that covered nothing.

    Args:
        subject: The file.
        used: Suppressions that covered a finding, each with the lint's id.
        ran: Ids of the lints that were run; others are not judged.
    """
    for suppression in subject.suppressions:
        idle = [id for id in suppression.ids if id in ran and id != ID and (suppression, id) not in used]
        edits = _removed(subject, suppression) if len(idle) == len(suppression.ids) else ()
        for id, place in zip(suppression.ids, suppression.id_places, strict=True):
            if id in idle:
                yield Finding(f"`{id}` finds nothing here", place, "remove the comment", edits)


def _removed(subject: Subject, suppression: Suppression) -> tuple[Edit, ...]:
    """Return the edit that takes out the comment, with its line where nothing else is there."""
    lines, place = subject.document.lines, suppression.place
    start = offset(lines, place.line, place.column)
    end = offset(lines, place.end_line, place.end_column)
    first = offset(lines, place.line, 1)
    if not lines.text[first:start].strip():
        return (Edit(first, offset(lines, place.line + 1, 1), ""),)
    return (Edit(first + len(lines.text[first:start].rstrip()), end, ""),)
