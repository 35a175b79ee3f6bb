"""
Lint `warn-without-advice`.

## What it finds

A rule with `warn: true` and no `advice:`.

## Why it matters

A warning does not decide: its purpose is the line that the agent finds in its next prompt. `because:` is
for people.

## Bad

```yaml
rules:
  - id: slow
    when: tasks.done unchanged for 3 iterations
    warn: true
    because: No task was ticked in three iterations
  - id: iterations_used_up
    when: run.iterations >= 50
    exit: exhausted
    because: "{run.iterations} iterations are enough"
```

## Good

```yaml
rules:
  - id: slow
    when: tasks.done unchanged for 3 iterations
    warn: true
    because: No task was ticked in three iterations
    advice: Tick what is done; split the task at hand when it is too large.
  - id: iterations_used_up
    when: run.iterations >= 50
    exit: exhausted
    because: "{run.iterations} iterations are enough"
```
"""

from __future__ import annotations

from exitgate.analysis.lint.finding import POLICY, Finding
from exitgate.core.model.diagnostic import NOTE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.analysis.lint.subject import Subject


ID = "warn-without-advice"
TITLE = "a warning without advice for the agent"
SEVERITY = NOTE
KINDS = (POLICY,)
COMPILED = False


def check(subject: Subject) -> Iterator[Finding]:
    """Yield each warn rule written here without advice."""
    for rule in subject.items("rules"):
        id = rule.get("id")
        if id is not None and "warn" in rule.fields and "advice" not in rule.fields:
            help = "add `advice:` with what the agent should do differently"
            yield Finding(f"the warning `{id.text}` has no advice for the agent", id.place, help)
