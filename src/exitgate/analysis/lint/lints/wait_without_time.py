"""
Lint `wait-without-time`.

## What it finds

A rule with `exit: wait` and no `retry_after:`.

## Why it matters

The loop runner gets no time at which to resume: it resumes at once or never.

## Bad

```yaml
rules:
  - id: agent_failed
    when: run.failed
    exit: wait
    stage: after_failure
    because: The agent failed
  - id: iterations_used_up
    when: run.iterations >= 50
    exit: exhausted
    because: "{run.iterations} iterations are enough"
```

## Good

```yaml
rules:
  - id: agent_failed
    when: run.failed
    exit: wait
    retry_after: 10m
    stage: after_failure
    because: The agent failed
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


ID = "wait-without-time"
TITLE = "an exit that waits without a time to resume"
SEVERITY = WARNING
KINDS = (POLICY,)
COMPILED = False


def check(subject: Subject) -> Iterator[Finding]:
    """Yield each waiting rule written here without a time."""
    for rule in subject.items("rules"):
        exit = rule.get("exit")
        if exit is not None and exit.text == "wait" and "retry_after" not in rule.fields:
            help = "add `retry_after:`, a duration or a fact of that type with a default"
            yield Finding("the run waits without a time to resume", exit.place, help)
