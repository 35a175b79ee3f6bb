"""
Lint `unused-condition`.

## What it finds

A condition under `conditions:` that no rule, breaker, invariant or computed fact reaches, directly or
through other conditions.

## Why it matters

It looks like part of the policy but decides nothing; often a rule that used it was changed.

## Bad

```yaml
conditions:
  plan_done: {when: tasks.complete, doc: Every task of the plan is ticked.}
```

## Good

```yaml
conditions:
  plan_done: {when: tasks.complete, doc: Every task of the plan is ticked.}
rules:
  - id: plan_done
    when: "@plan_done"
    exit: complete
    because: Every task of the plan is done
  - id: iterations_used_up
    when: run.iterations >= 50
    exit: exhausted
    stage: before_iteration
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


ID = "unused-condition"
TITLE = "a named condition that nothing uses"
SEVERITY = WARNING
KINDS = (POLICY,)
COMPILED = True


def check(subject: Subject) -> Iterator[Finding]:
    """Yield each condition declared here that is not reached."""
    used = subject.uses.conditions
    for name, part in subject.section("conditions").items():
        if name not in used:
            help = f"write `@{name}` in a rule, or remove it"
            yield Finding(f"nothing uses the condition `@{name}`", part.label, help)
