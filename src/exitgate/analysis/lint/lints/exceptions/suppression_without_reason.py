"""
Lint `suppression-without-reason`.

## What it finds

A comment `# lint: off ID` without `: reason`.

## Why it matters

A later reader cannot tell whether it can be removed.

## Bad

```yaml
rules:
  # lint: off missing-because
  - id: iterations_used_up
    when: run.iterations >= 50
    exit: exhausted
```

## Good

```yaml
rules:
  # lint: off missing-because: the id says it all
  - id: iterations_used_up
    when: run.iterations >= 50
    exit: exhausted
```
"""

from __future__ import annotations

from exitgate.analysis.lint.finding import EVERY, Finding
from exitgate.core.model.diagnostic import WARNING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.analysis.lint.subject import Subject


ID = "suppression-without-reason"
TITLE = "a lint is turned off without a reason"
SEVERITY = WARNING
KINDS = EVERY
COMPILED = False


def check(subject: Subject) -> Iterator[Finding]:
    """Yield each suppression without a reason."""
    for suppression in subject.suppressions:
        if not suppression.reason:
            ids = ", ".join(suppression.ids) or "ID"
            help = f"write `# lint: off {ids}: reason`"
            yield Finding("a lint is turned off without a reason", suppression.place, help)
