"""
Lint `missing-because`.

## What it finds

A rule without `because:`.

## Why it matters

The decision then shows only the rule's id, and a reader has to find the policy to learn what it means.

## Bad

```yaml
rules:
  - id: iterations_used_up
    when: run.iterations >= 50
    exit: exhausted
```

## Good

```yaml
rules:
  - id: iterations_used_up
    when: run.iterations >= 50
    exit: exhausted
    because: "{run.iterations} iterations are enough"
```
"""

from __future__ import annotations

from exitgate.analysis.lint.finding import POLICY, Finding
from exitgate.core.model.diagnostic import WARNING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.analysis.lint.subject import Subject


ID = "missing-because"
TITLE = "a rule that does not say why"
SEVERITY = WARNING
KINDS = (POLICY,)
COMPILED = False


def check(subject: Subject) -> Iterator[Finding]:
    """Yield each rule written here that is in force and has no reason."""
    for rule in subject.items("rules"):
        id = rule.get("id")
        if id is not None and "because" not in rule.fields and "disabled" not in rule.fields:
            help = 'add `because: "..."`; facts and parameters in braces show their values'
            yield Finding(f"rule `{id.text}` has no reason (`because:`)", id.place, help)
