"""
Lint `unknown-suppression`.

## What it finds

A comment `# lint: off ID: reason` whose id is not a lint.

## Why it matters

The lint that was meant is still reported, or no longer exists.

## Bad

```yaml
rules:
  # lint: off missing-becose: the id says it all
  - id: iterations_used_up
    when: run.iterations >= 50
    exit: exhausted
    because: Enough
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
from exitgate.core.model.spelling import suggestion

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.analysis.lint.subject import Subject


ID = "unknown-suppression"
TITLE = "an unknown lint is turned off"
SEVERITY = WARNING
KINDS = EVERY
COMPILED = False


def check(subject: Subject) -> Iterator[Finding]:
    """Yield each id of a suppression that no lint has."""
    from exitgate.analysis.lint.registry import IDS

    for suppression in subject.suppressions:
        for id, place in zip(suppression.ids, suppression.id_places, strict=True):
            if id not in IDS:
                yield Finding(f"there is no lint `{id}`", place, suggestion(id, IDS, "lints"))
