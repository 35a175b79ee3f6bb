"""
Lint `expired-exception`.

## What it finds

A change of a rule, in settings or in a policy, whose `until:` is before today (`--today`).

## Why it matters

A date never changes a decision: the exception is still in force. It was due for review by then.

## Bad

```yaml
exit_decision:
  policy: bb3
  rules:
    low_confidence: {mode: warn, why: the new model hedges more, until: 2027-03-01}
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

from exitgate.analysis.lint.exceptions import exceptions
from exitgate.analysis.lint.finding import POLICY, SETTINGS, Finding
from exitgate.core.model.diagnostic import ERROR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.analysis.lint.subject import Subject


ID = "expired-exception"
TITLE = "an exception past its end date"
SEVERITY = ERROR
KINDS = (SETTINGS, POLICY)
COMPILED = False


def check(subject: Subject) -> Iterator[Finding]:
    """Yield each exception whose last day is before today; none where no day is known."""
    for exception in exceptions(subject):
        until = exception.part.get("until")
        if until is not None and subject.today and until.text < subject.today:
            message = (
                f"the exception of rule `{exception.rule}` expired on {until.text} and is still in force"
            )
            yield Finding(message, until.place, "remove it, or give it a new date and reason")
