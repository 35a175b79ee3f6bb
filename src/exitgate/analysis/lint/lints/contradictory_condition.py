"""
Lint `contradictory-condition`.

## What it finds

A rule whose condition is true at none of the points at which its result could change, with the parameters
as they are and with every other significant value of one of them.

## Why it matters

The rule looks like a safeguard and never decides.

## Bad

```yaml
rules:
  - id: half_done
    when: tasks.done > 5 and tasks.done < 3
    exit: review
    because: "{tasks.done} tasks are done"
    escalation: Look at the plan.
```

## Good

```yaml
rules:
  - id: half_done
    when: tasks.done > 3 and tasks.done < 5
    exit: review
    because: "{tasks.done} tasks are done"
    escalation: Look at the plan.
```
"""

from __future__ import annotations

from exitgate.analysis.lint.finding import POLICY, Finding
from exitgate.analysis.lint.queries import never
from exitgate.core.model.diagnostic import ERROR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.analysis.lint.subject import Subject


ID = "contradictory-condition"
TITLE = "a rule whose condition is never true"
SEVERITY = ERROR
KINDS = (POLICY,)
COMPILED = True


def check(subject: Subject) -> Iterator[Finding]:
    """Yield each rule written here whose condition cannot be true."""
    for part, rule in subject.rules:
        if never(subject.policy, rule.when, True):
            yield Finding(
                f"the condition of `{rule.id}` is never true",
                part.fields["when"].place,
                "`exitgate prove --rule` shows what was looked at; fix the parts that exclude each other",
            )
