"""
Lint `exception-without-end`.

## What it finds

A rule that settings weaken or disable without `until:`.

## Why it matters

Exceptions without an end date are forgotten. The date changes no decision; once it has passed, `check`
warns and `lint` fails.

## Bad

```yaml
exit_decision:
  policy: bb3
  rules:
    low_confidence: {mode: warn, why: the new model hedges more}
```

## Good

```yaml
exit_decision:
  policy: bb3
  rules:
    low_confidence: {mode: warn, why: the new model hedges more, until: 2027-09-01}
```

## Day

2027-06-01
"""

from __future__ import annotations

from exitgate.analysis.lint.exceptions import ENFORCE, exceptions
from exitgate.analysis.lint.finding import SETTINGS, Finding
from exitgate.core.model.diagnostic import NOTE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.analysis.lint.subject import Subject


ID = "exception-without-end"
TITLE = "an exception without an end"
SEVERITY = NOTE
KINDS = (SETTINGS,)
COMPILED = False


def check(subject: Subject) -> Iterator[Finding]:
    """Yield each exception without a last day."""
    for exception in exceptions(subject):
        if exception.mode != ENFORCE and "until" not in exception.part.fields:
            message = f"the exception of rule `{exception.rule}` has no end date"
            yield Finding(message, exception.said.label, "add `until: YYYY-MM-DD`")
