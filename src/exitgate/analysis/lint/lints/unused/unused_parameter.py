"""
Lint `unused-parameter`.

## What it finds

A parameter declared in this file that no condition, message, option or view names.

## Why it matters

A project that sets it sees no effect.

## Bad

```yaml
parameters:
  min_confidence: {type: percent, default: 70, doc: Below this the agent is guessing.}
```

## Good

```yaml
parameters:
  max_loops: {type: count, default: 50, doc: Iterations of one run.}
rules:
  - id: iterations_used_up
    when: run.iterations >= $max_loops
    exit: exhausted
    because: "{$max_loops} iterations are enough"
```
"""

from __future__ import annotations

from exitgate.analysis.lint.finding import POLICY, Finding
from exitgate.core.model.diagnostic import WARNING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.analysis.lint.subject import Subject


ID = "unused-parameter"
TITLE = "a parameter that nothing uses"
SEVERITY = WARNING
KINDS = (POLICY,)
COMPILED = True


def check(subject: Subject) -> Iterator[Finding]:
    """Yield each parameter declared here that is not used."""
    used = subject.uses.parameters
    for name, part in subject.section("parameters").items():
        if name not in used:
            message = f"nothing uses the parameter `${name}`"
            yield Finding(message, part.label, f"use `${name}` in a condition or a message, or remove it")
