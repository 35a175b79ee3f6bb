"""
Lint `missing-otherwise-message`.

## What it finds

A policy whose `otherwise:`, inherited or its own, has no `because:`.

## Why it matters

In most iterations no rule fires. A line that says so, with a number that changes, is what people see most
of the time.

## Bad

```yaml
otherwise: continue
```

## Good

```yaml
otherwise: {continue: true, because: "Iteration {run.iterations}: no rule fired"}
```
"""

from __future__ import annotations

from exitgate.analysis.lint.finding import POLICY, Finding
from exitgate.core.model.diagnostic import NOTE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.analysis.lint.subject import Subject


ID = "missing-otherwise-message"
TITLE = "no message when no rule decides"
SEVERITY = NOTE
KINDS = (POLICY,)
COMPILED = True


def check(subject: Subject) -> Iterator[Finding]:
    """Yield one finding where the default decision has no message."""
    if subject.policy.otherwise_message:
        return
    otherwise = subject.root.get("otherwise")
    place = otherwise.label if otherwise is not None else subject.head()
    help = 'write `otherwise: {continue: true, because: "..."}`'
    yield Finding("no message when no rule decides", place, help)
