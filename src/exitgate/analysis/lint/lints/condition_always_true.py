"""
Lint `condition-always-true`.

## What it finds

A rule whose condition names facts and is true for all their values, unknown included.

## Why it matters

It decides every time, so no later rule is ever evaluated; or it warns every time.

## Bad

```yaml
rules:
  - id: under_way
    when: tasks.present is known or tasks.present is unknown
    continue: true
    because: Work is under way
```

## Good

```yaml
rules:
  - id: under_way
    when: tasks.open > 0
    continue: true
    because: Work is under way
```
"""

from __future__ import annotations

from exitgate.analysis.lint.finding import POLICY, Finding
from exitgate.analysis.lint.queries import never
from exitgate.analysis.walk.queries import NOT_TRUE
from exitgate.core.language.measure import facts_of
from exitgate.core.model.diagnostic import ERROR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.analysis.lint.subject import Subject


ID = "condition-always-true"
TITLE = "a rule whose condition is always true"
SEVERITY = ERROR
KINDS = (POLICY,)
COMPILED = True


def check(subject: Subject) -> Iterator[Finding]:
    """Yield each rule written here whose condition cannot be anything but true."""
    for part, rule in subject.rules:
        if not facts_of(rule.when, subject.policy.conditions):
            continue
        if never(subject.policy, rule.when, NOT_TRUE):
            yield Finding(
                f"the condition of `{rule.id}` is always true",
                part.fields["when"].place,
                "write what distinguishes the inputs it is meant for; a default belongs under `otherwise:`",
            )
